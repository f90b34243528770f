"""Somebody at a terminal: types texts and switches, stops a training with Ctrl-C and lets it go on."""

from __future__ import annotations

import os
import sys

import pexpect
import pytest

SECONDS = 240
pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(sys.platform == "win32", reason="pexpect has no terminals there"),
]


@pytest.fixture
def at_a_terminal(desk):
    """Types `kata` in a terminal of 80 columns."""
    begun = []

    def type_(*words: str) -> pexpect.spawn:
        environment = {**os.environ, **desk.environment, "TERM": "xterm-256color"}
        environment.pop("COLUMNS", None)
        command = [sys.executable, "-m", "grader", *words]
        begun.append(
            pexpect.spawn(
                command[0], command[1:], cwd=str(desk.folder), env=environment, encoding="utf-8",
                timeout=SECONDS, dimensions=(50, 80),
            )
        )  # fmt: skip
        return begun[-1]

    yield type_
    for each in begun:
        each.close(force=True)


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
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


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
