from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import read_submission

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"# coding: " + b"x" * 900, "declares a coding that Python does not know", id="endless cookie"),
        pytest.param(b"#" * 1025, "is larger than 1 kB; hand in the source alone", id="too large"),
    ],
)
def test_what_is_too_large_is_one_short_sentence(
    write: Write, work: Path, course: Course, content: bytes, reason: str
) -> None:
    write("causal_mask.py", content)
    (problem,) = read_submission(work, course).problems
    assert (problem.kind, problem.exercise) == ("unreadable", "causal_mask")
    assert problem.message.startswith(f"causal_mask.py {reason}") and len(problem.message) < 200


def test_size_limit_is_the_exercise_s_own(write: Write, work: Path, course: Course) -> None:
    write("softmax.py", b"#" * 2000)
    write("causal_mask.py", b"#" * 2000)
    assert list(read_submission(work, course).sources) == ["softmax"]
    write("causal_mask.py", b"#" * 1024)
    assert list(read_submission(work, course).sources) == ["softmax", "causal_mask"]


def test_huge_sparse_file_is_not_read_whole(write: Write, work: Path, course: Course) -> None:
    with write("softmax.py").open("wb") as file:
        file.truncate(1 << 40)
    (problem,) = read_submission(work, course).problems
    assert "is larger than 1024 kB" in problem.message


def test_source_is_never_run(write: Write, work: Path, course: Course, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    write("softmax.py", f"open({str(trap)!r}, 'w')\n")
    write("sitecustomize.py", f"open({str(trap)!r}, 'w')\n")
    read_submission(work, course)
    assert not trap.exists()
