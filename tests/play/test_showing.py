"""The parts of a scene as somebody sees them: in terminals of any width, with and without colour, and on a page."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from grader.play.parts import Curve, Grid, Heat, Words, Written
from grader.play.scene_page import render_play
from grader.play.scene_terminal import show

NAN = float("nan")
HEAT = Heat("Who <looks>", tuple("ab c"), tuple("ab c"), ((1.0, 0.0, 0.0, NAN),) * 4, "a note")
CURVE = Curve("It falls", "steps", "loss", (0.0, 10.0, 20.0), (("one", (3.0, 2.0, NAN)), ("other", (1.0, 1.5, 0.5))))
EVIL = "\x1b[31m<script>alert(1)</script>\u202e"
PARTS = (
    Words("A sentence that is somewhat longer than a narrow terminal is wide, so that it has to be broken."),
    Words("Look here", "warning"),
    HEAT,
    Grid("Losses", ("", "in stories", "in letters said twice"), (("all on", "0.50", "0.00"),)),
    CURVE,
    Written("It writes", "ti", (("your class", "po a plum"), (EVIL, EVIL))),
)


def shown(part, width: int, *, colour: bool = False) -> str:
    screen = Console(file=io.StringIO(), width=width, force_terminal=colour, color_system="256" if colour else None)
    show(part, screen)
    return screen.file.getvalue()


@pytest.mark.parametrize("width", [24, 40, 80, 120])
@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_nothing_is_wider_than_the_terminal(part, width):
    assert max(map(len, shown(part, width).splitlines())) <= max(width, 30 if isinstance(part, Curve) else 0)


def test_a_map_without_colour_has_a_sign_for_each_number():
    rows = shown(HEAT, 40).splitlines()[2:6]
    assert rows == ["a @@    ??", "b @@    ??", "  @@    ??", "c @@    ??"]


def test_a_map_in_colour_has_shades_and_is_as_wide():
    coloured = shown(HEAT, 40, colour=True)
    assert "48;5;" in coloured
    assert "@" not in coloured


def test_too_wide_a_map_shows_its_last_columns_and_says_so():
    letters = tuple("abcdefghijklmnopqrstuvwxyzabcdefghijklmn")
    wide = Heat("Wide", letters, letters, ((0.5,) * 40,) * 40)
    text = shown(wide, 30)
    assert "from column 13 on" in text
    assert max(map(len, text.splitlines())) <= 30


def test_what_the_learners_side_says_steers_no_terminal_and_no_page():
    assert "\x1b" not in shown(PARTS[-1], 80)
    page = render_play("A title", "It stands", "what is seen", PARTS, is_warning=True)
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_a_page_tells_every_place_in_words():
    page = render_play("A title", "It stands", "what is seen", PARTS, is_warning=False)
    assert page.count("<rect") == page.count("looks at ") == 16
    assert "a (row 1) looks most at a (column 1), 1.00" in page
    assert "Who &lt;looks&gt;" in page
    assert "one: 2 at 10" in page


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_of_a_scene_can_be_read_by_everyone(browser, scene, tmp_path, width, scheme):
    reader = scene("multi_head_attention")
    parts = [*reader.parts("koba met koba", ["head:2.3"], in_full=True), CURVE]
    path = tmp_path / "page.html"
    path.write_text(render_play("A title", "It stands", "seen", parts, is_warning=False), encoding="utf-8")
    browser.show(path, width=width, height=900, scheme=scheme)
    assert not browser.scrolls_sideways()
    assert browser.cut_off() == []
    assert browser.nameless() == []
    assert {text: ratio for text, ratio in browser.contrasts().items() if ratio < 4.5} == {}
    assert browser.complaints() == []
    assert browser.requests() == [path.as_uri()]
    told = browser.run("return document.querySelector('.map rect title').textContent")
    assert told == "k (row 1) looks at k (column 1): 1.00"
