"""A class on a terminal: how many are graded, and how long it will take."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pexpect
import pytest

from .conftest import hand_in_all


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_terminal_shows_count_and_time_left(tmp_path: Path, course_root: Path) -> None:
    hand_in_all(tmp_path / "class", 40)
    arguments = ["grade-class", "class", "--out", "out", "--course", str(course_root), "--isolation", "best"]
    command = str(Path(sys.executable).with_name("kata"))
    child = pexpect.spawn(command, arguments, cwd=str(tmp_path), dimensions=(40, 110), encoding="utf-8", timeout=300)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", child.before)
    assert re.search(r"Grading .* 40/40 \d:\d\d:\d\d", shown)
