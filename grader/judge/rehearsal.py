"""Makes the plan of an exercise: each check runs on the reference, and what it draws and asks is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from .answers import Answers, Exchange
from .case import Case, Question
from .checks import CHECK_ERRORS
from .draw import Draw, Kind
from .expected import Expected, TrustedModule
from .faults import CheckFailed
from .learner import LearnerModule
from .plan import Plan, PlannedCheck, PlannedQuestion, key_of_shapes
from .plan_file import read_plan

if TYPE_CHECKING:
    from .checks import Check, Kit


Answering = Callable[[Question], list[Answers]]


def expected_of(kit: Kit, seed: int) -> Expected:
    """What is expected of an exercise with a seed: its plan, made now or read.

    Raises GraderBroken for a plan that is missing, damaged or of another seed.
    """
    if kit.code is None:
        return Expected(read_plan(kit, seed), partial(Draw, seed, kit.exercise.id, reference={}))
    plan = rehearse(kit, seed)
    kit.code.reference.forget()  # the plan has the answers
    return Expected(plan, partial(kit.code.draw, seed, kit.exercise.id), kit.code)


def rehearse(kit: Kit, seed: int, by: Answering | None = None) -> Plan:
    """Run each check on the reference and keep what it asks.

    by: answers in place of the reference, to see what a check asks of others.
    """
    assert kit.code is not None
    expected = Expected(Plan(), partial(kit.code.draw, seed, kit.exercise.id), kit.code)
    return Plan({check.name: _rehearsed(check, expected, kit.stub, by) for check in kit.checks})


def asks_otherwise(plan: Plan, kit: Kit, seed: int, source: str) -> Iterator[tuple[str, int]]:
    """The checks that ask this code something that is not in the plan, and which question it is (from 1).

    A check may stop early, since an answer is wrong.
    """
    by = rehearse(kit, seed, TrustedModule(source, "a trial", remembers=True).answer)
    for name, planned in plan.checks.items():
        known, asked = ([ask.question.digest for ask in each.questions] for each in (planned, by.checks[name]))
        if other := [place for place, digest in enumerate(asked, 1) if digest not in known[place - 1 : place]]:
            yield name, other[0]


def _rehearsed(check: Check, expected: Expected, given: str, by: Answering | None) -> PlannedCheck:
    planned = PlannedCheck(check.name, check.worth.visible, converses=check.worth.converses)
    if planned.converses:
        return planned
    draw = _Recorded(expected.draw(check.name), planned)
    recorder = _Recorder(planned, expected, by)
    learner = LearnerModule(recorder, expected, draw, source=given, given=given, questions=recorder.of)
    try:
        check.run(learner, draw)
        is_bare = all(isinstance(each, Exchange) for each in learner.exchanges) and not learner.looked_at_source
        planned.passes = is_bare and bool(planned.asked) and not any(map(_has_error, planned.questions))
    except CheckFailed:
        pass  # the reference fails its own check: that is reported when the check runs for a learner
    except CHECK_ERRORS as error:
        planned.broken = error
    return planned


def _has_error(asked: PlannedQuestion) -> bool:
    return any(answers.error is not None for answers in asked.answers)


class _Recorder:
    """Makes the questions of a rehearsal, and stands in for the process that answers them."""

    def __init__(self, planned: PlannedCheck, expected: Expected, by: Answering | None) -> None:
        self._planned = planned
        self._expected = expected
        self._by = by

    def of(self, cases: Sequence[Case]) -> Question:
        """The question, written down with the reference's answers; a check may go on changing its cases."""
        question = Question.of([case.copied() for case in cases])
        self._planned.questions.append(PlannedQuestion(question, self._expected.answers_to(question), is_sent=False))
        return question

    def ask(self, question: Question) -> Any:
        """The reply to the question that was made last."""
        asked = self._planned.questions[-1] = replace(self._planned.questions[-1], is_sent=True)
        return (replace(asked, answers=self._by(question)) if self._by else asked).reply


class _Recorded(Draw):
    """Draws and writes down what was drawn."""

    def __init__(self, source: Draw, planned: PlannedCheck) -> None:
        self._source = source
        self._planned = planned

    def common(self) -> Draw:
        return _Recorded(self._source.common(), self._planned)

    def _numbers(self, kind: Kind, *sizes: int) -> torch.Tensor:
        numbers = self._source._numbers(kind, *sizes)
        self._planned.drawn.append((kind, sizes, numbers.clone()))
        return numbers

    def _shapes(self, entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
        shapes = self._source._shapes(entry, init, keywords)
        self._planned.shapes[key_of_shapes(entry, init, keywords)] = {n: list(each) for n, each in shapes.items()}
        return shapes
