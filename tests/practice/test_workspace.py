"""A workspace in no folder of somebody else, and its report. What is typed: tests/transcripts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

NOBODY = 65534


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give files away")
def test_folder_of_somebody_else_becomes_no_workspace(tmp_path: Path, tiny_course: Path, kata: Run) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", NOBODY, -1)
    done = kata("init", "theirs", cwd=tmp_path)
    assert done.returncode == 2 and "belongs to another user" in done.stderr
    assert not list((tmp_path / "theirs").iterdir())


def test_report_can_go_elsewhere_and_be_opened(tiny_course: Path, tmp_path: Path, cold_kata: Run) -> None:
    opener = tmp_path / "opener.py"
    opener.write_text("import pathlib, sys\npathlib.Path(__file__).with_suffix('.txt').write_text(sys.argv[1])\n")
    wanted = tmp_path / "new folder" / "mine.html"
    browser = {"BROWSER": f"{sys.executable} {opener} %s"}
    done = cold_kata("report", "--out", wanted, "--open", cwd=tiny_course, env=browser)
    assert done.returncode == 0, done.stderr
    assert opener.with_suffix(".txt").read_text() == wanted.as_uri()
    assert wanted.is_file() and not (tiny_course / "report.html").exists()
    none = {"BROWSER": f"{sys.executable} -c raise(SystemExit(1)) %s", "PATH": "/nowhere"}
    done = cold_kata("report", "--open", cwd=tiny_course, env=none)
    assert done.stdout.endswith("No browser could be opened here: open the file in yours.\n"), done.stderr
