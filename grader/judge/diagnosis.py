"""Which known mistake gives exactly what the learner's code gave?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from .alike import same_answers
from .answers import Answers
from .case import Question
from .expected import GivesAnswers, KnowsAnswers
from .learner import Exchange
from .mistakes import Mistake
from .pairs import two_mistakes
from .reading import Reading, read_from

RIGHT_TELLS_LESS = 10
"""A right answer rules out fewer mistakes than a wrong one."""
MOST_EFFORT = 40_000
"""Of asking mistakes that explain a part of what is wrong, in steps as cases count them: some seconds of training."""


@dataclass(frozen=True)
class CheckedExchanges:
    """What was asked in one check, whether the check passed, and whether it is about the exercise's main thing."""

    name: str
    passed: bool
    is_main: bool
    exchanges: Sequence[Exchange | Reading]


def diagnose(checks: Sequence[CheckedExchanges], expected: KnowsAnswers) -> list[Mistake]:
    """Name the mistakes that reproduce the learner's answers in the failed checks, the best match first.

    A mistake explains a failed check when it gives the learner's answers to all that was asked there, and the reference
    does not. Of several the one is taken that explains most checks and contradicts fewest of the others; one that
    contradicts any must explain a main check, else it is only alike by chance. What is read from a learner's own
    numbers plays a part only where the known mistakes can be asked: not with a plan.
    """
    if all(check.passed for check in checks):
        return []
    if expected.is_plan:
        checks = [replace(check, exchanges=_without_readings(check.exchanges)) for check in checks]
    weighed = [_Weighed.of(check, expected) for check in checks if check.exchanges]
    failed = {check.name: check for check in weighed if not check.passed and check.is_wrong}
    if not failed:
        return []
    if whole := _whole_explanation(expected, weighed):
        return [whole]
    if both := two_mistakes(expected, [check.cases for check in weighed]):
        return both
    scores, effort = [], _Effort()
    for mistake, module in expected.mistakes:
        score = _score(mistake, module, weighed, failed, effort)
        if effort.is_too_much:
            break
        if score is not None:
            scores.append(score)
    if effort.is_too_much:  # a better match may not have been looked at: only what nothing speaks against is named
        scores = [score for score in scores if not score.contradicts]
    found: list[Mistake] = []
    open_checks = set(failed)
    while open_checks:
        best = max(scores, key=lambda score: (len(score.explains & open_checks), -score.contradicts), default=None)
        if best is None or not best.explains & open_checks:
            break
        if best.contradicts == 0 or (not found and any(failed[name].is_main for name in best.explains)):
            found.append(best.mistake)
        open_checks -= best.explains
    return found


def _without_readings(exchanges: Sequence[Exchange | Reading]) -> list[Exchange]:
    return [each for each in exchanges if isinstance(each, Exchange)]


def _whole_explanation(expected: KnowsAnswers, weighed: Sequence[_Weighed]) -> Mistake | None:
    """The first mistake that explains every failed check and contradicts none: nothing can be a better match.

    It gives all of the learner's answers. So each is tried on what takes least first, and on what is wrong before what
    is right: most mistakes are ruled out there.
    """
    cases = sorted((case for check in weighed for case in check.cases), key=lambda case: case.effort())
    for mistake, module in expected.mistakes:
        if all(case.is_given_by(module) for case in cases):
            return mistake
    return None


class _Compared(Protocol):
    """Something that the learner's code said, to be compared with what a known mistake says."""

    @property
    def is_wrong(self) -> bool: ...

    @property
    def is_error(self) -> bool: ...

    def effort(self) -> int: ...

    def is_given_by(self, module: GivesAnswers) -> bool: ...

    def is_right_with(self, module: GivesAnswers, expected: KnowsAnswers) -> bool: ...


@dataclass(frozen=True)
class _Answered:
    """One case of a check: what the learner answered, and whether that is wrong."""

    question: Question
    number: int
    came: Answers
    is_wrong: bool

    @property
    def is_error(self) -> bool:
        return self.came.error is not None

    def effort(self) -> int:
        """How much there is to do for an answer, in steps, and more for one that tells less."""
        return self.question.cases[self.number].effort * (1 if self.is_wrong else RIGHT_TELLS_LESS)

    def is_given_by(self, module: GivesAnswers) -> bool:
        return module.gives(self.came, self.question, self.number)

    def is_right_with(self, module: GivesAnswers, expected: KnowsAnswers) -> bool:
        """Whether a known mistake gives here what the reference gives."""
        return module.gives(expected.due(self.question)[self.number], self.question, self.number)


@dataclass(frozen=True)
class _Read:
    """What was read from a talk with the learner's code, and whether that is wrong."""

    reading: Reading
    is_wrong: bool

    @property
    def is_error(self) -> bool:
        return "error" in self.reading.came

    def effort(self) -> int:
        """As of an answer."""
        return self.reading.effort * (1 if self.is_wrong else RIGHT_TELLS_LESS)

    def is_given_by(self, module: GivesAnswers) -> bool:
        return module.gives_reading(self.reading)

    def is_right_with(self, module: GivesAnswers, expected: KnowsAnswers) -> bool:
        """Whether from a known mistake is read what is read from the reference."""
        due = read_from(self.reading.talk, expected.due)
        return module.gives_reading(replace(self.reading, came=due))


@dataclass(frozen=True)
class _Weighed:
    """A check with its cases, the wrong ones first: most mistakes are ruled out by the first of them."""

    name: str
    passed: bool
    is_main: bool
    cases: tuple[_Compared, ...]

    @classmethod
    def of(cls, check: CheckedExchanges, expected: KnowsAnswers) -> _Weighed:
        cases: list[_Compared] = []
        for exchange in check.exchanges:
            if isinstance(exchange, Reading):
                is_wrong = not check.passed and read_from(exchange.talk, expected.due) != exchange.came
                cases.append(_Read(exchange, is_wrong))
                continue
            due = expected.due(exchange.question)
            for number, (came, right) in enumerate(zip(exchange.answers, due, strict=True)):
                is_wrong = not same_answers(came, right)
                cases.append(_Answered(exchange.question, number, came, is_wrong))
        cases.sort(key=lambda case: not case.is_wrong)
        return cls(check.name, check.passed, check.is_main, tuple(cases))

    @property
    def is_wrong(self) -> bool:
        return self.cases[0].is_wrong

    @property
    def has_wrong_values(self) -> bool:
        return any(case.is_wrong and not case.is_error for case in self.cases)


@dataclass
class _Effort:
    """What has been asked of known mistakes, counted alike whether or not the answers are kept: so the same answers get
    the same names, whoever came before."""

    spent: int = 0

    @property
    def is_too_much(self) -> bool:
        return self.spent > MOST_EFFORT

    def is_given_by(self, module: GivesAnswers, check: _Weighed) -> bool:
        """Whether a known mistake gives all that the learner's code said in a check; no, when it is too much to ask."""
        for case in check.cases:
            self.spent += case.effort()
            if self.is_too_much or not case.is_given_by(module):
                return False
        return True


@dataclass(frozen=True)
class _Score:
    mistake: Mistake
    explains: frozenset[str]
    contradicts: int


def _score(
    mistake: Mistake,
    module: GivesAnswers,
    weighed: Sequence[_Weighed],
    failed: Mapping[str, _Weighed],
    effort: _Effort,
) -> _Score | None:
    explains = {name for name, check in failed.items() if effort.is_given_by(module, check)}
    if not explains:
        return None
    contradicts = sum(check.name not in explains and not effort.is_given_by(module, check) for check in weighed)
    if contradicts:
        # wrong numbers are as good as a fingerprint; that both end in the same kind of error may be chance
        explains = {name for name in explains if failed[name].has_wrong_values}
    return _Score(mistake, frozenset(explains), contradicts) if explains else None
