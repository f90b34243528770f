"""Finds the known mistakes that give exactly what the learner's code gave: one, the best of several, or two together.

All of it has one budget, counted in steps of the cases that known mistakes are asked. An answer that is cached costs
the same, so that a record is the same whoever was graded before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from .answers import Answers, Exchange, Reading, read_from, same_answers
from .bank import Mistake
from .case import Question
from .expected import Expected, GivesAnswers

MOST_STEPS = 100_000
"""The budget: some seconds where nothing is cached, and then far less."""
STEPS_OF_A_PAIR = 50
"""Two mistakes have to be combined, compiled and loaded before they are asked."""
STEPS_WITHOUT_A_SIGN = 25_000
"""What is left for pairs where no mistake gives any of the wrong numbers: then two together seldom give all of them."""
MOST_PROBES = 6
MOST_FURTHER_CASES = 24
"""How many further cases are tried, for mistakes that show in few: only in float64, say."""
MOST_EFFORT_OF_A_CASE = 500
"""In steps. If any case needs more (it trains a model), pairs are not tried."""
RIGHT_TELLS_LESS = 10
"""Weight of right answers: they rule out fewer mistakes than wrong ones."""


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
    weighed = [
        _Weighed(
            check.name,
            check.passed,
            check.is_main,
            tuple(sorted(_compared(check, expected), key=lambda case: not case.is_wrong)),
        )
        for check in checks
        if check.exchanges
    ]
    if not any(check.is_failed for check in weighed):
        return []
    return _Naming(expected, weighed).named()


def _without_readings(exchanges: Sequence[Exchange | Reading]) -> list[Exchange]:
    return [each for each in exchanges if isinstance(each, Exchange)]


# --- what a learner's code answered -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Compared:
    """Something that the learner's code answered, to be compared with a known mistake's answer.

    effort: cost of the comparison in steps, weighted up for right answers, which rule out less.
    is_given_by: whether a known mistake gives the same. is_right_with: whether it gives the reference's answer here.
    """

    is_wrong: bool
    is_error: bool
    effort: int
    is_given_by: Callable[[GivesAnswers], bool]
    is_right_with: Callable[[GivesAnswers], bool]


def _compared(check: CheckedExchanges, expected: Expected) -> Iterator[_Compared]:
    for each in check.exchanges:
        yield from [_reading(each, check, expected)] if isinstance(each, Reading) else _answers(each, expected)


def _reading(reading: Reading, check: CheckedExchanges, expected: Expected) -> _Compared:
    def is_right_with(module: GivesAnswers) -> bool:
        return module.gives_reading(replace(reading, came=read_from(reading.talk, expected.answers_to)))

    is_wrong = not check.passed and read_from(reading.talk, expected.answers_to) != reading.came
    effort = reading.effort * (1 if is_wrong else RIGHT_TELLS_LESS)
    return _Compared(
        is_wrong, "error" in reading.came, effort, lambda module: module.gives_reading(reading), is_right_with
    )


def _answers(exchange: Exchange, expected: Expected) -> Iterator[_Compared]:
    question = exchange.question
    for number, (came, right) in enumerate(zip(exchange.answers, expected.answers_to(question), strict=True)):
        is_wrong = not same_answers(came, right)
        effort = question.cases[number].effort * (1 if is_wrong else RIGHT_TELLS_LESS)
        gives = [partial(_gives, answer, question, number) for answer in (came, right)]
        yield _Compared(is_wrong, came.error is not None, effort, *gives)


def _gives(answer: Answers, question: Question, number: int, module: GivesAnswers) -> bool:
    return module.gives(answer, question, number)


@dataclass(frozen=True)
class _Weighed:
    """A check with what was answered, wrong answers first: these rule out most mistakes."""

    name: str
    passed: bool
    is_main: bool
    cases: tuple[_Compared, ...]

    @property
    def is_failed(self) -> bool:
        """Whether it failed, by an answer that is wrong."""
        return not self.passed and self.cases[0].is_wrong

    @property
    def has_wrong_values(self) -> bool:
        return any(case.is_wrong and not case.is_error for case in self.cases)


# --- naming it --------------------------------------------------------------------------------------------------------


class _Spent(Exception):
    """The budget is used up."""


@dataclass(frozen=True)
class _Score:
    mistake: Mistake
    explains: frozenset[str]
    contradicts: int


@dataclass(frozen=True)
class _Suspect:
    place: int
    mistake: Mistake
    changed: int
    """Bit mask of the wrong probes that this mistake changes."""


class _Naming:
    """Looks for the mistakes of one learner's answers, within the budget."""

    def __init__(self, expected: Expected, checks: Sequence[_Weighed]) -> None:
        self._expected = expected
        self._checks = checks
        self._failed = {check.name: check for check in checks if check.is_failed}
        # cheap cases first, and wrong ones before right ones, since these rule out most mistakes
        self._cases = sorted((case for check in checks for case in check.cases), key=lambda case: case.effort)
        self._left = MOST_STEPS
        self._is_partly_known = False
        """Whether any mistake gave any of the wrong numbers."""

    def named(self) -> list[Mistake]:
        """The mistakes, the best match first."""
        scores: list[_Score] = []
        try:
            if whole := self._whole_explanation():
                return [whole]
            for mistake, module in self._expected.mistakes:
                scores += self._score(mistake, module)
        except _Spent:  # a better match may not have been tried: name only those that nothing contradicts
            return self._best([score for score in scores if not score.contradicts])
        try:
            return self._two_mistakes() or self._best(scores)
        except _Spent:
            return self._best(scores)

    def _spend(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise _Spent

    def _gives(self, module: GivesAnswers, cases: Sequence[_Compared]) -> bool:
        """Whether a known mistake gives all of the learner's answers in these cases."""
        for case in cases:
            self._spend(case.effort)
            if not case.is_given_by(module):
                return False
            self._is_partly_known |= case.is_wrong and not case.is_error
        return True

    def _is_right(self, module: GivesAnswers, case: _Compared) -> bool:
        self._spend(case.effort)
        return case.is_right_with(module)

    # --- one mistake, or several that each explain a part ------------------------------------------------------------

    def _whole_explanation(self) -> Mistake | None:
        """The first mistake that explains every failed check and contradicts none: no match can be better."""
        found = (mistake for mistake, module in self._expected.mistakes if self._gives(module, self._cases))
        return next(found, None)

    def _score(self, mistake: Mistake, module: GivesAnswers) -> list[_Score]:
        """What one mistake explains; none if that is nothing, or if it would be wrong where the learner is right."""
        explains = {name for name, check in self._failed.items() if self._gives(module, check.cases)}
        if not explains:
            return []
        others = [check for check in self._checks if check.name not in explains]
        contradicts = sum(not self._gives(module, check.cases) for check in others)
        if contradicts:
            if not self._gives(module, [case for case in self._cases if not case.is_wrong]):
                return []
            # wrong numbers are as good as a fingerprint; that both end in the same kind of error may be chance
            explains = {name for name in explains if self._failed[name].has_wrong_values}
        return [_Score(mistake, frozenset(explains), contradicts)] if explains else []

    def _best(self, scores: Sequence[_Score]) -> list[Mistake]:
        found: list[Mistake] = []
        open_checks = set(self._failed)
        while open_checks:
            best = max(scores, key=lambda score: (len(score.explains & open_checks), -score.contradicts), default=None)
            if best is None or not best.explains & open_checks:
                break
            if best.contradicts == 0 or (not found and any(self._failed[name].is_main for name in best.explains)):
                found.append(best.mistake)
            open_checks -= best.explains
        return found

    # --- two at once --------------------------------------------------------------------------------------------------

    def _two_mistakes(self) -> list[Mistake]:
        """The two mistakes that together explain every case; of several pairs, their common part.

        Mistakes that change none of the wrong cases, or any of the right ones, are ruled out first. Each remaining pair
        is combined into one file, if its edits are compatible, and asked like any mistake.
        """
        wrong = [_cheapest(check.cases, lambda case: case.is_wrong and not case.is_error) for check in self._checks]
        probes = [case for case in wrong if case is not None][:MOST_PROBES]
        if self._expected.is_plan or not probes or self._cases[-1].effort > MOST_EFFORT_OF_A_CASE:
            return []
        chosen = {id(case) for case in probes}
        further = [case for case in self._cases if case.is_wrong and id(case) not in chosen][:MOST_FURTHER_CASES]
        if not self._is_partly_known and not self._gives_any(further[:MOST_PROBES]):
            self._left = min(self._left, STEPS_WITHOUT_A_SIGN)
        suspects = self._suspects(probes, further)
        everything = (1 << len(probes)) - 1
        pairs = [(one, other) for one, other in combinations(suspects, 2) if one.changed | other.changed == everything]
        pairs.sort(key=lambda pair: pair[0].place + pair[1].place)
        found = []
        with suppress(_Spent):  # the commoner mistakes come first in a bank, so what is found until then is likely
            for one, other in pairs:
                self._spend(STEPS_OF_A_PAIR)
                module = self._expected.pair(one.place, other.place)
                if module is not None and self._gives(module, [*probes, *self._cases]):
                    found.append((one.mistake, other.mistake))
        return [mistake for mistake in found[0] if all(mistake in pair for pair in found)] if found else []

    def _gives_any(self, cases: Sequence[_Compared]) -> bool:
        return any(self._gives(module, [case]) for case in cases for _, module in self._expected.mistakes)

    def _suspects(self, probes: Sequence[_Compared], further: Sequence[_Compared]) -> list[_Suspect]:
        right = [case for case in self._cases if not case.is_wrong][:MOST_PROBES]
        found = []
        for place, (mistake, module) in enumerate(self._expected.mistakes):
            if mistake.source or mistake.same_as:
                continue
            changed = sum(1 << bit for bit, case in enumerate(probes) if not self._is_right(module, case))
            shows = changed or any(not self._is_right(module, case) for case in further)
            if shows and all(self._is_right(module, case) for case in right):
                found.append(_Suspect(place, mistake, changed))
        return found


def _cheapest(cases: Sequence[_Compared], fits: Callable[[_Compared], bool]) -> _Compared | None:
    return min((case for case in cases if fits(case)), key=lambda case: case.effort, default=None)
