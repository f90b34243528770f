"""Which of the cases that a check asked is at fault, for a learner who wants to look at it in a debugger."""

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
"""The names under which a debugger has what came and what was expected."""


@dataclass(frozen=True)
class CaseAtFault:
    """One case of a check that failed; what came and what was expected, where that is known."""

    case: Case
    came: Answers = UNKNOWN
    expected: Answers = UNKNOWN

    def calls(self) -> list[str]:
        """What was called, as Python; the tensors by their names."""
        return list(calls_text(self.case))

    def inputs(self) -> dict[str, torch.Tensor]:
        """The tensors that went in, by the learner's own parameter names, each a copy of its own."""
        steps = self.case.steps
        return {python_name(name): steps[slot.number]["value"].clone() for name, slot in self.case.inputs.items()}

    def results(self) -> dict[str, Any]:
        """What came and what was expected, where both are known: the first that differs when there are several."""
        both = [name for name in self.expected.values if name in self.came.values]
        wrong = (name for name in both if difference(self.came[name], self.expected[name], what=""))
        name = next(wrong, OUTPUT if OUTPUT in both else None)
        return {YOURS: self.came[name], EXPECTED: self.expected[name]} if name else {}

    def values(self) -> dict[str, Any]:
        """All there is to look at, by name."""
        return {**self.inputs(), **self.results()}


def case_at_fault(exchanges: Sequence[Exchange | Reading], expected: KnowsAnswers) -> CaseAtFault | None:
    """The first case that was answered otherwise than the reference does; the last of all when none was."""
    last: CaseAtFault | None = None
    for each in _cases(exchanges, expected):
        if each.came.error is not None or (not each.case.is_random and is_wrong(each.came, each.expected)):
            return each
        last = each
    return last


def _cases(exchanges: Sequence[Exchange | Reading], expected: KnowsAnswers) -> Iterator[CaseAtFault]:
    for exchange in exchanges:
        if isinstance(exchange, Reading):
            continue  # what it asked for is not kept
        question = exchange.question
        try:
            due = expected.answers_to(question)
        except NotInPlan:
            due = [Answers({}) for _ in question.cases]
        for case, came, right in zip(question.cases, exchange.answers, due, strict=True):
            yield CaseAtFault(case, came, right)
