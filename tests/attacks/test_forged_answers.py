"""A worker that computes nothing and says what it likes, in good form, to every check of every exercise.

The answers are handed to the judge without a process: what comes out of a process in another form is refused before.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.judge.case import Case, Question
from grader.judge.grading import Judge
from grader.judge.process import LocalProcess
from grader.record import Record
from grader.sandbox.inside import wire
from grader.sandbox.inside.wire import Opaque, Slot

pytestmark = pytest.mark.timeout(900)  # the first test waits for the checks of the whole course

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
MOST_POINTS = 8.0
"""Of the whole course, for answers that say of a file that it has what it lacks: a check that asks for no numbers has
nothing but the worker's word. More than this would have to come from numbers."""

ODD: tuple[Any, ...] = (
    None, True, False, 0, 7, -1, 2**62, 1.5, float("nan"), float("inf"), "", "x", "\ud800", "passed", [], (), {}, [[None, [True]], (1,)],
    Opaque("a thing"), Slot(0), {Opaque("k"): 1, None: 2, 1.5: torch.ones(2), float("nan"): 3}, {"weight": torch.ones(2)}, [[[[[[[1]]]]]]],
    torch.tensor(1.0), torch.zeros(0), torch.zeros(0, 2**40), torch.ones(2, 3, dtype=torch.int64), torch.ones(2, 2, dtype=torch.bool),
    torch.zeros(1, 1, 1, 1, 1), torch.full((2, 3), float("nan")), torch.full((4, 4), float("inf")), torch.ones(2, 3, dtype=torch.bfloat16),
    (torch.ones(2, 3), None), (torch.ones(2, 2, 4),) * 3, [torch.zeros(3)] * 2, (None, "x", torch.zeros(0)),
)  # fmt: skip

ERRORS: tuple[Mapping[str, Any], ...] = (
    {"kind": "exception", "type": "X", "message": "m", "frames": [[1, "f"], [-5, "g"], "h", 3]},
    {"kind": "exception", "type": "RuntimeError", "message": "", "frames": []},
    {"kind": "exception", "type": "NotImplementedError", "message": "", "frames": [[2**62, "f"]]},
    {"kind": "names", "missing": [1, "a", [1, "x"], None], "unexpected": [[[]]]},
    {"kind": "weight_shape", "name": "x", "came": ["a", [1, "b"]], "expected": []},
    {"kind": "memory", "frames": []},
    {"kind": "forbidden", "name": "aten::\x1b"},
    {"kind": "no_entry", "name": "softmax" * 99},
    {"kind": "no_attribute", "name": ""},
    {"kind": "not_a_module", "what": "y"},
    {"kind": "no_part", "what": "x"},
    {"kind": "no_tensor", "what": "x"},
)  # fmt: skip

IN_FORM: Mapping[str, tuple[Any, ...]] = {
    "parameters": ({}, {"w": [[2, 3], True]}, {"\ud800": [[], False]}),
    "gradients": ({}, {"a": None}, {"a": torch.zeros(0)}),
    "buffers": ([], ["mask", "\ud800"]),
    "refuses": ("refused", "accepted", "X" * 300),
}  # fmt: skip
"""What steps tell that always have a form of their own; what lacks it is refused."""


def told(case: Case, chance: random.Random) -> dict[str, Any]:
    values = {str(number): chance.choice(IN_FORM.get(case.steps[number]["do"], ODD)) for number in case.returned}
    error = {"step": 0, **chance.choice(ERRORS)} if chance.random() < 0.1 else None
    return {"answers": values, "error": error}


def forged(ids: Sequence[str]) -> list[Record]:
    """What saying so gives for these exercises."""
    chance, records = random.Random(20_261_120), list[Record]()
    sources = {id: SourceFile(id, COURSE.exercise(id).file_name, b"# says what it likes\n") for id in ids}

    def ask(attempt: LocalProcess, question: Question) -> Any:
        return wire.copied([told(case, chance) for case in question.cases])

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(LocalProcess, "ask", ask)
        Judge(COURSE, "none", 5, ids).grade([Submission("forger", sources, ())], records.append)
    return records


@pytest.fixture(scope="module")
def course_records() -> list[Record]:
    return forged([exercise.id for exercise in COURSE.exercises])


@pytest.fixture(scope="module")
def some_records() -> list[Record]:
    """Of the first exercise of each unit."""
    return forged([unit.exercises[0].id for unit in COURSE.units])


@pytest.fixture(params=["some", pytest.param("course", marks=pytest.mark.thorough)])
def records(request: pytest.FixtureRequest) -> list[Record]:
    records: list[Record] = request.getfixturevalue(f"{request.param}_records")
    return records


def test_no_odd_answer_is_the_graders_fault(records: list[Record]) -> None:
    faults = [
        f"{exercise.id} {check.name}: {check.message}"
        for record in records
        for exercise in record.exercises
        for check in exercise.checks
        if check.outcome == "error"
    ]
    assert len(records) == 1 and not faults


def test_no_exercise_is_passed_by_saying_so(records: list[Record]) -> None:
    assert not [exercise.id for record in records for exercise in record.exercises if exercise.status == "passed"]


@pytest.mark.thorough
def test_saying_so_earns_next_to_nothing(course_records: list[Record]) -> None:
    assert max(record.points for record in course_records) <= MOST_POINTS
    assert course_records[0].max_points > 25 * MOST_POINTS


def test_messages_are_bounded(records: list[Record]) -> None:
    messages = [c.message for record in records for e in record.exercises for c in e.checks]
    assert max(map(len, messages)) < 2500
