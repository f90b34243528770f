"""Renders the parts of a scene as one self-contained page without scripts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.render.heatmap import HeatMap
from grader.render.heatmap_svg import MARGIN, Picture, heatmap_picture, heatmap_svg, picture_of
from grader.render.pages import render_page

from .parts import Curve, Grid, Heat, Part, Slider, Words, Written

PLOT_WIDTH, PLOT_HEIGHT = 520, 220
EDGE_LEFT, EDGE_BELOW, EDGE = 52, 40, 14
NO_PICTURE = Markup()
INKS = (("#2e7ebc", "none"), ("#e08214", "6 3"), ("#2f8f5b", "2 3"), ("#8073ac", "8 3 2 3"))
"""A colour and a dash pattern for each line, so that lines can be told apart without colour."""
LEGEND_HEIGHT = 18


@dataclass(frozen=True)
class Shown:
    """A part, ready for the template: its kind, and its picture if it has one."""

    kind: str
    part: Part
    picture: Markup = NO_PICTURE
    steps: Sequence[Markup] = ()


def render_play(title: str, standing: str, seen: str, parts: Sequence[Part], *, is_warning: bool) -> str:
    """The page of one scene. standing: the state of the exercise; is_warning: whether that is a warning."""
    shown = [_shown(part, number) for number, part in enumerate(parts)]
    return render_page("play.html.j2", title=title, standing=standing, seen=seen, parts=shown, is_warning=is_warning)


def _shown(part: Part, number: int) -> Shown:
    if isinstance(part, Words):
        return Shown(part.kind, part)
    if isinstance(part, Heat):
        return Shown("heat", part, heatmap_svg(HeatMap.of_attention(part, part.before), f"map-{number}"))
    if isinstance(part, Grid):
        return Shown("grid", part)
    if isinstance(part, Curve):
        return Shown("curve", part, _plot(part, number))
    if isinstance(part, Slider):
        steps = [
            heatmap_svg(HeatMap.of_attention(heat), f"map-{number}-{step}")
            for step, (_, heat, _) in enumerate(part.steps)
        ]
        return Shown("slider", part, steps=steps)
    assert isinstance(part, Written)
    return Shown("written", part)


def _plot(curve: Curve, number: int, *, margin: int | None = None) -> Markup:
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
    return Markup(
        render_page(
            "play_curve.html.j2",
            id=f"curve-{number}",
            curve=curve,
            description=_curve_in_words(curve),
            width=PLOT_WIDTH,
            height=_plot_height(curve),
            left=EDGE_LEFT,
            bottom=PLOT_HEIGHT - EDGE_BELOW,
            right=PLOT_WIDTH - EDGE,
            top=EDGE,
            low=f"{low:.3g}",
            high=f"{high:.3g}",
            lines=lines,
            margin=margin,
        )
    )


def _plot_height(curve: Curve) -> int:
    return PLOT_HEIGHT + LEGEND_HEIGHT * min(len(INKS), len(curve.lines))


def _curve_in_words(curve: Curve) -> str:
    return "; ".join(
        f"{name}: " + ", ".join(f"{y:.3g} at {x:g}" for x, y in zip(curve.places, line, strict=True))
        for name, line in curve.lines
    )


# --- below a notebook's cell ----------------------------------------------------------------------------------------


def render_cell(parts: Sequence[Part]) -> str:
    """Some parts as HTML below a notebook's cell. Notebooks remove styles and SVG, so maps and curves are images."""
    still = [part.steps[part.start][1] if isinstance(part, Slider) else part for part in parts]
    return render_page("play_cell.html.j2", parts=[(_kind(part), part, _picture(part)) for part in still])


def _kind(part: Part) -> str:
    return _shown(part, 0).kind if not isinstance(part, (Heat, Curve)) else "picture"


def _picture(part: Part) -> Picture | None:
    if isinstance(part, Heat):
        return heatmap_picture(HeatMap.of_attention(part, part.before))
    if isinstance(part, Curve):
        plot = _plot(part, 0, margin=MARGIN)
        return picture_of(plot, PLOT_WIDTH, _plot_height(part), _curve_in_words(part))
    return None
