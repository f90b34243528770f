"""The pages in a real Chromium: on a phone and at a desk, in light and dark; the class page sorted and filtered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.render.class_summary import ClassSummary
from grader.render.pages import render_class

from .conftest import crowd, drawing_of

SIZES = {"phone": (375, 812), "desk": (1280, 900)}
LEARNERS, EXERCISES = 1000, 40

pytestmark = pytest.mark.timeout(180)

ORDER = """
const rows = [...document.querySelectorAll('#table tbody tr')].filter(row => !row.hidden);
return rows.map(row => Number(row.cells[0].textContent))
"""
POINTS = "[...document.querySelectorAll('#table th')].find(each => each.textContent === 'Points')"


@pytest.fixture(params=["learner", "class", "record half_done"])
def page(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Each kind of page, as a file."""
    path = tmp_path / "page.html"
    path.write_text(drawing_of(request, request.param)(), encoding="utf-8")
    return path


@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("desk", "dark")])
def test_page_fits_reads_well_has_names_and_asks_for_nothing(size: str, scheme: str, browser: Any, page: Path) -> None:
    width, height = SIZES[size]
    browser.show(page, width=width, height=height, scheme=scheme)
    assert browser.problems() == []


@pytest.fixture
def small(browser: Any, small_class: ClassSummary, tmp_path: Path) -> Any:
    """The small class at a desk."""
    return shown(browser, small_class, tmp_path)


def shown(browser: Any, summary: ClassSummary, folder: Path) -> Any:
    (folder / "class.html").write_text(render_class(summary), encoding="utf-8")
    browser.show(folder / "class.html", width=1280, height=900)
    return browser


def fill(browser: Any, id: str, value: str) -> None:
    script = "const each = document.getElementById(arguments[0]); each.value = arguments[1]; "
    browser.run(script + "each.dispatchEvent(new Event('input'))", id, value)


def test_column_sorts_by_keyboard_both_ways_and_says_so(small: Any, small_class: ClassSummary) -> None:
    points = {row.number: row.points for row in small_class.rows}
    small.run(f"{POINTS}.querySelector('button').focus()")
    for key, direction in (("Enter", "ascending"), ("Space", "descending")):
        small.press(key)
        assert small.run(f"return {POINTS}.getAttribute('aria-sort')") == direction
        assert small.run("return document.querySelectorAll('#table [aria-sort]').length") == 1
        order = [points[number] for number in small.run(ORDER)]
        assert order == sorted(points.values(), reverse=direction == "descending")


def test_learners_are_filtered_by_name_and_by_what_became_of_an_exercise(small: Any) -> None:
    found = {"lea": [10], "ADA": [1], "محمد": [3], "<b>": [6], "nobody": []}
    for text, numbers in found.items():
        fill(small, "by-name", text)
        assert small.run(ORDER) == numbers
        assert small.run("return document.querySelector('.shown').textContent") == f"{len(numbers)} of 12 shown"
    fill(small, "by-name", "")
    fill(small, "by-exercise", "4")
    fill(small, "by-status", "✗")
    assert small.run(ORDER) == [1, 2, 3, 4, 5, 6, 7]
    fill(small, "by-exercise", "")
    fill(small, "by-status", "!")
    assert small.run(ORDER) == [11]


@pytest.mark.thorough
def test_thousand_learners_sort_filter_and_print(browser: Any, tmp_path: Path) -> None:
    records = list(crowd(LEARNERS, EXERCISES))
    summary = ClassSummary({}, [])
    for record in records:
        summary.add(record)
    large = shown(browser, summary, tmp_path)
    assert large.run("return document.querySelectorAll('*').length") < 25_000
    large.run(f"{POINTS}.querySelector('button').click()")
    assert large.run(ORDER) == sorted(range(1, LEARNERS + 1), key=lambda number: records[number - 1].points)
    fill(large, "by-exercise", str(EXERCISES - 1))
    fill(large, "by-status", "○")
    due = {n for n, record in enumerate(records, 1) if record.exercises[-1].status == "not_started"}
    assert due and set(large.run(ORDER)) == due
    large.run("document.getElementById('table').scrollIntoView()")
    assert large.until("return document.querySelectorAll('#table tbody i').length") < LEARNERS * EXERCISES / 10
    large.tell("Emulation.setEmulatedMedia", media="print")
    filter = large.run("return getComputedStyle(document.querySelector('.filter')).display")
    large.tell("Emulation.setEmulatedMedia", media="")
    assert filter == "none" and large.complaints() == []
