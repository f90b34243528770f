"""`kata watch` in a real terminal: saves, keys, and files that do harm."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.practice.progress import ProgressFile

from ..cases import rows, table
from ..waiting import await_true

CASES = table(__file__, "cases.yml")
RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"
KITS = ("01_parts/01_share", "01_parts/02_portion")
READY = "Save a file to have it checked."

pytestmark = pytest.mark.timeout(180)


class Watched:
    """A course, and the watch in it."""

    def __init__(self, course: Path, open_terminal: Callable[..., Any]) -> None:
        self.course, self.terminal = course, open_terminal("watch", cwd=course)
        self.terminal.wait_for(READY)
        time.sleep(0.3)  # the folder is watched a moment after the screen is there

    def file(self, id: str) -> Path:
        return next(self.course.glob(f"exercises/*/*_{id}.py"))

    def save(self, id: str, source: str, *seen: Any) -> str:
        """As editors do: written beside, then moved into place; then wait until each of these is on the screen."""
        path = self.file(id)
        beside = path.with_suffix(".tmp")
        beside.write_text(source.replace("{id}", id), encoding="utf-8")
        beside.replace(path)
        return self.see(*seen)

    def press(self, key: str, *seen: Any) -> str:
        self.terminal.press(key)
        return self.see(*seen)

    def see(self, *seen: Any) -> str:
        return [self.terminal.wait_for(each) for each in (*seen, "")][-1]


@pytest.fixture
def watch(tmp_path: Path, make_course: Callable[..., Path], open_terminal: Callable[..., Any]) -> Watched:
    return Watched(make_course(tmp_path / "course", *KITS), open_terminal)


@pytest.fixture(scope="module")
def lasting(
    tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], open_terminal: Callable[..., Any]
) -> Watched:
    """A watch that goes on from test to test: whatever one test does to it, the next must find it well."""
    return Watched(make_course(tmp_path_factory.mktemp("lasting") / "course", *KITS), open_terminal)


def verdicts(screen: str) -> int:
    return sum(word in line for line in screen.splitlines() for word in ("✓ passed", "✗ failed"))


def has_verdict(screen: str) -> bool:
    return verdicts(screen) > 0 and READY in screen


def test_a_saved_file_is_judged_at_once_the_mistake_is_named_and_the_verdict_kept(watch: Watched) -> None:
    assert "You divided by one sum of everything." in watch.save("share", WRONG, "✗ failed", READY)
    screen = watch.save("share", RIGHT, "✓ passed", "02_portion.py")  # what is next
    assert "You divided" not in screen
    # noted as soon as the verdict is on the screen, and maybe a moment later
    file, deadline = ProgressFile(watch.course / ".kata"), time.monotonic() + 30
    while len(attempts := file.read().of("share").attempts) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [attempt.status for attempt in attempts] == ["failed", "passed"]


@pytest.mark.thorough
@rows(CASES["harmful"], "source", "sentence")
def test_a_file_that_does_harm_shows_one_clear_message_and_the_watch_goes_on(
    lasting: Watched, source: str, sentence: str
) -> None:
    screen = lasting.save("share", source, lambda screen: sentence in screen and READY in screen)
    assert screen.count(sentence) == 1
    assert "Traceback" not in screen
    lasting.save("share", RIGHT, "✓ passed")


@pytest.mark.thorough
@rows(CASES["keys"], "key", "seen")
def test_a_single_key_does_what_the_last_line_says(lasting: Watched, key: str, seen: str) -> None:
    lasting.press(key, seen)


@pytest.mark.thorough
def test_a_storm_of_saves_ends_with_one_verdict_and_saving_the_same_again_shows_nothing(watch: Watched) -> None:
    for number in range(40):
        watch.save("share", RIGHT + f"# {number}\n")
        time.sleep(0.01)
    watch.save("share", WRONG, "✗ failed")
    assert verdicts(watch.terminal.read(1.0)) == 1
    watch.press("l", "02 portion")
    before = verdicts(watch.terminal.text)  # those of the list
    watch.save("share", WRONG)
    assert verdicts(watch.terminal.read(1.5)) == before


@pytest.mark.thorough
def test_files_saved_together_share_one_screen_and_running_all_ends_with_a_sum(watch: Watched) -> None:
    watch.save("share", RIGHT)
    watch.save("portion", WRONG, lambda screen: "(portion)" in screen and has_verdict(screen))
    screen = watch.press("a", "5 of 8 points, 1 of 2 exercises passed")
    assert "✗ failed" in screen and screen.index("(portion)") < screen.index("5 of 8 points")


@pytest.mark.thorough
def test_what_is_passed_and_then_made_worse_or_deleted_is_told(watch: Watched) -> None:
    watch.save("share", RIGHT, "✓ passed")
    watch.save("share", WRONG, "share is passed, but its file fails now")
    watch.file("share").unlink()
    watch.press("l", "its file is gone: kata reset share")
    watch.press("r", "does not exist")
    watch.save("portion", RIGHT, "✓ passed")


@pytest.mark.thorough
def test_reset_keeps_the_old_work(watch: Watched) -> None:
    watch.save("share", WRONG, "✗ failed")
    watch.press("x", "Your old work is in")
    (kept,) = (watch.course / ".kata/archive/share").iterdir()
    assert kept.read_text() == WRONG.format(id="share")
    assert "NotImplementedError" in watch.file("share").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize("during", ["idle", "a loop"])
def test_q_quits_at_once_and_leaves_no_process_behind(watch: Watched, during: str) -> None:
    if during == "a loop":
        watch.save("share", "def {id}(amounts):\n    while True: pass\n", "Checking share")
    else:
        watch.save("share", RIGHT, "✓ passed")
    group, started = os.getpgid(watch.terminal.child.pid), time.monotonic()
    watch.press("q")
    assert watch.terminal.await_end() == 0, watch.terminal.text
    assert time.monotonic() - started < 4  # the loop alone would take longer
    assert "The watch has ended." in watch.terminal.text
    await_true(lambda: not is_there(group), seconds=10)  # the system takes a while to clear away what has ended


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
