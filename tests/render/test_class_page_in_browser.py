"""The class page in a real Chromium: sorted, filtered and read, by a few learners and by a thousand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.record import Record
from grader.render.class_page import render_class
from grader.render.class_summary import ClassSummary

MakeCrowd = Callable[[int, int], Iterator[Record]]

SIZES = {"phone": (375, 812), "desk": (1280, 900)}
SCHEMES = ("light", "dark")
READABLE = 4.5
PAPER = 1047  # CSS pixels across a landscape A4 with margins of 1 cm
LEARNERS, EXERCISES = 1000, 40

pytestmark = pytest.mark.timeout(180)

ORDER = """
const rows = [...document.querySelectorAll('#table tbody tr')].filter(row => !row.hidden);
return rows.map(row => Number(row.cells[0].textContent))
"""
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"


@pytest.fixture(scope="module")
def small_page(small_class: ClassSummary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "class.html"
    path.write_text(render_class(small_class), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def records(make_crowd: MakeCrowd) -> list[Record]:
    return list(make_crowd(LEARNERS, EXERCISES))


@pytest.fixture(scope="module")
def large_page(records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Path:
    summary = ClassSummary({}, [])
    for number, record in enumerate(records, 1):
        summary.add(record, link=f"learner-{number:04d}.html")
    path = tmp_path_factory.mktemp("large") / "class.html"
    path.write_text(render_class(summary), encoding="utf-8")
    return path


@pytest.fixture(params=[(size, scheme) for size in SIZES for scheme in SCHEMES], ids=" ".join)
def shown(request: pytest.FixtureRequest, browser: Any, small_page: Path) -> Any:
    """The small class in each window, and in each light."""
    size, scheme = request.param
    width, height = SIZES[size]
    browser.show(small_page, width=width, height=height, scheme=scheme)
    return browser


@pytest.fixture
def small(browser: Any, small_page: Path) -> Any:
    """The small class at the desk."""
    browser.show(small_page, width=1280, height=900)
    return browser


@pytest.fixture
def large(browser: Any, large_page: Path) -> Any:
    """A thousand learners at the desk."""
    browser.show(large_page, width=1280, height=900)
    return browser


def head(title: str) -> str:
    """A script's expression for the head of a column of the table of learners."""
    return f"[...document.querySelectorAll('#table th')].find(each => each.textContent === '{title}')"


# --- looks ------------------------------------------------------------------------------------------------------------


def test_page_fits_its_window_and_what_is_wider_scrolls_in_its_own_place(shown: Any) -> None:
    shown.run(OPEN_ALL)
    assert not shown.scrolls_sideways()
    assert shown.cut_off() == []


def test_every_text_can_be_read(shown: Any) -> None:
    shown.run(OPEN_ALL)
    contrasts = shown.contrasts()
    assert len(contrasts) > 60
    assert {text: round(contrast, 2) for text, contrast in contrasts.items() if contrast < READABLE} == {}


def test_nothing_is_asked_for_and_nothing_goes_wrong(shown: Any, small_page: Path) -> None:
    shown.run(OPEN_ALL)
    assert shown.requests() == [small_page.as_uri()]
    assert shown.complaints() == []


def test_marks_and_bars_differ_by_more_than_colour(small: Any) -> None:
    fills = small.run(
        "return [...document.querySelectorAll('.swatch rect')].map(each => [each.classList[1], each.getAttribute('fill')])"
    )
    patterns = [fill for _, fill in fills if fill]
    assert [status for status, fill in fills if not fill] == ["passed", "missing"]  # full and empty
    assert len(set(patterns)) == len(patterns) == 3


def test_every_table_picture_and_place_has_a_name(small: Any) -> None:
    small.run(OPEN_ALL)
    assert small.nameless() == []


def test_tables_stay_tables_for_those_who_listen(small: Any) -> None:
    nodes = small.tell("Accessibility.getFullAXTree")["nodes"]
    roles = Counter(node["role"]["value"] for node in nodes if not node["ignored"])
    assert roles["table"] == 3
    assert roles["rowheader"] == 6 + 2 + 12
    names = [node["name"]["value"] for node in nodes if not node["ignored"] and node["role"]["value"] == "image"]
    assert "8 passed, 2 failed, 1 missing, 1 not graded" in names


def test_printed_page_holds_every_learner(large: Any) -> None:
    large.tell("Emulation.setEmulatedMedia", media="print")
    try:
        laid_out, right, filter, cut = large.run(
            "const rows = [...document.querySelectorAll('#table tbody tr')];"
            "return [rows.filter(row => row.querySelector('.who').offsetHeight).length,"
            " document.querySelector('#table tbody .marks > span').getBoundingClientRect().right,"
            " getComputedStyle(document.querySelector('.filter')).display,"
            " getComputedStyle(document.querySelector('.tall')).maxHeight]"
        )
    finally:
        large.tell("Emulation.setEmulatedMedia", media="")
    assert (laid_out, filter, cut) == (LEARNERS, "none", "none")
    assert right < PAPER


# --- sorting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_column_sorts_by_keyboard_both_ways_and_says_so(key: str, small: Any, small_class: ClassSummary) -> None:
    points = {row.number: row.points for row in small_class.rows}
    small.run(f"{head('Points')}.querySelector('button').focus()")
    for direction, is_descending in (("ascending", False), ("descending", True)):
        small.press(key)
        assert small.run(f"return {head('Points')}.getAttribute('aria-sort')") == direction
        assert small.run("return document.querySelectorAll('#table [aria-sort]').length") == 1
        order = small.run(ORDER)
        assert [points[number] for number in order] == sorted(points.values(), reverse=is_descending)
    assert small.run(f"return document.activeElement === {head('Points')}.querySelector('button')")


def test_names_sort_as_people_write_them(small: Any) -> None:
    small.run(f"{head('Learner')}.querySelector('button').click()")
    names = small.run(
        "return [...document.querySelectorAll('#table tbody bdi:first-of-type')].map(each => each.textContent)"
    )
    latin = [name for name in names if name in ("Ada Lovelace", "Joe", "Kim", "Léa", "zip")]
    assert latin == ["Ada Lovelace", "Joe", "Kim", "Léa", "zip"]


def test_every_sortable_head_is_a_button_and_no_other(small: Any) -> None:
    heads = small.run(
        "return [...document.querySelectorAll('thead th')].map(each => ['sort' in each.dataset, !!each.querySelector('button')])"
    )
    assert all(is_sortable == is_button for is_sortable, is_button in heads)
    assert sum(is_button for _, is_button in heads) == 6 + 4 + 8


def test_exercises_without_a_pass_rate_come_last_both_ways(small: Any) -> None:
    button = "document.querySelector('.sortable').tHead.rows[0].cells[2].querySelector('button')"
    rates = "return [...document.querySelectorAll('.sortable')[0].tBodies[0].rows].map(row => row.cells[2].textContent)"
    small.run(f"{button}.click()")
    assert small.run(rates) == ["0 %", "30 %", "80 %", "80 %", "100 %", "–"]  # noqa: RUF001
    small.run(f"{button}.click()")
    assert small.run(rates) == ["100 %", "80 %", "80 %", "30 %", "0 %", "–"]  # noqa: RUF001


# --- filtering --------------------------------------------------------------------------------------------------------


def fill(browser: Any, id: str, value: str) -> None:
    script = "const each = document.getElementById(arguments[0]); each.value = arguments[1]; "
    browser.run(script + "each.dispatchEvent(new Event('input'))", id, value)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("lea", [10]), ("ADA", [1]), ("محمد", [3]), ("<b>", [6]), ("joe", [8]), ("nobody", [])],
    ids=["without-accent", "upper-case", "arabic", "markup", "id", "none"],
)
def test_names_are_filtered(text: str, numbers: list[int], small: Any) -> None:
    fill(small, "by-name", text)
    assert small.run(ORDER) == numbers
    assert small.run("return document.querySelector('.shown').textContent") == f"{len(numbers)} of 12 shown"


def test_learners_are_filtered_by_what_became_of_an_exercise(small: Any) -> None:
    fill(small, "by-exercise", "4")
    fill(small, "by-status", "✗")
    assert small.run(ORDER) == [1, 2, 3, 4, 5, 6, 7]
    fill(small, "by-exercise", "")
    fill(small, "by-status", "!")
    assert small.run(ORDER) == [11]


# --- marks and lists --------------------------------------------------------------------------------------------------


def test_marks_in_sight_are_told_one_by_one(small: Any) -> None:
    small.run("document.getElementById('table').scrollIntoView()")
    until = "const done = arguments[0]; const look = () => document.querySelector('#table tbody i') ? done(true) : setTimeout(look, 20); look()"
    assert small.wait_for(until)
    label, marks = small.run(
        "const strip = document.querySelector('#table tbody .marks > span');"
        "return [strip.getAttribute('aria-label'), [...strip.children].map(each => each.textContent).join('')]"
    )
    assert marks == "✓✗✗○✗✓"
    assert label.startswith("1. Softmax by hand: passed; 2. Scores divided by √d: failed; ")
    assert "4. Causal mask: not started" in label


def test_opened_list_names_everyone_with_a_link(small: Any, small_class: ClassSummary) -> None:
    until = "const done = arguments[0]; const list = document.querySelector('.mistakes details'); list.addEventListener('toggle', () => done(true)); list.open = true"
    assert small.wait_for(until)
    listed = small.run("return document.querySelector('.mistakes details p').textContent")
    assert listed.split(", ") == [row.name for row in small_class.rows[:7]]
    links = small.run(
        "return document.querySelector('.mistakes details').querySelectorAll('a[href^=\"./learner-\"]').length"
    )
    assert links == 7


# --- a thousand -------------------------------------------------------------------------------------------------------


def test_thousand_learners_are_all_there_and_few_are_laid_out(large: Any) -> None:
    assert large.run(ORDER) == list(range(1, LEARNERS + 1))
    assert large.run("return document.querySelectorAll('*').length") < 20_000
    # the marks of forty exercises are elements only where somebody looks
    assert large.run("return document.querySelectorAll('#table tbody i').length") < LEARNERS * EXERCISES / 10
    assert large.complaints() == []


def test_thousand_learners_sort_by_points(large: Any, records: list[Record]) -> None:
    large.run(f"{head('Points')}.querySelector('button').click()")
    order = large.run(ORDER)
    assert order == sorted(range(1, LEARNERS + 1), key=lambda number: records[number - 1].points)


def test_thousand_learners_are_filtered_by_exercise(large: Any, records: list[Record]) -> None:
    fill(large, "by-exercise", str(EXERCISES - 1))
    fill(large, "by-status", "○")
    due = [n for n, record in enumerate(records, 1) if record.exercises[-1].status == "not_started"]
    assert due and large.run(ORDER) == due


def test_end_of_a_thousand_is_reached_and_painted(large: Any) -> None:
    large.run("document.querySelector('#table tbody tr:last-child').scrollIntoView()")
    until = "const done = arguments[0]; const look = () => document.querySelector('#table tbody tr:last-child i') ? done(true) : setTimeout(look, 20); look()"
    assert large.wait_for(until)


def test_pages_numbers_are_those_of_the_class(large: Any, records: list[Record]) -> None:
    passed = Counter(result.id for record in records for result in record.exercises if result.status == "passed")
    shown = large.run(
        "return [...document.querySelectorAll('.sortable')[0].tBodies[0].rows].map(row => Number(row.cells[3].textContent))"
    )
    assert shown == [passed[result.id] for result in records[0].exercises]


def test_page_without_script_still_tells_everything(browser: Any, small_page: Path) -> None:
    browser.tell("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.show(small_page, width=1280, height=900)
    finally:
        browser.tell("Emulation.setScriptExecutionDisabled", value=False)
    text = browser.run("return document.body.textContent")
    for told in ("need JavaScript", "Ada Lovelace", "mask-after-softmax was made.", "Not fully graded", "✓ ✗✗ ○✗ ✓"):
        assert told in text
    assert browser.run(
        "return [document.querySelectorAll('button').length, document.querySelector('.filter').hidden]"
    ) == [
        0,
        True,
    ]
