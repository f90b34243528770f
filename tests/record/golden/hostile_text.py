"""A learner who writes to whoever reads the report: escapes, bidi overrides, markup, line separators, towers
of marks, and far too much of it."""

from grader.record import CheckResult, CourseStamp, Diagnosis, ExerciseResult, Problem, Record

HOSTILE = (
    "\x1b[2J\x1b[31mred\x1b]8;;http://example.org\x07link\x07 \x00 \x85 \x9b31m "
    "\u202eevil\u202c \u2066isolated\u2069 \ufeff \u2028next\u2029 \ud800 "
    "</pre><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }} [bold]markup[/bold] :smile: "
    "Z" + "\u0301" * 30
)

record = Record.of(
    submission="mallory\u202etxt.exe<script>",
    isolation="full",
    seed=2**53 - 1,
    course=CourseStamp(title="Attention Kata", version="0.1.0"),
    exercises=[
        ExerciseResult(
            id="softmax",
            status="failed",
            points=0.0,
            max_points=4.0,
            checks=(
                CheckResult(
                    name="test_weights",
                    title="The weights are e to the scores over their sum.",
                    outcome="failed",
                    points=0.0,
                    max_points=3.0,
                    visible=False,
                    message=HOSTILE,
                ),
                CheckResult(
                    name="test_example",
                    title="The document's example comes out.",
                    outcome="failed",
                    points=0.0,
                    max_points=1.0,
                    visible=True,
                    message="\n".join("x" * 90 for _ in range(200)),
                ),
            ),
            diagnosis=(Diagnosis(mistake="no-division", message="The exponentials are not divided by their sum."),),
            seconds=5.0,
        ),
    ],
    problems=[Problem(file=HOSTILE, kind="refused", message="A link is not read.")],
)
