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

from grader.classroom.class_folder import SubmissionFiles
from grader.classroom.platforms import PlatformName
from grader.course import Course
from grader.intake.walk import OutOfReach

from .conftest import hand_in
from .recorded_run import Answering

SOMEBODY = 65534
ROOM = 75_000
"""Bytes that a file may have: less than the class comes to."""

pytestmark = pytest.mark.timeout(600)


def _little_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


@pytest.mark.thorough
def test_run_without_room_stops_with_one_sentence_and_goes_on_when_there_is_some(
    forty: Path, tmp_path: Path, grading: Callable[..., Any], undisturbed: list[str]
) -> None:
    run = grading(forty, tmp_path / "out", preexec_fn=_little_room)
    status, said = run.end()
    assert status == 2
    (sentence,) = said.splitlines()
    assert "class.db cannot be written: " in sentence and "go on with --resume" in sentence
    assert 0 < run.count() < 40
    assert grading(forty, tmp_path / "out", "--resume").lines() == undisturbed


@pytest.fixture
def locked() -> Iterator[Path]:
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
    with pytest.raises(OutOfReach, match="permission denied"):
        SubmissionFiles("s003", PlatformName({}, ""), files=(("s003/", locked),)).read(course)


@pytest.fixture
def three(room: Any) -> Any:
    """A class of three, of whom the second will be in trouble."""
    room.hand_in({f"{name}/share.py": True for name in ("ada", "bo", "cy")})
    return room


def test_submission_that_vanishes_is_no_zero_and_the_rest_goes_on(three: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    submit = Answering.submit

    def vanish(*args: Any, **kwargs: Any) -> Any:
        shutil.rmtree(three.folder / "cy", ignore_errors=True)  # after the class was looked through
        return submit(*args, **kwargs)

    monkeypatch.setattr(Answering, "submit", vanish)
    run = three.grade()
    assert run.faults == ["cy"] and run.graded == ["ada", "bo"]
    record = three.records["cy"]
    assert not record.complete and "does not exist" in record.exercises[0].checks[0].message


def test_submission_at_which_the_grader_breaks_while_it_reads_costs_nobody_else_anything(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = SubmissionFiles.read

    def breaking(files: SubmissionFiles, course: Course) -> Any:
        return read(files, course) if files.entry != "bo" else 1 // 0

    monkeypatch.setattr(SubmissionFiles, "read", breaking)
    run = three.grade()
    assert run.faults == ["bo"] and sorted(three.records) == ["ada", "bo", "cy"]
    assert "bo was not graded. The grader broke while it read this submission (ZeroDivisionError)." in run.remarks
    before = three.records["ada"]
    monkeypatch.setattr(SubmissionFiles, "read", lambda files, course: 1 // 0)
    run = three.grade(resume=True)
    assert run.faults == ["ada", "bo", "cy"] and "ada was not graded. The grader broke" in str(run.remarks)
    assert three.records["ada"] == before
    monkeypatch.undo()
    assert three.grade(resume=True).graded == ["bo"]
