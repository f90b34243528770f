"""`kata play` at a terminal, where it is offered, and what can be switched off; see tests/transcripts/real/play.txt too."""

from __future__ import annotations

import os
import sys

import pexpect
import pytest

from grader.errors import KataError
from grader.play.catalogue import PLAYS, offer_of, play_of, switched_off
from grader.record import Diagnosis

from ..cases import rows
from ..records import check, exercise
from .conftest import CASES

ID = "multi_head_attention"
SMALL = "softmax"
SLOW = ("h = self.token(idx)", "__import__('time').sleep(0.02)\n        h = self.token(idx)")
"""For a Ctrl-C: on a busy machine the second that a training takes can be over before this process has its turn."""
pytestmark = pytest.mark.timeout(400)


def test_list_loads_no_torch(desk, run_command):
    words = ("-X", "importtime", "-m", "grader", "play")
    done = run_command(sys.executable, *words, cwd=desk.folder, env={**os.environ, **desk.environment})
    assert done.returncode == 0 and PLAYS[-1].id in done.stdout
    loaded = {line.split()[-1] for line in done.stderr.splitlines()}
    assert "grader.play.catalogue" in loaded and "torch" not in loaded


# --- at a terminal ----------------------------------------------------------------------------------------------------


def leave(child: pexpect.spawn, line: str = "", status: int = 0) -> None:
    """End the conversation by a line, an empty one by default."""
    child.sendline(line)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status


@pytest.mark.thorough
def test_a_line_is_the_next_text_or_switches_something_off(desk):
    assert desk.checks("cross_attention").returncode == 0
    child = desk.terminal("play", "cross_attention")
    child.expect_exact("3 may 2024 -> ")
    child.expect_exact("An empty line ends.")
    child.sendline("24.12.1999")
    child.expect_exact("24.12.1999 -> ")
    child.expect_exact("1999-12-24")
    child.expect_exact("> ")
    child.sendline("tomorrow!")
    child.expect_exact("Type a date, such as")
    leave(child)


@pytest.mark.parametrize("answer", [pytest.param("", marks=pytest.mark.thorough, id="goes on"), "q"])
def test_ctrl_c_stops_a_training_and_enter_goes_on(desk, answer):
    desk.passes_unchecked("tiny_gpt", SLOW)
    child = desk.terminal("play", "tiny_gpt")
    child.expect("step  20 ")
    child.sendintr()
    child.expect_exact("Stopped. Enter goes on")
    if answer:
        leave(child, answer, status=130)
        return
    child.sendline("")
    assert child.expect(["step   0 ", r"step  \d0 "]) == 1  # not from the start
    child.expect("step 240 ")
    child.expect_exact("What it wrote")
    leave(child)


@pytest.mark.thorough
def test_watch_offers_it_after_a_save(desk):
    child = desk.terminal("watch")
    child.expect_exact("Save a file to have it checked.")
    while child.expect_exact([f"See it at work: kata play {SMALL}", pexpect.TIMEOUT], timeout=10):
        desk.write(SMALL)  # again: the folder is watched a moment after the screen is there
    child.send("q")
    child.expect_exact("The watch has ended.")
    child.close(force=True)


# --- what is offered, and what can be switched off --------------------------------------------------------------------


@rows(CASES["switches"], "names", "said")
def test_what_is_not_there_cannot_be_switched_off(names, said):
    with pytest.raises(KataError, match=said):
        switched_off(play_of(ID), names, layers=2, heads=4)


@rows(CASES["offers"], "status", "outcomes", "diagnosed", "offered")
def test_wrong_code_is_offered_where_there_is_an_effect_to_see(status, outcomes, diagnosed, offered):
    diagnosis = (Diagnosis(mistake="mask-inverted", message="The mask is inverted."),) if diagnosed else ()
    checks = (check(name=f"test_{number}", outcome=outcome) for number, outcome in enumerate(outcomes))
    result = exercise(*checks, id=ID, status=status, diagnosis=diagnosis)
    assert offer_of(result) == (f"See it at work: kata play {ID}" if offered else "")
    assert offer_of(result.model_copy(update={"id": "dot_scores"})) == ""
