"""Makes the plan of an exercise: each check runs on the reference, and what it draws and asks is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .answers import Answers, Exchange
from .case import Case, Question
from .checks import CHECK_ERRORS
from .expected import Expected, TrustedModule
from .faults import CheckFailed
from .learner import LearnerModule
from .plan import Plan, PlannedCheck, PlannedQuestion
from .plan_file import read_plan

if TYPE_CHECKING:
    from .checks import Check, Kit

Answering = Callable[[Question], list[Answers]]


def expected_of(kit: Kit, seed: int) -> Expected:
    """What is expected of an exercise with a seed: its plan, made now or read.

    Raises GraderBroken for a plan that is missing, damaged or of another seed.
    """
    if kit.code is None:
        return Expected(read_plan(kit, seed), seed, kit.exercise.id)
    plan = rehearse(kit, seed)
    kit.code.reference.forget()  # the plan has the answers
    return Expected(plan, seed, kit.exercise.id, kit.code)


def rehearse(kit: Kit, seed: int, by: Answering | None = None) -> Plan:
    """Run each check on the reference and keep what it asks.

    by: answers in place of the reference, to see what a check asks of others.
    """
    expected = Expected(Plan(), seed, kit.exercise.id, kit.code)
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
    draw = expected.draw(check.name)
    planned.drawn = draw.drawn
    learner = LearnerModule(_Recorder(planned, expected, by), expected, draw, source=given, given=given)
    try:
        check.run(learner, draw)
        is_bare = all(isinstance(each, Exchange) for each in learner.exchanges) and not learner.looked_at_source
        has_error = any(answers.error is not None for each in planned.questions for answers in each.answers)
        planned.passes = is_bare and bool(planned.asked) and not has_error
    except CheckFailed:
        pass  # the reference fails its own check: that is reported when the check runs for a learner
    except CHECK_ERRORS as error:
        planned.broken = error
    return planned


class _Recorder:
    """Stands in for the process that answers, and writes down the questions with the reference's answers."""

    def __init__(self, planned: PlannedCheck, expected: Expected, by: Answering | None) -> None:
        self._planned = planned
        self._expected = expected
        self._by = by

    def question(self, cases: Sequence[Case]) -> Question:
        """The question of these cases; a check may go on changing them."""
        question = Question.of([case.copied() for case in cases])
        self._planned.questions.append(PlannedQuestion(question, self._expected.answers_to(question), is_sent=False))
        return question

    def reply(self, question: Question) -> Any:
        """The reply to the question that was made last."""
        asked = self._planned.questions[-1] = replace(self._planned.questions[-1], is_sent=True)
        return (replace(asked, answers=self._by(question)) if self._by else asked).reply
