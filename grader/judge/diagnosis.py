"""Which known mistake gives exactly what the learner's code gave?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .learner import Exchange, same_answers
from .mistakes import Mistake
from .trusted import Expected, TrustedModule


@dataclass(frozen=True)
class CheckedExchanges:
    """What was asked in one check, whether the check passed, and whether it is about the exercise's main thing."""

    name: str
    passed: bool
    is_main: bool
    exchanges: Sequence[Exchange]


def diagnose(checks: Sequence[CheckedExchanges], expected: Expected) -> list[Mistake]:
    """Name the mistakes that reproduce the learner's answers in the failed checks, the best match first.

    A mistake explains a failed check when it gives the learner's answers to all that was asked there, and the reference
    does not. Of several the one is taken that explains most checks and contradicts fewest of the others; one that
    contradicts any must explain a main check, else it is only alike by chance.
    """
    failed = {check.name: check for check in checks if not check.passed and check.exchanges}
    if not failed:
        return []
    scores = [_Score.of(mistake, module, checks, failed, expected) for mistake, module in expected.mistakes]
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


@dataclass(frozen=True)
class _Score:
    mistake: Mistake
    explains: frozenset[str]
    contradicts: int

    @classmethod
    def of(
        cls,
        mistake: Mistake,
        module: TrustedModule,
        checks: Sequence[CheckedExchanges],
        failed: Mapping[str, CheckedExchanges],
        expected: Expected,
    ) -> _Score:
        gives_same = {check.name: _gives_same(module, check) for check in checks if check.exchanges}
        contradicts = sum(not same for same in gives_same.values())
        explains = {name for name, check in failed.items() if gives_same[name] and not _is_right(expected, check)}
        if contradicts:
            # wrong numbers are as good as a fingerprint; that both end in the same kind of error may be chance
            explains = {name for name in explains if _has_wrong_values(expected, failed[name])}
        return cls(mistake, frozenset(explains), contradicts)


def _gives_same(module: TrustedModule, check: CheckedExchanges) -> bool:
    return all(
        same_answers(came, other, case)
        for exchange in check.exchanges
        for came, other, case in zip(
            exchange.answers, module.answer(exchange.question), exchange.question.cases, strict=True
        )
    )


def _has_wrong_values(expected: Expected, check: CheckedExchanges) -> bool:
    return any(
        came.error is None and not same_answers(came, due, case)
        for exchange in check.exchanges
        for came, due, case in zip(
            exchange.answers, expected.due(exchange.question), exchange.question.cases, strict=True
        )
    )


def _is_right(expected: Expected, check: CheckedExchanges) -> bool:
    return _gives_same(expected.reference, check)
