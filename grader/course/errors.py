"""The error for an unusable course, and helpers for its sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CourseError(Exception):
    """The course cannot be used as asked; the text is for people, one problem a line."""


Place = tuple[str | int, ...]
"""A path into the data: keys and indices from the outside in."""


def quoted(text: str | int) -> str:
    """The text between backticks, on one line, shortened if it is long."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text))
    return f"`{shown if len(shown) <= 60 else shown[:57] + '...'}`"


def listed(names: Iterable[str]) -> str:
    """The names separated by commas, each between backticks."""
    return ", ".join(quoted(name) for name in names)


def did_you_mean(word: object, choices: Iterable[str]) -> str:
    """ ": did you mean `softmax`?", or "" when no choice is similar."""
    close = _close(word, choices)
    return f": did you mean {' or '.join(quoted(choice) for choice in close)}?" if close else ""


def likest(word: object, choices: Iterable[str]) -> str | None:
    """The most similar choice; None when none is similar."""
    return next(iter(_close(word, choices)), None)


def _close(word: object, choices: Iterable[str]) -> list[str]:
    return difflib.get_close_matches(str(word)[:100], list(choices), n=2)


def name_of(place: Place) -> str:
    """How a sentence names the place: "`points`", "entry 2 of `hints`"."""
    last = place[-1] if place else "the file"
    if isinstance(last, int):
        return f"entry {last + 1} of {name_of(place[:-1])}"
    return quoted(last) if place else last
