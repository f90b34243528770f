"""A page with similar answers side by side; lines with shared, unexplained words are marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.render.pages import render_page

from .likeness import Likeness, by_pair

MOST_LINES = 400
"""Lines of one answer; of a longer one the first are shown."""
VIEWS = {
    "written": "the same words, comments included",
    "renamed": "the same but for names and comments",
}


@dataclass(frozen=True)
class Side:
    """One of the answers; each line with whether it contains shared words."""

    learner: str
    lines: Sequence[tuple[str, bool]]
    more: int


@dataclass(frozen=True)
class Match:
    """Two answers to one exercise."""

    title: str
    view: str
    shared: int
    percent: int
    sides: tuple[Side, Side]


def render_likeness(
    found: Iterable[Likeness], answers: Mapping[str, Mapping[str, str]], titles: Mapping[str, str]
) -> str:
    """The page; equal findings give the same bytes."""
    pairs = [
        (one, other, [_match(each, answers[each.exercise], titles) for each in alike])
        for (one, other), alike in by_pair(found).items()
    ]
    return render_page("likeness.html.j2", pairs=pairs)


def _match(each: Likeness, answers: Mapping[str, str], titles: Mapping[str, str]) -> Match:
    sides = (
        _side(each.one, answers[each.one], each.lines[0]),
        _side(each.other, answers[each.other], each.lines[1]),
    )
    title = titles.get(each.exercise, each.exercise)
    return Match(title, VIEWS[each.view], each.shared, round(100 * each.part), sides)


def _side(learner: str, text: str, marked: frozenset[int]) -> Side:
    lines = text.split("\n")
    shown = [(line.rstrip("\r"), number in marked) for number, line in enumerate(lines[:MOST_LINES], 1)]
    return Side(learner, shown, len(lines) - len(shown))
