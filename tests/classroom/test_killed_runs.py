"""A run that is killed at any moment and started again ends as if nothing had happened; Ctrl-C says how to go on."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import count_results, hand_in, hand_in_all

KILLS = 8
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.timeout(900)  # each start loads torch in two judges and two zygotes


@pytest.mark.thorough
def test_eight_kills_of_everything_at_random_moments_lose_and_repeat_nothing(
    forty: Path, tmp_path: Path, grading: Callable[..., Any], undisturbed: list[str]
) -> None:
    out = tmp_path / "out"
    chance = random.Random(8)
    for _ in range(KILLS):
        run = grading(forty, out, "--resume")
        before = run.count()
        run.await_results(more_than=before + chance.choice([-1, 0, 0, 2, 6]))
        run.kill()
        assert run.count() >= before
    assert grading(forty, out, "--resume").lines() == undisturbed


def _recorded_run(course: Path, folder: Path, out: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-m", "tests.classroom.recorded_run", course, folder, out, *words]
    how = {"cwd": ROOT, "capture_output": True, "encoding": "utf-8", "timeout": 100, "check": False}
    return subprocess.run(list(map(str, command)), **how)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("has_begun", "only"),
    [
        pytest.param(False, (), id="a new class"),
        pytest.param(True, (), id="a graded class of which some has changed"),
        pytest.param(True, ("share",), id="an exercise graded again for all"),
    ],
)
def test_kill_at_each_change_of_the_disk_loses_nothing_that_was_there(
    has_begun: bool, only: tuple[str, ...], tmp_path: Path, make_course: Callable[..., Path]
) -> None:
    """Before and after all statements, renames and syncs; what is in the middle of one is SQLite's and the system's."""
    course, folder = make_course(tmp_path / "course", "01_parts/01_share"), tmp_path / "class"
    for number in range(4):
        hand_in(folder, f"s{number}", right=number > 1)
    begun, undisturbed, out = tmp_path / "begun", tmp_path / "undisturbed", tmp_path / "out"
    begun.mkdir()
    if has_begun:
        assert _recorded_run(course, folder, begun, 0).returncode == 0
        hand_in(folder, "s0")
        hand_in(folder, "a-new-one")
    if only:
        with (course / "tests" / "kits" / "01_parts" / "01_share" / "checks.py").open("a", encoding="utf-8") as checks:
            checks.write("# generous\n")
    shutil.copytree(begun, undisturbed)
    moments = int(_recorded_run(course, folder, undisturbed, 0, *only).stdout)
    assert moments > 20
    expected = (undisturbed / "results.jsonl").read_bytes()
    for moment in range(1, moments + 1, 3):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(begun, out)
        killed = _recorded_run(course, folder, out, moment, *only)
        assert killed.returncode == -signal.SIGKILL, (moment, killed.stderr)
        there = count_results(out)
        done = _recorded_run(course, folder, out, 0, *only)
        assert done.returncode == 0, (moment, done.stderr)
        assert (out / "results.jsonl").read_bytes() == expected, moment
        assert there <= count_results(out), moment


@pytest.mark.thorough
def test_judges_end_when_the_run_is_killed_alone(forty: Path, tmp_path: Path, grading: Callable[..., Any]) -> None:
    """SIGKILL of the run only: nobody is left waiting for work for ever."""
    run = grading(forty, tmp_path / "out")
    run.await_results()
    run.process.kill()
    status, _ = run.end()  # its pipes close when the last of its processes has ended
    assert status == -signal.SIGKILL
    assert run.count() > 0


# --- Ctrl-C: it ends a run at once, and leaves nobody behind ----------------------------------------------------------


@pytest.mark.thorough
def test_interrupt_keeps_what_is_graded_and_says_how_to_go_on(tmp_path: Path, grading: Callable[..., Any]) -> None:
    folder = hand_in_all(tmp_path / "class", 400)
    out = tmp_path / "out"
    run = grading(folder, out)
    run.await_results()
    run.signal(signal.SIGINT)  # to every process of the group, as the terminal does
    status, said = run.end()  # comes when the last process that holds its pipes has ended
    there = len((out / "results.jsonl").read_bytes().splitlines())
    assert status == 130
    assert said.splitlines() == [f"Stopped. {there} of 400 are graded and kept in {out}; go on with --resume."]
    assert 0 < there < 400


def test_interrupt_before_the_first_record_leaves_nothing(tmp_path: Path, grading: Callable[..., Any]) -> None:
    out = tmp_path / "out"
    run = grading(hand_in_all(tmp_path / "class", 12), out)
    while not (out / ".lock").exists():
        assert run.process.poll() is None
    run.signal(signal.SIGINT)
    status, said = run.end()
    assert status == 130
    assert said.splitlines()[-1].startswith("Stopped.") and "Traceback" not in said
