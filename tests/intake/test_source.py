from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import read_submission

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("content", "taken"),
    [
        pytest.param(b"x = 1\n", b"x = 1\n", id="plain"),
        pytest.param(b"", b"", id="empty"),
        pytest.param(b"\xef\xbb\xbfx = 1\n", b"x = 1\n", id="byte order mark"),
        pytest.param(b"x = 1\r\ny = 2\r\n", b"x = 1\r\ny = 2\r\n", id="CRLF kept"),
        pytest.param(b"x = 1\ry = 2\r", b"x = 1\ry = 2\r", id="CR kept"),
        pytest.param("x = '注意力'\n".encode(), "x = '注意力'\n".encode(), id="Chinese"),
        pytest.param(b"# -*- coding: utf-8 -*-\n", b"# -*- coding: utf-8 -*-\n", id="cookie utf-8"),
        pytest.param(b"# coding=UTF8\n", b"# coding=UTF8\n", id="cookie UTF8"),
        pytest.param(b"# vim: set fileencoding=utf_8 :\n", b"# vim: set fileencoding=utf_8 :\n", id="vim cookie"),
        pytest.param(b"#\n# coding: utf-8-unix\n", b"#\n# coding: utf-8-unix\n", id="emacs cookie"),
        pytest.param(b"x\n# coding: latin-1\n", b"x\n# coding: latin-1\n", id="comment after code"),
        pytest.param(b"#\n#\n# coding: latin-1\n", b"#\n#\n# coding: latin-1\n", id="comment in line three"),
        pytest.param(b"def (:\n", b"def (:\n", id="no Python at all"),
        pytest.param(b"#" * 1024, b"#" * 1024, id="as large as allowed"),
    ],
)
def test_source_is_taken(write: Write, work: Path, course: Course, content: bytes, taken: bytes) -> None:
    write("causal_mask.py", content)
    submission = read_submission(work, course)
    assert submission.sources["causal_mask"].content == taken
    assert submission.problems == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"x = '\xe9'\n", "is not UTF-8 (line 1); save it as UTF-8", id="latin-1"),
        pytest.param(b"a\r\nb\rc\n\xff", "is not UTF-8 (line 4)", id="line is told"),
        pytest.param(b"\xed\xa0\x80", "is not UTF-8", id="surrogate"),
        pytest.param(b"\xc0\xaf", "is not UTF-8", id="overlong"),
        pytest.param("x = 1\n".encode("utf-16"), "is saved as UTF-16; save it as UTF-8", id="UTF-16"),
        pytest.param(b"x = 1\0\n", "contains a NUL character", id="NUL"),
        pytest.param(b"# coding: latin-1\nx = 1\n", "declares the coding latin-1", id="cookie"),
        pytest.param(b"#!/usr/bin/python\n# coding: utf-7\n", "declares the coding utf-7", id="cookie in line two"),
        pytest.param(b"\n# coding: rot13\n", "declares the coding rot13", id="cookie after a blank line"),
        pytest.param(b"\xef\xbb\xbf# coding: cp1252\n", "declares the coding cp1252", id="cookie after a mark"),
        pytest.param(b"#\r# coding: utf-16\r", "declares the coding utf-16", id="cookie after CR"),
        pytest.param(b"# coding: " + b"x" * 900, "declares the coding xxx", id="endless cookie"),
        pytest.param(b"#" * 1025, "is larger than 1 kB; hand in the source alone", id="too large"),
    ],
)
def test_what_is_no_source_is_reported(write: Write, work: Path, course: Course, content: bytes, reason: str) -> None:
    write("causal_mask.py", content)
    submission = read_submission(work, course)
    assert submission.sources == {}
    (problem,) = submission.problems
    assert (problem.file, problem.kind, problem.exercise) == ("causal_mask.py", "unreadable", "causal_mask")
    assert problem.message.startswith(f"causal_mask.py {reason}")
    assert problem.message.endswith(".")
    assert len(problem.message) < 200


def test_size_limit_is_the_exercise_s_own(write: Write, work: Path, course: Course) -> None:
    write("softmax.py", b"#" * 2000)
    write("causal_mask.py", b"#" * 2000)
    assert list(read_submission(work, course).sources) == ["softmax"]


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
