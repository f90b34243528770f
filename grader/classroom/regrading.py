"""Some exercises graded again for everybody, after the course was mended: the rest of every record stays as it is.

Whose points moved is told with the reason: the course, the seed or what was handed in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.record import CourseStamp, ExerciseResult, GradedAgain, Record
from grader.render.csv_text import number_field, table, text_field
from grader.render.safe_text import visible
from grader.writing import write_file

from .course_digest import course_digest
from .results_file import Line, final_lines, record_at
from .run_header import RunError, RunHeader, Terms, header_of

MOVED = "moved.csv"
"""In OUT, whose points the last run moved that moved any."""

COURSE = "the course"
SEED = "the seed"
FILE = "what was handed in"
POLICY = "the policy"
CHOSEN = "the exercises that were chosen, or that the course has"
UNKNOWN = "nothing that is recorded"


STAYS = "what counts stays, by the policy or as it is set by hand"


@dataclass(frozen=True)
class Move:
    """Points of one learner for one exercise that count, before and after; None where it was not graded."""

    learner: str
    exercise: str
    old: float | None
    new: float | None
    why: tuple[str, ...]
    stays: bool = False
    """Whether only the graded points moved."""

    @property
    def reason(self) -> str:
        """What changed, in words."""
        what = " and ".join(self.why) or UNKNOWN
        return f"{what}; {STAYS}" if self.stays else what


@dataclass(frozen=True)
class Stand:
    """What one exercise of a record came to: points as they were graded and as they count, and what these rest on.

    kit, digest: empty where it is not recorded.
    """

    points: float | None
    counted: float | None
    kit: str
    seed: int
    digest: str
    versions: Mapping[str, str]

    def causes(self, now: Stand) -> tuple[str, ...]:
        """What is not as it was, in words."""
        told = {
            COURSE: self.kit and now.kit and self.kit != now.kit,
            SEED: self.seed != now.seed,
            FILE: self.digest and now.digest and self.digest != now.digest,
        }
        names = sorted(self.versions.keys() & now.versions.keys())
        told |= {f"the version of {name}": self.versions[name] != now.versions[name] for name in names}
        return tuple(cause for cause, is_so in told.items() if is_so)


Stands = Mapping[str, Stand]
"""By exercises' ids."""


def stands_of(record: Record, header: RunHeader | None, *, counted: bool = True) -> dict[str, Stand]:
    """What each exercise of a record came to, graded on the terms of its run where it does not say otherwise.

    counted: with what counts; else the graded points stand for it, as nothing is known of the policy yet.
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
        found[each.id] = Stand(points, counts, *basis)
    return found


def moves_between(learner: str, old: Stands, new: Stands, others: Sequence[str] = ()) -> list[Move]:
    """Which points of one learner moved. others: what else may have moved them, such as another isolation."""
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


def stood_before(results: Path, header: RunHeader, *, counted: bool) -> dict[str, Stands]:
    """What all who have several lines in a file that is not finished yet had by their first. Raises ResultsError."""
    first: dict[str, Line] = {}
    last: dict[str, Line] = {}
    for name, line in final_lines(results):
        first.setdefault(name, line)
        last[name] = line
    again = [name for name, line in first.items() if last[name] != line]
    return {name: stands_of(record_at(results, first[name]), header, counted=counted) for name in again}


def moves_since(stood: Mapping[str, Stands], results: Path, header: RunHeader | None, *, counted: bool) -> list[Move]:
    """Whose points are not any more what they were. Raises ResultsError."""
    last = dict(final_lines(results))
    return [
        move
        for name, old in stood.items()
        for move in moves_between(name, old, stands_of(record_at(results, last[name]), header, counted=counted))
    ]


def write_moves(out: Path, moves: Sequence[Move]) -> None:
    """Write OUT/moved.csv, whole or not at all. Raises OSError."""
    rows = [["learner", "exercise", "old", "new", "why"], *map(_row, moves)]
    write_file(out / MOVED, table(rows).encode("utf-8"), synced=True)


def _row(move: Move) -> list[str]:
    numbers = ["" if points is None else number_field(points) for points in (move.old, move.new)]
    return [text_field(visible(move.learner)), text_field(move.exercise), *numbers, move.reason]


def told_moves(moves: Sequence[Move]) -> Iterator[str]:
    """A line for each move, for people."""
    from grader.render.safe_text import safe_line
    from grader.render.wording import score

    for move in moves:
        old, new = ("none" if points is None else score(points) for points in (move.old, move.new))
        yield f"  {safe_line(move.learner)}  {safe_line(move.exercise)}  {old} -> {new}  ({move.reason})"


class Regrading:
    """Which exercises are graded again, on what terms, and what becomes of a record.

    before: on what terms the class was graded. now: on what terms these exercises are graded again.
    """

    def __init__(self, results: Path, before: RunHeader, now: RunHeader, course: Course, terms: Terms) -> None:
        self._results, self._course = results, course
        self._before, self._now, self._terms = before, now, terms
        self._stamp = CourseStamp(title=course.title, version=course.version, digest=course_digest(course))
        self._lines: Mapping[str, Line] = {}

    @property
    def only(self) -> list[str]:
        """The exercises that are graded again."""
        return self._now.only

    def refuse_others(self, out: Path) -> None:
        """Raise RunError where these exercises cannot stand beside what was graded."""
        before, now = self._before, self._now
        differences = []
        if before.course_title != now.course_title:
            differences.append(f"the course was {before.course_title} and is {now.course_title}")
        if before.isolation != now.isolation:
            differences.append(f"the isolation was {before.isolation} and is {now.isolation}")
        if before.only and (strange := sorted(set(now.only) - set(before.only))):
            differences.append(f"{', '.join(strange)} was not among the exercises that were chosen")
        if differences:
            raise RunError(f"{out} was graded on other terms: {'; '.join(differences)}. Give another folder.")

    def begin(self) -> None:
        """Look at the records as they are now. Raises ResultsError."""
        self._lines = dict(final_lines(self._results))

    def has(self, name: str) -> bool:
        """Whether a learner has a record in which exercises can be graded again."""
        return name in self._lines

    def is_done(self, name: str, digest: str) -> bool:
        """Whether that was done already on these terms, of a submission with this digest."""
        graded = {each.id: each.graded_again for each in self._record(name).exercises}
        return all(graded.get(id) == self._again(id, digest) for id in self.only)

    def together(self, partial: Record) -> Record:
        """A learner's record with the exercises that were graded again in the places of the earlier ones.

        One that the grader failed at keeps what it had.
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
        """On what terms the class is graded once all are done.

        Where more of the course has changed than was graded again, the run stays one on its earlier terms but for that.
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
        """Exercises that would be graded by something else now, and are not graded again."""
        whole = self._whole()
        return [id for id in self._before.changed_kits(whole) if id not in self.only]

    def _whole(self) -> RunHeader:
        """On what terms all that was chosen at first would be graded now; what was withdrawn since is left out."""
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
