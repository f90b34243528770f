"""`kata.check` in a real kernel: which code is judged, what is shown, and how little of it the kernel notices."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(400)

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)"
WHOLE_SUM = "def share(amounts):\n    return amounts / amounts.sum()"
LARGEST = "def share(amounts):\n    return amounts / amounts.amax(-1, keepdim=True)"
RAISES = "def share(amounts):\n    return amounts / amount"
ENDLESS = "def share(amounts):\n    while True:\n        pass"
BAD_TEXT = "def share(amounts):\n    raise ValueError('<script>alert(1)</script><img src=x onerror=alert(2)>')"


# --- what is shown -------------------------------------------------------------------------------------------------


def pictures(page: str) -> list[str]:
    return re.findall(r"<img[^>]*>", page)


def test_right_answer_passes_and_every_check_is_named(kernel: Any) -> None:
    kernel.run(RIGHT)
    shown = kernel.check("share").text
    assert "✓ passed" in shown and "4 / 4" in shown
    for title in (
        "1, 1 and 2 become .25, .25 and .5.",
        "Every amount is divided by the sum of its own row.",
        "The amounts that were passed in are not changed.",
    ):
        assert f"✓ {title}" in shown


def test_wrong_numbers_are_a_picture_for_a_visible_check_alone(kernel: Any) -> None:
    kernel.run(LARGEST)
    said = kernel.check("share", seed=11)
    assert 'kata.check("share", seed=11)' in said.text
    (picture,) = pictures(said.html)
    assert 'src="data:image/svg+xml;base64,' in picture and "yours 0.50, expected 0.25" in picture
    assert "yours" in said.text  # the same, drawn with characters
    kernel.run(WHOLE_SUM)
    said = kernel.check("share")
    assert "✗ Every amount is divided by the sum of its own row." in said.text
    assert pictures(said.html) == []


def test_learners_text_is_escaped(kernel: Any) -> None:
    kernel.run(BAD_TEXT)
    page = kernel.check("share").html
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page and pictures(page) == []


def test_stub_is_not_started_and_other_work_is_noted_as_by_kata_check(kernel: Any, course: Path) -> None:
    kernel.run((course / "exercises" / "01_parts" / "02_slice.py").read_text("utf-8"))
    said = kernel.check("slice")
    assert "○ not started" in said.text and "The cell is as it was given." in said.html
    kernel.run("def slice(amounts):\n    return amounts")
    kernel.check("slice")
    noted = json.loads((course / ".kata" / "progress.json").read_text("utf-8"))
    assert [each["status"] for each in noted["exercises"]["slice"]["attempts"]] == ["failed"]


# --- which code is judged ------------------------------------------------------------------------------------------

JUDGED = {
    "imports, helpers and constants of other cells": [
        ("from torch import sum as add_up\n\nAXIS = -1", ""),
        ("def whole(amounts):\n    return add_up(amounts, AXIS, keepdim=True)", ""),
        ("def share(amounts):\n    return amounts / whole(amounts)", "✓ passed"),
    ],
    "a helper as the kernel has it": [
        ("def share(amounts):\n    return amounts / late(amounts)", "late"),
        ("def late(amounts:\n    return amounts.sum(-1, keepdim=True)", ""),  # a syntax error
        ("def late(amounts):\n    return amounts.sum()", "✗ failed"),
        ("def late(amounts):\n    return amounts.sum(-1, keepdim=True)", "✓ passed"),
    ],
    "a constant made before its import was run again": [
        ("import torch as lamp", ""),
        ("ONE = lamp.tensor(1.0)", ""),
        ("import torch as lamp", ""),
        ("def share(amounts):\n    return ONE * amounts / amounts.sum(-1, keepdim=True)", "✓ passed"),
    ],
    "no helper of an earlier version of the answer": [
        (f"def total_once(amounts):\n    return amounts.sum(-1, keepdim=True)\n\n{RIGHT}", ""),
        ("def share(amounts):\n    return amounts / total_once(amounts)", "total_once"),  # no cell holds it any more
    ],
    "an endless loop, and the next answer": [
        (ENDLESS, "Is there a loop that does not end"),
        (RIGHT, "✓ passed"),
    ],
}


@pytest.mark.parametrize("cells", JUDGED.values(), ids=JUDGED)
def test_cells_are_judged_as_the_kernel_has_them(cells: list[tuple[str, str]], kernel: Any) -> None:
    for source, seen in cells:
        kernel.run(source)
        if seen:
            assert seen in " ".join(kernel.check("share").text.split())


def test_what_was_run_last_counts_and_its_cell_is_named(kernel: Any) -> None:
    for source, verdict in ((RIGHT, "✓ passed"), (LARGEST, "✗ failed"), (RIGHT, "✓ passed")):
        number = kernel.run(source).number
        said = kernel.check("share").text
        assert verdict in said and f"as it was run in [{number}]" in said


def test_what_the_cell_printed_and_changed_in_the_kernel_plays_no_part(kernel: Any) -> None:
    kernel.run(RAISES)
    kernel.run("amount = 1.0\nshare.__code__ = (lambda amounts: amounts / amounts.sum(-1, keepdim=True)).__code__")
    kernel.run("print('4 / 4 points')\n" + RAISES.replace("amount\n", "amounts_\n"))
    assert "✗ failed" in kernel.check("share").text


def test_line_numbers_that_count_other_cells_are_explained(kernel: Any) -> None:
    kernel.run("import math\nHALF = 0.5")
    kernel.run("def share(amounts):\n    return amounts / named_nowhere * HALF")
    shown = " ".join(kernel.check("share").text.split())
    told = re.search(
        r"Line numbers count (\d+) lines? of other cells too, in front of this one: line (\d+) is its first", shown
    )
    assert told, shown
    before, first = map(int, told.groups())  # other tests' cells may be among them
    assert first == before + 1 >= 2 and f"in line {first + 1}, in `share`" in shown, shown
    kernel.run("def share(amounts):\n    return amounts / named_nowhere")
    shown = kernel.check("share").text
    assert "in line 2, in `share`" in shown and "Line numbers" not in shown


def test_magic_checks_and_runs(kernel: Any) -> None:
    kernel.run("%load_ext grader.in_notebook")
    kernel.run(RIGHT)
    assert "✓ passed" in kernel.run("%kata share").text
    said = kernel.run(f"%%kata share\n{LARGEST}")
    assert "✗ failed" in said.text and f"as it was run in [{said.number}]" in said.text
    said = kernel.run("%%kata share\nraise KeyError('mine')")  # a cell that fails is not checked
    assert said.error == "KeyError" and not said.shown
    for line in ("%kata", "%kata hint share", "%kata check share"):
        said = kernel.run(line)
        assert said.sentence.startswith("Type one exercise, as in %kata softmax") and not said.shown
    kernel.run("%unload_ext grader.in_notebook")


@pytest.mark.parametrize(
    ("call", "start"),
    [
        pytest.param('"rest"', "There is nothing to check yet: the cell with your answer to rest", id="nothing run"),
        pytest.param('"shore"', "there is no exercise `shore`: did you mean `share`?", id="no such exercise"),
        pytest.param('"share", seed="x"', "The seed must be a whole number", id="odd seed"),
        pytest.param('"share", course="/nowhere"', "/nowhere does not exist", id="no such course"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(call: str, start: str, kernel: Any) -> None:
    said = kernel.run(f"kata.check({call})")
    assert start in said.sentence and len(said.sentence.splitlines()) == 1


@pytest.mark.thorough
def test_course_may_lie_elsewhere_and_broken_checks_count_once_mended(
    kernel: Any, tmp_path: Path, make_course: Callable[..., Path]
) -> None:
    other = make_course(tmp_path / "other", "01_parts/01_portion")
    checks = other / "tests" / "kits" / "01_parts" / "01_portion" / "checks.py"
    text = checks.read_text("utf-8")
    checks.unlink()
    kernel.run("def portion(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)")
    assert kernel.check("portion", course=str(other)).sentence == "there are no checks for portion"
    checks.write_text(text, "utf-8")
    assert "✓ passed" in kernel.check("portion", course=str(other / "course.yml")).text
    kernel.run(RIGHT)
    assert "✓ passed" in kernel.check("share").text


def test_course_beside_a_notebook_is_used_only_when_it_was_named(
    kernel: Any, open_kernel: Any, tmp_path: Path, make_course: Callable[..., Path]
) -> None:
    planted = make_course(tmp_path / "planted", "01_parts/01_share", named=False)
    mark = tmp_path / "ran"
    for path in (planted / "tests").rglob("*.py"):
        path.write_text(f"open({str(mark)!r}, 'w')\n" + path.read_text("utf-8"), "utf-8")
    opened = open_kernel(planted)
    opened.run(RIGHT)
    assert "there is no exercise `share`" in opened.run('kata.check("share")').sentence
    assert not mark.exists()
    kernel.run(RIGHT)
    assert "✓ passed" in kernel.check("share").text


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
