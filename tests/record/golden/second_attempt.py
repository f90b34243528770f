"""The second of three attempts, which counts since the third could not be read."""

from grader.record import Attempt, CourseStamp, ExerciseResult, Record

record = Record(
    version=1,
    submission="hopper",
    isolation="full",
    seed=7,
    course=CourseStamp(title="Attention Kata", version="0.1.0"),
    points=0.0,
    max_points=4.0,
    complete=True,
    exercises=(
        ExerciseResult(
            id="softmax", status="not_started", points=0.0, max_points=4.0, checks=(), diagnosis=(), seconds=0.02
        ),
    ),
    problems=(),
    digest="0" * 64,
    attempt=Attempt(
        number=2,
        of=3,
        name="2026-03-01",
        reason="The last attempt in which an exercise was found counts. In attempt 3 no exercise was found: "
        "2026-03-02 is damaged or not a zip; zip your files again.",
    ),
)
