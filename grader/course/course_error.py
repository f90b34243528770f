"""The error for an unusable course, and how its sentences name things."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from grader.errors import KataError


class CourseError(KataError):
    """The course cannot be used as asked; the text is for people, one problem a line."""


def quoted(text: object) -> str:
    """The text between backticks, on one line, shortened if it is long."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text))
    return f"`{shown if len(shown) <= 60 else shown[:57] + '...'}`"


def did_you_mean(word: object, choices: Iterable[str]) -> str:
    """ ": did you mean `softmax`?", or "" when no choice is similar."""
    close = difflib.get_close_matches(str(word)[:100], list(choices), n=2)
    return f": did you mean {' or '.join(map(quoted, close))}?" if close else ""
