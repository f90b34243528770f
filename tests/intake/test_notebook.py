"""Notebooks that are damaged, odd or hostile, and where notebooks may lie; what ordinary ones hold is in cells.yml."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import SubmissionError, read_submission

Notebook = Callable[..., Path]

SOFTMAX = "def softmax(scores, dim=-1):\n    return torch.exp(scores)\n"


def test_long_text_is_not_parsed_and_its_function_still_found(notebook: Notebook, course: Course) -> None:
    answer = SOFTMAX + "#" * 33_000
    submission = read_submission(notebook("import torch", answer), course)
    assert submission.sources["softmax"].content.decode() == answer
    submission = read_submission(notebook("weights = 3\n" + "#" * 33_000, "def softmax(s): return weights"), course)
    assert submission.sources["softmax"].content == b"def softmax(s): return weights"


def test_cell_and_file_for_one_exercise_are_refused(notebook: Notebook, tmp_path: Path, course: Course) -> None:
    notebook(SOFTMAX)
    (tmp_path / "softmax.py").write_text("x = 1")
    (problem,) = read_submission(tmp_path, course).problems
    assert problem.kind == "duplicate"
    assert "softmax.py and work.ipynb, cell 1 both answer softmax" in problem.message


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        pytest.param("def softmax(s): '\ud800'", "is not UTF-8", id="surrogate"),
        pytest.param("def softmax(s): '\0'", "contains a NUL character", id="NUL"),
        pytest.param("# coding: latin-1\ndef softmax(s): ...", "declares the coding iso-8859-1", id="cookie"),
        pytest.param("def causal_mask(n): ...\n" + "#" * 1024, "is larger than 1 kB", id="too large"),
    ],
)
def test_cell_that_is_no_source_is_reported(notebook: Notebook, course: Course, cell: str, reason: str) -> None:
    submission = read_submission(notebook(cell), course)
    (problem,) = submission.problems
    assert submission.sources == {}
    assert problem.kind == "unreadable" and problem.exercise in ("softmax", "causal_mask")
    assert problem.message.startswith(f"work.ipynb, cell 1 {reason}")


DAMAGED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "damaged or not a notebook"),
    "cut off": (b'{"cells": [', "damaged or not a notebook"),
    "not UTF-8": (b"\xff\xfe", "damaged or not a notebook"),
    "endlessly nested": (b"[" * 100_000, "damaged or not a notebook"),
    "endlessly nested objects": (b'{"a":' * 100_000, "damaged or not a notebook"),
    "a list": (b"[]", "is not a notebook"),
    "nothing": (b"null", "is not a notebook"),
    "no cells": (b"{}", "has no cells"),
    "cells are a number": (b'{"cells": 3}', "has no cells"),
    "cell without text": (b'{"cells": [{"cell_type": "code"}]}', "cell 1 has no text"),
    "text of numbers": (b'{"cells": [{"cell_type": "code", "source": [1]}]}', "cell 1 has no text"),
    "too many cells": (b'{"cells": [' + b",".join([b"{}"] * 2001) + b"]}", "more than 2000 cells"),
    "code": (
        json.dumps({"cells": [{"cell_type": "code", "source": "#" * 600_000}]}).encode(),
        "512 kB of code",
    ),
    "too large": (b" " * (8 * 1024 * 1024 + 1), "larger than 8 MB; clear its outputs"),
}


@pytest.mark.parametrize(("content", "sentence"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_notebook_is_one_sentence(tmp_path: Path, course: Course, content: bytes, sentence: str) -> None:
    path = tmp_path / "work.ipynb"
    path.write_bytes(content)
    with pytest.raises(SubmissionError, match=r"^work\.ipynb ") as error:
        read_submission(path, course)
    assert sentence in str(error.value)


def test_deep_notebook_is_read_or_one_sentence(tmp_path: Path, course: Course) -> None:
    """How deep is too deep differs between Pythons."""
    path = tmp_path / "work.ipynb"
    path.write_bytes(b'{"cells": [' + b"[" * 5000 + b"]" * 5000 + b"]}")
    try:
        assert read_submission(path, course).sources == {}
    except SubmissionError as error:
        assert str(error).startswith("work.ipynb is damaged")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize(
    "metadata",
    [
        "3",
        "null",
        '{"nbgrader": []}',
        '{"nbgrader": {"grade_id": %s}}' % ("9" * 5000),
        '{"nbgrader": {"grade_id": "x"}}',
    ],
    ids=["a number", "none", "entry of another type", "huge number", "unknown id"],
)
def test_odd_metadata_does_no_harm(tmp_path: Path, course: Course, metadata: str, mark: bytes) -> None:
    path = tmp_path / "work.ipynb"
    cell = f'{{"cell_type": "code", "metadata": {metadata}, "source": {json.dumps(SOFTMAX)}}}'
    path.write_bytes(mark + f'{{"cells": [3, null, {cell}]}}'.encode())
    assert list(read_submission(path, course).sources) == ["softmax"]


HOSTILE = {
    "quotes": "'" * 400_000,
    "comments": "#\n" * 200_000,
    "brackets": "(" * 400_000,
    "blanks": " " * 400_000,
    "joined lines": "\\\n" * 200_000,
    "loops": "for " * 100_000,
    "definitions": "def a(" * 60_000,
    "targets": "a, " * 130_000,
    "questions": "a?" * 200_000,
    "assignments": "x = y\n" * 60_000,
    "a name of many parts": "import " + "a." * 16_000 + "a",
    "an f-string of many parts": "f'" + "{a}" * 10_000 + "'",
    "magics": "%a\nb\n" * 6_000,
    "a deep tree": "a" + ".b" * 16_000,
    "carriage returns": "a = 1\r" * 5_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_in_time(notebook: Notebook, course: Course, text: str) -> None:
    started = time.process_time()
    submission = read_submission(notebook(text, SOFTMAX), course)
    assert time.process_time() - started < 8
    assert list(submission.sources) == ["softmax"]


@pytest.mark.thorough
def test_many_answers_to_one_exercise_are_read_in_time(notebook: Notebook, course: Course) -> None:
    cells = [f"def f{number}(): f{number - 1}()\ndef softmax(s): f{number}()" for number in range(1900)]
    started = time.process_time()
    (problem,) = read_submission(notebook(*cells), course).problems
    assert time.process_time() - started < 8
    assert "(and 1898 more)" in problem.message


def test_notebook_is_read_in_a_zip_too(notebook: Notebook, tmp_path: Path, course: Course) -> None:
    path = notebook("import torch", SOFTMAX)
    with zipfile.ZipFile(tmp_path / "bob.zip", "w") as made:
        made.write(path, "week 1/work.ipynb")
    submission = read_submission(tmp_path / "bob.zip", course)
    assert submission.sources["softmax"].name == "week 1/work.ipynb, cell 2"
    assert submission.sources["softmax"].content.decode() == "import torch\n" + SOFTMAX
