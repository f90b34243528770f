"""Kinds of wrong answers, made of every reference that they can be made of: none may pass.

The banks have some of them by name; here no exercise can be forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course import Exercise, load_course
from grader.judge.grading import Judge

from ..cases import table
from ..judge.graded import result as result_of
from ..kits.families.kept import BY_A_MODULE

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")
SEED = 2026
FORWARD = "def forward(self, "
TRAINED = {"tiny_gpt"}
"""Each answer would be trained, and its scores are its own: no check can make a hidden one high."""
CASES = table(__file__, "cases.yml")
OF_NUMBERS_ALONE = set(CASES["of numbers alone"])
MINUS_INFINITY = re.compile(r"-torch\.inf|float\(.-inf.\)")


def reference(exercise: Exercise) -> str:
    return COURSE.solution_path(exercise).read_text("utf-8")


def weakly_filled(exercise: Exercise) -> str:
    """The reference with -100 for each minus infinity outside of its docstring."""
    head, text, code = reference(exercise).split('"""', 2)
    return f'{head}"""{text}"""{MINUS_INFINITY.sub("-100.0", code)}'


def wrong_answers() -> Iterator[tuple[Exercise, str, str]]:
    """Each exercise with a kind of wrong answer and its source."""
    for exercise in COURSE.exercises:
        if exercise.id in TRAINED:
            continue
        text = reference(exercise)
        if FORWARD in text:
            for kind, elsewhere in (("evaluation", "self.training"), ("training", "not self.training")):
                kept = BY_A_MODULE.replace("self.training", elsewhere)
                yield exercise, f"kept in {kind}", text.replace(FORWARD, kept)
        elif exercise.id not in OF_NUMBERS_ALONE:
            yield (
                exercise,
                "kept from call to call",
                text + CASES["kept by a function"].format(entry=exercise.entry_points[0]),
            )
        if (weak := weakly_filled(exercise)) != text:
            yield exercise, "hidden by -100", weak


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    judge = Judge(COURSE, "full", SEED)
    yield judge
    judge.close()


WRONG = list(wrong_answers())


def test_there_are_such_answers_to_most_exercises() -> None:
    kept = {exercise.id for exercise, kind, _ in WRONG if kind.startswith("kept")}
    assert kept == {each.id for each in COURSE.exercises} - TRAINED - OF_NUMBERS_ALONE
    assert sum(kind == "hidden by -100" for _, kind, _ in WRONG) > 12


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("exercise", "source"),
    [pytest.param(exercise, source, id=f"{exercise.id}: {kind}") for exercise, kind, source in WRONG],
)
def test_wrong_answer_of_a_kind_fails(exercise: Exercise, source: str, judge: Judge) -> None:
    result = result_of(judge, source, exercise.id)
    assert result.status == "failed"
    assert not any("_kept" in check.message or "SyntaxError" in check.message for check in result.checks)
