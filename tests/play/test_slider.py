"""The slider of scores: with keys in a real terminal, with the arrow keys on a page, still where nobody can move it."""

from __future__ import annotations

import io
import os
import sys

import pexpect
import pytest
from rich.console import Console

from grader.play.parts import Heat, Slider, Written
from grader.play.scene_page import render_cell, render_play
from grader.play.scene_terminal import show

SECONDS = 120
ID = "scaled_scores"
pytestmark = pytest.mark.timeout(400)
RIGHT = {"key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39}
SHOWN = """
return [...document.querySelectorAll('.slider .steps > *')].filter(each => getComputedStyle(each).display != 'none')
    .map(each => each.querySelector('.written').innerText)
"""


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
@pytest.mark.skipif(sys.platform == "win32", reason="pexpect has no terminals there")
@pytest.mark.parametrize("height", [24, 60])
def test_keys_move_it_and_enter_goes_on(desk, course, height):
    desk.write(course, ID)
    assert desk.kata("check", ID).returncode == 0
    environment = {**os.environ, **desk.environment, "TERM": "xterm-256color"}
    environment.pop("COLUMNS", None)
    child = pexpect.spawn(
        sys.executable, ["-m", "grader", "play", ID], cwd=str(desk.folder), env=environment, encoding="utf-8",
        timeout=SECONDS, dimensions=(height, 100),
    )  # fmt: skip
    try:
        child.expect_exact("[times 1]")
        child.expect_exact("koba lost a lamp.")
        child.expect_exact("Enter goes on")
        for name, text in (("[times 2]", "kabe lost"), ("[times 4]", "kabe lost"), ("[times 8]", "kabe lost")):
            child.send("+")
            child.expect_exact(name)
            child.expect_exact(text)
        child.send("-")
        child.expect_exact("[times 4]")
        child.send("\r")
        child.expect_exact("An empty line ends.")
        child.expect_exact("> ")
        child.sendline("tipo met k_ba.")
        child.expect_exact("Enter goes on")
        child.send("q")
        child.expect_exact("> ")
        child.sendline("")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert child.exitstatus == 0


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
    assert browser.run("return document.querySelectorAll('.slider input').length") == 7
    assert not browser.scrolls_sideways()
    assert browser.cut_off() == []
    assert browser.nameless() == []
    assert browser.complaints() == []
