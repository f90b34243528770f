"""A class to grade: every learner hands in every exercise, most answers right, each written in one of several ways.

Of two kinds: `written`, as learners write them, where many answers are the reference's own to the last bit; and
`unlike`, where no two learners' numbers agree in their last bits, so that nothing can be recognised at a glance.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.course import Course, Exercise
from grader.judge.alternatives import load_alternatives
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

TO_THE_BIT = ("attention_dropout", "split_heads", "merge_heads", "combine_heads")
"""Here a check demands numbers as they are: they are handed on and not computed, and have no last bits of their own."""

Kind = Literal["written", "unlike"]
MOST_UNLIKE = 40
"""Factors near 1 that differ in float32 and move no answer by more than a quarter of what rounding may."""

UNLIKE = """

import torch as _torch

_FACTOR = 1 + {step} * 2**-23


def _moved(value):
    if isinstance(value, _torch.Tensor) and value.is_floating_point():
        return value * _FACTOR
    return type(value)(map(_moved, value)) if type(value) in (tuple, list) else value


def _moving(call):
    return lambda *given, **named: _moved(call(*given, **named))


for _name in {entries!r}:
    _found = globals().get(_name)
    if hasattr(_found, "forward"):
        _found.forward = _moving(_found.forward)
    elif callable(_found) and not isinstance(_found, type):
        globals()[_name] = _moving(_found)
"""
"""Put behind an answer, this moves the last bits of all that it returns."""


@dataclass(frozen=True)
class HandIn:
    """What one learner hands in: sources by exercise."""

    learner: str
    sources: dict[str, str]


def class_of(course: Course, exercises: Sequence[Exercise], count: int, kind: Kind = "written") -> list[HandIn]:
    """So many learners, the same for the same exercises: a larger class begins with the smaller one."""
    if kind == "unlike" and count > MOST_UNLIKE:
        raise SystemExit(f"No more than {MOST_UNLIKE} learners can have answers that are all unlike.")
    pools = {exercise.id: (_right(course, exercise), _wrong(course, exercise)) for exercise in exercises}
    hand_ins = [_hand_in(number, pools) for number in range(count)]
    return hand_ins if kind == "written" else [_unlike(each, n, exercises) for n, each in enumerate(hand_ins)]


def _unlike(hand_in: HandIn, number: int, exercises: Sequence[Exercise]) -> HandIn:
    """The same answers with other last bits. A repair stays as it is: a longer file would be no repair."""
    step = (number // 2 + 1) * (1 if number % 2 else -1)
    sources = dict(hand_in.sources)
    for exercise in exercises:
        if exercise.kind != "debug" and exercise.id not in TO_THE_BIT:
            sources[exercise.id] += UNLIKE.format(step=step, entries=exercise.entry_points)
    return HandIn(hand_in.learner, sources)


def _hand_in(number: int, pools: dict[str, tuple[list[str], list[str]]]) -> HandIn:
    """Each source ends with the learner's name: ours would not run the very same file a second time."""
    learner, chance = f"learner{number:04d}", random.Random(f"{CLASS_SEED} {number}")
    chosen = {
        id: chance.choice(wrong if chance.random() < SHARE_OF_WRONG else right) for id, (right, wrong) in pools.items()
    }
    return HandIn(learner, {id: f"{source}\n# {learner}\n" for id, source in chosen.items()})


def _right(course: Course, exercise: Exercise) -> list[str]:
    reference = course.solution_path(exercise).read_text(encoding="utf-8")
    return [reference, *load_alternatives(course, exercise).values()]


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
