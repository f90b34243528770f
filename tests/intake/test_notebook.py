"""Notebooks that are damaged, odd or hostile, and where notebooks may lie; what ordinary ones hold is in cells.yml, those refused whole are in files.yml."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import SubmissionError, read_submission
from tests.cases import rows, table

Notebook = Callable[..., Path]
ODD = table(__file__, "odd.yml")

SOFTMAX = "def softmax(scores, dim=-1):\n    return torch.exp(scores)\n"


def test_deep_notebook_is_read_or_one_sentence(tmp_path: Path, course: Course) -> None:
    """How deep is too deep differs between Pythons."""
    path = tmp_path / "work.ipynb"
    path.write_bytes(b'{"cells": [' + b"[" * 5000 + b"]" * 5000 + b"]}")
    try:
        assert read_submission(path, course).sources == {}
    except SubmissionError as error:
        assert str(error).startswith("work.ipynb is damaged")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
@rows(ODD["metadata"], "metadata")
def test_odd_metadata_does_no_harm(tmp_path: Path, course: Course, metadata: str, mark: bytes) -> None:
    path = tmp_path / "work.ipynb"
    cell = f'{{"cell_type": "code", "metadata": {metadata}, "source": {json.dumps(SOFTMAX)}}}'
    path.write_bytes(mark + f'{{"cells": [3, null, {cell}]}}'.encode())
    assert list(read_submission(path, course).sources) == ["softmax"]


@rows(ODD["texts"], "text")
def test_hostile_text_is_read_in_time(notebook: Notebook, course: Course, text: str) -> None:
    started = time.process_time()
    submission = read_submission(notebook(text, SOFTMAX), course)
    assert time.process_time() - started < 8
    assert list(submission.sources) == ["softmax"]


def test_many_names_that_need_many_take_memory_in_proportion(notebook: Notebook, course: Course) -> None:
    needed, bound = ([f"{letter}{number}" for number in range(2000)] for letter in "ab")
    path = notebook(
        f"import {','.join(needed)}", f"{'='.join(bound)}={','.join(needed)}", SOFTMAX.replace("torch", "b7")
    )
    tracemalloc.start()
    try:
        (source,) = read_submission(path, course).sources.values()
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    assert b"a1999" in source.content


@pytest.mark.thorough
def test_many_answers_to_one_exercise_are_read_in_time(notebook: Notebook, course: Course) -> None:
    cells = [f"def f{number}(): f{number - 1}()\ndef softmax(s): f{number}()" for number in range(1900)]
    started = time.process_time()
    (problem,) = read_submission(notebook(*cells), course).problems
    assert time.process_time() - started < 8
    assert "(and 1898 more)" in problem.message
