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

from grader.classroom.entries import Entry, OutOfReach, read_entry
from grader.classroom.ledger import Ledger
from grader.classroom.results_file import read_results, ungraded
from grader.course import Course
from grader.errors import KataError

SOMEBODY = 65534
ROOM = 20_000
"""Bytes that a file may have: about half of what the class comes to."""

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
) -> None:
    out = tmp_path / "out"
    status, said = grading(forty, out, preexec_fn=_little_room).end()
    assert status == 2
    (sentence,) = said.splitlines()
    assert "results.jsonl cannot be written: File too large" in sentence and "go on with --resume" in sentence
    there = read_results(out)
    assert 0 < len(there) < 40 and len(there) + len(ungraded(out)) == 40
    assert (out / "results.jsonl").read_bytes().endswith(b"\n")
    status, said = grading(forty, out, "--resume").end()
    assert status == 0, said
    assert timeless(out) == undisturbed


def _fill_the_disk_below(path: Path) -> None:
    """Put /dev/full in the place of a file that this process has open."""
    (open_as,) = (each for each in Path("/proc/self/fd").iterdir() if os.path.realpath(each) == os.fspath(path))
    with open("/dev/full", "ab") as full:
        os.dup2(full.fileno(), int(open_as.name))


def test_full_disk_is_told_and_cuts_off_what_it_took_of_a_record(tmp_path: Path) -> None:
    """/dev/full is the real thing: every write to it fails for want of space."""
    ledger = Ledger(tmp_path)
    ledger.begin()
    _fill_the_disk_below(tmp_path / "results.jsonl")
    with pytest.raises(KataError, match=r"results\.jsonl cannot be written: No space left on device"):
        ledger.append(["{}"])
    ledger.close()


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
        read_entry(Entry("s003", locked), course)


def test_submission_that_vanishes_is_no_zero_and_the_rest_goes_on(
    dozen: Path, tmp_path: Path, recorded: Any, course: Any
) -> None:
    gone = dozen / "s003"

    class Vanishing(recorded.Answering):  # type: ignore[misc, name-defined]
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            shutil.rmtree(gone, ignore_errors=True)  # after the class was looked through
            return super().submit(fn, *args, **kwargs)

    run = recorded.run_class(course, dozen, tmp_path / "out", executor=Vanishing(course))
    assert run.tally.faults == ["s003"] and run.tally.graded == 12
    record = next(each.record for each in read_results(tmp_path / "out") if each.record.submission == "s003")
    assert not record.complete and "No such file" in record.exercises[0].checks[0].message


def test_damaged_submission_is_told_in_one_line(dozen: Path, tmp_path: Path, run_class: Callable[..., Any]) -> None:
    (dozen / "zoe.zip").write_bytes(b"no zip")
    run = run_class(dozen, tmp_path / "out")
    assert run.tally.remarks == ["zoe: zoe is damaged or not a zip; zip your files again."]
    assert run.tally.faults == []
