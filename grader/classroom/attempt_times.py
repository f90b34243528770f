"""When each attempt of a learner was handed in. A time belongs to an attempt, and never to another one.

Attempts bear names that learners choose. So a time that names no attempt, or one that is not there, cannot be left to
whichever name comes last: it is the latest at which any attempt without a time of its own can have been handed in, and
that is what counts for all of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.policy.rules import EVERY_UNIT
from grader.submission.naming import kind_of_file, stem_of

from .learners import Learner
from .times import Moments, Row, by_attempt


@dataclass(frozen=True)
class AttemptTimes:
    """The moments of each attempt of a class, by `LEARNER/ATTEMPT`, and what there is to say about them.

    without_own: attempts that have the latest time of their learner, for want of their own.
    odd: learners and attempts that rows name and that are not there. nobody: rows of nobody in the class.
    """

    at: Mapping[str, Moments]
    without_own: tuple[str, ...]
    odd: tuple[tuple[str, str], ...]
    nobody: tuple[str, ...]


def attempt_times(
    rows: Iterable[Row], learners: Sequence[Learner], attempts: Mapping[str, Sequence[str]]
) -> AttemptTimes:
    """What the rows say of these attempts, given by their learners' names in the results."""
    told, nobody = by_attempt(rows, learners)
    at: dict[str, Moments] = {}
    without_own: list[str] = []
    odd: list[tuple[str, str]] = []
    for learner, names in attempts.items():
        own, strange = _own_times(told.get(learner, {}), names)
        odd += [(learner, name) for name in strange]
        others = _latest(told.get(learner, {}))
        for name in names:
            if moments := _with_others(own.get(name, {}), others):
                at[f"{learner}/{name}"] = moments
            if others and name not in own and (len(names) > 1 or strange):
                without_own.append(f"{learner}/{name}")
    return AttemptTimes(at, tuple(without_own), tuple(odd), nobody)


def _own_times(rows: Mapping[str, Moments], attempts: Sequence[str]) -> tuple[dict[str, Moments], list[str]]:
    """The moments that name an attempt, by the attempt; and what is none of the learner's attempts.

    Of several rows that name one attempt the latest counts.
    """
    alike: dict[str, list[str]] = {}
    for name in attempts:
        alike.setdefault(name.casefold(), []).append(name)

    def meant(written: str) -> str | None:
        if written in attempts:
            return written
        found = alike.get(written.casefold(), [])
        return found[0] if len(found) == 1 else None  # of A and a, neither is meant by another spelling

    found: dict[str, Moments] = {}
    odd: list[str] = []
    for written, moments in rows.items():
        attempt = meant(written) or meant(_without_ending(written))
        if attempt is not None:
            found[attempt] = _latest({"1": found.get(attempt, {}), "2": moments})
        elif written:
            odd.append(written)
    return found, odd


def _without_ending(name: str) -> str:
    return name if kind_of_file(name) == "unknown" else stem_of(name)


def _latest(rows: Mapping[str, Moments]) -> Moments:
    """What counts for attempts without a time: the one that names no attempt, else the latest of all."""
    if "" in rows:
        return rows[""]
    latest: Moments = {}
    for moments in rows.values():
        for unit, moment in moments.items():
            latest[unit] = max(latest.get(unit, moment), moment)
    return latest


def _with_others(own: Moments, others: Moments) -> Moments:
    return own if EVERY_UNIT in own else {**others, **own}
