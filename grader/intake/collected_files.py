"""Collects the files of a submission and decides which source counts for which exercise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from posixpath import basename

from grader.course import Exercise

from .names import ExerciseNames, kind_of_file, printable
from .notebook import NOTEBOOK_MB, read_notebook
from .reading_time import look_at_clock
from .submission import FileProblem, ProblemKind, SourceFile, Submission, SubmissionError, UnreadableError, source_in
from .walk import Read

MAX_TOTAL_MB = 64  # total over all files of a submission
MAX_PROBLEMS = 20  # reported of one kind; the rest are counted
MAX_PROBLEMS_OF_EXERCISE = 3  # of one kind, for one exercise


@dataclass(frozen=True)
class _Claim:
    """A file or a cell that answers an exercise; without content, it could not be read."""

    where: str
    content: bytes | None
    is_exact: bool = True
    """Whether it is called as it should be."""


class Collector:
    """Takes the files of one submission in any order; `submission()` returns the result."""

    def __init__(self, name: str, names: ExerciseNames) -> None:
        self.name = printable(name) or "submission"
        self._names = names
        self._claims: defaultdict[str, list[_Claim]] = defaultdict(list)
        self._problems: list[FileProblem] = []
        self._bytes_left = MAX_TOTAL_MB * 1024 * 1024

    def offer(self, where: str, read: Read) -> None:
        """Take a file if its name says that it counts, and report it otherwise; only files that count are read.

        Raises SubmissionError: the submission as a whole is too large.
        """
        look_at_clock()
        name = basename(where)
        if self._names.is_case(name):
            return
        exercise, kind = self._names.by_file(name), kind_of_file(name)
        is_exact = exercise is not None
        exercise = exercise or self._names.by_saved_file(name)
        try:
            if exercise:
                content = self._spend(read, exercise.limits.source_kb * 1024)
                self.take_source(exercise, where, content, is_exact=is_exact)
            elif kind == "notebook":
                self.take_notebook(where, self._spend(read, NOTEBOOK_MB * 1024 * 1024))
            elif kind == "zip":
                raise UnreadableError("is a zip inside a submission; unpack it and hand in its files", "refused")
            elif kind == "packed":
                raise UnreadableError("is packed in a way that is not read here; hand in a zip", "refused")
            else:
                meant = self._names.nearest_file(name) if len(self._problems) < 2 * MAX_PROBLEMS else None
                advice = f"; if it is an answer, call it {meant}" if meant else ""
                raise UnreadableError(f"is not a file of this course and was left out{advice}", "unknown")
        except UnreadableError as error:
            if exercise and error.kind == "unreadable":
                self._claims[exercise.id].append(_Claim(where, None, is_exact))
            self.report(where, error)

    def take_source(self, exercise: Exercise, where: str, content: bytes, *, is_exact: bool = True) -> None:
        """Take `content` as an answer to `exercise`. Raises UnreadableError: it is no source."""
        self._claims[exercise.id].append(_Claim(where, source_in(content, exercise.limits.source_kb), is_exact))

    def take_notebook(self, where: str, content: bytes) -> None:
        """Take every cell of a notebook that answers an exercise. Raises UnreadableError: it is no notebook."""
        found = read_notebook(content, self._names)
        for cell in found.answers:
            cell_name = f"{where}, cell {cell.number}"
            try:
                self.take_source(cell.exercise, cell_name, cell.content)
            except UnreadableError as error:
                self._claims[cell.exercise.id].append(_Claim(cell_name, None))
                self._add(cell_name, error.kind, f"{printable(cell_name)} {error}.", cell.exercise)
        for number, advice in found.unclear:
            self._add(where, "duplicate", f"Cell {number} of {printable(where)} {advice}.")
        if not (found.answers or found.unclear):
            example = self._names.exercises[0].file_name
            advice = f"put a comment like `# {example}` in the first line of each answer's cell"
            self._add(where, "unknown", f"{printable(where)} answers no exercise of this course; {advice}.")

    def report(self, where: str, error: UnreadableError) -> None:
        """Add a problem with the file `where`, for its exercise if the name says which."""
        name = basename(where)
        exercise = self._names.by_file(name) or self._names.by_saved_file(name)
        self._add(where, error.kind, f"{printable(where)} {error}.", exercise)

    def submission(self) -> Submission:
        """Decide every exercise and return the submission."""
        decided = [self._decided(exercise, self._claims.get(exercise.id, [])) for exercise in self._names.exercises]
        if not self._claims and not self._problems:
            example = self._names.exercises[0].file_name
            self._add(self.name, "unknown", f"{self.name} holds no exercise; name your files like {example}.")
        sources = {source.exercise: source for source in decided if source}
        return Submission(self.name, sources, tuple(_shortened(self._problems)))

    def _decided(self, exercise: Exercise, claims: Sequence[_Claim]) -> SourceFile | None:
        """The source that counts: an exact name wins; several that differ count for nothing."""
        counted = [claim for claim in claims if claim.is_exact] or claims
        shown = [printable(claim.where) for claim in counted]
        for claim in claims:
            if claim not in counted and claim.content is not None:
                message = f"{printable(claim.where)} was left out, since {shown[0]} answers {exercise.id}."
                self._add(claim.where, "unknown", message)
        contents = {claim.content for claim in counted}
        if len(contents) > 1 or (len(counted) > 1 and None in contents):
            others = f" (and {len(shown) - 2} more) all" if len(shown) > 2 else " both"
            message = f"{shown[0]} and {shown[1]}{others} answer {exercise.id} and differ; hand in one of them."
            self._add(counted[0].where, "duplicate", message, exercise)
            return None
        if not counted or counted[0].content is None:
            return None
        for claim in counted:
            if not claim.is_exact:
                message = f"was taken as {exercise.file_name}, the only one that its name can mean."
                self._add(claim.where, "renamed", f"{printable(claim.where)} {message}", exercise)
        return SourceFile(exercise.id, shown[0], counted[0].content)

    def _spend(self, read: Read, limit: int) -> bytes:
        content = read(limit)
        self._bytes_left -= len(content)
        if self._bytes_left < 0:
            raise SubmissionError(f"{self.name} holds more than {MAX_TOTAL_MB} MB; hand in the exercise files alone.")
        return content

    def _add(self, where: str, kind: ProblemKind, message: str, exercise: Exercise | None = None) -> None:
        self._problems.append(FileProblem(printable(where), kind, message, exercise.id if exercise else None))


def _shortened(problems: Sequence[FileProblem]) -> Iterator[FileProblem]:
    """The first few of each kind and exercise, and how many more there are."""
    seen: Counter[tuple[ProblemKind, str | None]] = Counter()
    for each in problems:
        seen[each.kind, each.exercise] += 1
        if seen[each.kind, each.exercise] <= (MAX_PROBLEMS_OF_EXERCISE if each.exercise else MAX_PROBLEMS):
            yield each
    for (kind, exercise), count in seen.items():
        if (left := count - (MAX_PROBLEMS_OF_EXERCISE if exercise else MAX_PROBLEMS)) > 0:
            message = f"There are {left} more files like these, not listed one by one."
            yield FileProblem(f"{left} more", kind, message, exercise)
