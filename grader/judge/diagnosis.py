"""Finds the known mistakes that give exactly what the learner's code gave.

Pairs are tried only if no single mistake fits. Mistakes that change none of the wrong cases, or any of the right ones,
are ruled out first; each remaining pair is combined into one file, if its edits are compatible, and asked like any
mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Protocol

from .answers import Answers, Exchange, Reading, read_from, same_answers
from .case import Question
from .expected import Expected, GivesAnswers
from .mistakes import Mistake

MOST_PAIRS = 1000
"""How many pairs are tried, in the order of the bank: a fraction of a second."""
MOST_PROBES = 6
MOST_FURTHER_CASES = 24
"""How many further cases are tried, for mistakes that show in few: only in float64, say."""
MOST_EFFORT_OF_A_CASE = 500
"""In steps. If any case needs more (it trains a model), pairs are not tried."""


class Probe(Protocol):
    """One case that the learner's code was asked."""

    @property
    def is_wrong(self) -> bool: ...

    @property
    def is_error(self) -> bool: ...

    def effort(self) -> int: ...

    def is_given_by(self, module: GivesAnswers) -> bool: ...

    def is_right_with(self, module: GivesAnswers, expected: Expected) -> bool:
        """Whether a known mistake is right in this case."""
        ...


@dataclass(frozen=True)
class _Suspect:
    place: int
    mistake: Mistake
    changed: int
    """Bit mask of the wrong probes that this mistake changes."""


def two_mistakes(expected: Expected, checks: Sequence[Sequence[Probe]]) -> list[Mistake]:
    """The two mistakes that together explain every case of these checks; of several pairs, their common part."""
    cases = sorted((case for check in checks for case in check), key=lambda case: case.effort())
    wrong = [_cheapest(check, lambda case: case.is_wrong and not case.is_error) for check in checks]
    probes = [case for case in wrong if case is not None][:MOST_PROBES]
    if expected.is_plan or not probes or cases[-1].effort() > MOST_EFFORT_OF_A_CASE:
        return []
    right = [case for case in cases if not case.is_wrong][:MOST_PROBES]
    chosen = {id(case) for case in probes}
    further = [case for case in cases if case.is_wrong and id(case) not in chosen][:MOST_FURTHER_CASES]
    suspects = _suspects(expected, probes, further, right)
    everything = (1 << len(probes)) - 1
    pairs = [(one, other) for one, other in combinations(suspects, 2) if one.changed | other.changed == everything]
    pairs.sort(key=lambda pair: pair[0].place + pair[1].place)
    found = []
    for one, other in pairs[:MOST_PAIRS]:
        module = expected.pair(one.place, other.place)
        if module is not None and all(case.is_given_by(module) for case in [*probes, *cases]):
            found.append((one.mistake, other.mistake))
    return [mistake for mistake in found[0] if all(mistake in pair for pair in found)] if found else []


def _cheapest(check: Sequence[Probe], fits: Callable[[Probe], bool]) -> Probe | None:
    return min((case for case in check if fits(case)), key=lambda case: case.effort(), default=None)


def _suspects(
    expected: Expected, probes: Sequence[Probe], further: Sequence[Probe], right: Sequence[Probe]
) -> list[_Suspect]:
    found = []
    for place, (mistake, module) in enumerate(expected.mistakes):
        if mistake.source or mistake.same_as:
            continue
        changed = sum(1 << bit for bit, case in enumerate(probes) if not case.is_right_with(module, expected))
        shows = changed or any(not case.is_right_with(module, expected) for case in further)
        if shows and all(case.is_right_with(module, expected) for case in right):
            found.append(_Suspect(place, mistake, changed))
    return found


RIGHT_TELLS_LESS = 10
"""Weight of right answers: they rule out fewer mistakes than wrong ones."""
MOST_EFFORT = 40_000
"""Limit for asking mistakes that explain only part of the failures, in steps of cases: some seconds of training."""


@dataclass(frozen=True)
class CheckedExchanges:
    """The exchanges of one check, whether it passed, and whether it is a main check of the exercise."""

    name: str
    passed: bool
    is_main: bool
    exchanges: Sequence[Exchange | Reading]


def diagnose(checks: Sequence[CheckedExchanges], expected: Expected) -> list[Mistake]:
    """Name the mistakes that reproduce the learner's answers in the failed checks, the best match first.

    A mistake explains a failed check when it gives all of the learner's answers there, and the reference does not. Of
    several, the one is chosen that explains most checks and contradicts fewest of the others; one that contradicts any
    must explain a main check, else the match counts as chance. Readings are used only where known mistakes can be
    asked: not with a plan.
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
    if effort.is_too_much:  # a better match may not have been tried: name only those that nothing contradicts
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


def _whole_explanation(expected: Expected, weighed: Sequence[_Weighed]) -> Mistake | None:
    """The first mistake that explains every failed check and contradicts none: no match can be better.

    It must give all of the learner's answers. Cheap cases come first, and wrong ones before right ones, since these
    rule out most mistakes.
    """
    cases = sorted((case for check in weighed for case in check.cases), key=lambda case: case.effort())
    for mistake, module in expected.mistakes:
        if all(case.is_given_by(module) for case in cases):
            return mistake
    return None


class _Compared(Protocol):
    """Something that the learner's code answered, to be compared with a known mistake's answer."""

    @property
    def is_wrong(self) -> bool: ...

    @property
    def is_error(self) -> bool: ...

    def effort(self) -> int: ...

    def is_given_by(self, module: GivesAnswers) -> bool: ...

    def is_right_with(self, module: GivesAnswers, expected: Expected) -> bool: ...


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
        """Cost of the comparison in steps, weighted up for right answers, which rule out less."""
        return self.question.cases[self.number].effort * (1 if self.is_wrong else RIGHT_TELLS_LESS)

    def is_given_by(self, module: GivesAnswers) -> bool:
        return module.gives(self.came, self.question, self.number)

    def is_right_with(self, module: GivesAnswers, expected: Expected) -> bool:
        """Whether a known mistake gives the reference's answer here."""
        return module.gives(expected.answers_to(self.question)[self.number], self.question, self.number)


@dataclass(frozen=True)
class _Read:
    """The reading of a talk with the learner's code, and whether it is wrong."""

    reading: Reading
    is_wrong: bool

    @property
    def is_error(self) -> bool:
        return "error" in self.reading.came

    def effort(self) -> int:
        """As for an answer."""
        return self.reading.effort * (1 if self.is_wrong else RIGHT_TELLS_LESS)

    def is_given_by(self, module: GivesAnswers) -> bool:
        return module.gives_reading(self.reading)

    def is_right_with(self, module: GivesAnswers, expected: Expected) -> bool:
        """Whether a known mistake gives the reference's reading here."""
        right = read_from(self.reading.talk, expected.answers_to)
        return module.gives_reading(replace(self.reading, came=right))


@dataclass(frozen=True)
class _Weighed:
    """A check with its cases, wrong ones first: these rule out most mistakes."""

    name: str
    passed: bool
    is_main: bool
    cases: tuple[_Compared, ...]

    @classmethod
    def of(cls, check: CheckedExchanges, expected: Expected) -> _Weighed:
        cases: list[_Compared] = []
        for exchange in check.exchanges:
            if isinstance(exchange, Reading):
                is_wrong = not check.passed and read_from(exchange.talk, expected.answers_to) != exchange.came
                cases.append(_Read(exchange, is_wrong))
                continue
            rights = expected.answers_to(exchange.question)
            for number, (came, right) in enumerate(zip(exchange.answers, rights, strict=True)):
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
    """Cost of asking known mistakes so far.

    Cached answers count too, so that the same answers get the same diagnosis, whoever was graded before.
    """

    spent: int = 0

    @property
    def is_too_much(self) -> bool:
        return self.spent > MOST_EFFORT

    def is_given_by(self, module: GivesAnswers, check: _Weighed) -> bool:
        """Whether a known mistake gives all of the learner's answers in a check; no, once the limit is exceeded."""
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
        if any(not case.is_wrong and not case.is_given_by(module) for check in weighed for case in check.cases):
            return None  # who makes this mistake would be wrong there, and the learner's code is right
        # wrong numbers are as good as a fingerprint; that both end in the same kind of error may be chance
        explains = {name for name in explains if failed[name].has_wrong_values}
    return _Score(mistake, frozenset(explains), contradicts) if explains else None
