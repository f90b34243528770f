"""A late unit, of which points are taken off, and extra credit, which counts on top of the maximum."""

from grader.record import Adjustment, CheckResult, CourseStamp, ExerciseResult, Record


def passed(id: str, points: float, final_points: float, final_max_points: float) -> ExerciseResult:
    check = CheckResult(
        name="test_values",
        title="The values are right.",
        outcome="passed",
        points=points,
        max_points=points,
        visible=False,
        message="",
    )
    return ExerciseResult(
        id=id,
        status="passed",
        points=points,
        max_points=points,
        checks=(check,),
        diagnosis=(),
        seconds=0.02,
        final_points=final_points,
        final_max_points=final_max_points,
    )


record = Record(
    version=1,
    submission="noether",
    isolation="full",
    seed=7,
    course=CourseStamp(title="Attention Kata", version="0.1.0"),
    points=7.0,
    max_points=7.0,
    complete=True,
    exercises=(passed("softmax", 4.0, 3.2, 4.0), passed("rotary", 3.0, 3.0, 0.0)),
    problems=(),
    final_points=6.2,
    final_max_points=4.0,
    adjustments=(
        Adjustment(
            unit="01_soft_lookup",
            points=-0.8,
            kind="late",
            reason="Soft lookup was handed in 1 day and 3 hours after 1 March 2026, 12:00 UTC: 10 % for each started day, "
            "at most 50 %, so for 2 days 20 % of its points are taken off.",
        ),
        Adjustment(
            unit="06_beyond",
            points=0.0,
            kind="extra credit",
            reason="Beyond is extra credit: its points count on top, and its 3 are not in the maximum.",
        ),
    ),
)
