"""Applies the course's policy to the records of a class. It changes OUT only, grades nothing and can be repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.course import Course
from grader.intake.names import first_few
from grader.policy.adjusting import adjusted, unadjusted
from grader.policy.leaving_out import is_withdrawn
from grader.policy.rules import Correction, HandIn, changes_points
from grader.record import Record
from grader.writing import write_file

from .corrections import read_corrections, told_strangers
from .exemptions import exempt_by_learner
from .kept_times import KeptTimes, hints_by_learner
from .ledger import LedgerError
from .members import Learner
from .results_file import RESULTS, Result, disputed, handed_in_nothing, read_results
from .times import by_learner

NONE: Mapping[str, Mapping[str, Correction]] = {}
"""No points were set by hand."""


@dataclass(frozen=True)
class HandIns:
    """Every learner's hand-in time and hints, and sentences about rows that could not be used."""

    at: Mapping[str, Mapping[str, datetime]]
    until: Mapping[str, Mapping[str, datetime]]
    hints: Mapping[str, Mapping[str, int]]
    corrections: Mapping[str, Mapping[str, Correction]]
    exempt: Mapping[str, Mapping[str, str]]
    remarks: tuple[str, ...]

    def of(self, name: str) -> HandIn:
        """The hand-in of one learner, by the name in the results."""
        at, until, hints = self.at.get(name, {}), self.until.get(name, {}), self.hints.get(name, {})
        return HandIn(at, until, hints, self.corrections.get(name, {}), self.exempt.get(name, {}))


def hand_ins(
    times: KeptTimes, learners: Sequence[Learner], corrections: Mapping[str, Mapping[str, Correction]] = NONE
) -> HandIns:
    """The hand-ins of these learners, with the points set by hand."""
    at, late = by_learner(times.hand_in_rows, learners)
    until, extended = by_learner(times.extension_rows, learners)
    hints, helped = hints_by_learner(times.hints or (), learners)
    exempt, excused = exempt_by_learner(times.exempt or (), learners)
    return HandIns(at, until, hints, corrections, exempt, nobody(late, extended, helped, excused))


def nobody(
    with_time: Sequence[str], with_extension: Sequence[str], with_hints: Sequence[str], exempt: Sequence[str]
) -> tuple[str, ...]:
    """Sentences about names that match nobody in the class."""
    remarks = [f"{name} has a hand-in time, but is nobody in this class." for name in with_time]
    remarks += [f"{name} has an extension, but is nobody in this class." for name in with_extension]
    remarks += [f"{name} has opened hints, but is nobody in this class." for name in with_hints]
    remarks += [f"{name} is exempt from something, but is nobody in this class." for name in exempt]
    return tuple(remarks)


def withdrawn(results: Iterable[Result], course: Course) -> list[str]:
    """The exercises of these records that the course no longer has."""
    found = (each.id for result in results for each in result.record.exercises if is_withdrawn(each, course))
    return list(dict.fromkeys(found))


def told_withdrawn(ids: Sequence[str]) -> list[str]:
    """A sentence about withdrawn exercises, if there are any."""
    return [f"No longer part of the course, so it counts for nobody: {first_few(ids)}."] if ids else []


def apply_policy(out: Path, course: Course, times: KeptTimes) -> list[str]:
    """Give every record in OUT its final points by the course's policy; returns sentences about unmatched names.

    Raises ResultsError when the records cannot be read, LedgerError when they cannot be written; then none is changed.
    """
    results = read_results(out)
    corrections = read_corrections(out)
    everything = read_results(out, with_disputed=True)
    gone = withdrawn(everything, course)
    if not (changes_points(course) or any(corrections.values()) or times.exempt or gone):
        return take_away_policy(out)
    learners = [*results.learners, *handed_in_nothing(out), *disputed(out)]
    known = hand_ins(times, learners, corrections)
    rewrite(out, (adjusted(each.record, course, known.of(each.learner.name), always=True) for each in everything))
    names = [learner.shown for learner in results.learners if learner.name not in known.at]
    strangers = told_strangers(corrections, [learner.name for learner in results.learners])
    missing = [*without_time(names, course), *without_hints(times, course)]
    return [*known.remarks, *strangers, *missing, *told_withdrawn(gone)]


def take_away_policy(out: Path) -> list[str]:
    """Remove the final points in OUT, so that the graded ones count; returns no sentences. Raises as `apply_policy`."""
    results = read_results(out, with_disputed=True)
    if any(result.record.is_adjusted for result in results):
        rewrite(out, (unadjusted(result.record) for result in results))
    return []


def without_time(names: Sequence[str], course: Course) -> list[str]:
    """A sentence about learners whose hand-in time is unknown, if the policy needs it."""
    if not course.policy.due:
        return []
    return [f"When they handed in is not known, so they count as in time: {first_few(names)}."] if names else []


def without_hints(times: KeptTimes, course: Course) -> list[str]:
    """A sentence if the opened hints are unknown and the policy needs them."""
    if not course.policy.hints_cost_points or times.hints is not None:
        return []
    return ["Which hints were opened is not known, so no points are taken off for them; --hints FILE tells it."]


def rewrite(out: Path, records: Iterable[Record]) -> None:
    """Replace the records in OUT by these, all or none. Raises LedgerError when they cannot be written."""
    path = out / RESULTS
    try:
        write_file(path, (f"{record.to_json()}\n".encode() for record in records), synced=True)
    except OSError as error:
        raise LedgerError(f"{path} cannot be written: {error.strerror}.") from None
