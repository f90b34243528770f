"""A wrong tensor drawn in a terminal and on a page; what is drawn whole stands in test_golden.py."""

from __future__ import annotations

import base64
import io
import math
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from rich.console import Console

from grader.mismatch import Mismatch
from grader.render.heatmap import BLUES, HeatMap, as_needed, blues
from grader.render.heatmap_svg import MARGIN, heatmap_picture, heatmap_svg
from grader.render.heatmap_terminal import RAMP, PaintedHeatMap, heatmap_text

from .conftest import mismatch_of

NAN, INF = math.nan, math.inf
SMALL = mismatch_of([[0.5, 0.5], [0.25, 0.75]], [[1.0, 0.0], [0.25, 0.75]])


def grid(rows: int, columns: int) -> Mismatch:
    expected = [[(row * column % 7) / 6 for column in range(columns)] for row in range(rows)]
    came = [[number + 0.25 * (place == 2) for place, number in enumerate(row)] for row in expected]
    return mismatch_of(came, expected)


@pytest.mark.parametrize("width", [8, 20, 30, 50, 80, 140])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for shown in (SMALL, grid(12, 12), grid(1, 12), grid(6, 6), grid(12, 3)):
        assert max(map(len, heatmap_text(shown, width).splitlines())) <= width


def test_colour_adds_nothing_that_is_not_there_without_and_axis_names_suit_any_encoding() -> None:
    coloured = heatmap_text(SMALL, 60, colour=True)
    assert "\x1b[" in coloured
    bare = Console(file=io.StringIO()).render_str(coloured, markup=False).plain
    assert "yours (! = wrong)" in bare and "Pale" not in bare, "colours need no legend beside their numbers"
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    heat = HeatMap.of_mismatch(mismatch_of([[1.0, 2.0]], [[1.0, 3.0]], axes=("clé",)))
    Console(file=file, width=60).print(PaintedHeatMap(heat))
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
def test_numbers_are_short_and_wrong_ones_do_not_look_right(came: float, expected: float, written: Any) -> None:
    write = as_needed(mismatch_of([[came, expected]], [[expected, expected]]))
    assert (write(came), write(expected)) == written


def test_thousands_that_look_alike_make_no_other_number_longer() -> None:
    assert as_needed(mismatch_of([[3000.5, 0.25]], [[3100.5, 0.25]]))(0.25) == "0.25"


def test_shades_run_from_the_smallest_to_the_largest_number() -> None:
    shade = blues(-1.0, 1.0)
    assert [shade(number)[0] for number in (-INF, -1.0, 0.0, 0.999, 1.0, INF)] == [0, 0, 5, 9, 9, 9]
    assert shade(NAN)[0] is None and len(RAMP) == len(BLUES) == 10
    assert HeatMap.of_mismatch(mismatch_of([[-1.0, NAN]], [[1.0, INF]])).ends == ("-1", "1")


# --- on a page ---------------------------------------------------------------------------------------------------


def test_names_on_a_page_are_escaped() -> None:
    svg = heatmap_svg(HeatMap.of_mismatch(mismatch_of([[1.0, 2.0]], [[1.0, 3.0]], axes=("<script>&",))))
    assert "<script>" not in svg and "&lt;script&gt;&amp;" in svg


@pytest.mark.parametrize("number", [NAN, INF, -INF, 1e30], ids=str)
def test_a_picture_of_its_own_is_the_drawing_as_an_address_whatever_the_numbers(number: float) -> None:
    heat = HeatMap.of_mismatch(mismatch_of([[number, 1.0]], [[0.5, 1.0]]))
    picture = heatmap_picture(heat)
    kind, _, content = picture.address.partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(content).decode() == heatmap_svg(heat, margin=MARGIN)
    svg = ElementTree.fromstring(base64.b64decode(content))
    assert (svg.get("width"), svg.get("height")) == (str(picture.width), str(picture.height))
    written = as_needed(SMALL)(number)
    assert written in ["".join(each.itertext()) for each in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert f"yours {written}, expected 0.50" in picture.description
