"""The parts of a scene as somebody sees them: in terminals of any width, with and without colour, and on a page."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from grader.play.parts import Curve, Grid, Heat, Words, Written
from grader.play.scene_page import render_play
from grader.play.scene_terminal import show

NAN = float("nan")
HEAT = Heat("Who <looks>", tuple("ab c"), tuple("ab c"), ((1.0, 0.0, 0.0, NAN),) * 4)
CURVE = Curve("It falls", "steps", "loss", (0.0, 10.0, 20.0), (("one", (3.0, 2.0, NAN)), ("other", (1.0, 1.5, 0.5))))
EVIL = "\x1b[31m<script>alert(1)</script>\u202e"
PARTS = (
    Words("A sentence that is somewhat longer than a narrow terminal is wide, so that it has to be broken."),
    Words("Look here", "warning"),
    HEAT,
    Grid("Losses", ("", "in stories", "in random letters, repeated"), (("all on", "0.50", "0.00"),)),
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


def test_weights_that_are_spread_can_be_seen_and_a_legend_tells_each_sign():
    even = Heat("Even", tuple("ab"), tuple("abcdefghijklmnopqrstuvwxyzabcdef"), ((1 / 32,) * 32,) * 2)
    lines = shown(even, 80).splitlines()
    assert lines[2] == "a " + ".." * 32
    assert lines[4].rstrip() == "From: . .01  : .04  - .09  = .16  + .25  * .36  # .49  % .64  @ .81"


def test_sixteen_colours_are_too_few_so_signs_stand_there():
    screen = Console(file=io.StringIO(), width=40, force_terminal=True, color_system="standard")
    show(HEAT, screen)
    assert "\x1b[2ma \x1b[0m@@    ??" in screen.file.getvalue()


def test_before_and_now_stand_beside_each_other():
    both = Heat(
        "A head", tuple("ab"), tuple("ab"), ((0.0, 1.0),) * 2, before=("all on", ((1.0, 0.0),) * 2, "without x")
    )
    lines = shown(both, 80).splitlines()
    assert lines[0] == "A head"
    assert lines[1].split() == ["all", "on", "without", "x"]
    assert lines[3].split() == ["a", "@@", "a", "@@"]


def test_places_where_curves_meet_have_a_sign_of_their_own():
    text = shown(Curve("t", "x", "y", (0.0, 1.0), (("one", (1.0, 2.0)), ("other", (1.0, 3.0)))), 60)
    assert text.count("&") == 2 and "& several" in text


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
    assert page.count("</title></path>") == page.count(" looks at ") == 8, "what is blank has no words"
    assert "a 1 looks most at a 1, 1.00" in page
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
    told = browser.run("return document.querySelector('.map path title').textContent")
    assert told == "k 1 looks at k 1: 1.00"
