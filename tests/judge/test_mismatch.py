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

CASES: dict[str, Any] = table(__file__, "mismatch.yml")
CHECKS: str = CASES.pop("checks")


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
