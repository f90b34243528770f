"""Finds the known mistakes that give exactly what the learner's code gave: one, the best of several, or two together.

All of it has one budget, counted in steps of the cases that known mistakes are asked. An answer that is cached costs
the same, so that a record is the same whoever was graded before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from .bank import Mistake
from .plan import GivesAnswers, Plan
from .questions import Answers, Exchange, Question, Talk, same_answers

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


@dataclass(frozen=True, eq=False)
class _Compared:
    """One answer of the learner's code beside the reference's, to be compared with a known mistake's.

    asked: a case, as a question and its number in that. has_wrong_values: it is wrong, and no error.
    effort: cost of a comparison in steps.
    """

    asked: tuple[Question, int]
    came: Answers
    right: Answers
    is_wrong: bool
    has_wrong_values: bool
    effort: int


def _compared(exchanges: Sequence[Exchange], expected: Plan, has_passed: bool) -> Iterator[_Compared]:
    """Everything that a check was answered."""
    for exchange in exchanges:
        question, answers = exchange.question, exchange.answers
        for number, (case, came) in enumerate(zip(question.cases, answers, strict=True)):
            is_talk = isinstance(case, Talk)
            if is_talk and expected.code is None:
                continue
            right = expected.answers_to(question)[number]
            # in a check that passed, a talk may come to something else
            is_wrong = not (is_talk and has_passed) and not same_answers(came, right)
            effort = case.effort * (1 if is_wrong else RIGHT_TELLS_LESS)
            yield _Compared((question, number), came, right, is_wrong, is_wrong and came.error is None, effort)


class _Spent(Exception):
    """The budget is used up."""


class _Score(NamedTuple):
    """What a mistake explains: names of failed checks; and how many other checks contradict it."""

    mistake: Mistake
    explains: set[str]
    contradicts: int


class Naming:
    """Looks for the mistakes that reproduce a learner's answers in the failed checks, within the budget.

    A mistake explains a failed check when it gives all of the learner's answers there, and the reference does not. Of
    several, the one is chosen that explains most checks and contradicts fewest of the others; one that contradicts any
    must explain a main check, else the match counts as chance. Talks are used only where known mistakes can be
    asked: not with a plan.
    """

    def __init__(self, asked: Mapping[str, Sequence[Exchange]], failed: Mapping[str, bool], expected: Plan) -> None:
        """asked: of each check that ran, by its name. failed: whether each check that failed is a main check."""
        self._expected = expected
        # in a check wrong cases first, in all cheap ones first: wrong ones rule out most mistakes
        cases = {
            name: sorted(_compared(exchanges, expected, name not in failed), key=lambda case: not case.is_wrong)
            for name, exchanges in asked.items()
        }
        self._checks = {name: of for name, of in cases.items() if of}
        self._failed = {name: each for name, each in failed.items() if any(case.is_wrong for case in cases[name])}
        """The checks with wrong answers, and whether each is a main check."""
        self._cases = sorted((case for of in self._checks.values() for case in of), key=lambda case: case.effort)
        self._left = MOST_STEPS
        self._is_partly_known = False
        """Whether any mistake gave any of the wrong numbers."""

    def named(self) -> list[Mistake]:
        """The mistakes, the best match first."""
        scores: list[_Score] = []
        if not self._failed:
            return []
        try:
            for mistake, module in self._expected.mistakes:
                if self._gives(module, self._cases):  # no match can be better
                    return [mistake]
            for mistake, module in self._expected.mistakes:
                scores += self._score(mistake, module)
        except _Spent:  # a better match may not have been tried: name only those that nothing contradicts
            return self._best([score for score in scores if not score.contradicts])
        with suppress(_Spent):
            if both := self._two_mistakes():
                return both
        return self._best(scores)

    def _spend(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise _Spent

    def _gives(self, module: GivesAnswers, cases: Sequence[_Compared]) -> bool:
        """Whether a known mistake gives all of the learner's answers in these cases."""
        for case in cases:
            self._spend(case.effort)
            if not module.gives(case.came, *case.asked):
                return False
            self._is_partly_known |= case.has_wrong_values
        return True

    def _is_right(self, module: GivesAnswers, case: _Compared) -> bool:
        """Whether a known mistake gives the reference's answer in this case."""
        self._spend(case.effort)
        return module.gives(case.right, *case.asked)

    # --- one mistake, or several that each explain a part ------------------------------------------------------------

    def _score(self, mistake: Mistake, module: GivesAnswers) -> list[_Score]:
        """What one mistake explains; none if that is nothing, or if it would be wrong where the learner is right."""
        explains = {name for name in self._failed if self._gives(module, self._checks[name])}
        if not explains:
            return []
        contradicts = sum(not self._gives(module, of) for name, of in self._checks.items() if name not in explains)
        if contradicts:
            if not self._gives(module, [case for case in self._cases if not case.is_wrong]):
                return []
            # wrong numbers are as good as a fingerprint; that both end in the same kind of error may be chance
            explains = {name for name in explains if any(case.has_wrong_values for case in self._checks[name])}
        return [_Score(mistake, explains, contradicts)] if explains else []

    def _best(self, scores: Sequence[_Score]) -> list[Mistake]:
        found: list[Mistake] = []
        left = set(self._failed)
        while scores and left:
            best = max(scores, key=lambda score: (len(score.explains & left), -score.contradicts))
            if not best.explains & left:
                break
            if best.contradicts == 0 or (not found and any(self._failed[name] for name in best.explains)):
                found.append(best.mistake)
            left -= best.explains
        return found

    # --- two at once --------------------------------------------------------------------------------------------------

    def _two_mistakes(self) -> list[Mistake]:
        """The two mistakes that together explain every case; of several pairs, their common part.

        Mistakes that change none of the wrong cases, or any of the right ones, are ruled out first. Each remaining pair
        is combined into one file, if its edits are compatible, and asked like any mistake.
        """
        wrong = [[case for case in of if case.has_wrong_values] for of in self._checks.values()]
        probes = [min(of, key=lambda case: case.effort) for of in wrong if of][:MOST_PROBES]
        code = self._expected.code
        if code is None or not probes or self._cases[-1].effort > MOST_EFFORT_OF_A_CASE:
            return []
        further = [case for case in self._cases if case.is_wrong and case not in probes][:MOST_FURTHER_CASES]
        mistakes = self._expected.mistakes
        if not self._is_partly_known and not any(
            self._gives(module, [case]) for case in further[:MOST_PROBES] for _, module in mistakes
        ):
            self._left = min(self._left, STEPS_WITHOUT_A_SIGN)
        changed = dict(self._suspects(probes, further))
        pairs = [pair for pair in combinations(changed, 2) if len(changed[pair[0]] | changed[pair[1]]) == len(probes)]
        found = []
        with suppress(_Spent):  # the commoner mistakes come first in a bank, so what is found until then is likely
            for pair in sorted(pairs, key=sum):
                self._spend(STEPS_OF_A_PAIR)
                module = code.both(*pair)
                if module is not None and self._gives(module, [*probes, *self._cases]):
                    found.append(pair)
        return [mistakes[place][0] for place in found[0] if all(place in pair for pair in found)] if found else []

    def _suspects(self, probes: Sequence[_Compared], further: Sequence[_Compared]) -> Iterator[tuple[int, set[int]]]:
        """The mistakes that change a wrong case and none of the cheapest right ones: by place, and which probes."""
        right = [case for case in self._cases if not case.is_wrong][:MOST_PROBES]
        for place, (mistake, module) in enumerate(self._expected.mistakes):
            if mistake.source or mistake.same_as:
                continue
            changed = {number for number, case in enumerate(probes) if not self._is_right(module, case)}
            shows = changed or any(not self._is_right(module, case) for case in further)
            if shows and all(self._is_right(module, case) for case in right):
                yield place, changed
