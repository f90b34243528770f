"""What a scene shows, as data; terminal, page and notebook paint these parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from grader.played import Heat


@dataclass(frozen=True)
class Words:
    """A paragraph. Headings and warnings stand out; lines are printed without blank lines between them."""

    text: str
    kind: Literal["plain", "heading", "warning", "line"] = "plain"


@dataclass(frozen=True)
class Grid:
    """A small table; the first column names the rows."""

    kind: ClassVar = "grid"
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, title: str, header: Sequence[str], rows: Mapping[str, Sequence[float | str]]) -> Grid:
        """A table of these rows by their names, with numbers in two decimals."""
        written = {
            name: (cell if isinstance(cell, str) else f"{cell:.2f}" for cell in row) for name, row in rows.items()
        }
        return cls(title, tuple(header), tuple((name, *cells) for name, cells in written.items()))


@dataclass(frozen=True)
class Curve:
    """Several lines over the same x values."""

    kind: ClassVar = "curve"
    title: str
    across: str
    up: str
    places: tuple[float, ...]
    lines: tuple[tuple[str, tuple[float, ...]], ...]

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value that the drawing has room for."""
        known = [y for _, line in self.lines for y in line if math.isfinite(y)]
        return min([0.0, *known]), max([*known, 1e-9])

    def points(self, line: tuple[float, ...]) -> list[tuple[float, float, float, float]]:
        """The points of a line that are numbers: their places from 0 to 1, from the left and from the top; x and y."""
        (low, high), left = self.ends, self.places[0]
        wide, tall = (self.places[-1] - left) or 1, (high - low) or 1
        known = [(x, y) for x, y in zip(self.places, line, strict=True) if math.isfinite(y)]
        return [((x - left) / wide, (high - y) / tall, x, y) for x, y in known]

    @property
    def description(self) -> str:
        """All of its values, in words."""
        return "; ".join(
            f"{name}: " + ", ".join(f"{y:.3g} at {x:g}" for x, y in zip(self.places, line, strict=True))
            for name, line in self.lines
        )


@dataclass(frozen=True)
class Written:
    """Texts that models wrote after a given text, each with its author."""

    kind: ClassVar = "written"
    title: str
    given: str
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Slider:
    """The same map for increasing values of one number: each step's name, its map and the text written there.

    start: the step shown first.
    """

    kind: ClassVar = "slider"
    title: str
    steps: tuple[tuple[str, Heat, str], ...]
    start: int


Part = Words | Heat | Grid | Curve | Written | Slider
