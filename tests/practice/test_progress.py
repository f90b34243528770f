"""The progress file: nothing is lost, whatever happens to it; and what became of a passed exercise's file."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.course import load_course
from grader.course.stubs import stub_of
from grader.practice.checking import check_works
from grader.practice.overview import remarks
from grader.practice.progress import AttemptEntry, Progress, ProgressFile, digest_of
from grader.practice.workspace import Workspace
from grader.sandbox.doctor import strongest_level

AT = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


def attempt(digest: str, status: str = "failed") -> AttemptEntry:
    return AttemptEntry(at=AT, status=status, points=1.0, max_points=4.0, digest=digest)  # type: ignore[arg-type]


def test_what_was_noted_is_there_again_and_unchanged_work_is_one_attempt(tmp_path: Path) -> None:
    assert ProgressFile(tmp_path / "none").read() == Progress()
    with ProgressFile(tmp_path).change() as progress:
        noted = [progress.of("softmax").note(attempt(digest)) for digest in "aaba"]
        progress.of("softmax").note(attempt("c", "passed"))
    assert noted == [True, False, True, True]
    done = ProgressFile(tmp_path).read().of("softmax")
    assert "".join(entry.digest for entry in done.attempts) == "abac"
    assert done.is_passed and done.passed_at == AT
    assert set(json.loads((tmp_path / "progress.json").read_text())["exercises"]["softmax"]) == {
        "attempts",
        "passed_at",
    }


NOTE_MANY = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from grader.practice.progress import AttemptEntry, ProgressFile

for number in range(30):
    with ProgressFile(Path(sys.argv[1])).change() as progress:
        at = datetime(2026, 3, 1, tzinfo=timezone.utc)
        entry = AttemptEntry(at=at, status="failed", points=1.0, max_points=4.0, digest=str(number))
        progress.of(sys.argv[2]).note(entry)
"""


def test_two_terminals_at_once_lose_nothing(tmp_path: Path) -> None:
    ids = ["softmax", "causal_mask", "repeat_kv"]
    writers = [subprocess.Popen([sys.executable, "-c", NOTE_MANY, tmp_path, id]) for id in ids]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    progress = ProgressFile(tmp_path).read()
    assert {id: len(progress.of(id).attempts) for id in ids} == dict.fromkeys(ids, 30)


EDITED = (
    '{"exercises": {"softmax": {"attempts": [{"at": "%s-03-01T12:00:00Z", "status": "failed", "points": %s, '
    '"max_points": 4, "digest": "a"}]}}}'
)
DAMAGED = {
    "empty": b"",
    "cut off": b"{",
    "a list": b"[1]",
    "not text": b"\xff\xfe",
    "another version": b'{"version": 2}',
    "other types": b'{"exercises": {"softmax": {"attempts": "many"}}}',
    "deep": b"[" * 100_000,
    "zeros of a full disk": b"\0" * 4096,
    "no number": (EDITED % ("2026", "NaN")).encode(),
    "below zero": (EDITED % ("2026", "-7")).encode(),
    "too many points": (EDITED % ("2026", "1e308")).encode(),
    "a time before Windows": (EDITED % ("1900", "1")).encode(),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_set_aside_and_work_goes_on(tmp_path: Path, content: bytes) -> None:
    file = ProgressFile(tmp_path)
    file.path.write_bytes(content)
    damage = file.read().damage
    (aside,) = tmp_path.glob("progress.damaged-*.json")
    assert aside.read_bytes() == content and str(aside) in damage
    assert file.read() == Progress()


def test_a_change_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = ProgressFile(tmp_path)
    with file.change() as progress:
        progress.of("softmax").note(attempt("a"))
    before = file.path.read_bytes()
    with pytest.raises(KeyboardInterrupt), file.change() as progress:
        progress.of("softmax").note(attempt("b"))
        raise KeyboardInterrupt
    assert file.path.read_bytes() == before
    assert not list(tmp_path.glob("*.new"))


# --- a passed exercise whose file is changed for the worse, reset, renamed or deleted ---------------------------------

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
BETTER = "# shorter\n" + RIGHT
WRONG = RIGHT.replace("-1, keepdim=True", "")
GONE, STUB = "gone", "stub"
PASSED, FAILED = (RIGHT, "passed"), (WRONG, "failed")


@pytest.mark.parametrize(
    ("attempts", "now_there", "remark"),
    [
        pytest.param([PASSED, FAILED], WRONG, "its file fails now: kata check share", id="worse"),
        pytest.param([PASSED], WRONG, "its file has changed since: kata check share", id="changed and not checked"),
        pytest.param([PASSED], STUB, "its file is as it was given again", id="reset"),
        pytest.param([PASSED], GONE, "its file is gone: kata reset share gives a new one", id="renamed or deleted"),
        pytest.param([PASSED], RIGHT, None, id="the same"),
        pytest.param([PASSED, (BETTER, "passed")], BETTER, None, id="better"),
        pytest.param([PASSED, FAILED], RIGHT, None, id="right again"),
        pytest.param([FAILED], WRONG, None, id="never passed"),
    ],
)
def test_change_of_a_passed_file_is_remarked(
    attempts: list[tuple[str, str]], now_there: str, remark: str | None, tiny_course: Path
) -> None:
    workspace, progress = Workspace(load_course(tiny_course / "course.yml"), tiny_course), Progress()
    for source, status in attempts:
        progress.of("share").note(attempt(digest_of(source.encode()), status))
    exercise = workspace.course.exercise("share")
    if now_there == GONE:
        workspace.file_of(exercise).unlink()
    else:
        workspace.file_of(exercise).write_text(stub_of(workspace.course, exercise) if now_there == STUB else now_there)
    assert remarks(workspace, progress).get("share") == remark


def test_a_file_saved_again_while_it_is_judged_was_passed_in_its_place(tiny_course: Path) -> None:
    workspace = Workspace(load_course(tiny_course / "course.yml"), tiny_course)
    work = workspace.work_of(workspace.course.exercise("share"))
    work.path.write_text(RIGHT)
    check_works(workspace, [work], strongest_level(), advance=lambda _: work.path.write_text(WRONG) and None)
    [attempt] = ProgressFile(workspace.state).read().of("share").attempts
    assert (attempt.status, attempt.elsewhere) == ("passed", False)
