"""What a check demands stands in the stub: which dtypes, gradients, inputs left alone, that nothing is kept, names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.course import Exercise, load_course

from ..cases import table

COURSE = load_course(Path(__file__).resolve().parents[2] / "course.yml")
CASES = table(__file__, "cases.yml")


def stub_of(exercise: Exercise) -> str:
    """The text of a stub, on one line."""
    text = ast.get_docstring(ast.parse(COURSE.stub_path(exercise).read_text("utf-8"))) or ""
    return " ".join(text.split())


def is_said(demand: str, exercise: Exercise) -> bool:
    return any(words in stub_of(exercise) for words in CASES["demands"][demand]["said"])


@pytest.mark.parametrize("demand", CASES["demands"])
def test_stub_says_what_its_checks_demand_or_the_table_why_not(demand: str) -> None:
    silent = []
    for exercise in COURSE.exercises:
        path = COURSE.checks_path(exercise)
        checks = "".join(each.read_text("utf-8") for each in (path, *COURSE.families_of(path)))
        if any(how in checks for how in CASES["demands"][demand]["done"]) and not is_said(demand, exercise):
            silent.append(exercise.id)
    assert silent == [id for id, demands in CASES["silent"].items() if demand in demands]
