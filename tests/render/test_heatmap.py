"""A wrong tensor drawn in a terminal and on a page; what is drawn whole stands in test_golden.py."""

from __future__ import annotations

import io
import math
from typing import Any

import pytest
from rich.console import Console

from grader.record import Mismatch
from grader.render.heatmap import BLUES, GREY, HeatMap, as_needed, blues
from grader.render.heatmap_terminal import RAMP, PaintedHeatMap

from ..cases import rows
from .conftest import CASES, drawn, grid, mismatch_of, printed

NAN, INF = math.nan, math.inf
SMALL = mismatch_of([[0.5, 0.5], [0.25, 0.75]], [[1.0, 0.0], [0.25, 0.75]])


def heatmap_text(mismatch: Mismatch, width: int, *, colour: bool = False) -> str:
    heat = PaintedHeatMap(HeatMap.of_mismatch(mismatch))
    return printed(lambda console: console.print(heat), width, colour=colour)


@pytest.mark.parametrize("size", [(12, 12), (1, 12), (6, 6), (12, 3)], ids=str)
def test_no_line_is_wider_than_the_terminal(size: tuple[int, int]) -> None:
    for width in (8, 20, 30, 50, 80, 140):
        assert max(map(len, heatmap_text(grid(*size), width).splitlines())) <= width


def test_colour_adds_nothing_that_is_not_there_without_and_axis_names_suit_any_encoding() -> None:
    coloured = heatmap_text(SMALL, 60, colour=True)
    assert "\x1b[" in coloured
    bare = Console(file=io.StringIO()).render_str(coloured, markup=False).plain
    assert "yours (! = wrong)" in bare and "Pale" not in bare, "colours need no legend beside their numbers"
    heat = HeatMap.of_mismatch(mismatch_of([[1.0, 2.0]], [[1.0, 3.0]], axes=("clé",)))
    assert "cl\\xe9" in printed(lambda console: console.print(PaintedHeatMap(heat)), 60, "ascii")


@rows(CASES["numbers"], "came", "expected", "written")
def test_numbers_are_short_and_wrong_ones_do_not_look_right(came: float, expected: float, written: Any) -> None:
    write = as_needed(mismatch_of([[came, expected]], [[expected, expected]]))
    assert [write(came), write(expected)] == written


def test_thousands_that_look_alike_make_no_other_number_longer() -> None:
    assert as_needed(mismatch_of([[3000.5, 0.25]], [[3100.5, 0.25]]))(0.25) == "0.25"


def test_shades_run_from_the_smallest_to_the_largest_number() -> None:
    shade = blues(-1.0, 1.0)
    assert [BLUES.index(shade(number)) for number in (-INF, -1.0, 0.0, 0.999, 1.0, INF)] == [0, 0, 5, 9, 9, 9]
    assert len(RAMP) == len(BLUES) == 10
    heat = HeatMap.of_mismatch(mismatch_of([[-1.0, NAN]], [[1.0, INF]]))
    assert heat.ends == ("-1", "1") and [cell.paper for cell in heat.planes[0][1][0]] == [BLUES[0], GREY]


# --- on a page ---------------------------------------------------------------------------------------------------


def test_names_on_a_page_are_escaped() -> None:
    svg = drawn(HeatMap.of_mismatch(mismatch_of([[1.0, 2.0]], [[1.0, 3.0]], axes=("<script>&",))))
    assert "<script>" not in svg and "&lt;script&gt;&amp;" in svg
