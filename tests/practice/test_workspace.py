"""A workspace of one's own: commands find it from anywhere in it, and no update of the course touches the work in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

NOBODY = 65534
needs_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give files away")

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture
def workspace(tiny_course: Path, kata: Run, tmp_path: Path) -> Path:
    done = kata("init", tmp_path / "mine", "--course", tiny_course, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "mine"


def share_in(workspace: Path) -> Path:
    return workspace / "exercises/01_parts/01_share.py"


@pytest.mark.thorough
def test_work_stays_the_exercises_when_the_course_moves_it_to_another_unit(
    workspace: Path,
    tiny_course: Path,
    kata: Run,
    run_command: Run,
    make_course: Callable[..., Path],
    tmp_path: Path,
) -> None:
    share_in(workspace).write_text(RIGHT)
    shutil.rmtree(tiny_course)
    make_course(tiny_course, "01_parts/01_portion", "02_more/03_share")
    done = kata("init", workspace, "--course", tiny_course, cwd=tmp_path)
    assert "1 new exercise, 0 renewed, 1 of yours kept" in done.stdout
    assert share_in(workspace).read_text() == RIGHT
    assert not (workspace / "exercises/02_more/03_share.py").exists()
    for named in ("share", "exercises/01_parts/01_share.py"):
        done = kata("check", named, cwd=workspace)
        assert done.returncode == 0, done.stdout + done.stderr
    done = run_command(sys.executable, "-m", "pytest", "-q", "exercises/01_parts/01_share.py", cwd=workspace)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_root
def test_folder_of_somebody_else_becomes_no_workspace(tmp_path: Path, tiny_course: Path, kata: Run) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", NOBODY, -1)
    done = kata("init", "theirs", cwd=tmp_path)
    assert done.returncode == 2 and "belongs to another user" in done.stderr
    assert not list((tmp_path / "theirs").iterdir())


@pytest.mark.thorough
def test_plain_pytest_checks_a_workspace_and_remembers(workspace: Path, run_command: Run) -> None:
    share_in(workspace).write_text(WRONG)
    pytest_command = [Path(sys.executable).with_name("pytest"), "-p", "no:cacheprovider"]
    done = run_command(*pytest_command, cwd=workspace)
    assert done.returncode == 1
    assert "You divided by one sum of everything." in done.stdout
    share_in(workspace).write_text(RIGHT)
    assert run_command(*pytest_command, "exercises/01_parts/01_share.py", cwd=workspace).returncode == 0
    known = json.loads((workspace / ".kata/progress.json").read_text())
    assert [each["status"] for each in known["exercises"]["share"]["attempts"]] == ["failed", "passed"]
