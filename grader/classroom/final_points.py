"""Applies the course's policy to the records of a class. It changes OUT only, grades nothing and can be repeated.

What it needs is in OUT (the records, the class list with what the roster says, points set by hand) and in course.yml.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.files import write_file
from grader.intake.names import first_few
from grader.policy.adjusting import adjusted, unadjusted
from grader.policy.leaving_out import is_withdrawn
from grader.policy.rules import Correction, HandIn, changes_points
from grader.record import Record

from .corrections import read_corrections, told_strangers
from .members import ListedLearner as Learner
from .results_file import RESULTS, read_results


def final_record(record: Record, course: Course) -> tuple[Record, list[str]]:
    """One submission's record with its final points, and sentences about what is not known of it."""
    return adjusted(record, course, HandIn()), _without_time([record.submission], course)


def apply_policy(out: Path, course: Course) -> list[str]:
    """Give every record in OUT its final points by the course's policy; returns sentences for the person who grades.

    Raises KataError when the records cannot be read or written; then none is changed.
    """
    everything = read_results(out, with_disputed=True)
    corrections = read_corrections(out)
    found = (each.id for result in everything for each in result.record.exercises if is_withdrawn(each, course))
    gone = list(dict.fromkeys(found))
    is_anybody_exempt = any(learner.exempt for learner in everything.learners)
    if not (changes_points(course) or any(corrections.values()) or is_anybody_exempt or gone):
        if any(result.record.is_adjusted for result in everything):
            _rewrite(out, (unadjusted(result.record) for result in everything))
        return []
    final = (adjusted(each.record, course, _hand_in(each.learner, corrections), always=True) for each in everything)
    _rewrite(out, final)
    learners = read_results(out).learners
    remarks = told_strangers(corrections, [learner.name for learner in learners])
    remarks += _without_time([each.shown for each in learners if not each.handed_in_at], course)
    if gone:
        remarks.append(f"No longer part of the course, so it counts for nobody: {first_few(gone)}.")
    return remarks


def _hand_in(learner: Learner, corrections: Mapping[str, Mapping[str, Correction]]) -> HandIn:
    return HandIn(learner.handed_in_at, learner.extra_days, corrections.get(learner.name, {}), learner.exempt)


def _without_time(names: list[str], course: Course) -> list[str]:
    """A sentence about learners whose hand-in time is unknown, if the policy needs it."""
    if not (names and course.policy.due):
        return []
    return [f"When they handed in is not known, so they count as in time: {first_few(names)}."]


def _rewrite(out: Path, records: Iterable[Record]) -> None:
    """Replace the records in OUT by these, all or none. Raises KataError when they cannot be written."""
    path = out / RESULTS
    try:
        write_file(path, (f"{record.to_json()}\n".encode() for record in records))
    except OSError as error:
        raise KataError(f"{path} cannot be written: {error.strerror}.") from None
