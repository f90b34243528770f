"""A passed exercise whose file is changed for the worse, reset, renamed or deleted: `kata` and `kata list` say so."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course
from grader.course.stubs import stub_of
from grader.practice.checking import check_works
from grader.practice.overview import remarks
from grader.practice.progress import AttemptEntry, Progress, ProgressFile, digest_of, now
from grader.practice.workspace import Workspace
from grader.sandbox.doctor import strongest_level

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
BETTER = "# shorter\n" + RIGHT
WRONG = RIGHT.replace("-1, keepdim=True", "")
GONE, STUB = "gone", "stub"
FILE = "exercises/01_parts/01_share.py"

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
        entry = {"at": now(), "status": status, "points": 0, "max_points": 4, "digest": digest_of(source.encode())}
        progress.of("share").note(AttemptEntry.model_validate(entry))
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

    def save_worse(_: str) -> None:
        work.path.write_text(WRONG)

    check_works(workspace, [work], strongest_level(), advance=save_worse)
    [attempt] = ProgressFile(workspace.state).read().of("share").attempts
    assert (attempt.status, attempt.elsewhere) == ("passed", False)
