"""What the program says of known work is what it said when that was frozen. To see how it differs, or to renew it: frozen.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(2400)]  # three thousand answers


@pytest.mark.parametrize("table", ["class", pytest.param("answers", marks=pytest.mark.thorough)])
def test_nothing_differs(table: str) -> None:
    if strongest_level() not in GRADING_LEVELS:
        pytest.skip("this machine cannot isolate submissions")
    command = [sys.executable, str(Path(__file__).with_name("frozen.py")), table]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
