"""`kata watch` in a real terminal: saves, keys, and files that do harm."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"
KITS = ("01_parts/01_share", "01_parts/02_portion")
READY = "Save a file to have it checked."

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def course(tmp_path: Path, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path / "course", *KITS)


@pytest.fixture
def watch(course: Path, open_terminal: Callable[..., Any]) -> Any:
    return watching(course, open_terminal)


def watching(course: Path, open_terminal: Callable[..., Any]) -> Any:
    terminal = open_terminal("watch", cwd=course)
    terminal.wait_for(READY)
    time.sleep(0.3)  # the folder is watched a moment after the screen is there
    return terminal


@pytest.fixture(scope="module")
def lasting(
    tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], open_terminal: Callable[..., Any]
) -> tuple[Any, Path]:
    """A watch that goes on from test to test, and its course: whatever one test does to it, the next must find it well."""
    course = make_course(tmp_path_factory.mktemp("lasting") / "course", *KITS)
    return watching(course, open_terminal), course


def file_of(course: Path, id: str) -> Path:
    return next(course.glob(f"exercises/*/*_{id}.py"))


def save(course: Path, id: str, source: str) -> None:
    """As editors do: written beside, then moved into place."""
    path = file_of(course, id)
    beside = path.with_suffix(".tmp")
    beside.write_text(source.format(id=id), encoding="utf-8")
    beside.replace(path)


def verdicts(screen: str) -> int:
    return sum(word in line for line in screen.splitlines() for word in ("✓ passed", "✗ failed"))


def has_verdict(screen: str) -> bool:
    return verdicts(screen) > 0 and READY in screen


def test_a_saved_file_is_judged_at_once_and_the_mistake_is_named(watch: Any, course: Path) -> None:
    save(course, "share", WRONG)
    screen = watch.wait_for(has_verdict)
    assert "✗ failed" in screen
    assert "You divided by one sum of everything." in screen
    save(course, "share", RIGHT)
    screen = watch.wait_for("✓ passed")
    assert "You divided" not in screen


@pytest.mark.thorough
def test_passing_shows_what_is_next(watch: Any, course: Path) -> None:
    save(course, "share", RIGHT)
    screen = watch.wait_for("02_portion.py")
    assert "✓ passed" in screen


@pytest.mark.thorough
def test_a_verdict_is_kept_in_the_progress(watch: Any, course: Path) -> None:
    save(course, "share", WRONG)
    watch.wait_for("✗ failed")
    save(course, "share", RIGHT)
    watch.wait_for("✓ passed")
    # noted as soon as the verdict is on the screen, and maybe a moment later
    deadline = time.monotonic() + 30
    while len(attempts := _attempts(course)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert attempts == ["failed", "passed"]


def _attempts(course: Path) -> list[str]:
    known = json.loads((course / ".kata/progress.json").read_text())
    return [attempt["status"] for attempt in known["exercises"]["share"]["attempts"]]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("def {id}(amounts:\n", "not valid Python"),
        ("def {id}(amounts):\n    while True: pass\n", "No answer after"),
        ("import os\ndef {id}(amounts):\n    os._exit(0)\n", "ended the Python process"),
        ("def {id}(amounts):\n    return bytearray(1 << 40)\n", "memory"),
        ("import os, signal\ndef {id}(amounts):\n    os.kill(os.getpid(), signal.SIGSEGV)\n", "✗ failed"),
        ("def {id}(amounts):\n    print('x' * 100_000_000)\n", "None"),
        ("", "There is no `share`"),
    ],
    ids=[
        "syntax error",
        "endless loop",
        "exit",
        "memory bomb",
        "crash",
        "much printed and nothing returned",
        "empty file",
    ],
)
def test_a_file_that_does_harm_shows_one_clear_message_and_the_watch_goes_on(
    lasting: tuple[Any, Path], source: str, sentence: str
) -> None:
    watch, course = lasting
    save(course, "share", source.replace("{id}", "share").replace("{", "{{").replace("}", "}}"))
    screen = watch.wait_for(lambda screen: sentence in screen and READY in screen)
    assert screen.count(sentence) == 1
    assert "Traceback" not in screen
    save(course, "share", RIGHT)
    watch.wait_for("✓ passed")


@pytest.mark.thorough
def test_a_storm_of_saves_ends_with_one_verdict_on_the_last_content(watch: Any, course: Path) -> None:
    for number in range(40):
        save(course, "share", WRONG + f"# {number}\n")
        time.sleep(0.01)
    save(course, "share", RIGHT)
    watch.wait_for("✓ passed")
    screen = watch.read(1.0)
    assert verdicts(screen) == 1
    assert "✓ passed" in screen


@pytest.mark.thorough
def test_saving_again_without_a_change_leaves_the_screen_alone(watch: Any, course: Path) -> None:
    save(course, "share", WRONG)
    watch.wait_for(has_verdict)
    watch.press("l")
    watch.wait_for("02 portion")
    save(course, "share", WRONG)
    assert verdicts(watch.read(1.5)) == 0


@pytest.mark.thorough
def test_files_saved_together_share_one_screen(watch: Any, course: Path) -> None:
    save(course, "share", RIGHT)
    save(course, "portion", WRONG)
    screen = watch.wait_for(lambda screen: "(portion)" in screen and has_verdict(screen))
    assert "✗ failed" in watch.read(0.5) or "✗ failed" in screen


@pytest.mark.thorough
def test_running_all_ends_with_a_sum(watch: Any, course: Path) -> None:
    save(course, "share", RIGHT)
    save(course, "portion", WRONG)
    watch.wait_for(lambda screen: "(portion)" in screen and has_verdict(screen))
    watch.press("a")
    screen = watch.wait_for("5 of 8 points, 1 of 2 exercises passed")
    assert screen.index("(portion)") < screen.index("5 of 8 points")


@pytest.mark.thorough
def test_what_is_passed_and_then_made_worse_is_told(watch: Any, course: Path) -> None:
    save(course, "share", RIGHT)
    watch.wait_for("✓ passed")
    save(course, "share", WRONG)
    watch.wait_for("share is passed, but its file fails now")
    file_of(course, "share").unlink()
    watch.wait_for("is gone, the file of share, which stays passed")
    watch.press("l")
    watch.wait_for("its file is gone: kata reset share")


@pytest.mark.thorough
def test_a_file_that_vanishes_does_not_end_the_watch(watch: Any, course: Path) -> None:
    file_of(course, "share").unlink()
    save(course, "portion", RIGHT)
    watch.wait_for("✓ passed")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("key", "seen"),
    [
        ("l", "01 share"),
        ("r", "✓ passed"),
        ("a", "✓ passed"),
        ("x", "Press x again"),
        ("n", "02_portion.py"),
        ("h", "Hint 1 of 3: What must a row add up to?"),
        ("s", "Skipped: portion"),
    ],
    ids=["list", "run again", "run all", "reset", "next", "hint", "skip"],
)
def test_a_single_key_does_what_the_last_line_says(lasting: tuple[Any, Path], key: str, seen: str) -> None:
    watch, _ = lasting
    watch.press(key)
    watch.wait_for(seen)


@pytest.mark.thorough
def test_reset_keeps_the_old_work(watch: Any, course: Path) -> None:
    save(course, "share", WRONG)
    watch.wait_for("✗ failed")
    watch.press("x")
    watch.wait_for("Press x again")
    watch.press("x")
    watch.wait_for("Your old work is in")
    (kept,) = (course / ".kata/archive/share").iterdir()
    assert kept.read_text() == WRONG.format(id="share")
    assert "NotImplementedError" in file_of(course, "share").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize("during", ["idle", "a loop"])
def test_q_quits_at_once(watch: Any, course: Path, during: str) -> None:
    if during == "a loop":
        save(course, "share", "def {id}(amounts):\n    while True: pass\n")
        watch.wait_for("Checking share")
    started = time.monotonic()
    watch.press("q")
    assert watch.await_end() == 0, watch.text
    assert time.monotonic() - started < 4  # the loop alone would take longer
    assert "The watch has ended." in watch.text


@pytest.mark.thorough
def test_no_process_is_left_behind(watch: Any, course: Path) -> None:
    save(course, "share", RIGHT)
    watch.wait_for("✓ passed")
    group = os.getpgid(watch.child.pid)
    watch.press("q")
    watch.await_end()
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)
