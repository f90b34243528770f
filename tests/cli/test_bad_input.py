"""What cannot be done as it was asked: status 2 and one plain sentence; most of it is in tests/transcripts/refused-*.txt."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize(
    "arguments",
    [["grade", "exercises"], ["check"], ["grade-class", "exercises", "--out", "out"], ["verify"]],
    ids=lambda a: a[0],
)
def test_broken_course_is_told_with_every_line_at_once(arguments: list[str], tiny_course: Path, kata: Run) -> None:
    yml = tiny_course / "course.yml"
    yml.write_text(yml.read_text().replace("points: 4", "points: many").replace("kind: implement", "kind: implemnt"))
    done = kata(*arguments, cwd=tiny_course)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert all(line.startswith("course.yml:") for line in (first, second))
    assert "`kind`" in first and "`points`" in second


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["grade"], "Missing argument 'PATH'", id="no path"),
        pytest.param(["grade", "lena", "--seed", "lots"], "--seed", id="seed in words"),
        pytest.param(["grade-class", "lena", "--out", "out", "--jobs", 0], "--jobs", id="no jobs"),
        pytest.param(["grad"], "Did you mean 'grade'", id="misspelt command"),
    ],
)
def test_usage_is_explained(arguments: list[object], told: str, tmp_path: Path, kata: Run) -> None:
    done = kata(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr and "Traceback" not in done.stderr
