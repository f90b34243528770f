"""A graded class as everything reads it: each learner's record, put together from the database, with final points.

    with reading(out) as store:
        for result in ClassResults(store, course):      # in class order, one record in memory at a time
            result.record, result.learner.name

Final points are worked out here and nowhere stored: from the record, the roster, what was set by hand, and course.yml.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course import Course, load_course
from grader.course.installed import course_file
from grader.errors import KataError
from grader.intake.names import first_few
from grader.record import CourseStamp, Problem, Record

from .final_points import HandIn, adjusted, changes_points
from .learners import Learner, find_learner
from .store import Row, Run, Store, reading


@dataclass(frozen=True)
class Result:
    """One learner's record with final points, and the learner."""

    record: Record
    learner: Learner

    @property
    def titled(self) -> Record:
        """The record with the learner's display name and id as its title, for a page or a table."""
        name, id = self.learner.name, self.learner.id
        return self.record if name == id else self.record.model_copy(update={"submission": f"{name} ({id})"})


class ClassResults:
    """The results of a class as of one run, the last by default. Iterating yields each learner with a record."""

    def __init__(self, store: Store, course: Course, run: Run | None = None) -> None:
        self.store, self.course = store, course
        self.runs = {each.id: each for each in store.runs()}
        self.run = run or self.runs[max(self.runs)]
        self.members = store.members(self.run)
        self.overrides = store.overrides(self.run)
        self._graded = store.graded(self.run)
        known = {each.id for each in course.exercises}
        self.withdrawn = [id for id in store.exercises(self.run) if id not in known]
        is_anybody_exempt = any(each.learner.hand_in.exempt for each in self.members)
        self._has_finals = bool(
            changes_points(course) or any(self.overrides.values()) or is_anybody_exempt or self.withdrawn
        )
        self._places = {each.id: place for place, each in enumerate(course.exercises)}

    @property
    def learners(self) -> list[Learner]:
        """Those who have a record, in class order."""
        return [each.learner for each in self.members if each.learner.id in self._graded]

    @property
    def ungraded(self) -> list[Learner]:
        """Those who handed in something and have no record: after a stopped run."""
        return [each.learner for each in self.members if each.has_work and each.learner.id not in self._graded]

    @property
    def absent(self) -> list[Learner]:
        """Those of whom nothing was handed in: they have no record and no points."""
        return [each.learner for each in self.members if not each.has_work and each.learner.id not in self._graded]

    def __iter__(self) -> Iterator[Result]:
        for learner in self.learners:
            yield self.of(learner)

    def __len__(self) -> int:
        return len(self.learners)

    def find(self, text: str, command: str) -> Result:
        """The record of the learner whom a text means. Raises KataError when it is nobody, or could be several."""
        return self.of(find_learner(self.learners, text, self.store.folder, command))

    def of(self, learner: Learner) -> Result:
        """The record of a learner who has one."""
        hand_in = replace(learner.hand_in, overrides=self.overrides.get(learner.id, {}))
        record = self._record(learner.id, self.store.rows(learner.id, self.run))
        return Result(adjusted(record, self.course, hand_in, always=self._has_finals), learner)

    def sources(self, learner: str) -> dict[str, bytes]:
        """What was graded of a learner's work, by exercise."""
        rows = self.store.rows(learner, self.run)
        submissions = {id: self.store.submission(id).sources for id in {row.submission for row in rows}}
        of_each = {row.result.id: submissions[row.submission].get(row.result.id) for row in rows}
        return {id: source.content for id, source in of_each.items() if source}

    def _record(self, learner: str, rows: list[Row]) -> Record:
        """The record as it was graded. Course and digest are those of what was graded last."""
        rows.sort(key=lambda row: self._places.get(row.result.id, len(self._places)))
        last, run = max(rows, key=lambda row: row.submission), self.runs[max(row.run for row in rows)]
        problems = self.store.problems(last.submission)
        record = Record.of(
            submission=learner,
            isolation=run.level,
            seed=run.seed,
            course=CourseStamp(title=run.title, version=run.version, digest=run.digest),
            exercises=[row.result for row in rows],
            problems=[Problem(file=each.file, kind=each.kind, message=each.message) for each in problems],
        )
        return record.model_copy(update={"digest": last.digest})

    def remarks(self) -> Iterator[str]:
        """Sentences about what the policy has to know and does not."""
        there = set(self._graded)
        for learner in (each for each, points in self.overrides.items() if points and each not in there):
            yield f"{learner} has points set by hand, but no record."
        yield from without_time([each.name for each in self.learners if not each.hand_in.at], self.course)
        if self.withdrawn:
            yield f"No longer part of the course, so it counts for nobody: {first_few(self.withdrawn)}."


def read_results(out: Path) -> Iterator[Result]:
    """Everybody's results, by the course of the class's last run; one record in memory at a time. Raises KataError."""
    with reading(out) as store:
        yield from ClassResults(store, load_course(course_of(out)))


def final_record(record: Record, course: Course) -> tuple[Record, list[str]]:
    """One submission's record with its final points, and sentences about what is not known of it."""
    return adjusted(record, course, HandIn()), without_time([record.submission], course)


def without_time(names: list[str], course: Course) -> list[str]:
    """A sentence about learners whose hand-in time is unknown, if the policy needs it."""
    if not (names and course.policy.due):
        return []
    return [f"When they handed in is not known, so they count as in time: {first_few(names)}."]


def course_of(out: Path) -> Path:
    """The course.yml with which the class in OUT was graded last. Raises KataError."""
    with reading(out) as store:
        path = store.runs()[-1].course
    if not path.exists():
        raise KataError(f"{out} was graded with the course {path}, which is not there any more: --course says where.")
    return course_file(path)
