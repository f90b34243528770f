"""One file with a learner's name instead of an exercise's: any bytes, told apart by their text alone."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.intake import SubmissionError, read_submission
from grader.intake.statements import logical_lines, statements, without_futures, without_magics
from tests.fuzz.damage import damaged
from tests.fuzz.sound import assert_sentence, assert_sound
from tests.fuzz.targets.archive import COURSE
from tests.fuzz.targets.notebook import CELLS
from tests.fuzz.watching import scratch

REFERENCES = tuple(COURSE.solution_path(exercise).read_bytes() for exercise in COURSE.exercises)
RUNS = (
    "(",
    "'",
    '"',
    "\\\n",
    "\\",
    "a.",
    "a,",
    "a=",
    "\n",
    " ",
    "\t",
    "%",
    "!",
    "?",
    "lambda ",
    "for ",
    "def f(",
    "@a\n",
)


def run(data: bytes) -> None:
    """The file answers one exercise or none, in time that grows with its size; its lines are those that were cut."""
    path = scratch() / "ada_lovelace.py"
    path.write_bytes(data)
    try:
        submission = read_submission(path, COURSE)
    except SubmissionError as error:
        assert_sentence(str(error))
    else:
        assert_sound(submission, COURSE)
        assert len(submission.sources) <= 1
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = logical_lines(text)
    assert "".join(line.text for line in lines) == text
    assert without_magics(text).count("\n") == text.count("\n")
    assert without_futures(text).count("\n") == text.count("\n")
    for statement in statements(text):
        assert statement.text.endswith("\n")


def inputs() -> SearchStrategy[bytes]:
    """References with harm done to them, cells put together, and long runs of what a pattern could trip over."""
    put_together = st.lists(st.sampled_from(CELLS), max_size=4).map("".join)
    long = st.builds(
        lambda piece, times, end: piece * times + end, st.sampled_from(RUNS), st.integers(0, 3000), put_together
    )
    texts = (put_together | long).map(lambda text: text.encode("utf-8"))
    return damaged(st.sampled_from(REFERENCES)) | damaged(texts)
