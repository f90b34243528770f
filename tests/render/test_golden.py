"""Everything that is painted, compared whole with the files beside this one.

RENEW=1 pytest tests/render/test_golden.py writes these files anew; look at what changed before you commit it.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.played import Heat
from grader.render.class_summary import ClassSummary
from grader.render.class_table import print_class
from grader.render.heatmap import HeatMap
from grader.render.heatmap_terminal import PaintedHeatMap
from grader.render.pages import below_cell, render_class, render_record
from grader.render.terminal import print_record
from grader.render.verdict import verdict_on

from .conftest import CASES, HALF_DONE, TITLES, UNITS, drawn, failed_visibly, golden_record, grid, mismatch_of, printed

GOLDEN = Path(__file__).parent / "golden"
WIDTHS = {"": 80, "-narrow": 40}
RECORDS = ("all_passed", "half_done", "hostile", "not_graded", "late")

Golden = Callable[[Path, str], None]


def body(page: str) -> str:
    """A page without its head, whose styles are in templates."""
    return page[page.index("<body>") :]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RECORDS)
def test_record_in_a_terminal(name: str, width: str, golden: Golden) -> None:
    record = golden_record("hostile_text" if name == "hostile" else name)
    text = printed(lambda console: print_record(record, console, titles=TITLES, units=UNITS), WIDTHS[width])
    golden(GOLDEN / f"{name}{width}.txt", text)


SEEN = {("masked_softmax", "test_example"): mismatch_of([[0.5, 0.25], [0.3, 0.4]], [[1.0, 0.0], [0.3, 0.4]])}


def test_record_in_a_terminal_with_everything_that_passed(golden: Golden) -> None:
    how = {"titles": TITLES, "units": UNITS, "verbose": True, "mismatches": SEEN}
    golden(GOLDEN / "half_done-verbose.txt", printed(lambda console: print_record(HALF_DONE, console, **how), 80))


@pytest.mark.parametrize("name", ["half_done", "late"])
def test_page_of_a_record(name: str, golden: Golden) -> None:
    golden(GOLDEN / f"{name}.html", body(render_record(golden_record(name), titles=TITLES, units=UNITS)))


def test_below_a_cell(golden: Golden) -> None:
    shown = verdict_on(failed_visibly("Row 0."), title="Softmax under a mask", mismatches=SEEN, in_cell=True)
    text, page = below_cell(shown, "Checked as it was run in [3].", problems=["One."], remarks=["Another."])
    golden(GOLDEN / "cell.txt", text + "\n")
    golden(GOLDEN / "cell.html", page)


def test_page_of_a_class(golden: Golden, small_class: ClassSummary) -> None:
    golden(GOLDEN / "class.html", body(render_class(small_class)))


@pytest.mark.parametrize("width", WIDTHS)
def test_class_in_a_terminal(width: str, golden: Golden, small_class: ClassSummary) -> None:
    golden(GOLDEN / f"class{width}.txt", printed(lambda console: print_class(small_class, console), WIDTHS[width]))


# --- heat maps ----------------------------------------------------------------------------------------------------

WEIGHTS = (
    "Who looks at whom",
    ("a", "b", " ", "c"),
    ("a", "b", " ", "c"),
    ((1.0, 0.0, 0.0, math.nan), (0.5, 0.5, 0.0, 0.0), (0.25, 0.5, 0.25, 0.0), (0.1, 0.2, 0.3, 0.4)),
)


HEAT_MAPS = {name: HeatMap.of_mismatch(mismatch_of(*sides)) for name, sides in CASES["heat_maps"].items()}
HEAT_MAPS["large"] = HeatMap.of_mismatch(grid(12, 12))
HEAT_MAPS["weights"] = HeatMap.of_attention(Heat(*WEIGHTS))


@pytest.mark.parametrize("name", HEAT_MAPS)
def test_heat_map_in_a_terminal(name: str, golden: Golden) -> None:
    heat = PaintedHeatMap(HEAT_MAPS[name])
    drawn = [f"{width} columns\n{printed(lambda console: console.print(heat), width)}" for width in (80, 30, 8)]
    golden(GOLDEN / f"heat-{name}.txt", "\n".join(drawn))


@pytest.mark.parametrize("name", ["small", "no-numbers", "huge", "weights"])
def test_heat_map_as_a_picture(name: str, golden: Golden) -> None:
    picture = drawn(HEAT_MAPS[name])
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    golden(GOLDEN / f"heat-{name}.svg", picture)
