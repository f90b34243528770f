"""What a scene shows, as data: a terminal and a page draw the same parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Plane = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Words:
    """A paragraph; a heading and a warning stand out; a line is one of several that belong together."""

    text: str
    kind: Literal["plain", "heading", "warning", "line"] = "plain"


@dataclass(frozen=True)
class Heat:
    """Numbers from 0 to `high` as shades, a letter at each row and column.

    by_formula: what is shown beside the learner's own, to compare.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Plane
    note: str = ""
    high: float = 1.0
    by_formula: bool = False


@dataclass(frozen=True)
class Grid:
    """A small table; the first column names the rows."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Curve:
    """Lines over common places."""

    title: str
    across: str
    up: str
    places: tuple[float, ...]
    lines: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Written:
    """Texts that a model wrote behind what it was given, each with who wrote it."""

    title: str
    given: str
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Slider:
    """The same with one number ever larger, one step at a time: each step's name, its map and what was written there.

    start: the step that is shown first.
    """

    title: str
    steps: tuple[tuple[str, Heat, str], ...]
    start: int


Part = Words | Heat | Grid | Curve | Written | Slider
