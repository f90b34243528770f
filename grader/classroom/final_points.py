"""Applies the course's policy to the records of a class. It changes OUT only, grades nothing and can be repeated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.files import write_file
from grader.intake.names import first_few
from grader.policy.adjusting import adjusted, unadjusted
from grader.policy.leaving_out import is_withdrawn
from grader.policy.rules import Correction, HandIn, changes_points
from grader.record import Record
from grader.render.class_summary import ClassSummary

from .corrections import read_corrections, told_strangers
from .exemptions import exempt_by_learner
from .kept_times import KeptTimes, PolicyTables, read_kept_times, write_kept_times
from .ledger import Ledger
from .members import Learner
from .results_file import RESULTS, Result, disputed, handed_in_nothing, read_results
from .run import sole_run
from .run_header import read_run
from .summary import summarize
from .times import by_learner

NONE: Mapping[str, Mapping[str, Correction]] = {}
"""No points were set by hand."""


@dataclass(frozen=True)
class HandIns:
    """Every learner's hand-in times, and sentences about rows that could not be used."""

    at: Mapping[str, Mapping[str, datetime]]
    until: Mapping[str, Mapping[str, datetime]]
    corrections: Mapping[str, Mapping[str, Correction]]
    exempt: Mapping[str, Mapping[str, str]]
    remarks: tuple[str, ...]

    def of(self, name: str) -> HandIn:
        """The hand-in of one learner, by the name in the results."""
        at, until = self.at.get(name, {}), self.until.get(name, {})
        return HandIn(at, until, self.corrections.get(name, {}), self.exempt.get(name, {}))


def hand_ins(
    times: KeptTimes, learners: Sequence[Learner], corrections: Mapping[str, Mapping[str, Correction]] = NONE
) -> HandIns:
    """The hand-ins of these learners, with the points set by hand."""
    at, late = by_learner(times.handed_in or (), learners)
    until, extended = by_learner(times.extensions or (), learners)
    exempt, excused = exempt_by_learner(times.exempt or (), learners)
    return HandIns(at, until, corrections, exempt, tuple(_nobody(late, extended, excused)))


def final_record(record: Record, course: Course, times: KeptTimes) -> tuple[Record, list[str]]:
    """One submission's record with its final points, and sentences about what is not known of it."""
    # the CSVs may be for the whole class, so rows about others are not reported
    known = hand_ins(times, [Learner(name=record.submission, shown=record.submission)]).of(record.submission)
    remarks = []
    if course.policy.due and not known.at:
        remarks.append(f"When {record.submission} handed in is not known, so it counts as in time.")
    return adjusted(record, course, known), remarks


def _nobody(with_time: Sequence[str], with_extension: Sequence[str], exempt: Sequence[str]) -> Iterator[str]:
    """Sentences about names that match nobody in the class."""
    for what, names in (
        ("has a hand-in time", with_time),
        ("has an extension", with_extension),
        ("is exempt from something", exempt),
    ):
        yield from (f"{name} {what}, but is nobody in this class." for name in names)


def _withdrawn(results: Iterable[Result], course: Course) -> list[str]:
    """The exercises of these records that the course no longer has."""
    found = (each.id for result in results for each in result.record.exercises if is_withdrawn(each, course))
    return list(dict.fromkeys(found))


def _told_withdrawn(ids: Sequence[str]) -> list[str]:
    """A sentence about withdrawn exercises, if there are any."""
    return [f"No longer part of the course, so it counts for nobody: {first_few(ids)}."] if ids else []


def apply_policy(out: Path, course: Course, times: KeptTimes, *, raw: bool = False) -> list[str]:
    """Give every record in OUT its final points by the course's policy; returns sentences about unmatched names.

    raw: take the final points away instead, so that the graded ones count.

    Raises KataError when the records cannot be read or written; then none is changed.
    """
    everything = read_results(out, with_disputed=True)
    corrections = {} if raw else read_corrections(out)
    gone = [] if raw else _withdrawn(everything, course)
    if raw or not (changes_points(course) or any(corrections.values()) or times.exempt or gone):
        if any(result.record.is_adjusted for result in everything):
            _rewrite(out, (unadjusted(result.record) for result in everything))
        return []
    results = read_results(out)
    learners = [*results.learners, *handed_in_nothing(out), *disputed(out)]
    known = hand_ins(times, learners, corrections)
    _rewrite(out, (adjusted(each.record, course, known.of(each.learner.name), always=True) for each in everything))
    names = [learner.shown for learner in results.learners if learner.name not in known.at]
    strangers = told_strangers(corrections, [learner.name for learner in results.learners])
    return [*known.remarks, *strangers, *_without_time(names, course), *_told_withdrawn(gone)]


def reapply_policy(out: Path, course: Course, tables: PolicyTables, *, pages: bool) -> tuple[ClassSummary, list[str]]:
    """Apply the policy to a graded class anew, with what is known of hand-ins; returns the class, and sentences.

    pages: write its pages anew too. Raises KataError when OUT is another course's, or in use, or cannot be read.
    """
    given = tables.read(course)
    with sole_run(out):
        header = read_run(out)
        if header is not None and header.course_title != course.title:
            raise KataError(
                f"{out} was graded for the course {header.course_title}, and this is {course.title}: "
                "--course says where the right one is."
            )
        Ledger(out).finish([learner.name for learner in read_results(out).learners])
        times = given.over(read_kept_times(out))
        write_kept_times(out, times)
        remarks = apply_policy(out, course, times, raw=tables.raw)
        return summarize(out, course, pages=pages), remarks


def _without_time(names: Sequence[str], course: Course) -> list[str]:
    """A sentence about learners whose hand-in time is unknown, if the policy needs it."""
    if not course.policy.due:
        return []
    return [f"When they handed in is not known, so they count as in time: {first_few(names)}."] if names else []


def _rewrite(out: Path, records: Iterable[Record]) -> None:
    """Replace the records in OUT by these, all or none. Raises KataError when they cannot be written."""
    path = out / RESULTS
    try:
        write_file(path, (f"{record.to_json()}\n".encode() for record in records))
    except OSError as error:
        raise KataError(f"{path} cannot be written: {error.strerror}.") from None
