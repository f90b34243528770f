"""Grades some exercises again for everybody, after a fix of the course; the rest of every record stays.

Changed points are reported with the cause: the course, the seed or the submission.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.csv_writing import number_field, table, text_field
from grader.errors import KataError
from grader.files import write_file
from grader.record import CourseStamp, ExerciseResult, GradedAgain, Record
from grader.render.safe_text import visible

from .course_digest import course_digest
from .results_file import Line, final_lines, record_at
from .run_header import RunHeader, Terms, header_of

MOVED = "moved.csv"
"""In OUT: the points that changed in the last run that changed any."""

COURSE = "the course"
SEED = "the seed"
FILE = "what was handed in"
POLICY = "the policy"
CHOSEN = "the exercises that were chosen, or that the course has"
UNKNOWN = "nothing that is recorded"


STAYS = "what counts stays, by the policy or as it is set by hand"


@dataclass(frozen=True)
class Move:
    """A learner's counted points for one exercise, before and after; None where it was not graded."""

    learner: str
    exercise: str
    old: float | None
    new: float | None
    why: tuple[str, ...]
    stays: bool = False
    """Whether only the graded points changed, not the counted ones."""

    @property
    def reason(self) -> str:
        """The causes, in words."""
        what = " and ".join(self.why) or UNKNOWN
        return f"{what}; {STAYS}" if self.stays else what


@dataclass(frozen=True)
class ExerciseGrade:
    """The result of one exercise of a record: graded and counted points, and what they depend on.

    kit, digest: empty if not recorded.
    """

    points: float | None
    counted: float | None
    kit: str
    seed: int
    digest: str
    versions: Mapping[str, str]

    def causes(self, now: ExerciseGrade) -> tuple[str, ...]:
        """What differs, in words."""
        told = {
            COURSE: self.kit and now.kit and self.kit != now.kit,
            SEED: self.seed != now.seed,
            FILE: self.digest and now.digest and self.digest != now.digest,
        }
        names = sorted(self.versions.keys() & now.versions.keys())
        told |= {f"the version of {name}": self.versions[name] != now.versions[name] for name in names}
        return tuple(cause for cause, is_so in told.items() if is_so)


Grades = Mapping[str, ExerciseGrade]
"""By exercise id."""


def grades_of(record: Record, header: RunHeader | None, *, counted: bool = True) -> dict[str, ExerciseGrade]:
    """The result of each exercise of a record. Kit, seed and versions are the run's unless the exercise has its own.

    counted: use the counted points; else the graded ones, because the policy is not applied yet.
    """
    kits, versions = (header.kits, header.versions) if header else ({}, {})
    found = {}
    for each in record.exercises:
        points = None if each.status == "error" else each.points
        counts = None if points is None else each.counted_points if counted else points
        again = each.graded_again
        if again is None:
            basis = (kits.get(each.id, ""), record.seed, record.digest, versions)
        else:
            basis = (again.kit, again.seed, again.digest, again.versions or versions)
        found[each.id] = ExerciseGrade(points, counts, *basis)
    return found


def moves_between(learner: str, old: Grades, new: Grades, others: Sequence[str] = ()) -> list[Move]:
    """One learner's changed points. others: further possible causes, such as another isolation level."""
    found = []
    for id in dict.fromkeys([*old, *new]):
        one, other = old.get(id), new.get(id)
        if one is None or other is None:
            before, after = one.counted if one else None, other.counted if other else None
            found.append(Move(learner, id, before, after, (CHOSEN,)))
        elif one.points != other.points:
            why = (*one.causes(other), *others)
            found.append(Move(learner, id, one.counted, other.counted, why, one.counted == other.counted))
        elif one.counted != other.counted:
            found.append(Move(learner, id, one.counted, other.counted, (POLICY,)))
    return found


def grades_before(results: Path, header: RunHeader, *, counted: bool) -> dict[str, Grades]:
    """For learners with several lines in an unfinished file: the results of their first line. Raises KataError."""
    first: dict[str, Line] = {}
    last: dict[str, Line] = {}
    for name, line in final_lines(results):
        first.setdefault(name, line)
        last[name] = line
    again = [name for name, line in first.items() if last[name] != line]
    return {name: grades_of(record_at(results, first[name]), header, counted=counted) for name in again}


def moves_since(before: Mapping[str, Grades], results: Path, header: RunHeader | None, *, counted: bool) -> list[Move]:
    """All changed points since then. Raises KataError."""
    last = dict(final_lines(results))
    return [
        move
        for name, old in before.items()
        for move in moves_between(name, old, grades_of(record_at(results, last[name]), header, counted=counted))
    ]


def write_moves(out: Path, moves: Sequence[Move]) -> None:
    """Write OUT/moved.csv, all or nothing. Raises OSError."""
    rows = [["learner", "exercise", "old", "new", "why"], *map(_row, moves)]
    write_file(out / MOVED, table(rows).encode("utf-8"))


def _row(move: Move) -> list[str]:
    numbers = ["" if points is None else number_field(points) for points in (move.old, move.new)]
    return [text_field(visible(move.learner)), text_field(move.exercise), *numbers, move.reason]


def told_moves(moves: Sequence[Move]) -> Iterator[str]:
    """A line for each change, for people."""
    from grader.render.safe_text import safe_line
    from grader.render.wording import score

    for move in moves:
        old, new = ("none" if points is None else score(points) for points in (move.old, move.new))
        yield f"  {safe_line(move.learner)}  {safe_line(move.exercise)}  {old} -> {new}  ({move.reason})"


class Regrading:
    """Grades some exercises again and merges them into the records.

    before: the terms of the class's run. now: the terms for these exercises.
    """

    def __init__(self, results: Path, before: RunHeader, now: RunHeader, course: Course, terms: Terms) -> None:
        self._results, self._course = results, course
        self._before, self._now, self._terms = before, now, terms
        self._stamp = CourseStamp(title=course.title, version=course.version, digest=course_digest(course))
        self._lines: Mapping[str, Line] = {}

    @property
    def only(self) -> list[str]:
        """The exercises to grade again."""
        return self._now.only

    def refuse_others(self, out: Path) -> None:
        """Raise KataError if these exercises cannot be combined with the earlier results."""
        before, now = self._before, self._now
        differences = []
        if before.course_title != now.course_title:
            differences.append(f"the course was {before.course_title} and is {now.course_title}")
        if before.isolation != now.isolation:
            differences.append(f"the isolation was {before.isolation} and is {now.isolation}")
        if before.only and (strange := sorted(set(now.only) - set(before.only))):
            differences.append(f"{', '.join(strange)} was not among the exercises that were chosen")
        if differences:
            raise KataError(f"{out} was graded on other terms: {'; '.join(differences)}. Give another folder.")

    def begin(self) -> None:
        """Read the places of the current records. Raises KataError."""
        self._lines = dict(final_lines(self._results))

    def has(self, name: str) -> bool:
        """Whether a learner has a record to merge into."""
        return name in self._lines

    def is_done(self, name: str, digest: str) -> bool:
        """Whether this was already done on these terms, for a submission with this digest."""
        graded = {each.id: each.graded_again for each in self._record(name).exercises}
        return all(graded.get(id) == self._again(id, digest) for id in self.only)

    def together(self, partial: Record) -> Record:
        """A learner's record with the new results in place of the earlier ones.

        An exercise with an error of the grader keeps its earlier result.
        """
        old = self._record(partial.submission)
        fresh = {
            each.id: each.model_copy(update={"graded_again": self._again(each.id, partial.digest)})
            for each in partial.exercises
            if each.status != "error"
        }
        exercises = {each.id: _raw(each) for each in old.exercises} | fresh
        places = {each.id: place for place, each in enumerate(self._course.exercises)}
        ordered = sorted(exercises.values(), key=lambda each: places.get(each.id, len(places)))
        record = Record.of(
            submission=old.submission,
            isolation=old.isolation,
            seed=old.seed,
            course=old.course,
            exercises=ordered,
            problems=old.problems,
        )
        return record.model_copy(update={"digest": old.digest})

    def header(self) -> RunHeader:
        """The terms of the class's run once everybody is done.

        If more of the course has changed than was graded again, only the kits of these exercises change.
        """
        before = self._before
        kits = {**before.kits, **self._now.kits}
        header = before.model_copy(update={"kits": kits})
        if self.left_behind():
            return header
        whole = self._whole()
        if whole.kits.keys() <= set(self.only):
            header = header.model_copy(update={"versions": self._now.versions})
        names = ("course_version", "course_sha256", "checks_sha256", "catalogue_sha256", "kits")
        return header.model_copy(update={name: getattr(whole, name) for name in names})

    def left_behind(self) -> list[str]:
        """Exercises whose kit has changed but which are not graded again."""
        whole = self._whole()
        return [id for id in self._before.changed_kits(whole) if id not in self.only]

    def _whole(self) -> RunHeader:
        """The current terms for the exercises chosen in the first run, without withdrawn ones."""
        known = {each.id for each in self._course.exercises}
        only = tuple(id for id in self._before.only if id in known)
        return header_of(self._course, Terms(self._terms.course, self._terms.level, self._before.seed, only), {})

    def _again(self, id: str, digest: str) -> GradedAgain:
        return GradedAgain(
            course=self._stamp,
            kit=self._now.kits[id],
            digest=digest,
            seed=self._terms.seed,
            versions=self._now.versions,
        )

    def _record(self, name: str) -> Record:
        return record_at(self._results, self._lines[name])


def _raw(exercise: ExerciseResult) -> ExerciseResult:
    return exercise.model_copy(update={"final_points": None, "final_max_points": None, "uncounted": False})
