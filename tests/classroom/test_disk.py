"""What the disk does not take or give: one clear line, what was written stays valid, the rest goes on."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.results import read_results
from grader.classroom.submission_files import OutOfReach, SubmissionFiles
from grader.course import Course

SOMEBODY = 65534
ROOM = 75_000
"""Bytes that a file may have: less than the class comes to."""

pytestmark = pytest.mark.timeout(600)


def _little_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


@pytest.mark.thorough
def test_run_without_room_stops_with_one_sentence_and_goes_on_when_there_is_some(
    forty: Path,
    tmp_path: Path,
    grading: Callable[..., Any],
    undisturbed: list[str],
    timeless: Callable[[Path], list[str]],
    counted: Callable[[Path], int],
) -> None:
    out = tmp_path / "out"
    status, said = grading(forty, out, preexec_fn=_little_room).end()
    assert status == 2
    (sentence,) = said.splitlines()
    assert "class.db cannot be written: " in sentence and "go on with --resume" in sentence
    assert 0 < counted(out) < 40
    status, said = grading(forty, out, "--resume").end()
    assert status == 0, said
    assert timeless(out) == undisturbed


@pytest.fixture
def locked(hand_in: Callable[..., Path]) -> Iterator[Path]:
    """A submission that this process may not open: root takes another user's identity for it."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        submission = hand_in(Path(place), "s003")
        submission.chmod(0)
        own = os.geteuid()
        if own == 0:
            os.seteuid(SOMEBODY)
        try:
            yield submission
        finally:
            os.seteuid(own)
            submission.chmod(0o700)


def test_submission_that_the_system_does_not_open_is_out_of_reach_and_not_unreadable(
    locked: Path, course: Course
) -> None:
    with pytest.raises(OutOfReach, match="Permission denied"):
        SubmissionFiles("s003", (), locked).read(course)


def test_submission_that_vanishes_is_no_zero_and_the_rest_goes_on(
    dozen: Path, tmp_path: Path, recorded: Any, course: Any
) -> None:
    gone = dozen / "s003"

    class Vanishing(recorded.Answering):  # type: ignore[misc, name-defined]
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            shutil.rmtree(gone, ignore_errors=True)  # after the class was looked through
            return super().submit(fn, *args, **kwargs)

    run = recorded.run_class(course, dozen, tmp_path / "out", executor=Vanishing(course))
    assert run.faults == ["s003"] and len(run.graded) == 11
    record = next(each.record for each in read_results(tmp_path / "out") if each.record.submission == "s003")
    assert not record.complete and "No such file" in record.exercises[0].checks[0].message


def test_submission_at_which_the_grader_breaks_while_it_reads_costs_nobody_else_anything(
    dozen: Path, tmp_path: Path, run_class: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = SubmissionFiles.read

    def breaking(files: SubmissionFiles, course: Course) -> Any:
        return read(files, course) if files.entry != "s003" else 1 // 0

    monkeypatch.setattr(SubmissionFiles, "read", breaking)
    run = run_class(dozen, tmp_path / "out")
    assert run.faults == ["s003"] and len(run.graded) == 11
    assert "s003 was not graded. The grader broke while it read this submission (ZeroDivisionError)." in run.remarks
    monkeypatch.undo()
    assert run_class(dozen, tmp_path / "out", resume=True).graded == ["s003"]


def test_damaged_submission_is_told_in_one_line(dozen: Path, tmp_path: Path, run_class: Callable[..., Any]) -> None:
    (dozen / "zoe.zip").write_bytes(b"no zip")
    run = run_class(dozen, tmp_path / "out")
    assert run.remarks == ["zoe: zoe is damaged or not a zip; zip your files again."]
    assert run.faults == []
