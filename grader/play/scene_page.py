"""Renders the parts of a scene as HTML without scripts: as one self-contained page, or below a notebook's cell."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from grader.render.heatmap import HeatMap
from grader.render.heatmap_svg import MARGIN, Picture, heatmap_picture, heatmap_svg, picture_of
from grader.render.pages import render_page

from .parts import Curve, Heat, Part, Slider

PLOT_WIDTH, PLOT_HEIGHT = 520, 220
EDGE_LEFT, EDGE_BELOW, EDGE = 52, 40, 14
INKS = (("#2e7ebc", "none"), ("#e08214", "6 3"), ("#2f8f5b", "2 3"), ("#8073ac", "8 3 2 3"), ("#b3261e", "1 4"))
"""A colour and a dash pattern for each line, so that lines can be told apart without colour."""
LEGEND_HEIGHT = 18


def render_play(title: str, standing: str, seen: str, parts: Sequence[Part], *, is_warning: bool) -> str:
    """The page of one scene. standing: the state of the exercise; is_warning: whether that is a warning."""
    drawn = [(part, _drawings(part, number)) for number, part in enumerate(parts)]
    return render_page("play.html.j2", title=title, standing=standing, seen=seen, parts=drawn, is_warning=is_warning)


def _drawings(part: Part, number: int) -> list[Markup]:
    """What is drawn of a part: the steps of a slider, one drawing of a map or curve, else nothing."""
    if isinstance(part, Heat):
        return [heatmap_svg(HeatMap.of_attention(part), f"map-{number}")]
    if isinstance(part, Curve):
        return [_plot(part, f"curve-{number}")]
    steps = part.steps if isinstance(part, Slider) else ()
    return [heatmap_svg(HeatMap.of_attention(heat), f"map-{number}-{n}") for n, (_, heat, _) in enumerate(steps)]


def render_cell(part: Part) -> str:
    """A part as HTML below a notebook's cell. Notebooks remove styles and SVG, so maps and curves are images."""
    still = part.steps[part.start][1] if isinstance(part, Slider) else part
    picture: Picture | None = None
    if isinstance(still, Heat):
        picture = heatmap_picture(HeatMap.of_attention(still))
    elif isinstance(still, Curve):
        plot = _plot(still, "curve-0", margin=MARGIN)
        picture = picture_of(plot, PLOT_WIDTH, _plot_height(still), _in_words(still))
    return render_page("play_cell.html.j2", part=still, picture=picture)


def _plot(curve: Curve, id: str, *, margin: int | None = None) -> Markup:
    width, height = PLOT_WIDTH - EDGE_LEFT - EDGE, PLOT_HEIGHT - EDGE_BELOW - EDGE
    lines = []
    for (ink, dashes), (name, line) in zip(INKS, curve.lines, strict=False):
        dots = [
            (EDGE_LEFT + across * width, EDGE + down * height, f"{name}: {y:.4g} at {x:g}")
            for across, down, x, y in curve.points(line)
        ]
        lines.append((ink, dashes, name, dots))
    low, high = curve.ends
    return Markup(
        render_page(
            "play_curve.html.j2",
            id=id,
            curve=curve,
            description=_in_words(curve),
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


def _in_words(curve: Curve) -> str:
    return "; ".join(
        f"{name}: " + ", ".join(f"{y:.3g} at {x:g}" for x, y in zip(curve.places, line, strict=True))
        for name, line in curve.lines
    )
