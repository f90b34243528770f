"""The expected answers of one exercise, read from a plan file: a learner's bundle has it in place of the reference.

`Kept` has the interface of `Expected`, without reference and mistakes. `packed_expected` writes what it reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import torch

from grader.sandbox.inside import wire

from .answers import Answers, Reading, same_answers
from .case import Question
from .draw import COMMON, Draw, Kind
from .expected import GivesAnswers, NotInPlan
from .fingerprint import has_fingerprint
from .mistakes import Mistake
from .plan import DrawnBefore, PlannedCheck
from .plan_file import AS_REFERENCE, KnownMistake, PlanFile


def packed_expected(expected: Sequence[Answers], slack: Sequence[Answers]) -> bytes:
    """Pack the answers to one question for the file; of each tensor's slack only the largest number is stored."""
    told = [
        [dict(each.values), each.error, _largest(dict(moved.values))]
        for each, moved in zip(expected, slack, strict=True)
    ]
    return wire.pack(told, wire.TRUSTED_BYTES)


def _largest(slack: Any) -> Any:
    if isinstance(slack, torch.Tensor):
        return float(slack.max()) if slack.numel() else 0.0
    if isinstance(slack, dict):
        return {key: _largest(each) for key, each in slack.items()}
    if isinstance(slack, (list, tuple)):
        return [_largest(each) for each in slack]
    return slack


def _spread(largest: Any, expected: Any) -> Any:
    """Expand stored slack to the structure of the expected answers."""
    if isinstance(expected, torch.Tensor):
        return None if largest is None else torch.tensor(largest, dtype=torch.float64).expand(expected.shape)
    if isinstance(expected, Mapping) and isinstance(largest, Mapping):
        return {key: _spread(largest.get(key), each) for key, each in expected.items()}
    if isinstance(expected, (list, tuple)) and isinstance(largest, (list, tuple)) and len(expected) == len(largest):
        return [_spread(one, other) for one, other in zip(largest, expected, strict=True)]
    return None


BELOW_ONE = 1 - 2**-24
"""The largest float32 below 1: rounding must not turn a uniform number into 1."""

MANY_NUMBERS = 2048
"""Normal numbers drawn in batches of at least this size are stored as float16: else they would be most of a bundle."""

BITS_LEFT_OUT = 8
"""Of the 24 that a float32 has: with 16 bits, a normal number still differs from what float16 makes of it."""


def shortened(numbers: torch.Tensor, kind: Kind) -> torch.Tensor:
    """Drawn numbers at the reduced precision of plans."""
    if kind == "uniform":  # checks make choices with these, and rounding must not change a choice
        return numbers.float().clamp(max=BELOW_ONE).double()
    if kind == "normal":
        return (numbers.half() if numbers.numel() >= MANY_NUMBERS else _fewer_bits(numbers.float())).double()
    return numbers


def _fewer_bits(numbers: torch.Tensor) -> torch.Tensor:
    """float32 rounded to the bits that are kept; the last byte of each is zero."""
    step = 1 << BITS_LEFT_OUT
    return ((numbers.view(torch.int32) + step // 2) & -step).view(torch.float32)


class Kept:
    """A plan's knowledge of an exercise. Raises NotInPlan for everything else."""

    is_plan = True

    def __init__(self, plan: PlanFile) -> None:
        self._plan = plan
        self._read: dict[str, tuple[list[Answers], list[Answers]]] = {}

    def draw(self, seed: int, exercise: str, check: str) -> Draw:
        """The inputs of one check, or those that all checks share. Beyond the plan, numbers are drawn as usual."""
        kept = self._plan.draws.get(check)
        known = PlannedCheck(check, is_visible=False)
        if kept is not None:
            known.drawn, known.shapes = kept.drawn, dict(kept.shapes)
        return DrawnBefore(known, lambda: _WithoutReference(self, seed, exercise, check))

    def answers_to(self, question: Question) -> list[Answers]:
        """The reference's answers."""
        return self._answers(question)[0]

    def slack(self, question: Question) -> list[Answers]:
        """How far rounding alone may move them."""
        return self._answers(question)[1]

    def _answers(self, question: Question) -> tuple[list[Answers], list[Answers]]:
        digest = question.digest.hex()
        if digest not in self._read:
            if digest not in self._plan.expected:
                raise NotInPlan("this bundle has no answer to what is asked here")
            told = wire.unpack_frame(self._plan.expected[digest])
            self._read[digest] = (
                [Answers(values, error) for values, error, _ in told],
                [Answers(_spread(largest, values)) for values, _, largest in told],
            )
        return self._read[digest]

    @cached_property
    def mistakes(self) -> tuple[tuple[Mistake, GivesAnswers], ...]:
        """The known mistakes by name, with their stored fingerprints."""
        return tuple(
            (Mistake(each.id, each.message, caught_by=""), _KeptMistake(each, self)) for each in self._plan.mistakes
        )

    def pair(self, one: int, other: int) -> GivesAnswers | None:
        """Always None: a plan has no pairs."""
        return None

    def gives(self, mistake: KnownMistake, came: Answers, question: Question, number: int) -> bool:
        """Whether an answer is a mistake's. Raises NotInPlan for a question that the mistake was not asked."""
        places = mistake.answers.get(question.digest.hex())
        if places is None:
            raise NotInPlan("this bundle does not know what the known mistakes answer here")
        place = places[number]
        if place == AS_REFERENCE:
            return same_answers(came, self.answers_to(question)[number])
        return has_fingerprint(came, self._plan.prints[place])


class _KeptMistake:
    def __init__(self, mistake: KnownMistake, kept: Kept) -> None:
        self._mistake = mistake
        self._kept = kept

    def gives(self, came: Answers, question: Question, number: int) -> bool:
        return self._kept.gives(self._mistake, came, question, number)

    def gives_reading(self, reading: Reading) -> bool:
        raise NotInPlan("this bundle does not know what is read from the known mistakes")


class _WithoutReference(Draw):
    """Draws as the plan's maker did, but cannot ask the reference for shapes."""

    def __init__(self, kept: Kept, seed: int, exercise: str, check: str) -> None:
        super().__init__(seed, exercise, check, {})
        self._kept = kept

    def common(self) -> Draw:
        return self._kept.draw(*self._of, COMMON)

    def _numbers(self, kind: Kind, *sizes: int) -> torch.Tensor:
        return shortened(super()._numbers(kind, *sizes), kind)

    def _shapes(self, entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
        raise NotInPlan(f"this bundle does not know the parameters of {entry}")
