"""A class to grade: every learner hands in every exercise, most answers right, each written in one of several ways."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, Exercise
from grader.judge.mistakes import load_bank

SHARE_OF_WRONG = 0.15
SIX = (
    "softmax",
    "context_vector",
    "self_attention",
    "causal_attention",
    "multi_head_attention",
    "grouped_query_attention",
)
"""One exercise of each step on the way to grouped-query attention."""
CLASS_SEED = 3


@dataclass(frozen=True)
class HandIn:
    """What one learner hands in: sources by exercise."""

    learner: str
    sources: dict[str, str]


def class_of(course: Course, exercises: Sequence[Exercise], count: int) -> list[HandIn]:
    """So many learners, the same for the same exercises: a larger class begins with the smaller one."""
    pools = {exercise.id: (_right(course, exercise), _wrong(course, exercise)) for exercise in exercises}
    return [_hand_in(number, pools) for number in range(count)]


def _hand_in(number: int, pools: dict[str, tuple[list[str], list[str]]]) -> HandIn:
    """Each source ends with the learner's name: ours would not run the very same file a second time."""
    learner, chance = f"learner{number:04d}", random.Random(f"{CLASS_SEED} {number}")
    chosen = {
        id: chance.choice(wrong if chance.random() < SHARE_OF_WRONG else right) for id, (right, wrong) in pools.items()
    }
    return HandIn(learner, {id: f"{source}\n# {learner}\n" for id, source in chosen.items()})


def _right(course: Course, exercise: Exercise) -> list[str]:
    paths = [course.solution_path(exercise), *sorted(course.alternatives_path(exercise).glob("*.py"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def _wrong(course: Course, exercise: Exercise) -> list[str]:
    reference = course.solution_path(exercise).read_text(encoding="utf-8")
    return [mistake.source_from(reference) for mistake in load_bank(course.mistakes_path(exercise))]


def write_class(folder: Path, hand_ins: Sequence[HandIn]) -> None:
    """One folder a learner, one file an exercise."""
    for hand_in in hand_ins:
        own = folder / hand_in.learner
        own.mkdir(parents=True)
        for id, source in hand_in.sources.items():
            (own / f"{id}.py").write_text(source, encoding="utf-8")
