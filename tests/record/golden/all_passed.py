"""Everything right: full points, the debug task with its small repair included."""

from grader.record import CheckResult, CourseStamp, ExerciseResult, Record


def passed(name: str, title: str, worth: float) -> CheckResult:
    return CheckResult(
        name=name, title=title, outcome="passed", points=worth, max_points=worth, visible=False, message=""
    )


record = Record.of(
    submission="noether",
    isolation="full",
    seed=1882,
    course=CourseStamp(title="Attention Kata", version="0.1.0"),
    exercises=[
        ExerciseResult(
            id="softmax",
            status="passed",
            points=4.0,
            max_points=4.0,
            checks=(
                passed("test_weights", "The weights are e to the scores over their sum.", 2.0),
                passed("test_large_scores", "Scores up to 1,000 do not overflow.", 1.5),
                passed("test_input_unchanged", "The scores handed in stay as they were.", 0.5),
            ),
            diagnosis=(),
            seconds=0.031,
        ),
        ExerciseResult(
            id="debug_attn_weights",
            status="passed",
            points=3.3,
            max_points=3.3,
            checks=(
                passed("test_output", "The output is the softmax of the scaled scores times the values.", 3.0),
                passed("test_small_repair", "Only the broken line was changed.", 0.3),
            ),
            diagnosis=(),
            seconds=0.044,
        ),
    ],
)
