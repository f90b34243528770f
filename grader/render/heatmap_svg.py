"""Paints heat maps as SVG, with a description in words: within a page, in its ink, or as a picture of its own."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from grader.played import Played

from .heatmap import HeatMap, Weights, spelt
from .pages import render_page

CELL, SMALL_CELL = 24, 16
"""Sides of a cell of a mismatch, which may hold a number or a sign, and of one of many weights."""
DIGIT_WIDTH, LETTER_WIDTH = 6.4, 8
LABELS_HEIGHT, TITLE_HEIGHT = 20, 20
TITLE_WIDTH = 84
"""Width for the longest title, however few columns there are below it."""
GAP, EDGE = 20, 2
WIDEST = 520
"""Planes stand next to each other up to this width; wider, they would be too small to read on a narrow screen."""
MARGIN = 12
"""Margin of a separate picture, which also has its own background since it cannot know the page's."""


@dataclass(frozen=True)
class Picture:
    """A drawing as a data URL, its size in pixels, and texts about it."""

    address: str
    width: int
    height: int
    description: str
    caption: str = ""


def picture_of(svg: str, width: float, height: float, description: str, caption: str = "") -> Picture:
    """A drawing of this size, drawn with MARGIN around it, for a page that accepts plain elements only."""
    address = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode('utf-8')).decode('ascii')}"
    return Picture(address, math.ceil(width + 2 * MARGIN), math.ceil(height + 2 * MARGIN), description, caption)


def heatmap_svg(heat: HeatMap, place: str = "", *, margin: int | None = None) -> Markup:
    """A heat map as an SVG element with title and description, safe to put into a page, light or dark.

    place: distinguishes it from equal ones on the same page, where ids must be unique.
    margin: for a picture of its own; None within a page.
    """
    digest = hashlib.blake2b(repr((place, heat)).encode("utf-8", "replace"), digest_size=6).hexdigest()
    page = render_page(
        "heatmap.html.j2", id=f"heatmap-{digest}", heat=heat, layout=_Layout(heat), spelt=spelt, margin=margin
    )
    return Markup(page)  # the template escapes its values


def heatmap_picture(heat: HeatMap) -> Picture:
    """A heat map as a picture, for a page that may be light or dark and accepts plain elements only."""
    layout = _Layout(heat)
    svg = heatmap_svg(heat, margin=MARGIN)
    return picture_of(svg, layout.width, layout.height, heat.description, heat.caption)


class _Layout:
    """The planes with their places in the drawing, and the sizes of what is in them."""

    def __init__(self, heat: HeatMap) -> None:
        planes = [*heat.planes, *heat.difference]
        rows, columns, self.has_titles = len(planes[0][1]), len(heat.columns), len(planes) > 1
        self.cell_height = CELL if heat.is_mismatch else SMALL_CELL
        self.cell_width: float = self.cell_height
        if heat.shows_numbers:
            longest = max(len(cell.text) for _, plane in planes for row in plane for cell in row)
            self.cell_width = max(CELL, 8 + DIGIT_WIDTH * longest)
        self.left = LETTER_WIDTH * max(map(len, heat.rows), default=0) + 10
        self.top = LABELS_HEIGHT + TITLE_HEIGHT * self.has_titles
        side_width = self.left + max(columns * self.cell_width + EDGE, TITLE_WIDTH * self.has_titles)
        side_height = self.top + rows * self.cell_height + EDGE
        abreast = max(1, min(len(planes), int((WIDEST + GAP) // (side_width + GAP))))
        self.width = abreast * (side_width + GAP) - GAP
        self.height = math.ceil(len(planes) / abreast) * (side_height + GAP) - GAP
        self.sides = [
            (number % abreast * (side_width + GAP), number // abreast * (side_height + GAP), title, plane)
            for number, (title, plane) in enumerate(planes)
        ]


# --- what `kata play` showed of a learner's own code ------------------------------------------------------------------

MOST_CELLS = 60_000
"""Places of all maps on one page, each of some 200 bytes. A map has at most 4096, the usual ones a few hundred."""


@dataclass(frozen=True)
class AtWork:
    """One exercise on a page: what was seen of it, and pictures of those of its maps for which there is room."""

    played: Played
    pictures: list[tuple[str, Markup]]


def all_at_work(played: Mapping[str, Played], places: Mapping[str, str]) -> dict[str, AtWork]:
    """Those of the exercises on a page, by id. places: what each is called there, in ids."""
    found, room = dict[str, AtWork](), MOST_CELLS
    for id in [each for each in played if each in places]:
        pictures = []
        for number, shown in enumerate(played[id].maps):
            if (cells := len(shown.rows) * len(shown.columns)) <= room:
                room -= cells
                weights = Weights(shown.title, shown.rows, shown.columns, shown.values, shown.high)
                pictures.append((shown.title, heatmap_svg(HeatMap.of_attention(weights), f"{places[id]}-{number}")))
        found[id] = AtWork(played[id], pictures)
    return found
