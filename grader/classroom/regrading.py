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
UNKNOWN = "nothing that is recorded"


@dataclass(frozen=True)
class Move:
    """Points of one learner for one exercise, before and after; None where it was not graded."""

    learner: str
    exercise: str
    old: float | None
    new: float | None
    why: tuple[str, ...]

    @property
    def reason(self) -> str:
        """What changed, in words."""
        return " and ".join(self.why) or UNKNOWN


@dataclass(frozen=True)
class _Basis:
    """What one verdict rests on, each empty where it is not recorded."""

    kit: str
    seed: int
    digest: str


Kits = Mapping[str, str]
"""By exercises' ids, the number of all that each was graded by, unless a record says otherwise."""


def moves_between(old: Record, new: Record, old_kits: Kits, new_kits: Kits, others: Sequence[str] = ()) -> list[Move]:
    """Which points of one learner moved. others: what else may have moved them, such as another version of torch."""
    before = {each.id: each for each in old.exercises}
    after = {each.id: each for each in new.exercises}
    found = []
    for id in dict.fromkeys([*before, *after]):
        one, other = before.get(id), after.get(id)
        if one is None or other is None:
            found.append(Move(new.submission, id, _points(one), _points(other), ("the exercises that were chosen",)))
        elif _points(one) != _points(other):
            why = _changed(_basis(old, one, old_kits), _basis(new, other, new_kits))
            found.append(Move(new.submission, id, _points(one), _points(other), (*why, *others)))
        elif one.counted_points != other.counted_points:
            found.append(Move(new.submission, id, one.counted_points, other.counted_points, (POLICY,)))
    return found


def _points(exercise: ExerciseResult | None) -> float | None:
    return None if exercise is None or exercise.status == "error" else exercise.points


def _basis(record: Record, exercise: ExerciseResult, kits: Kits) -> _Basis:
    again = exercise.graded_again
    if again is not None:
        return _Basis(again.kit, again.seed, again.digest)
    return _Basis(kits.get(exercise.id, ""), record.seed, record.digest)


def _changed(old: _Basis, new: _Basis) -> tuple[str, ...]:
    found = []
    if old.kit and new.kit and old.kit != new.kit:
        found.append(COURSE)
    if old.seed != new.seed:
        found.append(SEED)
    if old.digest and new.digest and old.digest != new.digest:
        found.append(FILE)
    return tuple(found)


def moves_in(results: Path, old_kits: Kits, new_kits: Kits) -> list[Move]:
    """Whose points moved between the first and the last line of each learner in a file that is not finished yet.

    Raises ResultsError when it cannot be read.
    """
    first: dict[str, Line] = {}
    last: dict[str, Line] = {}
    for name, line in final_lines(results):
        first.setdefault(name, line)
        last[name] = line
    return [
        move
        for name, line in last.items()
        if first[name] != line
        for move in moves_between(record_at(results, first[name]), record_at(results, line), old_kits, new_kits)
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
        header = before.model_copy(update={"kits": kits, "versions": self._now.versions})
        if self.left_behind():
            return header
        whole = self._whole()
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
        return GradedAgain(course=self._stamp, kit=self._now.kits[id], digest=digest, seed=self._terms.seed)

    def _record(self, name: str) -> Record:
        return record_at(self._results, self._lines[name])


def _raw(exercise: ExerciseResult) -> ExerciseResult:
    return exercise.model_copy(update={"final_points": None, "final_max_points": None})
