"""A learner half-way: passed, failed with a diagnosis, failed on import, a debug task without its small
repair, not started, missing, and files that were not taken."""

from grader.record import CheckResult, CourseStamp, Diagnosis, ExerciseResult, Outcome, Problem, Record

IMPORT_ERROR = """\
04_scaled_scores.py, line 9
    scale = key.shape[-1] ** -0.5)
                                 ^
SyntaxError: unmatched ')'"""

FUTURE = """\
The weights differ from the expected ones in 6 of 16 places, first at [0, 1].
  expected  0.0000
  yours     0.1377
The query here had 4 tokens, the mask hides everything above the diagonal."""


def check(
    name: str,
    title: str,
    outcome: Outcome,
    points: float,
    worth: float,
    message: str = "",
    visible: bool = False,
) -> CheckResult:
    return CheckResult(
        name=name,
        title=title,
        outcome=outcome,
        points=points,
        max_points=worth,
        visible=visible,
        message=message,
    )


record = Record.of(
    submission="lovelace",
    isolation="full",
    seed=20_230_917,
    course=CourseStamp(title="Attention Kata", version="0.1.0"),
    exercises=[
        ExerciseResult(
            id="softmax",
            status="passed",
            points=4.0,
            max_points=4.0,
            checks=(
                check("test_weights", "The weights are e to the scores over their sum.", "passed", 3.0, 3.0),
                check("test_example", "The document's example comes out.", "passed", 1.0, 1.0, visible=True),
            ),
            diagnosis=(),
            seconds=0.03,
        ),
        ExerciseResult(
            id="scaled_scores",
            status="failed",
            points=0.0,
            max_points=3.0,
            checks=(
                check(
                    "test_scores",
                    "Scores are products divided by √d.",
                    "failed",
                    0.0,
                    2.0,
                    message=IMPORT_ERROR,
                ),
                check("test_shapes", "Any leading shape works.", "failed", 0.0, 0.5, message=IMPORT_ERROR),
                check("test_gradients", "Gradients reach query and key.", "skipped", 0.0, 0.5),
            ),
            diagnosis=(),
            seconds=0.01,
        ),
        ExerciseResult(
            id="debug_attn_weights",
            status="passed",
            points=3.0,
            max_points=4.0,
            checks=(
                check("test_output", "The output is right.", "passed", 3.0, 3.0),
                check(
                    "test_small_repair",
                    "Only the broken line was changed.",
                    "failed",
                    0.0,
                    1.0,
                    message="14 lines differ from the file as given; one is enough.",
                ),
            ),
            diagnosis=(),
            seconds=0.04,
        ),
        ExerciseResult(
            id="masked_softmax",
            status="failed",
            points=0.5,
            max_points=5.0,
            checks=(
                check(
                    "test_future_has_no_say",
                    "A later token gets no weight.",
                    "failed",
                    0.0,
                    3.0,
                    message=FUTURE,
                ),
                check(
                    "test_rows_sum_to_one",
                    "Every row of weights sums to 1.",
                    "failed",
                    0.0,
                    1.0,
                    message="Row 0 sums to 0.8623.",
                ),
                check("test_keeps_dtype", "The weights keep the scores' dtype.", "passed", 0.0, 0.5),
                check("test_example", "The document's example comes out.", "passed", 0.5, 0.5, visible=True),
            ),
            diagnosis=(
                Diagnosis(
                    mistake="mask-after-softmax",
                    message="These are the weights you get when the mask is applied after the softmax.",
                ),
            ),
            seconds=0.052,
        ),
        ExerciseResult(
            id="split_heads",
            status="not_started",
            points=0.0,
            max_points=3.0,
            checks=(check("test_heads", "Each head gets its own slice.", "skipped", 0.0, 3.0),),
            diagnosis=(),
            seconds=0.0,
        ),
        ExerciseResult(
            id="repeat_kv", status="missing", points=0.0, max_points=2.5, checks=(), diagnosis=(), seconds=0.0
        ),
    ],
    problems=[
        Problem(
            file="work/03_softmax (1).py",
            kind="unknown",
            message="No exercise has this name; a file is named like 03_softmax.py or softmax.py.",
        ),
        Problem(
            file="old/causal_mask.py",
            kind="duplicate",
            message="There is more than one file for causal_mask, so none was graded.",
        ),
    ],
)
