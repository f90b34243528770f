"""A run that is killed at any moment and started again ends as if nothing had happened."""

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

from grader.classroom.results_file import read_results, ungraded
from grader.record import Record

KILLS = 8
RECORDED_RUN = Path(__file__).with_name("recorded_run.py")

pytestmark = pytest.mark.timeout(900)  # each start loads torch in two judges and two zygotes


@pytest.mark.thorough
def test_eight_kills_of_everything_at_random_moments_lose_and_repeat_nothing(
    forty: Path,
    tmp_path: Path,
    grading: Callable[..., Any],
    undisturbed: list[str],
    timeless: Callable[[Path], list[str]],
) -> None:
    out = tmp_path / "out"
    chance = random.Random(8)
    for _ in range(KILLS):
        run = grading(forty, out, "--resume")
        before = run.size()
        run.await_results(more_than=before + chance.choice([-1, 0, 0, 500, 2000]))
        run.kill()
        assert run.size() >= before
    status, said = grading(forty, out, "--resume").end()
    assert status == 0, said
    assert timeless(out) == undisturbed
    assert not ungraded(out)


def _recorded_run(course: Path, folder: Path, out: Path, moment: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", RECORDED_RUN, course, folder, out, moment]
    return subprocess.run(list(map(str, command)), capture_output=True, encoding="utf-8", timeout=100, check=False)


def _whole_lines(out: Path) -> set[bytes]:
    """Every record in OUT, those that newer ones have replaced as well."""
    lines = [line for path in out.glob("results*.jsonl") for line in path.read_bytes().splitlines(keepends=True)]
    return {line for line in lines if line.endswith(b"\n")}


@pytest.mark.thorough
@pytest.mark.parametrize("has_begun", [False, True], ids=["a new class", "a graded class of which some has changed"])
def test_kill_at_each_change_of_the_disk_loses_nothing_that_was_there(
    has_begun: bool, course_root: Path, dozen: Path, tmp_path: Path, hand_in: Callable[..., Path]
) -> None:
    """Before, between and in the middle of all writes, renames and syncs."""
    begun, undisturbed, out = tmp_path / "begun", tmp_path / "undisturbed", tmp_path / "out"
    begun.mkdir()
    if has_begun:
        _recorded_run(course_root, dozen, begun, 0)
        hand_in(dozen, "s000")
        hand_in(dozen, "s005", right=False)
        hand_in(dozen, "a-new-one")
    shutil.copytree(begun, undisturbed)
    moments = int(_recorded_run(course_root, dozen, undisturbed, 0).stdout)
    assert moments > 10
    expected = (undisturbed / "results.jsonl").read_bytes()
    for moment in range(1, moments + 1):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(begun, out)
        killed = _recorded_run(course_root, dozen, out, moment)
        assert killed.returncode == -signal.SIGKILL, (moment, killed.stderr)
        there = _whole_lines(out)
        if moment % 2:  # once more, somewhere in the second run
            _recorded_run(course_root, dozen, out, 1 + moment // 2)
            assert there <= _whole_lines(out), moment
        done = _recorded_run(course_root, dozen, out, 0)
        assert done.returncode == 0, (moment, done.stderr)
        assert (out / "results.jsonl").read_bytes() == expected, moment
        assert there <= _whole_lines(out), moment


def test_class_graded_anew_again_and_again_keeps_every_earlier_result(
    dozen: Path, tmp_path: Path, run_class: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    run_class(dozen, out)
    first = (out / "results.jsonl").read_bytes()
    run_class(dozen, out, seed=6)
    assert (out / "results.previous.jsonl").read_bytes() == first
    second = (out / "results.jsonl").read_bytes()
    run_class(dozen, out, seed=7)
    kept = [path.read_bytes() for path in out.glob("results.previous*.jsonl")]
    assert sorted(kept) == sorted([first, second])


@pytest.mark.parametrize("cut", [1, 40, 300], ids=lambda cut: f"{cut} bytes of it are there")
def test_half_a_line_is_cut_off_and_said(
    cut: int, dozen: Path, tmp_path: Path, run_class: Callable[..., Any], names_in: Callable[[Path], list[str]]
) -> None:
    out = tmp_path / "out"
    run_class(dozen, out)
    whole = (out / "results.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    (out / "results.jsonl").write_bytes(b"".join(lines[:6]) + lines[6][:cut])
    assert len(read_results(out)) == 6
    assert [learner.name for learner in ungraded(out)] == [f"s{number:03d}" for number in range(6, 12)]
    run = run_class(dozen, out, resume=True)
    assert any("cut short" in remark for remark in run.tally.remarks)
    assert (run.tally.unchanged, run.tally.graded) == (6, 6)
    assert (out / "results.jsonl").read_bytes() == whole


def test_last_line_that_lacks_only_its_end_counts(dozen: Path, tmp_path: Path, run_class: Callable[..., Any]) -> None:
    out = tmp_path / "out"
    run_class(dozen, out)
    whole = (out / "results.jsonl").read_bytes()
    (out / "results.jsonl").write_bytes(whole[:-1])
    run = run_class(dozen, out, resume=True)
    assert (run.tally.unchanged, run.tally.graded, run.tally.remarks) == (12, 0, [])
    assert (out / "results.jsonl").read_bytes() == whole


def test_line_that_is_no_record_is_moved_aside_and_graded_again(
    dozen: Path, tmp_path: Path, run_class: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    run_class(dozen, out)
    whole = (out / "results.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    broken = [lines[3].replace(b'"points":', b'"pints":'), b"\xff\xfe not JSON\n"]
    (out / "results.jsonl").write_bytes(b"".join([*lines[:3], broken[0], *lines[4:7], broken[1], *lines[8:]]))
    run = run_class(dozen, out, resume=True)
    (remark,) = run.tally.remarks
    assert "line 4, 8 of results.jsonl" in remark and "results.damaged.jsonl" in remark
    assert run.tally.graded == 2
    assert (out / "results.jsonl").read_bytes() == whole
    assert (out / "results.damaged.jsonl").read_bytes() == b"".join(broken)


@pytest.mark.thorough
def test_judges_end_when_the_run_is_killed_alone(forty: Path, tmp_path: Path, grading: Callable[..., Any]) -> None:
    """SIGKILL of the run only: nobody is left waiting for work for ever."""
    run = grading(forty, tmp_path / "out")
    run.await_results()
    run.process.kill()
    status, _ = run.end()  # its pipes close when the last of its processes has ended
    assert status == -signal.SIGKILL
    assert all(isinstance(result.record, Record) for result in read_results(tmp_path / "out"))
