from __future__ import annotations

import ast
import runpy
from pathlib import Path
from typing import Any

import pytest

from grader.course import Exercise, load_course
from grader.errors import KataError
from grader.judge.case import Question
from grader.judge.learner import LearnerModule
from grader.judge.trusted import Expected
from grader.release.visible import visible_part
from grader.sandbox.inside import host, wire

COURSE = load_course(Path(__file__).parents[2] / "course.yml")

CHECKS = '''\
"""What these checks are about."""

import math
from dataclasses import dataclass

import torch

from grader.judge.authoring import Case, expect, function, points, same

WIDTH = 3  # as in the document
SECRET = 7


# this comment tells a trap
def row(draw):
    return draw.normal(WIDTH)


def trap(draw):
    return draw.normal(SECRET) * math.pi


class Asking(Case):
    """Asks for one row."""

    def one(self, value):
        return self.tensor(value)

    def many(self, values):
        """All of them at once."""
        return [self.tensor(value) for value in values]


@dataclass(frozen=True)
class Unused:
    width: int


@points(1, visible=True)
def test_example(learner, draw):
    """The example."""
    asked = Asking()
    asked.one(row(draw))
    learner.ask(asked)


@points(2, role="main")
def test_hidden(learner, draw):
    """The rest."""
    expect(same(trap(draw), torch.zeros(SECRET)), "No.")


def helper_behind():
    return test_hidden
'''


@pytest.fixture(scope="module")
def part() -> str:
    return visible_part(CHECKS, "03_row.py")


def test_visible_check_is_kept_to_the_letter(part: str) -> None:
    check = CHECKS[CHECKS.index("@points(1, visible=True)") : CHECKS.index("@points(2")].strip()
    assert part.endswith(check + "\n")


@pytest.mark.parametrize(
    "text", ["WIDTH = 3", "def row(draw):", "class Asking(Case):", '"""Asks for one row."""', "def one("]
)
def test_what_it_uses_is_kept(text: str, part: str) -> None:
    assert text in part


@pytest.mark.parametrize(
    "text",
    [
        "test_hidden",
        "SECRET",
        "def trap",
        "def many",
        "All of them",
        "Unused",
        "trap",
        "helper_behind",
        "What these checks",
    ],
)
def test_what_only_hidden_checks_use_goes(text: str, part: str) -> None:
    assert text not in part


def test_only_used_imports_are_left(part: str) -> None:
    imports = [ast.unparse(node) for node in ast.parse(part).body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert imports == ["from grader.judge.authoring import Case, points"]


def test_method_that_the_base_class_may_call_is_kept() -> None:
    changed = CHECKS.replace("def many(self, values)", "def as_data(self, values)")
    assert "def as_data" in visible_part(changed, "03_row.py")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        pytest.param("def test(:\n", "03_row.py: the checks are not valid Python (line 1)", id="no Python"),
        pytest.param(
            CHECKS.replace("(1, visible=True)", "(1)"),
            "03_row.py: there is no visible check, so learners would have nothing to try",
            id="nothing visible",
        ),
        pytest.param(
            "import math\nif math.pi > 3:\n    A = 1\n" + CHECKS,
            "03_row.py, line 2: only imports, constants, functions and classes can be taken apart here",
            id="a statement of another kind",
        ),
        pytest.param(
            "A = 1; B = 2\n" + CHECKS,
            "03_row.py, line 1: two statements on one line cannot be taken apart",
            id="two statements on a line",
        ),
    ],
)
def test_file_that_cannot_be_cut_is_refused(source: str, sentence: str) -> None:
    with pytest.raises(KataError) as refused:
        visible_part(source, "03_row.py")
    assert str(refused.value) == sentence


class AsTheReference:
    """Answers as a learner with the reference does, in this process."""

    def __init__(self, expected: Expected) -> None:
        self._namespace = expected.reference.namespace

    def ask(self, question: Question, meanwhile: object = None) -> Any:
        cases = {"cases": [case.as_data() for case in question.cases]}
        return wire.copied(host.run_question(cases, self._namespace, "reference"))


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_what_is_left_of_a_file_of_checks_still_runs(exercise: Exercise, tmp_path: Path) -> None:
    path = COURSE.checks_path(exercise)
    part = tmp_path / path.name
    part.write_text(visible_part(path.read_text("utf-8"), path.name), "utf-8")
    names = runpy.run_path(str(part))
    expected = Expected(COURSE.solution_path(exercise), COURSE.mistakes_path(exercise))
    checks = [name for name in names if name.startswith("test_")]
    assert checks
    for name in checks:
        draw = expected.draw(1, exercise.id, name)
        source = COURSE.solution_path(exercise).read_text("utf-8")
        learner = LearnerModule(AsTheReference(expected), expected, draw, source)
        given = {"learner": learner, "draw": draw}
        wanted = names[name].__code__.co_varnames[: names[name].__code__.co_argcount]
        names[name](**{each: given[each] for each in wanted})
