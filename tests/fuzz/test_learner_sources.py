"""A warm judge and files of every kind one after the other: no crash, no hang, no points for what is wrong."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

import pytest

from grader.judge.grading import Judge
from grader.record import Record
from grader.sandbox.doctor import strongest_level
from tests.fuzz.learner_sources import Handed, Sources, fault_in, hurried_course, plain_exercises, submission, survivors
from tests.fuzz.test_targets import FRESH

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]  # all are graded in the set-up of the first test

EXERCISES = 4
LEARNERS = 8
HONEST_EVERY = 4
SEED = 2026
OTHER_SEED = 31


@dataclass
class Graded:
    """What was handed in by each learner, and what it came to."""

    files: dict[str, list[Handed]] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)


@pytest.fixture(scope="module")
def course():
    return hurried_course()


def grade(course, files: dict[str, list[Handed]], seed: int) -> Graded:
    graded = Graded(files)
    ids = sorted({each.exercise for handed in files.values() for each in handed})
    judge = Judge(course, strongest_level() or "process", seed, ids)

    def take(record: Record) -> None:
        graded.records[record.submission] = record

    try:
        judge.grade([submission(name, handed, course) for name, handed in files.items()], take)
    finally:
        judge.close()
    return graded


@pytest.fixture(scope="module")
def graded(course) -> Graded:
    chance = random.Random(None if os.environ.get(FRESH) else SEED)
    sources = Sources(course, chance)
    ids = chance.sample(plain_exercises(course), EXERCISES)
    files = {
        f"honest {number}" if number % HONEST_EVERY == 0 else f"learner {number}": [
            sources.honest(id) if number % HONEST_EVERY == 0 else sources.any(id) for id in ids
        ]
        for number in range(LEARNERS + 1)
    }
    return grade(course, files, SEED)


def test_every_file_comes_to_what_it_must(graded):
    assert graded.records.keys() == graded.files.keys()
    assert [fault for name, record in graded.records.items() for fault in fault_in(record, graded.files[name])] == []


def test_there_were_files_of_every_kind(graded):
    kinds = {each.kind for handed in graded.files.values() for each in handed}
    assert kinds == {"honest", "nonsense", "torn", "slipped", "right", "wrong"}


def test_full_points_with_slips_are_full_points_on_other_inputs_too(graded, course):
    passed = {
        f"{name} {each.exercise}": [each]
        for name, record in graded.records.items()
        for each in survivors(record, graded.files[name], course)
    }
    again = grade(course, passed, OTHER_SEED).records if passed else {}
    lucky = [name for name, handed in passed.items() if not survivors(again[name], handed, course)]
    assert lucky == []
