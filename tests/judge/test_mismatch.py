"""What there is to see of a failed check: one plane of a visible check, and never anything of a hidden one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.judge.grading import Judge
from grader.record import Mismatch, Record
from tests.records import without_timings

from ..cases import rows, table
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

CASES: dict[str, dict[str, Any]] = table(__file__, "mismatch.yml")


def painted(mismatch: Mismatch) -> str:
    """A plane as text: a number, or what came ! what is expected where it is marked as wrong."""
    lines = [f"{mismatch.what} ({', '.join(mismatch.axes)}) from {mismatch.start}: {mismatch.note}"]
    for row in zip(mismatch.came, mismatch.expected, mismatch.wrong, strict=True):
        numbers = [(f"{came:.4g}", f"{expected:.4g}", wrong) for came, expected, wrong in zip(*row, strict=True)]
        lines.append(" ".join(f"{one}!{other}" if wrong else one for one, other, wrong in numbers))
        assert all(wrong or one == other for one, other, wrong in numbers)
    return "\n".join(lines)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Iterator[Judge]:
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")
    judge = Judge(with_checks(root, CHECKS), "full", seed=7)
    yield judge
    judge.close()


@rows(CASES)
def test_the_first_wrong_plane_of_visible_checks_is_shown_and_the_record_is_the_same(
    case: dict[str, Any], judge: Judge
) -> None:
    records: list[Record] = []
    seen: dict[str, str] = {}

    def show(name: str, exercise: str, check: str, mismatch: Mismatch) -> None:
        assert (name, exercise) == ("someone", "share") and not records
        seen[check] = painted(mismatch)

    judge.grade([submission(case["source"])], records.append, show=show)
    (exercise,) = records[0].exercises
    assert [check.name for check in exercise.checks if check.outcome != "passed"] == case["failed"]
    assert seen == case["shown"]
    (unseen,) = graded(judge, case["source"])
    assert without_timings(unseen).to_json() == without_timings(records[0]).to_json()
