"""`--course` with a path that leads up and down again: pytest takes such paths apart in its own way."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(300)

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"


@pytest.mark.thorough
@pytest.mark.parametrize("named", ["../tiny/course.yml", "../tiny", "../work/../tiny/course.yml"])
def test_relative_course_grades(
    named: str, tiny_course: Path, tmp_path: Path, kata: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    assert tiny_course == tmp_path / "tiny"
    work = tmp_path / "work"
    work.mkdir()
    (work / "share.py").write_text(RIGHT, "utf-8")
    done = kata("grade", "share.py", "--course", named, "--json", "record.json", cwd=work)
    assert done.returncode == 0 and "INTERNALERROR" not in done.stdout + done.stderr, done.stderr
    assert json.loads((work / "record.json").read_text("utf-8"))["points"] == 4
