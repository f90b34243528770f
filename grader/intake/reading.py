"""Reads one submission from a path, and decides which source counts for which exercise."""

from __future__ import annotations

import codecs
import io
import os
import stat
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from posixpath import basename
from typing import NamedTuple

from grader.course import Course, Exercise
from grader.record import ProblemKind

from .names import ExerciseNames, advice, kind_of_file, own_name, printable, stem_of
from .notebook import NOTEBOOK_MB, read_notebook, read_python
from .submission import (
    FileProblem,
    SlowDiskError,
    SourceFile,
    Submission,
    SubmissionError,
    UnreadableError,
    look_at_clock,
    reading_clock,
)
from .walk import (
    MAX_TOTAL_MB,
    MB,
    OF_A_LEARNER,
    Read,
    list_folder,
    list_zip,
    possible_work,
    read_regular,
    reason_of,
    refuse_special,
)

MAX_PROBLEMS = 20  # reported of one kind; the rest are counted
MAX_PROBLEMS_OF_EXERCISE = 3  # of one kind, for one exercise


@dataclass(frozen=True)
class LooseFile:
    """One file of a submission that may lie among other learners' files, and the name that its learner gave it."""

    path: Path
    called: str


class _Claim(NamedTuple):
    """A file or cell that answers an exercise, called as it should be or not; without content, it could not be read."""

    where: str
    content: bytes | None
    is_exact: bool = True


def read_submission(path: Path, course: Course) -> Submission:
    """Read what a learner handed in: a folder, a `.py` file, a zip or a notebook.

    A folder with nothing in it but one zip is read as that zip.

    Args:
        path: the submission; not a link itself.
        course: says which files count and how large they may be.

    Raises:
        SubmissionError: it cannot be read as a whole. Single unreadable files are among its problems.
    """
    collector = Collector(own_name(path), ExerciseNames(course))
    try:
        mode = os.lstat(path).st_mode
        refuse_special(mode)
    except FileNotFoundError:
        raise SubmissionError(f"{collector.name} does not exist.") from None
    except (OSError, UnreadableError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else error
        raise SubmissionError(f"{collector.name} {reason}.") from None
    except ValueError:  # a path with a NUL
        raise SubmissionError(f"{collector.name} is not a usable path.") from None
    if not stat.S_ISDIR(mode):
        return read_loose_files([LooseFile(path, path.name)], course)
    with reading_clock(collector.name):
        collector.take_folder(path)
        return collector.submission()


def read_loose_files(files: Sequence[LooseFile], course: Course) -> Submission:
    """Read a submission whose files lie singly among those of others, as some platforms deliver them.

    Raises:
        SubmissionError: a lone file or a zip cannot be read. Other unreadable files are among the problems.
    """
    collector = Collector(stem_of(files[0].path.name), ExerciseNames(course))
    with reading_clock(collector.name):
        for file in files:
            read = partial(read_regular, file.path)
            try:
                if kind_of_file(file.called) == "zip":
                    collector.take_zip(read(OF_A_LEARNER.zip_mb * MB), collector.name)
                elif len(files) == 1:
                    collector.take_lone_file(file, read)
                else:
                    collector.offer(file.called, read)
            except UnreadableError as error:
                raise SubmissionError(f"{printable(file.path.name)} {error}.") from None
        return collector.submission()


class Collector:
    """Takes the files of one submission in any order; `submission()` returns the result."""

    def __init__(self, name: str, names: ExerciseNames) -> None:
        self.name = printable(name) or "submission"
        self._names = names
        self._claims: defaultdict[str, list[_Claim]] = defaultdict(list)
        self._problems: list[FileProblem] = []
        self._bytes_left = MAX_TOTAL_MB * MB

    def take_folder(self, path: Path) -> None:
        """Take what is in a folder, or in the zip that alone lies in it. Raises SubmissionError: it is too much."""
        files = list(possible_work(list_folder(path, self.name)))
        where, only = files[0] if len(files) == 1 else ("", None)
        if kind_of_file(where) == "zip" and not isinstance(only, UnreadableError | None):
            try:
                self.take_zip(only(OF_A_LEARNER.zip_mb * MB), printable(stem_of(basename(where))))
            except SlowDiskError:
                raise
            except SubmissionError as error:  # the learner did submit, but nothing in it can be read
                self._add(where, "unreadable", str(error))
            return
        for where, content in files:
            self.offer(where, content)

    def take_zip(self, content: bytes, name: str) -> None:
        """Take what is in a zip. name: of the zip, for messages. Raises SubmissionError: it is damaged or harmful."""
        for where, member in possible_work(list_zip(io.BytesIO(content), name)):
            self.offer(where, member)

    def offer(self, where: str, content: Read | UnreadableError) -> None:
        """Take a file if its name says that it counts, and report it otherwise; only files that count are read.

        Raises SubmissionError: the submission as a whole is too large.
        """
        look_at_clock()
        name = basename(where)
        exercise = self._names.by_saved_file(name)
        if not exercise and self._names.is_case(name):
            return
        is_exact = self._names.by_file(name) is not None
        try:
            if isinstance(content, UnreadableError):
                raise UnreadableError(str(content), content.kind)
            if exercise:
                self.take_source(exercise, where, self._read(content, exercise.limits.source_kb * 1024), is_exact)
            elif kind_of_file(name) == "notebook":
                self.take_notebook(where, self._read(content, NOTEBOOK_MB * MB))
            else:
                raise self._no_answer(name)
        except UnreadableError as error:
            if exercise and error.kind == "unreadable":
                self._claims[exercise.id].append(_Claim(where, None, is_exact))
            self._add(where, error.kind, f"{printable(where)} {error}.", exercise)

    def take_lone_file(self, file: LooseFile, read: Read) -> None:
        """Take a file, perhaps named after its learner: by its name, by what it says or defines.

        Raises UnreadableError: it answers no exercise, or is not readable.
        """
        names, kind = self._names, kind_of_file(file.called)
        if names.is_case(file.called):
            raise UnreadableError("is a script of `kata check --script`, not an answer")
        if kind == "packed":
            raise self._no_answer(file.called)
        if kind not in ("notebook", "exercise"):
            raise UnreadableError("is not a folder, a .py file, a .zip or a notebook (.ipynb)")
        if kind == "notebook":
            self.take_notebook(file.path.name, read(NOTEBOOK_MB * MB))
            return
        if names.by_file(file.called):
            self.offer(file.called, read)
            return
        limit_kb = max(exercise.limits.source_kb for exercise in names.exercises)
        source = source_in(read(limit_kb * 1024), limit_kb)
        text = source.decode("utf-8")
        defined = read_python(text).defined
        named = names.by_first_line(text, defined)
        answered = (named,) if named else names.by_definitions(defined)
        exercise = answered[0] if len(answered) == 1 else names.by_saved_file(file.called)
        if exercise is None:
            example = names.exercises[0].file_name
            raise UnreadableError(advice(answered) if answered else f"answers no exercise; name it like {example}")
        self.take_source(exercise, file.path.name, source, is_exact=len(answered) == 1)

    def take_source(self, exercise: Exercise, where: str, content: bytes, is_exact: bool = True) -> None:
        """Take `content` as an answer to `exercise`. Raises UnreadableError: it is no source."""
        self._claims[exercise.id].append(_Claim(where, source_in(content, exercise.limits.source_kb), is_exact))

    def take_notebook(self, where: str, content: bytes) -> None:
        """Take every cell of a notebook that answers an exercise. Raises UnreadableError: it is no notebook."""
        answers, unclear = read_notebook(content, self._names)
        for cell in answers:
            cell_name = f"{where}, cell {cell.number}"
            try:
                self.take_source(cell.exercise, cell_name, cell.content)
            except UnreadableError as error:
                self._claims[cell.exercise.id].append(_Claim(cell_name, None))
                self._add(cell_name, error.kind, f"{printable(cell_name)} {error}.", cell.exercise)
        for number, what_to_do in unclear:
            self._add(where, "duplicate", f"Cell {number} of {printable(where)} {what_to_do}.")
        if not (answers or unclear):
            example = self._names.exercises[0].file_name
            what_to_do = f"put a comment like `# {example}` in the first line of each answer's cell"
            self._add(where, "unknown", f"{printable(where)} answers no exercise of this course; {what_to_do}.")

    def submission(self) -> Submission:
        """Decide every exercise and return the submission."""
        decided = [self._decided(exercise) for exercise in self._names.exercises]
        if not any(decided) and not self._problems:
            example = self._names.exercises[0].file_name
            self._add(self.name, "unknown", f"{self.name} holds no exercise; name your files like {example}.")
        sources = {source.exercise: source for source in decided if source}
        return Submission(self.name, sources, tuple(_shortened(self._problems)))

    def _decided(self, exercise: Exercise) -> SourceFile | None:
        """The source that counts: an exact name wins; several that differ count for nothing."""
        claims = self._claims[exercise.id]
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

    def _no_answer(self, name: str) -> UnreadableError:
        kind = kind_of_file(name)
        if kind == "zip":
            return UnreadableError("is a zip inside a submission; unpack it and hand in its files", "refused")
        if kind == "packed":
            return UnreadableError("is packed in a way that is not read here; hand in a zip", "refused")
        meant = self._names.nearest_file(name) if len(self._problems) < 2 * MAX_PROBLEMS else None
        what_to_do = f"; if it is an answer, call it {meant}" if meant else ""
        return UnreadableError(f"is not a file of this course and was left out{what_to_do}", "unknown")

    def _read(self, read: Read, limit: int) -> bytes:
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


def source_in(content: bytes, limit_kb: int) -> bytes:
    """The source that a file holds: its bytes without a byte order mark. Raises UnreadableError if it is none."""
    if len(content) > limit_kb * 1024:
        raise UnreadableError(f"is larger than {limit_kb} kB; hand in the source alone")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableError("is saved as UTF-16; save it as UTF-8")
    if b"\0" in content:
        raise UnreadableError("contains a NUL character; save it again as plain text in UTF-8")
    content = content.removeprefix(codecs.BOM_UTF8)
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        lines.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is not UTF-8 (line {lines.count(10, 0, error.start) + 1}); save it as UTF-8") from None
    try:
        coding, _ = tokenize.detect_encoding(io.BytesIO(lines).readline)
    except SyntaxError:
        raise UnreadableError("declares a coding that Python does not know; save it as UTF-8") from None
    if codecs.lookup(coding).name != "utf-8":
        raise UnreadableError(f"declares the coding {coding}; save it as UTF-8 and take that comment out")
    return content
