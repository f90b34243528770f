"""The error of a course that cannot be used, and the pieces of its sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CourseError(Exception):
    """The course cannot be used as asked; the text is for people, one problem a line."""


Place = tuple[str | int, ...]
"""Where something stands in the data: keys and positions from the outside in."""


def quoted(text: str | int) -> str:
    """The text between backticks, on one line, and not endless."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text))
    return f"`{shown if len(shown) <= 60 else shown[:57] + '...'}`"


def listed(names: Iterable[str]) -> str:
    """The names one after another, each between backticks."""
    return ", ".join(quoted(name) for name in names)


def did_you_mean(word: object, choices: Iterable[str]) -> str:
    """ ": did you mean `softmax`?", or nothing when no choice looks like the word."""
    close = _close(word, choices)
    return f": did you mean {' or '.join(quoted(choice) for choice in close)}?" if close else ""


def likest(word: object, choices: Iterable[str]) -> str | None:
    """The choice that looks most like the word; None when none does."""
    return next(iter(_close(word, choices)), None)


def _close(word: object, choices: Iterable[str]) -> list[str]:
    return difflib.get_close_matches(str(word)[:100], list(choices), n=2)


def name_of(place: Place) -> str:
    """What the place is called in a sentence: "`points`", "entry 2 of `hints`"."""
    last = place[-1] if place else "the file"
    if isinstance(last, int):
        return f"entry {last + 1} of {name_of(place[:-1])}"
    return quoted(last) if place else last
