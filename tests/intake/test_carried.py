"""Notebooks that were made of files: a file's cell is the file, and what was told at hand-in is told again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course
from grader.intake import FileProblem, read_submission
from grader.intake.carried import MAX_CARRIED, TOLD, listed, whole_file

IMPORTS = "import torch\n"
LEANING = "def softmax(scores, dim=-1):\n    return torch.softmax(scores, dim)\n"


def marks(exercise: str = "softmax") -> dict[str, Any]:
    return {"kata": whole_file(exercise, f"{exercise}.py")}


def sources(path: Path, course: Course) -> dict[str, bytes]:
    return {id: each.content for id, each in read_submission(path, course).sources.items()}


@pytest.fixture
def carrying(tmp_path: Path) -> Callable[..., Path]:
    """Writes a notebook without cells that carries problems."""

    def write(problems: object) -> Path:
        path = tmp_path / "work.ipynb"
        path.write_text(json.dumps({"cells": [], "metadata": {"kata": {"problems": problems}}, "nbformat": 4}))
        return path

    return write


def test_file_gets_nothing_put_in_front_of_it(course: Course, notebook: Callable[..., Path]) -> None:
    assert sources(notebook(IMPORTS, (LEANING, marks())), course) == {"softmax": LEANING.encode()}


def test_file_gives_nothing_to_other_cells(course: Course, notebook: Callable[..., Path]) -> None:
    path = notebook(("import math as torch\n", marks("causal_mask")), "# 03_softmax.py\n" + LEANING)
    assert sources(path, course)["softmax"] == ("# 03_softmax.py\n" + LEANING).encode()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("%matplotlib inline\n" + LEANING, id="line of IPython's"),
        pytest.param("# 01_causal_mask.py\n" + LEANING, id="another's first line"),
        pytest.param(LEANING.replace("\n", "\r\n"), id="line ends"),
        pytest.param("", id="empty"),
        pytest.param("# much\n" * 90_000, id="larger than a notebook's code"),
    ],
)
def test_file_is_taken_to_the_byte(text: str, course: Course, notebook: Callable[..., Path]) -> None:
    assert sources(notebook((text, marks())), course) == {"softmax": text.encode()}


def test_file_larger_than_its_exercise_allows_is_not_taken(course: Course, notebook: Callable[..., Path]) -> None:
    submission = read_submission(notebook(("# much\n" * 1000, marks("causal_mask"))), course)
    assert not submission.sources
    assert [problem.exercise for problem in submission.problems] == ["causal_mask"]


def test_file_and_another_answer_are_two(course: Course, notebook: Callable[..., Path]) -> None:
    submission = read_submission(notebook((LEANING, marks()), "# 03_softmax.py\n" + LEANING), course)
    assert not submission.sources
    assert [problem.kind for problem in submission.problems] == ["duplicate"]


@pytest.mark.parametrize("exercise", ["nothing_known", "", None, 3, ["softmax"]], ids=str)
def test_file_of_no_exercise_is_no_answer(exercise: object, course: Course, notebook: Callable[..., Path]) -> None:
    path = notebook((LEANING, {"kata": {"exercise": exercise, "file": "softmax.py"}}))
    assert sources(path, course) == {}


def test_carried_problem_is_told_as_such(course: Course, carrying: Callable[..., Path]) -> None:
    problem = FileProblem("softmax.py", "unreadable", "softmax.py is not UTF-8.", "softmax")
    submission = read_submission(carrying(listed([problem])), course)
    assert not submission.sources
    assert submission.problems == (
        FileProblem("softmax.py", "unreadable", f"{TOLD}softmax.py is not UTF-8.", "softmax"),
    )  # and nothing about an empty notebook
    again = read_submission(carrying(listed(submission.problems)), course)
    assert again.problems == submission.problems


def test_carried_problem_takes_no_answer_away(course: Course, notebook: Callable[..., Path]) -> None:
    path = notebook((LEANING, marks()))
    content = json.loads(path.read_text())
    content["metadata"] = {"kata": {"problems": [["softmax.py", "refused", "is a link", "softmax"]]}}
    path.write_text(json.dumps(content))
    assert sources(path, course) == {"softmax": LEANING.encode()}


@pytest.mark.parametrize(
    "problems",
    [
        pytest.param("softmax.py is broken", id="text"),
        pytest.param({"softmax.py": "broken"}, id="mapping"),
        pytest.param([None, 1, "text", [], ["softmax.py"]], id="other rows"),
        pytest.param([["softmax.py", "unreadable", {"html": "<b>"}, None]], id="no sentence"),
        pytest.param([[["a"], "unreadable", "is broken", None]], id="no file"),
        pytest.param([["softmax.py", "passed", "is right", None]], id="unknown kind"),
        pytest.param([["softmax.py", ["unreadable"], "is broken", None]], id="no kind"),
        pytest.param([["softmax.py", "unreadable", "is broken", "nothing_known"]], id="unknown exercise"),
        pytest.param([["softmax.py", "unreadable", "is broken", ["softmax"]]], id="no exercise"),
    ],
)
def test_what_is_not_made_like_a_problem_is_left_out(
    problems: object, course: Course, carrying: Callable[..., Path]
) -> None:
    (problem,) = read_submission(carrying(problems), course).problems
    assert "answers no exercise of this course" in problem.message


def test_carried_sentences_are_bounded_and_printable(course: Course, carrying: Callable[..., Path]) -> None:
    rows = [["a\x1b[2J", "unknown", "\ud800\x00\n" + "long " * 500, None]] * 1000
    path = carrying(rows)
    (folder := path.parent / "ana").mkdir()
    for name in ("a.ipynb", "b.ipynb"):
        (folder / name).write_bytes(path.read_bytes())
    problems = read_submission(path, course).problems
    assert len(problems) == len(read_submission(folder, course).problems) == MAX_CARRIED
    assert all(len(each.message) < 1000 and each.message.isprintable() and each.file.isprintable() for each in problems)
