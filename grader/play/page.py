"""The parts of a scene as one page that needs nothing beside itself and runs nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.render.heatmap import BLUES, GREY, Scale
from grader.render.pages import render_page

from .parts import Curve, Grid, Heat, Part, Words, Written

BLANK = "␣"
CELL = 16
LABEL_LETTER = 8
PLOT_WIDTH, PLOT_HEIGHT = 520, 220
EDGE_LEFT, EDGE_BELOW, EDGE = 52, 40, 14
NO_PICTURE = Markup()
INKS = (("#2e7ebc", "none"), ("#e08214", "6 3"), ("#2f8f5b", "2 3"), ("#8073ac", "8 3 2 3"))
"""A colour and a pattern for each line, so that no colour is needed to tell them apart."""
LEGEND_HEIGHT = 18


@dataclass(frozen=True)
class Shown:
    """A part, ready for the template: what it is, and its picture where it has one."""

    kind: str
    part: Part
    picture: Markup = NO_PICTURE


def render_play(title: str, standing: str, seen: str, parts: Sequence[Part], *, is_warning: bool) -> str:
    """The page of one scene. standing: how the exercise stands, as a warning or not."""
    shown = [_shown(part, number) for number, part in enumerate(parts)]
    return render_page("play.html.j2", title=title, standing=standing, seen=seen, parts=shown, is_warning=is_warning)


def _shown(part: Part, number: int) -> Shown:
    if isinstance(part, Words):
        return Shown(part.kind, part)
    if isinstance(part, Heat):
        return Shown("heat", part, _heat(part, number))
    if isinstance(part, Grid):
        return Shown("grid", part)
    if isinstance(part, Curve):
        return Shown("curve", part, _plot(part, number))
    assert isinstance(part, Written)
    return Shown("written", part)


@dataclass(frozen=True)
class _Cell:
    x: float
    y: float
    fill: str
    said: str


def _heat(heat: Heat, number: int) -> Markup:
    """A map of which each place says, pointed at, what it is."""
    left = LABEL_LETTER * max((len(row) for row in heat.rows), default=1) + 10
    top = 20
    scale = Scale(0.0, heat.high)
    cells = [
        _Cell(left + column * CELL, top + row * CELL, _fill(value, scale), _said(heat, row, column, value))
        for row, values in enumerate(heat.values)
        for column, value in enumerate(values)
    ]
    return Markup(
        render_page(
            "play_heat.html.j2",
            id=f"map-{number}",
            title=heat.title,
            description=_in_words(heat),
            width=left + CELL * len(heat.columns) + 2,
            height=top + CELL * len(heat.rows) + 2,
            left=left,
            top=top,
            size=CELL,
            rows=[_letter(row) for row in heat.rows],
            columns=[_letter(column) for column in heat.columns],
            cells=cells,
        )
    )


def _letter(letter: str) -> str:
    return letter if letter.strip() else BLANK


def _fill(value: float, scale: Scale) -> str:
    level = scale.level(value)
    return GREY if level is None else BLUES[level]


def _said(heat: Heat, row: int, column: int, value: float) -> str:
    return (
        f"{_letter(heat.rows[row])} (row {row + 1}) looks at {_letter(heat.columns[column])} "
        f"(column {column + 1}): {value:.2f}"
    )


def _in_words(heat: Heat) -> str:
    """For whoever listens: where each row looks most."""
    told = []
    for number, (row, values) in enumerate(zip(heat.rows, heat.values, strict=True), start=1):
        known = [(value, column) for column, value in enumerate(values) if math.isfinite(value)]
        if known:
            value, column = max(known)
            told.append(
                f"{_letter(row)} (row {number}) looks most at {_letter(heat.columns[column])} "
                f"(column {column + 1}), {value:.2f}"
            )
    return "; ".join(told) + "."


def _plot(curve: Curve, number: int) -> Markup:
    places = curve.places
    known = [y for _, line in curve.lines for y in line if math.isfinite(y)]
    low, high = min([0.0, *known]), max([*known, 1e-9])
    inner_width, inner_height = PLOT_WIDTH - EDGE_LEFT - EDGE, PLOT_HEIGHT - EDGE_BELOW - EDGE

    def at(x: float, y: float) -> tuple[float, float]:
        across = (x - places[0]) / ((places[-1] - places[0]) or 1)
        return EDGE_LEFT + across * inner_width, EDGE + (high - y) / ((high - low) or 1) * inner_height

    lines = []
    for (ink, dashes), (name, line) in zip(INKS, curve.lines, strict=False):
        dots = [(*at(x, y), f"{name}: {y:.4g} at {x:g}") for x, y in zip(places, line, strict=True) if math.isfinite(y)]
        lines.append((ink, dashes, name, dots))
    description = "; ".join(
        f"{name}: " + ", ".join(f"{y:.3g} at {x:g}" for x, y in zip(places, line, strict=True))
        for name, line in curve.lines
    )
    return Markup(
        render_page(
            "play_curve.html.j2",
            id=f"curve-{number}",
            curve=curve,
            description=description,
            width=PLOT_WIDTH,
            height=PLOT_HEIGHT + LEGEND_HEIGHT * len(lines),
            left=EDGE_LEFT,
            bottom=PLOT_HEIGHT - EDGE_BELOW,
            right=PLOT_WIDTH - EDGE,
            top=EDGE,
            low=f"{low:.3g}",
            high=f"{high:.3g}",
            lines=lines,
        )
    )
