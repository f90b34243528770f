"""A wrong tensor drawn in a terminal and on a page."""

from __future__ import annotations

import base64
import io
import math
import re
import xml.etree.ElementTree as ElementTree

import pytest
from rich.console import Console

from grader.mismatch import Mismatch
from grader.render.heatmap import BLUES, HeatMap, as_needed, blues
from grader.render.heatmap_svg import MARGIN, heatmap_picture, heatmap_svg
from grader.render.heatmap_terminal import RAMP, PaintedHeatMap, heatmap_text

NAN, INF = math.nan, math.inf


def mismatch(
    came: list[list[float]], expected: list[list[float]], *, axes: tuple[str, ...] = ("query", "key")
) -> Mismatch:
    """A mismatch in which all that differs is wrong."""
    return Mismatch(
        what="The output",
        axes=axes,
        came=tuple(map(tuple, came)),
        expected=tuple(map(tuple, expected)),
        wrong=tuple(
            tuple(one != other for one, other in zip(*rows, strict=True)) for rows in zip(came, expected, strict=True)
        ),
        note="Something is off.",
    )


def grid(rows: int, columns: int) -> Mismatch:
    expected = [[(row * column % 7) / 6 for column in range(columns)] for row in range(rows)]
    return mismatch(
        [[number + 0.25 if index == 2 else number for index, number in enumerate(row)] for row in expected], expected
    )


SMALL = mismatch([[0.5, 0.5], [0.25, 0.75]], [[1.0, 0.0], [0.25, 0.75]])


def test_colour_adds_nothing_that_is_not_there_without() -> None:
    coloured = coloured_text(SMALL)
    assert "\x1b[" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert "yours (! = wrong)" in bare and "Pale" not in bare, "colours need no legend beside their numbers"
    assert [line.split() for line in bare.splitlines()][3:5] == [
        ["0", "0.50!", "0.50!", "0", "1.00!", "0.00!"],
        ["1", "0.25", "0.75", "1", "0.25", "0.75"],
    ]


def coloured_text(shown: Mismatch) -> str:
    console = Console(file=io.StringIO(), width=60, force_terminal=True, color_system="truecolor", no_color=False)
    with console.capture() as captured:
        console.print(PaintedHeatMap(HeatMap.of_mismatch(shown)))
    return captured.get()


@pytest.mark.parametrize(
    "shown",
    [SMALL, grid(12, 12), grid(1, 12), grid(6, 6), grid(12, 3)],
    ids=lambda e: f"{len(e.came)}x{len(e.came[0])}",
)
@pytest.mark.parametrize("width", [8, 20, 30, 50, 80, 140])
def test_no_line_is_wider_than_the_terminal(width: int, shown: Mismatch) -> None:
    assert max(map(len, heatmap_text(shown, width).splitlines())) <= width


def test_axis_names_suit_the_terminals_encoding() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=file, width=60).print(
        PaintedHeatMap(HeatMap.of_mismatch(mismatch([[1.0, 2.0]], [[1.0, 3.0]], axes=("clé",))))
    )
    file.flush()


@pytest.mark.parametrize(
    ("came", "expected", "written"),
    [
        pytest.param(0.0, 1.0, ("0", "1"), id="whole numbers"),
        pytest.param(0.25, 0.5, ("0.25", "0.50"), id="two decimals"),
        pytest.param(0.3641, 0.3646, ("0.364", "0.365"), id="as many as tell them apart"),
        pytest.param(0.36461, 0.36462, ("0.3646", "0.3646"), id="but no more than four"),
        pytest.param(-0.001, 0.5, ("0.00", "0.50"), id="no minus before zero"),
        pytest.param(0.0005, 0.0002, ("5e-04", "2e-04"), id="tiny"),
        pytest.param(-1e30, 0.5, ("-1e+30", "0.50"), id="huge"),
    ],
)
def test_numbers_are_short_and_wrong_ones_do_not_look_right(
    came: float, expected: float, written: tuple[str, str]
) -> None:
    write = as_needed(mismatch([[came, expected]], [[expected, expected]]))
    assert (write(came), write(expected)) == written


def test_shades_run_from_the_smallest_to_the_largest_number() -> None:
    shade = blues(-1.0, 1.0)
    assert [shade(number)[0] for number in (-INF, -1.0, 0.0, 0.999, 1.0, INF)] == [0, 0, 5, 9, 9, 9]
    assert shade(NAN)[0] is None and len(RAMP) == len(BLUES) == 10
    assert HeatMap.of_mismatch(mismatch([[-1.0, NAN]], [[1.0, INF]])).ends == ("-1", "1")


# --- on a page ---------------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def drawn(shown: Mismatch) -> ElementTree.Element:
    return ElementTree.fromstring(
        str(heatmap_svg(HeatMap.of_mismatch(shown))).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


def texts(svg: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in svg.iter(f"{SVG}text")]


def test_names_on_a_page_are_escaped() -> None:
    svg = heatmap_svg(HeatMap.of_mismatch(mismatch([[1.0, 2.0]], [[1.0, 3.0]], axes=("<script>&",))))
    assert "<script>" not in svg and "&lt;script&gt;&amp;" in svg


@pytest.mark.parametrize("number", [NAN, INF, -INF, 1e30], ids=str)
def test_odd_numbers_can_be_drawn_on_a_page(number: float) -> None:
    assert as_needed(SMALL)(number) in texts(drawn(mismatch([[number, 1.0]], [[0.5, 1.0]])))
    drawn(mismatch([[number, number]], [[number, 2.0]]))


def test_picture_of_its_own_is_the_drawing_as_an_address() -> None:
    heat = HeatMap.of_mismatch(mismatch([[1.0, 2.0]], [[1.0, 3.0]]))
    picture = heatmap_picture(heat)
    kind, _, content = picture.address.partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(content).decode() == heatmap_svg(heat, margin=MARGIN)
    svg = ElementTree.fromstring(base64.b64decode(content))
    assert (svg.get("width"), svg.get("height")) == (str(picture.width), str(picture.height))
    assert "yours 2, expected 3" in picture.description
