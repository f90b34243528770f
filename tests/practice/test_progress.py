"""The progress file: nothing is lost, whatever happens to it; and what became of a passed exercise's file."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.course import load_course
from grader.course.stubs import stub_of
from grader.errors import KataError
from grader.practice.checking import check_works
from grader.practice.overview import remarks
from grader.practice.progress import AttemptEntry, Progress, ProgressFile, digest_of
from grader.practice.workspace import Workspace
from grader.sandbox.doctor import strongest_level
from grader.service.client import judge_for

from ..cases import rows, table

CASES = table(__file__, "cases.yml")
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


@rows(CASES["damaged"], "content")
def test_a_damaged_file_is_set_aside_and_work_goes_on(tmp_path: Path, content: str) -> None:
    file = ProgressFile(tmp_path)
    file.path.write_bytes(content.encode("latin-1"))
    with pytest.raises(KataError, match="The progress file was damaged") as told:
        file.read()
    (aside,) = tmp_path.glob("progress.damaged-*.json")
    assert aside.read_bytes() == content.encode("latin-1") and str(aside) in str(told.value)
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
WRONG = RIGHT.replace("-1, keepdim=True", "")
SOURCES = {"right": RIGHT, "better": f"# shorter\n{RIGHT}", "wrong": WRONG}


@rows(CASES["remarks"], "checked", "now_there", "remark")
def test_change_of_a_passed_file_is_remarked(
    checked: list[str], now_there: str, remark: str | None, tiny_course: Path
) -> None:
    workspace, progress = Workspace(load_course(tiny_course / "course.yml"), tiny_course), Progress()
    for name in checked:
        status = "failed" if name == "wrong" else "passed"
        progress.of("share").note(attempt(digest_of(SOURCES[name].encode()), status))
    exercise = workspace.course.exercise("share")
    file = workspace.file_of(exercise)
    file.unlink()
    if now_there != "gone":
        file.write_text(SOURCES.get(now_there) or stub_of(workspace.course, exercise))
    assert remarks(workspace, progress).get("share") == remark


def test_of_a_file_saved_again_while_it_is_judged_what_was_judged_is_noted(tiny_course: Path) -> None:
    workspace = Workspace(load_course(tiny_course / "course.yml"), tiny_course)
    work = workspace.work_of(workspace.course.exercise("share"))
    work.path.write_text(RIGHT)
    with closing(judge_for(workspace.course, strongest_level(), 1)) as judge:
        check_works(judge, workspace, [work], advance=lambda _: work.path.write_text(WRONG) and None)
    [attempt] = workspace.progress.read().of("share").attempts
    assert (attempt.status, attempt.digest) == ("passed", digest_of(RIGHT.encode()))
