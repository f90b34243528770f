"""The author's gate over the real course: every kit is complete and holds, behind the wall, with hidden inputs from one seed."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from grader.authoring.kit import incomplete, misfits, stale_stub
from grader.authoring.verify import Trial, asked_otherwise, prove, trials, wrong_examples
from grader.course import Exercise, load_course
from grader.judge.authoring import Mistake
from grader.judge.grading import Judge
from grader.sandbox.levels import LEVELS, Level

from ..kits.families.some_of import without

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")

# One seed, so that a run can be repeated; `kata verify` takes a fresh one each time, and so does KATA_SEED here.
MINUTES = 15  # on a machine with much else to do
SEED = int(os.environ.get("KATA_SEED", "2026"))
FIRST = [unit.exercises[0] for unit in COURSE.units]
"""One of each unit is proved in part by `make test`; all are proved below and in tests/golden."""
EVERY = 20
"""Of all that proves a kit, the reference, the stub and every twentieth of the rest are a sample."""


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_the_kit_is_complete(exercise):
    assert incomplete(COURSE, exercise) == []
    assert stale_stub(COURSE, exercise) == []


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    """One judge behind the wall for every kit."""
    judge = Judge(COURSE, "full", SEED)
    yield judge
    judge.close()


def sample(exercise: Exercise) -> list[Trial]:
    """A part of what proves a kit: others with another seed."""
    reference, stub, *others = trials(COURSE, exercise)
    return [reference, stub, *others[SEED % EVERY :: EVERY]]


@pytest.mark.timeout(MINUTES * 60)
@pytest.mark.parametrize("exercise", FIRST, ids=lambda exercise: exercise.id)
def test_a_sample_of_a_kit_holds(exercise: Exercise, judge: Judge) -> None:
    assert prove(judge, sample(exercise)) == []


@pytest.mark.thorough
@pytest.mark.timeout(MINUTES * 60)
@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_what_a_kit_says_is_so_and_its_checks_ask_every_answer_the_same(exercise: Exercise, judge: Judge) -> None:
    """What the answers come to is in tests/golden."""
    asked = [problem for trial in trials(COURSE, exercise) for problem in asked_otherwise(judge, trial)]
    assert [*misfits(COURSE, exercise), *wrong_examples(COURSE, exercise), *asked] == []


@pytest.mark.thorough
@pytest.mark.timeout(MINUTES * 60)
@pytest.mark.parametrize("level", LEVELS)
def test_every_reference_passes_in_time_at_every_level(level: Level) -> None:
    with closing(Judge(COURSE, level, SEED)) as judge:
        assert prove(judge, [trials(COURSE, exercise)[0] for exercise in COURSE.exercises]) == []


def test_a_family_is_taken_without_mistakes_that_it_has() -> None:
    family = [Mistake("plus", "It was added."), Mistake("half", "It was halved.")]
    assert without(family, "half") == family[:1]
    with pytest.raises(ValueError, match="without 'hlf': there are only plus, half"):
        without(family, "hlf")
