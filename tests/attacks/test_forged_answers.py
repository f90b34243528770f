"""What the claims of a worker are worth that computes nothing, in every check of every exercise.

The answers are handed to the judge without a process: what comes out of a process in another form is refused before.
One worker says at random what answers may be. The others own their host: whatever they can know they say as the
reference would, and every number that they would have to compute is wrong. Each way of being wrong is tried, and the
best of each check taken, as who knows all checks would choose another way for each.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.course import Exercise, load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge, Session
from grader.judge.process import LocalProcess
from grader.judge.questions import Question
from grader.record import POINTS_TOLERANCE, CheckResult, ExerciseResult, Record
from grader.sandbox.inside import wire
from grader.sandbox.worker import Parts
from tests.attacks.forger import SPOILT, Forger, odd_reply

pytestmark = pytest.mark.timeout(900)  # the first test waits for the checks of the whole course

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
FIRST = {unit.exercises[0].id for unit in COURSE.units[::2]}
"""One of every second unit is tried by `make test`."""
MOST_SHARE = 1 / 5
"""Of the points of an exercise, for wrong numbers, whichever they are."""
MOST_POINTS = 8.0
"""Of the whole course, for answers at random: a check that asks for no numbers has nothing but the worker's word. More
than this would have to come from numbers."""
SEED, OTHER_SEEDS = 3, (1, 2)
AS_GOOD: Mapping[str, frozenset[str]] = {"tiny_gpt": frozenset(("enlarged", "moved"))}
"""Where spoilt numbers are right ones: logits may be of any size, and a number added to all of them changes nothing."""

Reply = Callable[[LocalProcess, Question], list[dict[str, Any]]]


def graded(judge: Judge, ids: Sequence[str], names: Sequence[str], reply: Reply) -> dict[str, Record]:
    """The records of files that say what they are called in their only line, and are answered for by `reply`."""
    records: list[Record] = []
    submissions = [
        Submission(name, {id: SourceFile(id, COURSE.exercise(id).file_name, f"# {name}".encode()) for id in ids}, ())
        for name in names
    ]
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(LocalProcess, "reply", lambda attempt, question: packed(reply(attempt, question)))
        if "random" not in names:
            patches.setattr(Session, "diagnosis", lambda self: [])  # takes longest, and gives nobody points
        judge.grade(submissions, records.append)
    return {record.submission: record for record in records}


def packed(reply: list[dict[str, Any]]) -> Parts:
    return wire.parts_of(wire.pack(reply, wire.TRUSTED_BYTES))


def checks_of(record: Record) -> list[CheckResult]:
    return [check for exercise in record.exercises for check in exercise.checks]


@cache
def at_random(exercises: tuple[Exercise, ...]) -> Record:
    """What saying anything gives for these exercises."""
    chance, ids = random.Random(20_261_120), [each.id for each in exercises]
    judge = Judge(COURSE, "none", 5, ids)
    return graded(judge, ids, ["random"], lambda _, question: odd_reply(question, chance))["random"]


@pytest.fixture(
    params=[
        pytest.param(tuple(unit.exercises[0] for unit in COURSE.units), id="the first of each unit"),
        pytest.param(COURSE.exercises, id="whole course", marks=pytest.mark.thorough),
    ]
)
def record(request: pytest.FixtureRequest) -> Record:
    return at_random(request.param)


def test_no_odd_answer_is_the_graders_fault(record: Record) -> None:
    assert not [check for check in checks_of(record) if check.outcome == "error"]


def test_no_exercise_is_passed_by_saying_so(record: Record) -> None:
    assert not [exercise.id for exercise in record.exercises if exercise.status == "passed"]


@pytest.mark.thorough
def test_saying_so_earns_next_to_nothing() -> None:
    record = at_random(COURSE.exercises)
    assert record.points <= MOST_POINTS and record.max_points > 25 * MOST_POINTS


def test_messages_are_bounded(record: Record) -> None:
    assert max(len(check.message) for check in checks_of(record)) < 2500


def by_wrong_numbers(exercise: Exercise) -> tuple[dict[str, ExerciseResult], float]:
    """What came of each way of spoiling numbers, and the points of the checks that any wrong way passes."""
    asked_before = [forged(exercise, seed, ["zeros"], frozenset())[2] for seed in OTHER_SEEDS]
    by_heart = frozenset.intersection(*map(frozenset, asked_before))
    records, judge, _ = forged(exercise, SEED, list(SPOILT), by_heart)
    results = {way: each for way, record in records.items() for each in record.exercises if each.id == exercise.id}
    wrong = [result for way, result in results.items() if way not in AS_GOOD.get(exercise.id, ())]
    passed = {check.name for result in wrong for check in result.checks if check.outcome == "passed"}
    checks = {check.name: check for check in judge.kits[exercise.id].checks}
    roles = {"main", "behaviour"}
    if all(name in passed for name, check in checks.items() if check.role == "main"):
        roles.add("manners")
    points = math.fsum(checks[name].points for name in passed if checks[name].role in roles)
    return results, points


def forged(
    exercise: Exercise, seed: int, ways: Sequence[str], by_heart: frozenset[bytes]
) -> tuple[dict[str, Record], Judge, set[bytes]]:
    """The records of some ways, and the cases that were asked."""
    judge, asked = Judge(COURSE, "none", seed, [exercise.id]), set[bytes]()

    def reply(attempt: LocalProcess, question: Question) -> list[dict[str, Any]]:
        expected = judge.expected(judge.kits[exercise.id])
        forger = Forger(expected, SPOILT[attempt.text.removeprefix("# ")], by_heart)
        answers = forger.answer(question)
        asked.update(forger.asked)
        return answers

    return graded(judge, [exercise.id], ways, reply), judge, asked


@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(each, id=each.id, marks=() if each.id in FIRST else pytest.mark.thorough)
        for each in COURSE.exercises
    ],
)
def test_without_right_numbers_nothing_is_passed_and_there_is_no_more_than_a_fifth(exercise: Exercise) -> None:
    results, points = by_wrong_numbers(exercise)
    assert not [check for result in results.values() for check in result.checks if check.outcome == "error"]
    assert points <= MOST_SHARE * exercise.points + POINTS_TOLERANCE
    as_good = AS_GOOD.get(exercise.id, ())
    assert {result.status for way, result in results.items() if way not in as_good} == {"failed"}
