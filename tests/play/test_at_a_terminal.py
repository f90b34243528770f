"""Somebody at a terminal: moves the slider, types texts and switches, stops a training and lets it go on."""

from __future__ import annotations

import io

import pexpect
import pytest
from rich.console import Console

from grader.play.parts import Heat, Slider, Written
from grader.play.scene_page import render_cell, render_play
from grader.play.scene_terminal import show

ID = "scaled_scores"
pytestmark = pytest.mark.timeout(400)
RIGHT = {"key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39}
SHOWN = """
return [...document.querySelectorAll('.slider .steps > *')].filter(each => getComputedStyle(each).display != 'none')
    .map(each => each.querySelector('.written').innerText)
"""


def leave(child) -> None:
    """End the conversation by an empty line."""
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.fixture
def parts(scene):
    played = scene(ID)
    return list(played.parts(played.example, (), in_full=True))


def the_slider(parts) -> Slider:
    return next(part for part in parts if isinstance(part, Slider))


def test_its_steps_are_those_that_the_tables_tell(parts):
    slider = the_slider(parts)
    written = next(part for part in parts if isinstance(part, Written))
    assert [(name, text) for name, _, text in slider.steps] == list(written.texts)
    assert slider.steps[slider.start][0] == "times 1"
    rows = next(part for part in parts if isinstance(part, Heat)).values
    hidden = slider.steps[0][1].rows.index("_")
    assert [heat.values[hidden] for _, heat, _ in slider.steps] == list(rows)


def test_where_nobody_moves_it_the_trained_step_is_shown(parts):
    slider = the_slider(parts)
    screen = Console(file=io.StringIO(), width=80, no_color=True)
    show(slider, screen)
    assert "scores times 1" in screen.file.getvalue()
    assert "scores times 1<" in render_cell([slider])


@pytest.mark.thorough
@pytest.mark.parametrize("height", [24, 60])
def test_keys_move_it_and_enter_goes_on(desk, course, at_a_terminal, height):
    desk.write(course, ID)
    assert desk.kata("check", ID).returncode == 0
    child = at_a_terminal("play", ID, size=(height, 100))
    child.expect_exact("[times 1]")
    child.expect_exact("koba lost a lamp.")
    child.expect_exact("Enter goes on")
    for name, text in (("[times 2]", "kabe lost"), ("[times 8]", "kabe lost")):
        child.send("+")
        child.expect_exact(name)
        child.expect_exact(text)
    child.send("-")
    child.expect_exact("[times 2]")
    child.send("\r")
    child.expect_exact("An empty line ends.")
    child.expect_exact("> ")
    child.sendline("tipo met k_ba.")
    child.expect_exact("Enter goes on")
    child.send("q")
    child.expect_exact("> ")
    leave(child)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 1200])
def test_arrow_keys_move_it_on_a_page(browser, parts, tmp_path, width):
    path = tmp_path / "page.html"
    path.write_text(render_play("A title", "It stands", "seen", parts, is_warning=False), encoding="utf-8")
    browser.show(path, width=width, height=900)
    assert "koba lost" in browser.run(SHOWN)[0]
    browser.run("document.querySelector('.slider input:checked').focus()")
    for kind in ("rawKeyDown", "keyUp"):
        browser.tell("Input.dispatchKeyEvent", type=kind, **RIGHT)
    (shown,) = browser.run(SHOWN)
    assert "kabe lost" in shown
    assert browser.run("return document.querySelectorAll('.slider input').length") == 5
    assert not browser.scrolls_sideways()
    assert browser.cut_off() == []
    assert browser.nameless() == []
    assert browser.complaints() == []


# --- a conversation -------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_line_is_the_next_text_or_switches_something_off(desk, course, at_a_terminal):
    desk.write(course, "cross_attention")
    assert desk.kata("check", "cross_attention").returncode == 0
    child = at_a_terminal("play", "cross_attention")
    child.expect_exact("3 may 2024 -> ")
    child.expect_exact("An empty line ends.")
    child.sendline("24.12.1999")
    child.expect_exact("24.12.1999 -> ")
    child.expect_exact("1999-12-24")
    child.expect_exact("> ")
    child.sendline("tomorrow!")
    child.expect_exact("reads letters, digits, blanks")
    leave(child)


@pytest.mark.thorough
def test_ctrl_c_stops_a_training_and_enter_goes_on(desk, course, at_a_terminal):
    desk.write(course, "tiny_gpt")
    desk.pass_unchecked("tiny_gpt", course)
    child = at_a_terminal("play", "tiny_gpt")
    child.expect("step  40 ")
    child.sendintr()
    child.expect_exact("Stopped. Enter goes on")
    child.sendline("")
    first = child.expect(["step   0 ", r"step  \d0 ", r"step 1\d0 "])
    assert first > 0  # not from the start
    child.expect("step 240 ")
    child.expect_exact("What it wrote")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_ctrl_c_and_a_word_end_it(desk, course, at_a_terminal):
    desk.write(course, "tiny_gpt")
    desk.pass_unchecked("tiny_gpt", course)
    child = at_a_terminal("play", "tiny_gpt")
    child.expect("step  20 ")
    child.sendintr()
    child.expect_exact("Stopped. Enter goes on")
    child.sendline("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
