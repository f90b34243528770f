"""The grader failed on one exercise: the record says so and is no mark."""

from grader.record import CheckResult, CourseStamp, ExerciseResult, Record

record = Record.of(
    submission="hopper",
    isolation="reduced",
    seed=0,
    course=CourseStamp(title="Attention Kata", version="0.1.0"),
    exercises=[
        ExerciseResult(
            id="softmax",
            status="error",
            points=1.0,
            max_points=4.0,
            checks=(
                CheckResult(
                    name="test_weights",
                    title="The weights are e to the scores over their sum.",
                    outcome="error",
                    points=0.0,
                    max_points=3.0,
                    visible=False,
                    message="The check itself broke: the reference solution returned nothing.",
                ),
                CheckResult(
                    name="test_example",
                    title="The document's example comes out.",
                    outcome="passed",
                    points=1.0,
                    max_points=1.0,
                    visible=True,
                    message="",
                ),
            ),
            diagnosis=(),
            seconds=0.2,
        ),
        ExerciseResult(
            id="causal_mask", status="error", points=0.0, max_points=2.0, checks=(), diagnosis=(), seconds=0.0
        ),
        ExerciseResult(
            id="split_heads",
            status="missing",
            points=0.0,
            max_points=3.0,
            checks=(),
            diagnosis=(),
            seconds=0.0,
        ),
    ],
)
