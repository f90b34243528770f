"""The learner's page in a real Chromium: on a phone and on a desk, in light and in dark, by keyboard alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SIZES = {"phone": (390, 844), "desk": (1280, 900)}
SCHEMES = ("light", "dark")
READABLE = 4.5

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(params=[(size, scheme) for size in SIZES for scheme in SCHEMES], ids=" ".join)
def shown(request: pytest.FixtureRequest, browser: Any, learner_page: Path) -> Any:
    """The page in each window, and in each light."""
    size, scheme = request.param
    width, height = SIZES[size]
    browser.show(learner_page, width=width, height=height, scheme=scheme)
    return browser


@pytest.fixture
def at_the_desk(browser: Any, learner_page: Path) -> Any:
    width, height = SIZES["desk"]
    browser.show(learner_page, width=width, height=height)
    return browser


OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"


def test_page_never_scrolls_sideways(shown: Any) -> None:
    shown.run(OPEN_ALL)
    assert not shown.scrolls_sideways()


def test_what_is_too_wide_scrolls_in_its_own_place(shown: Any) -> None:
    shown.run(OPEN_ALL)
    assert shown.cut_off() == []


def test_nothing_is_asked_for_and_nothing_goes_wrong(shown: Any, learner_page: Path) -> None:
    shown.run(OPEN_ALL)
    assert shown.requests() == [learner_page.as_uri()]
    assert shown.complaints() == []


def test_every_text_can_be_read(shown: Any) -> None:
    shown.run(OPEN_ALL)
    contrasts = shown.contrasts()
    assert len(contrasts) > 60
    assert {text: round(contrast, 2) for text, contrast in contrasts.items() if contrast < READABLE} == {}


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)], ids=SCHEMES)
def test_page_follows_the_readers_light(scheme: str, is_dark: bool, browser: Any, learner_page: Path) -> None:
    browser.show(learner_page, width=390, height=844, scheme=scheme)
    paper = browser.run("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (sum(paper) < 3 * 128) == is_dark


# --- by keyboard ------------------------------------------------------------------------------------------------------

FOCUSED = "const each = document.activeElement; return [each.tagName, each.className, each.textContent.trim()]"


def test_skip_link_comes_first_is_seen_and_leads_to_the_exercises(at_the_desk: Any) -> None:
    at_the_desk.press("Tab")
    assert at_the_desk.run(FOCUSED) == ["A", "skip", "Skip to the exercises"]
    left = at_the_desk.run("return document.activeElement.getBoundingClientRect().left")
    assert left >= 0
    at_the_desk.press("Enter")
    at_the_desk.press("Tab")
    is_after = """
    const heading = document.getElementById('exercises');
    return Boolean(heading.compareDocumentPosition(document.activeElement) & Node.DOCUMENT_POSITION_FOLLOWING)
        && heading.getBoundingClientRect().top < window.innerHeight
    """
    assert at_the_desk.run(is_after)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_every_details_opens_by_keyboard(key: str, at_the_desk: Any) -> None:
    count = at_the_desk.run("return document.querySelectorAll('details').length")
    assert count > 5
    for number in range(count):
        script = f"const each = document.querySelectorAll('details')[{number}];"
        at_the_desk.run(f"{script} each.open = false; each.firstElementChild.focus()")
        at_the_desk.press(key)
        assert at_the_desk.run(f"{script} return each.open"), number


def test_tab_reaches_every_link_and_every_exercise_and_shows_where_it_is(at_the_desk: Any) -> None:
    stops = "[...document.querySelectorAll('a, summary')]"
    at_the_desk.run("document.querySelectorAll('details').forEach(each => each.open = false)")
    reached = []
    for _ in range(at_the_desk.run(f"return {stops}.length")):
        at_the_desk.press("Tab")
        number, outline = at_the_desk.run(
            f"const each = document.activeElement; return [{stops}.indexOf(each), getComputedStyle(each).outlineStyle]"
        )
        reached.append(number)
        assert outline != "none"
    assert reached == sorted(reached) == list(range(len(reached)))


def test_tile_leads_to_its_exercise_and_opens_it(at_the_desk: Any) -> None:
    at_the_desk.run("document.querySelectorAll('details').forEach(each => each.open = false)")
    at_the_desk.run("document.querySelector('.tile').focus()")
    at_the_desk.press("Enter")
    is_open = "const each = document.querySelector(':target').closest('details'); return each.open"
    assert at_the_desk.run(is_open)


# --- for those who listen ---------------------------------------------------------------------------------------------


def test_every_table_picture_and_place_has_a_name(at_the_desk: Any) -> None:
    assert at_the_desk.nameless() == []


def test_browser_itself_finds_headings_and_tables_in_its_accessibility_tree(at_the_desk: Any) -> None:
    at_the_desk.run(OPEN_ALL)
    nodes = at_the_desk.tell("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    named = [(node["role"]["value"], node["name"]["value"]) for node in nodes if not node["ignored"] and "name" in node]
    assert {"heading", "table", "columnheader", "rowheader", "banner", "main", "contentinfo"} <= set(roles)
    assert ("heading", "Your progress") in named
    assert any(role == "image" and name.endswith("yours, expected and the difference") for role, name in named)
