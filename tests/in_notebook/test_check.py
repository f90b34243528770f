"""`kata.check` in a real kernel: its page, and how little of it the kernel notices. What is shown and noted: the transcripts here."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(400)

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)"
WHOLE_SUM = "def share(amounts):\n    return amounts / amounts.sum()"
LARGEST = "def share(amounts):\n    return amounts / amounts.amax(-1, keepdim=True)"
ENDLESS = "def share(amounts):\n    while True:\n        pass"
BAD_TEXT = "def share(amounts):\n    raise ValueError('<script>alert(1)</script><img src=x onerror=alert(2)>')"


# --- what is shown -------------------------------------------------------------------------------------------------


def pictures(page: str) -> list[str]:
    return re.findall(r"<img[^>]*>", page)


def test_wrong_numbers_are_a_picture_for_a_visible_check_alone(kernel: Any) -> None:
    kernel.run(LARGEST)
    said = kernel.check("share", seed=11)
    assert 'kata.check("share", seed=11)' in said.text
    (picture,) = pictures(said.html)
    assert 'src="data:image/svg+xml;base64,' in picture and "yours 0.50, expected 0.25" in picture
    kernel.run(WHOLE_SUM)
    said = kernel.check("share")
    assert "✗ Every amount is divided by the sum of its own row." in said.text
    assert pictures(said.html) == []


def test_learners_text_is_escaped(kernel: Any) -> None:
    kernel.run(BAD_TEXT)
    page = kernel.check("share").html
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page and pictures(page) == []
    sentence = "The seed must be a whole number from 0 to 9007199254740991."
    assert kernel.check("share", seed="x").html == f"<p>{sentence}</p>"


# --- which code is judged ------------------------------------------------------------------------------------------


def test_course_beside_a_notebook_is_used_only_when_it_was_named(
    kernel: Any, open_kernel: Any, tmp_path: Path, make_course: Callable[..., Path]
) -> None:
    planted = make_course(tmp_path / "planted", "01_parts/01_share", named=False)
    mark = tmp_path / "ran"
    for path in (planted / "tests").rglob("*.py"):
        path.write_text(f"open({str(mark)!r}, 'w')\n" + path.read_text("utf-8"), "utf-8")
    opened = open_kernel(planted)
    opened.run(RIGHT)
    assert "there is no exercise `share`" in opened.check("share").text
    assert not mark.exists()
    kernel.run(RIGHT)
    assert "✓ passed" in kernel.check("share").text


def test_folder_of_no_course_fails_and_says_so(open_kernel: Any, tmp_path: Path) -> None:
    kernel = open_kernel(tmp_path)
    kernel.run(RIGHT)
    said = kernel.run('kata.validate("share")', by_person=False)
    assert said.error == "NotPassed" and "4 / 4" not in said.traceback


# --- the kernel ----------------------------------------------------------------------------------------------------

STATE = (
    "[sorted(__import__('sys').modules), "
    "[each.name for each in __import__('threading').enumerate()], dict(__import__('os').environ), "
    "__import__('os').getcwd(), __import__('sys').path, "
    "[str(each) for each in __import__('warnings').filters], "
    "[str(__import__('signal').getsignal(number)) for number in __import__('signal').valid_signals()], "
    "sorted(map(str, get_ipython().events.callbacks.items()))]"
)


@pytest.mark.thorough
def test_kernel_stays_clean(open_kernel: Callable[..., Any], course: Path) -> None:
    kernel = open_kernel(course, first="pass")
    kernel.run(RIGHT)
    kernel.told(STATE)  # what asking itself brings along
    modules, *others = kernel.told(STATE)
    kernel.run("import grader.in_notebook as kata")
    assert "✓ passed" in kernel.check("share").text
    kernel.run(LARGEST)
    assert "✗ failed" in kernel.check("share").text
    modules_after, *others_after = kernel.told(STATE)
    assert others_after == others
    assert set(modules_after) - set(modules) == {"grader", "grader.in_notebook"}


@pytest.mark.thorough
def test_endless_loop_is_a_verdict_and_the_next_check_works(kernel: Any) -> None:
    kernel.run(ENDLESS)
    assert "Is there a loop that does not end" in " ".join(kernel.check("share").text.split())
    kernel.run(RIGHT)
    assert "✓ passed" in kernel.check("share").text


@pytest.mark.thorough
def test_interrupt_ends_the_wait_and_the_next_check_works(kernel: Any) -> None:
    kernel.run(ENDLESS)
    threads = kernel.told("[each.name for each in __import__('threading').enumerate()]")

    def interrupt(printed: str) -> None:
        await_command(kernel)
        kernel.manager.interrupt_kernel()

    said = kernel.run('print("on the way", flush=True)\nkata.check("share")', interrupt)
    assert said.error == "KeyboardInterrupt" and not said.shown
    deadline = time.monotonic() + 30
    while kernel.commands() and time.monotonic() < deadline:
        time.sleep(0.01)  # one that was interrupted while it was started ends with its pipe
    assert kernel.commands() == []
    assert kernel.told("[each.name for each in __import__('threading').enumerate()]") == threads
    kernel.run(RIGHT)
    assert "✓ passed" in kernel.check("share").text


def await_command(kernel: Any) -> Any:
    """The command that answers, once it is there."""
    while not (found := kernel.commands()):
        time.sleep(0.01)
    return found[0]


@pytest.mark.thorough
@pytest.mark.parametrize("asks", ["check", "validate"])
def test_command_that_was_ended_from_outside_is_a_sentence_and_the_next_check_works(asks: str, kernel: Any) -> None:
    kernel.run(ENDLESS)
    said = kernel.run(
        f'print("on the way", flush=True)\nkata.{asks}("share")',
        lambda printed: await_command(kernel).kill(),
        by_person=asks == "check",
    )
    told = said.traceback if asks == "validate" else said.shown[0]["text/plain"]
    assert "The grader's process ended (status -9)" in told and said.error == (
        "NotPassed" if asks == "validate" else ""
    )
    kernel.run(RIGHT)
    assert "✓ passed" in kernel.check("share").text


@pytest.mark.thorough
def test_command_ends_with_a_kernel_that_is_killed(open_kernel: Callable[..., Any], course: Path) -> None:
    import psutil

    kernel = open_kernel(course)
    kernel.run(ENDLESS)
    kernel.run("import threading; threading.Thread(target=kata.check, args=['share'], daemon=True).start()")
    command = await_command(kernel)
    psutil.Process(kernel.manager.provisioner.process.pid).kill()
    assert command.wait(60) in (None, 1)


@pytest.mark.parametrize(
    ("asked", "status"), [("validate", 1), ("check", 0), ("play", 0)], ids=["validate", "check", "play"]
)
def test_outside_of_a_notebook_the_command_is_named(asked: str, status: int) -> None:
    program = f"import grader.in_notebook as kata; kata.{asked}('softmax')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    command = f"in a terminal, type: kata {asked.replace('validate', 'check')} softmax"
    assert done.returncode == status and command in done.stdout + done.stderr
