"""What the visible checks of a learner's bundle ask with and expect: numbers that were written down for them.

A bundle holds no reference solution. When it is made, the visible checks are tried with the reference there, and what
was drawn and what was due is kept. Here it is read back, so that a comparison says the same as in the whole course.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import torch

from grader.sandbox.inside import wire

from .answers import Answers
from .case import Question
from .draw import Draw, Kind
from .errors import GraderBroken
from .trusted import Expected


class NotRecorded(GraderBroken):
    """A check asks for a number that nobody wrote down."""


@dataclass
class Numbers:
    """All that was written down for the visible checks of one exercise.

    `drawn` and `shapes` are by check and by what was asked for; `due` and `slack` by the question's digest, a list with
    one mapping a case (None for a case whose slack is nobody's business, as the reference ends with an error there).
    """

    drawn: dict[str, torch.Tensor] = field(default_factory=dict)
    shapes: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    due: dict[str, list[Any]] = field(default_factory=dict)
    slack: dict[str, list[Any]] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The numbers as a file, the same bytes for the same numbers whatever came first."""
        told = {name: dict(sorted(part.items())) for name, part in vars(self).items()}
        return wire.pack(told, wire.TRUSTED_BYTES)

    @classmethod
    def read(cls, path: Path) -> Numbers:
        """Read such a file. Raises GraderBroken when it is damaged, OSError when it is not there."""
        content = path.read_bytes()
        try:
            return cls(**wire.unpack_frame(content))
        except Exception as error:  # of the format, of struct for a file that is cut short, of the wrong fields
            raise GraderBroken(f"{path.name} is damaged: unzip the bundle again") from error


def key_of_numbers(check: str, kind: Kind, sizes: Sequence[int], number: int) -> str:
    """Under which key the numbers are kept that a check draws so for the nth time."""
    return f"{check} {kind} {'x'.join(map(str, sizes))} {number}"


def key_of_shapes(entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    """Under which key the shapes are kept of the parameters of a class that is made with these arguments."""
    given = [*map(repr, init), *(f"{name}={value!r}" for name, value in sorted(keywords.items()))]
    return f"{entry}({', '.join(given)})"


class Recorded:
    """What is due for one exercise of a bundle: a stand-in for `Expected`, without reference and mistakes."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers

    def draw(self, seed: int, exercise: str, check: str) -> Draw:
        """The inputs of one check; they are always the same, whatever the seed."""
        return _Redrawn(self.numbers, check)

    def due(self, question: Question) -> list[Answers]:
        """What the reference answered. Raises NotRecorded for a question that nobody asked it."""
        return [Answers(values, error) for values, error in self._kept(self.numbers.due, question)]

    def slack(self, question: Question) -> list[Answers]:
        """How far rounding alone could move it. Raises NotRecorded as `due` does."""
        return [Answers(values) for values in self._kept(self.numbers.slack, question)]

    def _kept(self, kept: Mapping[str, list[Any]], question: Question) -> list[Any]:
        try:
            return kept[question.digest.hex()]
        except KeyError:
            raise NotRecorded("this bundle has no numbers for what is asked here") from None


Due: TypeAlias = Expected | Recorded
"""Whoever knows what is due: the reference itself, or what was written down of it."""


class _Redrawn(Draw):
    """Draws what was drawn when the bundle was made: fresh numbers would ask what nobody knows the answer to."""

    def __init__(self, numbers: Numbers, check: str) -> None:
        super().__init__(0, "", check, {})
        self._recorded = numbers
        self._check = check
        self._count: dict[tuple[Kind, tuple[int, ...]], int] = {}

    def _numbers(self, kind: Kind, *sizes: int) -> torch.Tensor:
        number = self._count[kind, sizes] = self._count.get((kind, sizes), 0) + 1
        try:
            drawn = self._recorded.drawn[key_of_numbers(self._check, kind, sizes, number)]
        except KeyError:
            raise NotRecorded("this bundle has no numbers for what is drawn here") from None
        return drawn.double() if kind in ("normal", "uniform") else drawn

    def _shapes(self, entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
        try:
            return self._recorded.shapes[key_of_shapes(entry, init, keywords)]
        except KeyError:
            raise NotRecorded(f"this bundle does not know the parameters of {entry}") from None
