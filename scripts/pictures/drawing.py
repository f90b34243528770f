"""What the picture scripts share: an SVG on a light panel, with text, tables of coloured cells, boxes and arrows.

Every picture is the same, byte for byte, in every run: coordinates are rounded, and colours are taken from numbers as
they are written, so that the last digits of a sum, which may differ between machines, do not show. No colour stands
alone: what it says is also written in the cell, or beside it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Literal

EXERCISES = Path(__file__).resolve().parents[2] / "exercises"

MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"
WIDEST = 760
ROOM = 0.62
"""A letter's width over its size, on the wide side: texts have to stay within the picture in any font."""

INK, PALE, LINE = "#1b1f24", "#57606a", "#8c959f"
PANEL, FRAME = "#ffffff", "#d0d7de"
EMPTY = "#f3f4f6"
VISIBLE, HIDDEN = "#f4b860", "#39414d"
GOOD, BAD = "#00694e", "#a33a00"
TINTS = ("#9fd0ee", "#f6c667", "#8fd1bd", "#e2a9c6")
"""Light forms of four of the colours of Okabe and Ito, which colour-blind people can tell apart."""

_SEQUENTIAL = ((247, 251, 255), (158, 202, 225), (74, 152, 207))  # light enough for dark numbers
_ORANGE = (230, 145, 56)
_WHITE = (255, 255, 255)

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]


def written(number: float, digits: int = 4) -> str:
    """A number as the lessons write it: no zero before the point, a real minus sign."""
    if math.isinf(number):
        return "∞" if number > 0 else f"{MINUS}∞"
    text = f"{number:.{digits}f}"
    if float(text) == 0:
        return "0"
    if float(text) == 1:
        return "1"
    text = text.replace("-", MINUS)
    return text.replace("0.", ".", 1) if abs(number) < 1 else text


def shade(number: float, low: float, high: float) -> str:
    """A colour between near white at `low` and blue at `high`."""
    share = min(max((round(number, 4) - low) / (high - low), 0.0), 1.0) * (len(_SEQUENTIAL) - 1)
    step = min(int(share), len(_SEQUENTIAL) - 2)
    return _between(_SEQUENTIAL[step], _SEQUENTIAL[step + 1], share - step)


def shade_signed(number: float, limit: float) -> str:
    """A colour: orange below zero, white at zero, blue above."""
    share = min(abs(round(number, 4)) / limit, 1.0)
    return _between(_WHITE, _ORANGE if number < 0 else _SEQUENTIAL[-1], share)


def _between(start: Sequence[int], end: Sequence[int], share: float) -> str:
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(start, end, strict=True))


def ink_on(colour: str) -> str:
    """Dark or white, whichever reads better on this colour."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    brightness = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return INK if brightness > 0.2 else "#ffffff"


def _plain(number: float) -> str:
    return f"{round(number, 1):g}"


class Picture:
    """An SVG that is written from top to bottom; what comes later lies on top."""

    def __init__(self, width: int, height: int, title: str, description: str) -> None:
        """Begin with the panel. Title and description are for those who hear the picture."""
        if width > WIDEST:
            raise ValueError(f"the picture is {width} wide, more than {WIDEST}")
        self.width, self.height = width, height
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="12" text-anchor="middle" '
            f'fill="{INK}">',
            f'<title id="title">{escape(title, quote=False)}</title>',
            f'<desc id="desc">{escape(description, quote=False)}</desc>',
            f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{PANEL}" stroke="{FRAME}"/>',
        ]

    def svg(self) -> str:
        """The file's text."""
        return "\n".join([*self._lines, "</svg>", ""])

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: Anchor = "middle",
        size: int = 12,
        colour: str = INK,
        bold: bool = False,
        code: bool = False,
    ) -> None:
        """A line of text; `y` is the height of its middle."""
        room = len(text) * size * ROOM
        left = {"start": x, "middle": x - room / 2, "end": x - room}[anchor]
        if left < 0 or left + room > self.width or not size / 2 <= y <= self.height - size / 2:
            raise ValueError(f"may not fit into the picture: {text!r}")
        style = "" if anchor == "middle" else f' text-anchor="{anchor}"'
        style += "" if size == 12 else f' font-size="{size}"'
        style += "" if colour == INK else f' fill="{colour}"'
        style += ' font-weight="bold"' if bold else ""
        style += ' font-family="monospace"' if code else ""
        baseline = y + 0.36 * size
        self._lines.append(f'<text x="{_plain(x)}" y="{_plain(baseline)}"{style}>{escape(text, quote=False)}</text>')

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        text: str = "",
        *,
        stroke: str = "",
        round_by: float = 0,
        size: int = 12,
        bold: bool = False,
        code: bool = False,
    ) -> None:
        """A rectangle, with a line of text in its middle."""
        style = f' stroke="{stroke}" stroke-width="1.5"' if stroke else ""
        style += f' rx="{_plain(round_by)}"' if round_by else ""
        place = f'x="{_plain(x)}" y="{_plain(y)}" width="{_plain(width)}" height="{_plain(height)}"'
        self._lines.append(f'<rect {place} fill="{fill}"{style}/>')
        if text:
            colour = INK if fill == "none" else ink_on(fill)
            self.text(x + width / 2, y + height / 2, text, size=size, colour=colour, bold=bold, code=code)

    def line(self, start: Point, end: Point, *, colour: str = LINE, width: float = 1.5, dashed: bool = False) -> None:
        """A straight line."""
        (x1, y1), (x2, y2) = start, end
        style = ' stroke-dasharray="4 3"' if dashed else ""
        self._lines.append(
            f'<line x1="{_plain(x1)}" y1="{_plain(y1)}" x2="{_plain(x2)}" y2="{_plain(y2)}" '
            f'stroke="{colour}" stroke-width="{_plain(width)}"{style}/>'
        )

    def arrow(self, start: Point, end: Point, *, colour: str = PALE, width: float = 1.5) -> None:
        """A straight line with a head at its end."""
        (x1, y1), (x2, y2) = start, end
        length = math.dist(start, end)
        along = ((x2 - x1) / length, (y2 - y1) / length)
        back = (x2 - 8 * along[0], y2 - 8 * along[1])
        self.line(start, back, colour=colour, width=width)
        corners = [end] + [(back[0] + side * along[1], back[1] - side * along[0]) for side in (4, -4)]
        points = " ".join(f"{_plain(x)},{_plain(y)}" for x, y in corners)
        self._lines.append(f'<polygon points="{points}" fill="{colour}"/>')

    def curve(self, start: Point, bend: Point, end: Point, *, colour: str = LINE, dashed: bool = False) -> None:
        """A curve from start to end that leans towards the bend."""
        places = " ".join(f"{_plain(x)} {_plain(y)}" for x, y in (bend, end))
        style = ' stroke-dasharray="4 3"' if dashed else ""
        self._lines.append(
            f'<path d="M{_plain(start[0])} {_plain(start[1])}Q{places}" fill="none" stroke="{colour}" '
            f'stroke-width="1.5"{style}/>'
        )

    def circle(self, centre: Point, radius: float, *, fill: str = "none", stroke: str = LINE) -> None:
        """A circle."""
        place = f'cx="{_plain(centre[0])}" cy="{_plain(centre[1])}" r="{_plain(radius)}"'
        self._lines.append(f'<circle {place} fill="{fill}" stroke="{stroke}"/>')

    def cells(
        self,
        x: float,
        y: float,
        words: Sequence[Sequence[str]],
        fills: Sequence[Sequence[str]],
        cell: tuple[float, float],
        *,
        size: int = 12,
    ) -> None:
        """Words in coloured cells, without labels. An empty word is not written, an empty colour not painted."""
        width, height = cell
        paths: dict[str, str] = {}
        for row, colours in enumerate(fills):
            for column, colour in enumerate(colours):
                corner = f"M{_plain(x + column * width)} {_plain(y + row * height)}"
                paths[colour] = paths.get(colour, "") + f"{corner}h{_plain(width)}v{_plain(height)}h-{_plain(width)}z"
        for colour, path in paths.items():
            if colour:
                self._lines.append(f'<path d="{path}" fill="{colour}" stroke="{PANEL}" stroke-width="1.5"/>')
        for row, line in enumerate(words):
            for column, word in enumerate(line):
                if word:
                    middle = (x + (column + 0.5) * width, y + (row + 0.5) * height)
                    self.text(*middle, word, size=size, colour=ink_on(fills[row][column] or PANEL))

    def table(
        self,
        x: float,
        y: float,
        words: Sequence[Sequence[str]],
        fills: Sequence[Sequence[str]],
        cell: tuple[float, float],
        *,
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
        after: Sequence[str] = (),
        title: str = "",
        size: int = 12,
        label_size: int = 12,
    ) -> None:
        """Cells with their upper left corner at x, y, with labels left, above and right of them, and a title on top."""
        width, height = cell
        self.cells(x, y, words, fills, cell, size=size)
        for row, label in enumerate(rows):
            self.text(x - 7, y + (row + 0.5) * height, label, anchor="end", size=label_size)
        for column, label in enumerate(columns):
            self.text(x + (column + 0.5) * width, y - 10, label, size=label_size)
        for row, label in enumerate(after):
            place = x + len(fills[row]) * width + 7
            self.text(place, y + (row + 0.5) * height, label, anchor="start", size=label_size)
        if title:
            self.text(x + len(fills[0]) * width / 2, y - (32 if columns else 14), title, size=13, bold=True)


def publish(unit: str, pictures: Mapping[str, Callable[[], Picture]]) -> None:
    """Write a unit's pictures, each under its name, beside the unit's lesson or, when asked, into another folder."""
    parser = argparse.ArgumentParser(description=f"Draw the pictures of {unit}.")
    parser.add_argument("--into", type=Path, default=EXERCISES, metavar="FOLDER", help="in place of exercises/")
    folder: Path = parser.parse_args().into / unit
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in pictures.items():
        (folder / f"{name}.svg").write_text(draw().svg(), encoding="utf-8", newline="\n")
