"""What holds for whatever came in: the sentences people see, and the submissions that are graded."""

from __future__ import annotations

import unicodedata

from grader.course import Course
from grader.intake import Submission

MAX_SENTENCE = 4000
MAX_PROBLEMS = 1000


def assert_sentence(text: str) -> None:
    """A text for people: something is said, on one line, with no character that a terminal takes for a command."""
    assert text.strip(), "nothing is said"
    assert all(char.isprintable() or _is_harmless(char) for char in text), ascii(text[:300])
    assert len(text) <= MAX_SENTENCE, len(text)
    assert "Traceback" not in text


def _is_harmless(char: str) -> bool:
    """Whether it is one of the spaces other than the usual, or joins the letters and emoji of some scripts."""
    return unicodedata.category(char) == "Zs" or char in "\u200c\u200d"


def assert_sound(submission: Submission, course: Course) -> None:
    """What the judge takes over from the intake."""
    assert_sentence(submission.name)
    for id, source in submission.sources.items():
        exercise = course.exercise(id)
        assert source.exercise == id
        assert_sentence(source.name)
        source.content.decode("utf-8")
        assert b"\0" not in source.content
        assert len(source.content) <= exercise.limits.source_kb * 1024
    assert len(submission.problems) <= MAX_PROBLEMS
    for problem in submission.problems:
        assert_sentence(problem.message)
        assert problem.file.isprintable()
        assert problem.exercise is None or course.exercise(problem.exercise)
    assert submission.sources or submission.problems, "nothing was taken, and nobody says why"
