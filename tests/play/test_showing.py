"""The parts of a scene as somebody sees them: in terminals of any width, with and without colour, and on a page."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from grader.play.parts import Curve, Grid, Slider, Words, Written
from grader.play.showing import render_play, show
from grader.played import Heat
from grader.render.pages import render_page

GOLDEN = Path(__file__).parent / "golden"
NAN = float("nan")
HEAT = Heat("Who <looks>", tuple("ab c"), tuple("ab c"), ((1.0, 0.0, 0.0, NAN),) * 4)
EVEN = Heat("Even", ("a",), tuple("abcdefghijklmnopqrstuvwxyzabcdef"), ((1 / 32,) * 32,))
BOTH = Heat("A head", tuple("ab"), tuple("ab"), ((0.0, 1.0),) * 2, before=("all on", ((1.0, 0.0),) * 2, "without x"))
STEPS = tuple(
    (f"times {number}", Heat(f"Times {number}", ("a",), tuple("ab"), (row,)), written)
    for number, row, written in ((1, (0.5, 0.5), "one"), (2, (0.75, 0.25), "two"))
)
CURVE = Curve("It falls", "steps", "loss", (0.0, 10.0, 20.0), (("one", (3.0, 2.0, NAN)), ("other", (3.0, 1.5, 0.5))))
EVIL = "\x1b[31m<script>alert(1)</script>\u202e"
PARTS = (
    Words("A sentence that is somewhat longer than a narrow terminal is wide, so that it has to be broken."),
    Words("Look here", "warning"),
    HEAT,
    EVEN,
    BOTH,
    Grid("Losses", ("", "in stories", "in random letters, repeated"), (("all on", "0.50", "0.00"),)),
    CURVE,
    Slider("Larger", STEPS, 0),
    Written("It writes", "ti", (("your class", "na a plum"), (EVIL, EVIL))),
)
SLIDER_MOVES = """
return [...document.querySelectorAll('.slider .steps > *')].filter(each => getComputedStyle(each).display != 'none')
    .map(each => each.querySelector('.written').innerText)
"""


def below_cell(part) -> str:
    return render_page("play_cell.html.j2", part=part)


def shown(width: int, colours: str | None = None, parts=PARTS) -> str:
    screen = Console(file=io.StringIO(), width=width, force_terminal=bool(colours), color_system=colours)
    for part in parts:
        show(part, screen)
    return screen.file.getvalue()


@pytest.mark.parametrize("width", [24, 40, 60, 80, 120])
def test_nothing_is_wider_than_the_terminal(width, golden):
    text = shown(width)
    assert max(map(len, text.splitlines())) <= width
    golden(GOLDEN / f"parts-{width}.txt", "".join(f"{line.rstrip()}\n" for line in text.splitlines()))


def test_colours_stand_for_the_signs_where_there_are_enough_of_them():
    assert "48;5;" in shown(40, "256", [HEAT]) and "@@" not in shown(40, "256", [HEAT])
    assert "\x1b[2ma \x1b[0m@@    ??" in shown(40, "standard", [HEAT])


def test_too_wide_a_map_shows_its_last_columns_and_says_so():
    letters = tuple("abcdefghijklmnopqrstuvwxyzabcdefghijklmn")
    assert "from column 13 on" in shown(30, parts=[Heat("Wide", letters, letters, ((0.5,) * 40,) * 40)])


def test_what_the_learners_side_says_steers_no_terminal_and_no_page():
    assert "\x1b" not in shown(80)
    page = render_play("A title", Words("It stands", "warning"), "what is seen", PARTS)
    for text in ("<script", "\x1b", "\u202e"):
        assert text not in page + below_cell(PARTS[-1])


def test_a_page_and_a_cell_tell_every_place_in_words(golden):
    page = render_play("A title", Words("It stands"), "what is seen", PARTS)
    golden(GOLDEN / "parts.html", page[page.index("<body>") :])
    golden(GOLDEN / "parts-cell.html", "".join(map(below_cell, PARTS)))
    assert page.count("</title></path>") == page.count(" looks at "), "what is blank has no words"


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_of_a_scene_can_be_read_by_everyone(browser, seen, tmp_path, width, scheme):
    changed = seen("multi_head_attention", off=("head:1.2",), text="anna met anna", in_full=True)
    parts = [*changed, CURVE, *seen("multi_head_attention", in_full=True)]
    path = tmp_path / "page.html"
    path.write_text(render_play("A title", Words("It stands"), "seen", parts), encoding="utf-8")
    browser.show(path, width=width, height=900, scheme=scheme)
    assert browser.problems() == []
    assert browser.run("return document.querySelector('.map path title').textContent") == "a 1 looks at a 1: 1.00"


@pytest.mark.thorough
def test_arrow_keys_move_the_slider_on_a_page(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(render_play("A title", Words("It stands"), "seen", PARTS), encoding="utf-8")
    browser.show(path, width=360, height=900)
    assert browser.run(SLIDER_MOVES) == ["one"]
    browser.run("document.querySelector('.slider input:checked').focus()")
    for kind in ("rawKeyDown", "keyUp"):
        browser.tell("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    assert browser.run(SLIDER_MOVES) == ["two"]
    assert browser.problems() == []
