"""What `kata grade-class` left in its folder OUT, to be read by everything that comes after it.

    for result in read_results(out):          # each learner once, in class order, one record in memory at a time
        result.record, result.learner.shown, result.learner.email, result.digest

OUT/results.jsonl holds one record a line. While a class is graded, lines are only ever appended, and of two lines for
one learner the last one counts; when the class is done, the file holds each learner once, in class order. A last line
without its end is what a killed run left behind: it counts for nothing. OUT/class.jsonl says who is in the class.

OUT/not_graded.csv names everything in the class's folder that was not graded, and why. A submission that the grader
could not grade has a record that says so: its own fault, and never a zero.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from grader.course import Course
from grader.csv_writing import table, text_field
from grader.errors import KataError
from grader.files import write_file
from grader.intake import Submission
from grader.record import CheckResult, CourseStamp, ExerciseResult, Record, RecordError
from grader.render.safe_text import visible

from .class_listing import LeftOut
from .members import CLASS_LIST, read_learners
from .members import ListedLearner as Learner
from .run_header import Terms


def digest_of(submission: Submission) -> str:
    """SHA-256 of the sources that count and of the problems in reading them; the submission's name does not matter."""
    total = hashlib.sha256()
    for exercise, source in sorted(submission.sources.items()):
        _add(total, b"source", exercise.encode(), source.content)
    for problem in submission.problems:
        told = (problem.file, problem.kind, problem.message, problem.exercise or "")
        _add(total, b"problem", *(part.encode("utf-8", "surrogatepass") for part in told))
    return total.hexdigest()


def _add(total: hashlib._Hash, *parts: bytes) -> None:
    for part in parts:
        total.update(f"{len(part)}:".encode())
        total.update(part)


def fault_record(name: str, reason: str, course: Course, terms: Terms) -> Record:
    """A record in which no exercise has points.

    reason: one sentence about what happened; learners may see it.
    """
    chosen = [each for each in course.exercises if not terms.only or each.id in terms.only]
    return Record.of(
        submission=name,
        isolation=terms.level,
        seed=terms.seed,
        course=CourseStamp(title=course.title, version=course.version),
        exercises=[_ungraded(each.id, each.points, reason) for each in chosen],
    )


def _ungraded(exercise: str, worth: float, reason: str) -> ExerciseResult:
    check = CheckResult(
        name="grading",
        title="The grader grades what was handed in.",
        outcome="error",
        points=0.0,
        max_points=0.0,
        visible=False,
        message=f"The grader failed here; that is its own fault, not the learner's. {reason}",
    )
    return ExerciseResult(
        id=exercise, status="error", points=0.0, max_points=worth, checks=(check,), diagnosis=(), seconds=0.0
    )


NOT_GRADED = "not_graded.csv"


def write_not_graded(out: Path, left_out: Iterable[LeftOut]) -> None:
    """Write the list of files that were not graded, one a row. Raises OSError."""
    rows = [["file", "reason"], *([_field(each.name), _field(each.reason)] for each in left_out)]
    write_file(out / NOT_GRADED, table(rows).encode("utf-8"))


def _field(text: str) -> str:
    return text_field(visible(text))


RESULTS = "results.jsonl"

# The start of a line as Record.to_json writes it; any other JSON is parsed in full.
_NAME_FIRST = re.compile(rb'\{"version":1,"submission":("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True)
class Result:
    """One learner's final record, and the learner."""

    record: Record
    learner: Learner

    @property
    def digest(self) -> str:
        """SHA-256 of what was graded; empty if it could not be read, or for a record of an older version."""
        return self.record.digest

    @property
    def titled(self) -> Record:
        """The record with the learner's display name and id as its title, for a page or a table."""
        shown, name = self.learner.shown, self.learner.name
        return self.record if shown == name else self.record.model_copy(update={"submission": f"{shown} ({name})"})


@dataclass(frozen=True)
class Line:
    """The place of one record in a results file, in bytes."""

    number: int
    start: int
    size: int


class Results(Sequence[Result]):
    """The final records of a folder, in class order. Each is read on access; only their places are in memory."""

    def __init__(self, path: Path, learners: Sequence[Learner], lines: Sequence[Line]) -> None:
        self._path, self._learners, self._lines = path, learners, lines

    @property
    def learners(self) -> Sequence[Learner]:
        """The learners of the records, in the same order; reads no record."""
        return self._learners

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    def __getitem__(self, index: int | slice) -> Result | Results:
        if isinstance(index, slice):
            return Results(self._path, self._learners[index], self._lines[index])
        return next(iter(Results(self._path, [self._learners[index]], [self._lines[index]])))

    def __iter__(self) -> Iterator[Result]:
        if not self._lines:
            return
        with self._path.open("rb") as file:
            for learner, line in zip(self._learners, self._lines, strict=True):
                file.seek(line.start)
                yield Result(_record(file.read(line.size), line.number, self._path), learner)


def read_results(out: Path, *, with_disputed: bool = False) -> Results:
    """The final record of each learner in OUT, in class order, each read on access.

    Learners without a record (yet) are not included: see `ungraded` and `handed_in_nothing`. Learners claimed by
    several submissions are not included either, whatever an earlier run graded: see `disputed`.

    with_disputed: include these, since their records are kept until the dispute is solved.

    Raises KataError when OUT holds no results, or (also on access) for a line that is no record.
    """
    path = out / RESULTS
    places = dict(final_lines(path))
    learners = class_of(out, places)
    there = [each for each in learners if each.name in places and (with_disputed or not each.is_disputed)]
    return Results(path, there, [places[learner.name] for learner in there])


def ungraded(out: Path) -> list[Learner]:
    """Learners with a submission but without a record: only after a stopped run. Raises KataError."""
    places = dict(final_lines(out / RESULTS))
    return [each for each in class_of(out, places) if _counts(each) and each.name not in places]


def handed_in_nothing(out: Path) -> list[Learner]:
    """Learners of the roster without a submission: they have no record and no points. Raises KataError."""
    return [learner for learner in class_of(out, ()) if not learner.handed_in]


def disputed(out: Path) -> list[Learner]:
    """Learners claimed by several submissions: none of these counts, so they have no points. Raises KataError."""
    return [learner for learner in class_of(out, ()) if learner.is_disputed]


def _counts(learner: Learner) -> bool:
    return learner.handed_in and not learner.is_disputed


def class_of(out: Path, recorded: Iterable[str]) -> list[Learner]:
    """The class list, then learners who have a record but are not in it, in the order of the records.

    Raises KataError when the class list cannot be read.
    """
    path = out / CLASS_LIST
    try:
        listed = list(read_learners(path)) if path.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise KataError(str(error)) from None
    known = {learner.name for learner in listed}
    return listed + [Learner(name=name, shown=name) for name in recorded if name not in known]


def final_lines(path: Path) -> Iterator[tuple[str, Line]]:
    """Each line's learner and place; of two lines of one learner the later one counts, and comes later."""
    start = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.endswith(b"\n") and line.strip():
                    yield name_in(line, number, path), Line(number, start, len(line))
                start += len(line)
    except FileNotFoundError:
        raise KataError(f"{path.parent} holds no results: there is no {RESULTS} in it.") from None
    except OSError as error:
        raise KataError(f"{path} cannot be read: {error.strerror}.") from None


def record_at(path: Path, line: Line) -> Record:
    """The record in one line of a results file. Raises KataError for an invalid one."""
    with path.open("rb") as file:
        file.seek(line.start)
        return _record(file.read(line.size), line.number, path)


def name_in(line: bytes, number: int, path: Path) -> str:
    """The learner of a record's line. Raises KataError for an invalid one."""
    if found := _NAME_FIRST.match(line):
        try:
            return str(json.loads(found[1]))
        except ValueError:  # not UTF-8
            pass
    return _record(line, number, path).submission


def _record(line: bytes, number: int, path: Path) -> Record:
    try:
        return Record.from_json(line)
    except RecordError as error:
        raise KataError(f"Line {number} of {path} cannot be read. {error}") from None
