"""What there is to see of a failed check: one plane of a visible check, and never anything of a hidden one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.judge.grading import Judge
from grader.mismatch import Mismatch
from grader.record import Record, without_timings

from .graded import graded, submission, with_checks

CHECKS = '''
import torch
from grader.judge.authoring import Case, expect, function, module, points, same

AXES = "batch head query key"

def case(*shape, dtype=torch.float32):
    amounts = torch.arange(1.0, 1.0 + torch.Size(shape).numel()).reshape(shape).to(dtype)
    return function("share", amounts, names=["amounts"], axes=" ".join(AXES.split()[4 - len(shape):]))

def check(learner, asked):
    (output,) = learner.outputs(asked)
    expect(same(output, learner.expected.answers_to(learner.exchanges[-1].question)[0]["output"]), "Not so.")

@points(0.5, visible=True)
def test_row(learner):
    """A row."""
    check(learner, case(3))

@points(0.5, visible=True)
def test_plane(learner):
    """A plane."""
    learner.agrees(case(3, 2))

@points(0.5, visible=True)
def test_heads(learner):
    """Heads."""
    check(learner, case(2, 2, 3, 2))

@points(0.5, visible=True)
def test_large(learner):
    """Large."""
    check(learner, case(40, 30))

@points(0.5, visible=True)
def test_single(learner):
    """A single number."""
    check(learner, case(1, 1))

@points(1.5, role="main")
def test_hidden(learner, draw):
    """Hidden."""
    learner.agrees(case(3, 2), case(2, 3, 4))
'''

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"

# The three rows of a plane: right, right, and twice what is expected.
LAST_ROW = """
def share(amounts):
    out = amounts / amounts.sum(-1, keepdim=True)
    out[..., -1, :] *= 2
    return out
"""
SECOND_HEAD = """
def share(amounts):
    out = amounts / amounts.sum(-1, keepdim=True)
    if amounts.dim() == 4:
        out[:, 1, 0] = 0
    return out
"""
NOT_NUMBERS = """
def share(amounts):
    out = amounts / amounts.sum(-1, keepdim=True)
    if amounts.dim() == 2:
        out[0, 0] = float("nan")
        out[1, 0] = float("inf")
        out[2, 0] = -float("inf")
    return out
"""
LATE_ROW = """
def share(amounts):
    out = amounts / amounts.sum(-1, keepdim=True)
    if len(amounts) == 40:
        out[35, 20] = 7
    return out
"""

Seen = dict[str, Mismatch]


@dataclass
class Graded:
    judge: Judge

    def __call__(self, source: str) -> tuple[Record, Seen]:
        records: list[Record] = []
        seen: Seen = {}

        def show(name: str, exercise: str, check: str, mismatch: Mismatch) -> None:
            assert (name, exercise) == ("someone", "share") and not records
            seen[check] = mismatch

        self.judge.grade([submission(source)], records.append, show=show)
        return records[0], seen


@pytest.fixture(scope="module")
def grade(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Iterator[Graded]:
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")
    judge = Judge(with_checks(root, CHECKS), "full", seed=7)
    yield Graded(judge)
    judge.close()


def test_nothing_is_shown_of_right_work(grade: Graded) -> None:
    record, seen = grade(RIGHT)
    assert record.exercises[0].status == "passed" and seen == {}


def test_wrong_plane_is_shown_with_what_was_due(grade: Graded) -> None:
    _, seen = grade(LAST_ROW)
    plane = seen["test_plane"]
    assert (plane.what, plane.axes) == ("The output", ("query", "key"))
    assert [pytest.approx(row) for row in plane.expected] == [(1 / 3, 2 / 3), (3 / 7, 4 / 7), (5 / 11, 6 / 11)]
    assert plane.came[:2] == plane.expected[:2]
    assert plane.came[2] == pytest.approx([2 * expected for expected in plane.expected[2]])
    assert plane.wrong == ((False, False), (False, False), (True, True))
    assert plane.note == "2 of 6 numbers are off, only in row (query) 2, counted from 0; the others are right."


def test_nothing_of_a_hidden_check_is_ever_shown(grade: Graded) -> None:
    record, seen = grade(LAST_ROW)
    failed = {check.name for check in record.exercises[0].checks if check.outcome == "failed"}
    assert "test_hidden" in failed and "test_hidden" not in seen


def test_vector_is_a_single_row(grade: Graded) -> None:
    _, seen = grade("def share(amounts):\n    return amounts\n")
    row = seen["test_row"]
    assert row.axes == ("key",) and row.came == ((1.0, 2.0, 3.0),) and row.wrong == ((True, True, True),)
    assert row.note == "All 3 numbers are off."


def test_single_number_is_not_worth_a_picture(grade: Graded) -> None:
    _, seen = grade("def share(amounts):\n    return amounts * 3\n")
    assert "test_single" not in seen and "test_row" in seen


def test_first_wrong_head_is_shown_and_named(grade: Graded) -> None:
    _, seen = grade(SECOND_HEAD)
    assert set(seen) == {"test_heads"}
    heads = seen["test_heads"]
    assert heads.came[0] == (0.0, 0.0) and heads.wrong == ((True, True), (False, False), (False, False))
    assert heads.note == (
        "Shown is batch 0, head 1 (counted from 0), the first of 2 wrong parts of 4. "
        "2 of 6 numbers are off, only in row (query) 0, counted from 0; the others are right."
    )


def test_large_plane_is_cut_where_the_first_wrong_place_is(grade: Graded) -> None:
    _, seen = grade(LATE_ROW)
    large = seen["test_large"]
    assert (len(large.came), len(large.came[0])) == (12, 12)
    assert large.start == (28, 18) and large.wrong[35 - 28][20 - 18] and large.came[35 - 28][20 - 18] == 7
    assert large.note.endswith("Shown are 12 of 40 rows and 12 of 30 columns.")


def test_nan_and_infinities_arrive_as_they_are(grade: Graded) -> None:
    _, seen = grade(NOT_NUMBERS)
    first = [row[0] for row in seen["test_plane"].came]
    assert math.isnan(first[0]) and first[1:] == [math.inf, -math.inf]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def share(amounts):\n    return amounts.sum()\n", id="another shape"),
        pytest.param("def share(amounts):\n    return amounts.double()\n", id="another dtype"),
        pytest.param("def share(amounts):\n    return [1.0]\n", id="no tensor"),
        pytest.param("def share(amounts):\n    raise ValueError\n", id="an error"),
        pytest.param("def share(amounts):\n    return None\n", id="nothing"),
        pytest.param("def share(amounts:\n", id="no Python"),
        pytest.param("def share(amounts):\n    import os; os._exit(0)\n", id="the end of the process"),
    ],
)
def test_nothing_is_shown_where_numbers_are_not_the_trouble(source: str, grade: Graded) -> None:
    record, seen = grade(source)
    assert record.exercises[0].status == "failed" and seen == {}


def test_record_is_the_same_whether_anybody_looks_or_not(grade: Graded) -> None:
    looked, seen = grade(LAST_ROW)
    (record,) = graded(grade.judge, LAST_ROW)
    assert seen and without_timings(looked).to_json() == without_timings(record).to_json()
    assert grade(LAST_ROW)[1] == seen
