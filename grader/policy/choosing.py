"""Decides which of a learner's attempts counts, the last or the best by the course's policy, and explains why.

An attempt in which no exercise was found, for instance a damaged one, counts only when there is no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.course import AttemptRule
from grader.record import Attempt, Record


@dataclass(frozen=True)
class Tried:
    """One attempt: its name, its record with the points it would count for, and when it was handed in."""

    name: str
    record: Record
    at: datetime | None = None


def chosen(attempts: Sequence[Tried], rule: AttemptRule, at_most: int | None = None) -> Record:
    """The record of the attempt that counts; if there are several, it says which one and why.

    attempts: at least one, in the order of their names, which is used unless the time is known for all of them.
    at_most: only this many may count, the last ones; None means all.
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
    """The attempts' places in order of time if the time is known for all of them, else unchanged."""
    known = [at for at in times if at is not None]
    if len(known) < len(times):
        return list(range(len(times)))
    return sorted(range(len(known)), key=lambda place: (known[place], place))


def _rule(rule: AttemptRule, some_are_empty: bool) -> str:
    if rule == "best":
        return "The attempt with the most points counts, of equal ones the earliest."
    return f"The last attempt {'in which an exercise was found ' if some_are_empty else ''}counts."


def _passed_over(tried: Sequence[Tried], number: int, rule: AttemptRule) -> list[str]:
    """What a learner may want to know about the attempts that do not count."""
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
