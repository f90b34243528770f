"""What the claims of a worker are worth that computes nothing: for every exercise, no more than a fifth of its points.

The answers are handed to the judge without a process. Each way of being wrong is tried, and the best of each check taken,
as who knows all checks would choose another way for each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.course import Exercise, load_course
from grader.intake import SourceFile, Submission
from grader.judge.case import Question
from grader.judge.checks import Worth
from grader.judge.grading import Judge
from grader.judge.process import LocalProcess
from grader.judge.session import Session
from grader.record import POINTS_TOLERANCE, ExerciseResult, Record
from grader.sandbox.inside import wire
from tests.attacks.forger import SPOILT, Forger

pytestmark = pytest.mark.timeout(900)

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
FIRST = {unit.exercises[0].id for unit in COURSE.units[::2]}
"""One of every second unit is tried by `make test`."""
MOST_SHARE = 1 / 5
SEED, OTHER_SEEDS = 3, (1, 2)
AS_GOOD: Mapping[str, frozenset[str]] = {"tiny_gpt": frozenset(("enlarged", "moved"))}
"""Where spoilt numbers are right ones: logits may be of any size, and a number added to all of them changes nothing."""


@dataclass
class Gain:
    """What one exercise gave for wrong numbers, whichever they were."""

    passed_checks: set[str] = field(default_factory=set)
    statuses: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    points: float = 0.0


@dataclass
class Graded:
    """What the forgers got that spoil numbers in these ways, which cases they were asked, and what each check is worth."""

    results: dict[str, ExerciseResult]
    asked: set[bytes]
    worths: Mapping[str, Worth]


def graded(exercise: Exercise, seed: int, ways: Iterable[str], by_heart: frozenset[bytes] = frozenset()) -> Graded:
    judge, asked = Judge(COURSE, "none", seed, [exercise.id]), set[bytes]()

    def ask(attempt: LocalProcess, question: Question) -> Any:
        forger = Forger(judge.expected(judge.kits[exercise.id]), SPOILT[attempt.text.removeprefix("# ")], by_heart)
        reply = forger.answer(question)
        asked.update(forger.asked)
        return wire.copied(reply)

    submissions = [
        Submission(way, {exercise.id: SourceFile(exercise.id, exercise.file_name, f"# {way}".encode())}, ())
        for way in ways
    ]
    records: list[Record] = []
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(LocalProcess, "ask", ask)
        patches.setattr(Session, "diagnosis", lambda self: [])  # takes longest, and gives nobody points
        judge.grade(submissions, records.append)
    results = {record.submission: each for record in records for each in record.exercises if each.id == exercise.id}
    return Graded(results, asked, {each.name: each.worth for each in judge.kits[exercise.id].checks})


@cache
def gain_of(id: str) -> Gain:
    exercise = COURSE.exercise(id)
    one, other = (graded(exercise, seed, ["zeros"]).asked for seed in OTHER_SEEDS)
    final = graded(exercise, SEED, SPOILT, frozenset(one & other))
    gain = Gain()
    for way, result in final.results.items():
        gain.faults += [f"{c.name}: {c.message}" for c in result.checks if c.outcome == "error"]
        if way not in AS_GOOD.get(exercise.id, ()):
            gain.statuses.add(result.status)
            gain.passed_checks |= {c.name for c in result.checks if c.outcome == "passed"}
    roles = {"main", "behaviour"}
    if all(name in gain.passed_checks for name, worth in final.worths.items() if worth.role == "main"):
        roles.add("manners")
    counting = [worth for name, worth in final.worths.items() if name in gain.passed_checks and worth.role in roles]
    gain.points = math.fsum(worth.points for worth in counting)
    return gain


EXERCISES = [
    pytest.param(exercise, id=exercise.id, marks=() if exercise.id in FIRST else pytest.mark.thorough)
    for exercise in COURSE.exercises
]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_without_right_numbers_there_is_no_more_than_a_fifth(exercise: Exercise) -> None:
    gain = gain_of(exercise.id)
    assert not gain.faults
    assert gain.points <= MOST_SHARE * exercise.points + POINTS_TOLERANCE, sorted(gain.passed_checks)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_nothing_is_passed_without_right_numbers(exercise: Exercise) -> None:
    assert gain_of(exercise.id).statuses == {"failed"}
