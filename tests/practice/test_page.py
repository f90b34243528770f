"""`kata report` in a shell of one's own: where the page goes, and a browser for it. What it tells: tests/transcripts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_page_can_go_elsewhere_and_be_opened(tiny_course: Path, tmp_path: Path, kata: Run) -> None:
    opener = tmp_path / "opener.py"
    opener.write_text("import pathlib, sys\npathlib.Path(__file__).with_suffix('.txt').write_text(sys.argv[1])\n")
    wanted = tmp_path / "new folder" / "mine.html"
    browser = {"BROWSER": f"{sys.executable} {opener} %s"}
    done = kata("report", "--out", wanted, "--open", cwd=tiny_course, env=browser)
    assert done.returncode == 0, done.stderr
    assert opener.with_suffix(".txt").read_text() == wanted.as_uri()
    assert wanted.is_file() and not (tiny_course / "report.html").exists()


def test_no_browser_is_told(tiny_course: Path, kata: Run) -> None:
    browser = {"BROWSER": f"{sys.executable} -c raise(SystemExit(1)) %s", "PATH": "/nowhere"}
    done = kata("report", "--open", cwd=tiny_course, env=browser)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("No browser could be opened here: open the file in yours.\n")
