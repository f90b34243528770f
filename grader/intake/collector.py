"""Collects the files of a submission and decides which source counts for which exercise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from posixpath import basename
from typing import Protocol

from grader.course import Exercise

from . import submission
from .clock import look_at_clock
from .names import ExerciseNames, kind_of_file, printable
from .notebook import MAX_CARRIED, NOTEBOOK_MB, read_notebook
from .submission import Problem, ProblemKind, RefusedError, SourceFile, Submission, SubmissionError, UnreadableError

MAX_TOTAL_MB = 64  # total over all files of a submission
MAX_PROBLEMS = 20  # reported of one kind; the rest are counted
MAX_PROBLEMS_OF_EXERCISE = 3  # of one kind, for one exercise

# Takes a number of bytes; returns the file's content, or, if it is longer, at least one byte more than that. Raises
# RefusedError or UnreadableError.
Read = Callable[[int], bytes]


class Taker(Protocol):
    """Is offered the files of a folder or a zip, one by one; a `Collector` is one."""

    name: str

    def offer(self, where: str, read: Read) -> None:
        """Take or ignore the file `where`; only files that are read are unpacked."""

    def report(self, where: str, error: UnreadableError | RefusedError) -> None:
        """Report what is wrong with `where`; the error's text continues a sentence that starts with it."""


@dataclass
class _Claim:
    """Everything offered for one exercise: where it was found, and the first readable content."""

    names: list[str] = field(default_factory=list)
    content: bytes | None = None
    differ: bool = False


@dataclass(frozen=True)
class _Loose:
    """A file whose name is not exactly, but must mean, an exercise's; without content, the error says why."""

    exercise: Exercise
    where: str
    content: bytes | None
    error: UnreadableError | RefusedError | None = None


class Collector:
    """Takes the files of one submission in any order; `submission()` returns the result."""

    def __init__(self, name: str, names: ExerciseNames) -> None:
        self.name = printable(name) or "submission"
        self._names = names
        self._claims: dict[str, _Claim] = {}
        self._problems: list[Problem] = []
        self._seen: Counter[tuple[ProblemKind, str | None]] = Counter()
        self._loose: list[_Loose] = []
        self._carried = 0
        self._bytes_left = MAX_TOTAL_MB * 1024 * 1024

    def offer(self, where: str, read: Read) -> None:
        """Take a file if its name says that it counts, and report it otherwise; only files that count are read.

        Raises:
            SubmissionError: the submission as a whole is too large.
        """
        look_at_clock()
        name = basename(where)
        kind = kind_of_file(name)
        exercise = self._names.by_file(name)
        if exercise is None and (meant := self._names.by_loose_file(name)):
            self._loose.append(self._looked_at(meant, where, read))
            return
        try:
            if exercise is not None:
                self.take_source(exercise, where, self._spend(read, exercise.limits.source_kb * 1024))
            elif kind == "notebook":
                self.take_notebook(where, self._spend(read, NOTEBOOK_MB * 1024 * 1024))
            elif kind == "zip":
                raise RefusedError("is a zip inside a submission; unpack it and hand in its files")
            elif kind in ("tar", "packed"):
                raise RefusedError("is packed inside a submission; unpack it and hand in its files")
            else:
                self._report_unknown(where)
        except UnreadableError as error:
            if exercise is not None:
                self._claim(exercise, where, None)
            self.report(where, error)
        except RefusedError as error:
            self.report(where, error)

    def _looked_at(self, exercise: Exercise, where: str, read: Read) -> _Loose:
        """Read a file with almost an exercise's name; whether it counts is decided when all files have been seen."""
        try:
            content = self._spend(read, exercise.limits.source_kb * 1024)
            if reason := submission.fault(content, exercise.limits.source_kb):
                raise UnreadableError(reason)
        except (UnreadableError, RefusedError) as error:
            return _Loose(exercise, where, None, error)
        return _Loose(exercise, where, submission.without_bom(content))

    def take_by_loose_name(self, exercise: Exercise, where: str, content: bytes) -> None:
        """Take `content` as `take_source` does, and report the name under which it was found.

        Raises:
            UnreadableError: as there.
        """
        self.take_source(exercise, where, content)
        self._tell_renamed(exercise, where)

    def take_source(self, exercise: Exercise, where: str, content: bytes) -> None:
        """Take `content` as an answer to `exercise`.

        Raises:
            UnreadableError: it is not a source: too large, or not UTF-8, for instance.
        """
        if reason := submission.fault(content, exercise.limits.source_kb):
            raise UnreadableError(reason)
        self._claim(exercise, where, submission.without_bom(content))

    def take_notebook(self, where: str, content: bytes) -> None:
        """Take every cell of a notebook that answers an exercise.

        Raises:
            UnreadableError: it is not a notebook, or a damaged one.
        """
        found = read_notebook(content, self._names)
        for cell in found.answers:
            cell_name = f"{where}, cell {cell.number}"
            try:
                self.take_source(cell.exercise, cell_name, cell.content)
            except UnreadableError as error:
                self._claim(cell.exercise, cell_name, None)
                self._add(cell_name, "unreadable", f"{printable(cell_name)} {error}.", cell.exercise.id)
        for cell_number, advice in found.unclear:
            self._add(where, "duplicate", f"Cell {cell_number} of {printable(where)} {advice}.")
        room = max(MAX_CARRIED - self._carried, 0)
        self._problems += found.carried[:room]  # counted and shortened where they were first reported
        self._carried += len(found.carried)
        if not (found.answers or found.unclear or found.carried):
            example = self._names.exercises[0].file_name
            self._add(
                where,
                "unknown",
                f"{printable(where)} answers no exercise of this course; "
                f"put a comment like `# {example}` in the first line of each answer's cell.",
            )

    def report(self, where: str, error: UnreadableError | RefusedError) -> None:
        """Add a problem with the file `where`, for its exercise if the name identifies one."""
        exercise = self._names.by_file(basename(where))
        kind: ProblemKind = "refused" if isinstance(error, RefusedError) else "unreadable"
        self._add(where, kind, f"{printable(where)} {error}.", exercise.id if exercise else None)

    def submission(self) -> Submission:
        """Decide every exercise and return the submission."""
        self._settle_loose()
        sources: dict[str, SourceFile] = {}
        for exercise in self._names.exercises:
            claim = self._claims.get(exercise.id)
            if claim is None:
                continue
            if claim.differ:
                self._report_duplicate(exercise, claim)
            elif claim.content is not None:
                sources[exercise.id] = SourceFile(exercise.id, printable(claim.names[0]), claim.content)
        if not self._claims and not self._problems:
            example = self._names.exercises[0].file_name
            self._add(self.name, "unknown", f"{self.name} holds no exercise; name your files like {example}.")
        return Submission(self.name, sources, (*self._problems, *self._uncounted()))

    def _settle_loose(self) -> None:
        """An exact name wins; of almost exact names one file counts, or several with the same content."""
        exact = {id: claim.names[0] for id, claim in self._claims.items()}
        taken: list[_Loose] = []
        for each in self._loose:
            id, shown = each.exercise.id, printable(each.where)
            if id in exact:
                message = f"{shown} was left out, since {printable(exact[id])} answers {id}."
                self._add(each.where, "unknown", message)
                continue
            self._claim(each.exercise, each.where, each.content)
            if each.error is None:
                taken.append(each)
            else:
                kind: ProblemKind = "refused" if isinstance(each.error, RefusedError) else "unreadable"
                self._add(each.where, kind, f"{shown} {each.error}.", id)
        for each in taken:
            if not self._claims[each.exercise.id].differ:
                self._tell_renamed(each.exercise, each.where)
        self._loose.clear()

    def _tell_renamed(self, exercise: Exercise, where: str) -> None:
        message = f"{printable(where)} was taken as {exercise.file_name}, the only one that its name can mean."
        self._add(where, "renamed", message, exercise.id)

    def _spend(self, read: Read, limit: int) -> bytes:
        content = read(limit)
        self._bytes_left -= len(content)
        if self._bytes_left < 0:
            raise SubmissionError(f"{self.name} holds more than {MAX_TOTAL_MB} MB; hand in the exercise files alone.")
        return content

    def _claim(self, exercise: Exercise, where: str, content: bytes | None) -> None:
        claim = self._claims.setdefault(exercise.id, _Claim())
        if claim.names and (content is None or content != claim.content):
            claim.differ = True
        elif not claim.names:
            claim.content = content
        claim.names.append(where)

    def _report_duplicate(self, exercise: Exercise, claim: _Claim) -> None:
        first, second, *others = [printable(name) for name in claim.names]
        more = f" (and {len(others)} more)" if others else ""
        self._add(
            claim.names[0],
            "duplicate",
            f"{first} and {second}{more} all answer {exercise.id} and differ; hand in one of them."
            if others
            else f"{first} and {second} both answer {exercise.id} and differ; hand in one of them.",
            exercise.id,
        )

    def _report_unknown(self, where: str) -> None:
        message = f"{printable(where)} is not a file of this course and was left out"
        if self._seen["unknown", None] < MAX_PROBLEMS and (meant := self._names.nearest_file(basename(where))):
            message += f"; if it is an answer, call it {meant}"
        self._add(where, "unknown", f"{message}.")

    def _add(self, where: str, kind: ProblemKind, message: str, exercise: str | None = None) -> None:
        self._seen[kind, exercise] += 1
        if self._seen[kind, exercise] <= (MAX_PROBLEMS if exercise is None else MAX_PROBLEMS_OF_EXERCISE):
            self._problems.append(Problem(printable(where), kind, message, exercise))

    def _uncounted(self) -> list[Problem]:
        said = Counter((problem.kind, problem.exercise) for problem in self._problems)
        return [
            Problem(
                f"{left} more",
                kind,
                f"There are {left} more files like these, not listed one by one.",
                exercise,
            )
            for (kind, exercise), seen in self._seen.items()
            if (left := seen - said[kind, exercise])
        ]
