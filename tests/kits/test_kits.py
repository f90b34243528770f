"""The author's gate over the real course: every kit is complete and holds, behind the wall, with hidden inputs from one seed."""

import os
from pathlib import Path

import pytest

from grader.course import load_course
from grader.judge.grading import Judge
from grader.results import Record
from grader.submission import read_submission
from grader.verify import incomplete, prove_in_parallel, stale_stub

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")

# One seed, so that a run can be repeated; `kata verify` takes a fresh one each time, and so does KATA_SEED here.
MINUTES = 15  # for one unit, on a machine with much else to do
SEED = int(os.environ.get("KATA_SEED", "2026"))


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_the_kit_is_complete(exercise):
    assert incomplete(COURSE, exercise) == []
    assert stale_stub(COURSE, exercise) == []


@pytest.mark.timeout(MINUTES * 60)
@pytest.mark.parametrize("unit", COURSE.units, ids=lambda unit: unit.folder)
def test_the_kits_of_a_unit_hold(unit):
    """Reference and alternatives pass, the stub earns nothing, every mistake is caught where its bank says, and named."""
    ids = [exercise.id for exercise in unit.exercises]
    _, problems = prove_in_parallel(ROOT / "course.yml", "full", SEED, ids, os.cpu_count() or 1, lambda id: None)
    assert problems == []


@pytest.mark.parametrize("level", ["reduced", "process", "none"])
def test_the_references_pass_at_every_level(level):
    judge = Judge(COURSE, level, SEED)
    records: list[Record] = []
    try:
        judge.grade([read_submission(ROOT / "solutions", COURSE)], records.append)
    finally:
        judge.close()
    (record,) = records
    assert [exercise.id for exercise in record.exercises if exercise.status != "passed"] == []
    assert record.points == record.max_points == sum(exercise.points for exercise in COURSE.exercises)
