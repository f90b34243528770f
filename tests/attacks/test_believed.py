"""What the claims of a worker are worth that computes nothing: for every exercise, no more than a fifth of its points.

The answers are handed to the judge without a process. Each way of being wrong is tried, and the best of each check taken,
as who knows all checks would choose another way for each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.judge.case import Question
from grader.judge.grading import Judge
from grader.judge.process import LocalProcess
from grader.judge.session import Session
from grader.judge.trusted import Expected
from grader.record import POINTS_TOLERANCE, Record
from grader.sandbox.inside import wire
from tests.attacks.forger import SPOILT, Forger

pytestmark = pytest.mark.timeout(900)  # the first test waits for the checks of the whole course, many times over

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
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
    """What the forgers got that spoil numbers in these ways, and which cases they were asked."""

    records: dict[str, Record]
    asked: dict[str, set[bytes]]
    judge: Judge


def graded(seed: int, ways: Iterable[str], by_heart: Mapping[str, frozenset[bytes]]) -> Graded:
    judge, asked = Judge(COURSE, "none", seed), defaultdict[str, set[bytes]](set)

    def ask(attempt: LocalProcess, question: Question, meanwhile: Any = None) -> Any:
        id, way = attempt.exercise.id, attempt.text.removeprefix("# ")
        expected = judge.kits[id].expected(seed)
        assert isinstance(expected, Expected)
        forger = Forger(expected, SPOILT[way], by_heart.get(id, frozenset()))
        reply = forger.answer(question)
        asked[id] |= forger.asked
        return wire.copied(reply)

    submissions = [
        Submission(way, {e.id: SourceFile(e.id, e.file_name, f"# {way}".encode()) for e in COURSE.exercises}, ())
        for way in ways
    ]
    records: list[Record] = []
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(LocalProcess, "ask", ask)
        patches.setattr(Session, "diagnosis", lambda self: [])  # takes longest, and gives nobody points
        judge.grade(submissions, records.append)
    return Graded({record.submission: record for record in records}, asked, judge)


@pytest.fixture(scope="module")
def gains() -> dict[str, Gain]:
    one, other = (graded(seed, ["zeros"], {}).asked for seed in OTHER_SEEDS)
    by_heart = {id: frozenset(one[id] & other[id]) for id in one}
    final = graded(SEED, SPOILT, by_heart)
    gains: dict[str, Gain] = defaultdict(Gain)
    for way, record in final.records.items():
        for exercise in record.exercises:
            gain = gains[exercise.id]
            gain.faults += [f"{c.name}: {c.message}" for c in exercise.checks if c.outcome == "error"]
            if way not in AS_GOOD.get(exercise.id, ()):
                gain.statuses.add(exercise.status)
                gain.passed_checks |= {c.name for c in exercise.checks if c.outcome == "passed"}
    for id, gain in gains.items():
        worths = final.judge.worths[id]
        roles = {"main", "behaviour"}
        if all(name in gain.passed_checks for name, worth in worths.items() if worth.role == "main"):
            roles.add("manners")
        counting = [worth for name, worth in worths.items() if name in gain.passed_checks and worth.role in roles]
        gain.points = math.fsum(worth.points for worth in counting)
    return gains


@pytest.mark.thorough
@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_without_right_numbers_there_is_no_more_than_a_fifth(exercise: Any, gains: dict[str, Gain]) -> None:
    gain = gains[exercise.id]
    assert not gain.faults
    assert gain.points <= MOST_SHARE * exercise.points + POINTS_TOLERANCE, sorted(gain.passed_checks)


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_nothing_is_passed_without_right_numbers(exercise: Any, gains: dict[str, Gain]) -> None:
    assert gains[exercise.id].statuses == {"failed"}
