"""Finds the case that made a check fail, for a learner who uses a debugger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .answers import Answers, Reading
from .case import OUTPUT, Case
from .compare import difference
from .expected import KnowsAnswers, NotInPlan
from .learner import Exchange
from .shown_case import calls_text, is_wrong, python_name

UNKNOWN = Answers({})
YOURS, EXPECTED = "yours", "expected"
"""The names of the actual and the expected value in the debugger."""


@dataclass(frozen=True)
class CaseAtFault:
    """One case of a check that failed, with actual and expected answers if known."""

    case: Case
    came: Answers = UNKNOWN
    expected: Answers = UNKNOWN

    def calls(self) -> list[str]:
        """The calls as Python code; tensors by their names."""
        return list(calls_text(self.case))

    def inputs(self) -> dict[str, torch.Tensor]:
        """The input tensors, each a copy, by the learner's own parameter names."""
        steps = self.case.steps
        return {python_name(name): steps[slot.number]["value"].clone() for name, slot in self.case.inputs.items()}

    def results(self) -> dict[str, Any]:
        """The actual and expected values, if both are known: of several, the first pair that differs."""
        both = [name for name in self.expected.values if name in self.came.values]
        wrong = (name for name in both if difference(self.came[name], self.expected[name], what=""))
        name = next(wrong, OUTPUT if OUTPUT in both else None)
        return {YOURS: self.came[name], EXPECTED: self.expected[name]} if name else {}

    def values(self) -> dict[str, Any]:
        """All values to show, by name."""
        return {**self.inputs(), **self.results()}


def case_at_fault(exchanges: Sequence[Exchange | Reading], expected: KnowsAnswers) -> CaseAtFault | None:
    """The first case with an answer that differs from the reference's; the last case if none differs."""
    last: CaseAtFault | None = None
    for each in _cases(exchanges, expected):
        if each.came.error is not None or (not each.case.is_random and is_wrong(each.came, each.expected)):
            return each
        last = each
    return last


def _cases(exchanges: Sequence[Exchange | Reading], expected: KnowsAnswers) -> Iterator[CaseAtFault]:
    for exchange in exchanges:
        if isinstance(exchange, Reading):
            continue  # its question was not stored
        question = exchange.question
        try:
            due = expected.answers_to(question)
        except NotInPlan:
            due = [Answers({}) for _ in question.cases]
        for case, came, right in zip(question.cases, exchange.answers, due, strict=True):
            yield CaseAtFault(case, came, right)
