"""What the program says of known work is what it said when that was frozen. To see how it differs, or to renew it: frozen.py."""

from __future__ import annotations

import pytest

from grader.authoring.verify import Trial
from grader.record import ExerciseResult
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS
from tests.golden.frozen import answers_table, differences, graded_answers

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(2400)]  # three thousand answers
Graded = list[tuple[Trial, ExerciseResult]]


@pytest.fixture(scope="module")
def graded() -> Graded:
    if strongest_level() not in GRADING_LEVELS:
        pytest.skip("this machine cannot isolate submissions")
    return graded_answers()


def test_no_answer_differs(graded: Graded) -> None:  # the attacks are compared where they are graded
    assert not list(differences(answers_table(graded)))


def test_references_and_alternatives_pass_stubs_earn_nothing_and_mistakes_are_caught_and_named(graded: Graded) -> None:
    faults = {(trial.exercise.id, trial.name): trial.faults(result) for trial, result in graded}
    assert {answer: found for answer, found in faults.items() if found} == {}
