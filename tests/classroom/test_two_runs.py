"""One folder, one run at a time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HOLD = """\
import sys
from pathlib import Path
from grader.classroom.run import sole_run
with sole_run(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that grades into OUT, as far as the lock goes."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "out")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


@pytest.mark.thorough
@pytest.mark.parametrize("resume", [[], ["--resume"]], ids=["anew", "resume"])
def test_second_run_is_refused_while_the_first_is_there(
    resume: list[str],
    holder: subprocess.Popen[str],
    dozen: Path,
    tmp_path: Path,
    course_root: Path,
    kata: Callable[..., Any],
) -> None:
    done = kata("grade-class", dozen, "--out", "out", "--course", course_root, *resume, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (sentence,) = done.stderr.splitlines()
    assert "Another run is grading into out" in sentence
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".lock"]


@pytest.mark.thorough
def test_lock_of_a_killed_run_is_free(
    holder: subprocess.Popen[str], dozen: Path, tmp_path: Path, course_root: Path, kata: Callable[..., Any]
) -> None:
    holder.kill()
    holder.wait()
    terms = ["--course", course_root, "--isolation", "best"]
    done = kata("grade-class", dozen, "--out", "out", *terms, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
