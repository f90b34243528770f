"""Which of a learner's several attempts counts: the last or the best, as the course's policy says, and why.

An attempt in which no exercise was found, because it is damaged, say, counts only where there is no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.course import AttemptRule
from grader.record import Attempt, Record


@dataclass(frozen=True)
class Tried:
    """One attempt: its name, its record with the points that it would count with, and when it was handed in."""

    name: str
    record: Record
    at: datetime | None = None


def chosen(attempts: Sequence[Tried], rule: AttemptRule, at_most: int | None = None) -> Record:
    """The record of the attempt that counts; where there are several, it says which and why.

    attempts: at least one, in the order of their names. That is their order unless of each it is known when it was
    handed in. at_most: so many of them may count, the last ones; all when it is None.
    """
    tried = [attempts[place] for place in in_time_order([each.at for each in attempts])]
    tried = tried[-at_most:] if at_most else tried
    if len(tried) == 1:
        return tried[0].record
    places = [place for place, each in enumerate(tried) if not each.record.is_empty] or list(range(len(tried)))
    place = places[-1]
    if rule == "best":
        graded = [place for place in places if tried[place].record.complete] or places
        place = max(graded, key=lambda place: (tried[place].record.counted_points, -place))
    number = place + 1
    reason = " ".join([_rule(rule, len(places) < len(tried)), *_passed_over(tried, number, rule)])
    attempt = Attempt(number=number, of=len(tried), name=tried[place].name, reason=reason)
    return tried[place].record.model_copy(update={"attempt": attempt})


def in_time_order(times: Sequence[datetime | None]) -> list[int]:
    """The places of attempts in the order in which they were handed in, where that is known of all of them."""
    known = [at for at in times if at is not None]
    if len(known) < len(times):
        return list(range(len(times)))
    return sorted(range(len(known)), key=lambda place: (known[place], place))


def _rule(rule: AttemptRule, some_are_empty: bool) -> str:
    if rule == "best":
        return "The attempt with the most points counts, of equal ones the earliest."
    return f"The last attempt {'in which an exercise was found ' if some_are_empty else ''}counts."


def _passed_over(tried: Sequence[Tried], number: int, rule: AttemptRule) -> list[str]:
    """What a learner may wonder about in the attempts that do not count."""
    told = []
    for other, each in enumerate(tried, 1):
        if other == number:
            continue
        if each.record.is_empty:
            why = each.record.why_unreadable
            told.append(f"In attempt {other} no exercise was found{f': {why}' if why else '.'}")
        elif rule == "best" and not each.record.complete:
            told.append(f"Attempt {other} could not be graded in full, by the grader's own fault: it may still count.")
    return told
