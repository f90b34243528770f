"""Reads one submission from a path, and decides which source counts for which exercise."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from posixpath import basename
from typing import NamedTuple

from grader.course import Course, Exercise
from grader.record import ProblemKind

from .names import ExerciseNames, advice, kind_of_file, own_name, printable, stem_of
from .notebook import NOTEBOOK_MB, read_notebook, read_python
from .walk import (
    MAX_TOTAL_MB,
    MB,
    OF_A_LEARNER,
    Read,
    SubmissionError,
    UnreadableError,
    list_folder,
    list_zip,
    look_at_clock,
    possible_work,
    read_regular,
    reading_clock,
)


@dataclass(frozen=True)
class SourceFile:
    """One exercise's source, as the learner wrote it; `name` says where it was found."""

    exercise: str
    name: str
    content: bytes


@dataclass(frozen=True)
class FileProblem:
    """One sentence about a file that was not taken as it is, with the exercise if that is known."""

    file: str
    kind: ProblemKind
    message: str
    exercise: str | None = None


@dataclass(frozen=True)
class Submission:
    """Everything found under one name. An exercise without a source here is missing."""

    name: str
    sources: Mapping[str, SourceFile]
    problems: tuple[FileProblem, ...]

    def digest(self, exercise: str | None = None) -> str:
        """SHA-256 of the sources that count and of the problems in reading them; of one exercise, if it is given.

        The submission's name and those of its files do not matter.
        """
        parts: list[bytes] = []
        for id, source in sorted(self.sources.items()):
            if exercise in (None, id):
                parts += [b"source", id.encode(), source.content]
        for each in self.problems:
            if exercise in (None, each.exercise):
                said = ("problem", each.file, each.kind, each.message, each.exercise or "")
                parts += [part.encode("utf-8", "surrogatepass") for part in said]
        return hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()


class _Claim(NamedTuple):
    """A file or cell that answers an exercise, called as it should be or not; without content, it could not be read."""

    where: str
    content: bytes | None
    is_exact: bool


def read_submission(path: Path, course: Course) -> Submission:
    """Read what a learner handed in: a folder, a `.py` file, a zip or a notebook. A zip alone in a folder is read.

    The course says which files count and how large they may be. Raises SubmissionError: it is a link, or cannot be read
    as a whole; single unreadable files are among its problems.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        return read_files(stem_of(path.name), lambda: [(path.name, partial(read_regular, path))], course, is_loose=True)
    name = own_name(path)
    return read_files(name, lambda: possible_work(list_folder(path, printable(name))), course)


def read_files(
    name: str,
    listed: Callable[[], Iterable[tuple[str, Read | UnreadableError]]],
    course: Course,
    *,
    is_loose: bool = False,
) -> Submission:
    """Read the files of a submission, which `listed` gives by their paths. Raises as `read_submission` does.

    is_loose: they are in no folder, but lie among those of others, as some platforms deliver them. If it is one, it may
    be called as its learner likes.
    """
    collector = Collector(name, course)
    with reading_clock(collector.name):
        files = list(listed())
        is_one = len(files) == 1
        for where, content in files:
            if kind_of_file(where) == "zip" and (is_loose or is_one):
                collector.take_zip(where, content)
            else:
                collector.offer(where, content, is_alone=is_loose and is_one)
        return collector.submission()


class Collector:
    """Takes the files of one submission in any order; `submission()` returns the result."""

    def __init__(self, name: str, course: Course) -> None:
        self.name = printable(name) or "submission"
        self._names = ExerciseNames(course)
        self._example = course.exercises[0].file_name
        self._claims: defaultdict[str, list[_Claim]] = defaultdict(list)
        self._problems: list[FileProblem] = []
        self._number: Counter[tuple[ProblemKind, str | None]] = Counter()
        self._bytes_left = MAX_TOTAL_MB * MB

    def take_zip(self, where: str, content: Read | UnreadableError) -> None:
        """Take what is in a zip. Raises SubmissionError: it cannot be read, or is damaged or harmful."""
        name = basename(where)
        try:
            if isinstance(content, UnreadableError):
                raise content
            file = io.BytesIO(content(OF_A_LEARNER.zip_mb * MB))
        except UnreadableError as error:
            raise error.of_all(printable(name)) from None
        for path, member in possible_work(list_zip(file, printable(stem_of(name)))):
            self.offer(path, member)

    def offer(self, where: str, content: Read | UnreadableError, *, is_alone: bool = False) -> None:
        """Take a file if its name says that it counts, and report it otherwise; only files that count are read.

        is_alone: it is the whole submission, perhaps named after its learner: what it says or defines counts as well.
        Raises SubmissionError: the submission as a whole is too large, or a file that is alone cannot be taken.
        """
        look_at_clock()
        name, names = basename(where), self._names
        kind, exact = kind_of_file(name), names.by_file(name)
        exercise = exact if is_alone else names.by_saved_file(name)
        take_source = partial(self._take_source, is_exact=exact is not None)
        if names.is_case(name) and not is_alone:
            return
        try:
            if isinstance(content, UnreadableError):
                raise content
            limit_kb = NOTEBOOK_MB * 1024 if kind == "notebook" else exercise.limits.source_kb if exercise else 0
            if is_alone and kind == "exercise":
                limit_kb = max(each.limits.source_kb for each in names.exercises)
            if not (limit_kb or is_alone):
                raise self._no_answer(name)
            read = content(limit_kb * 1024)
            self._bytes_left -= len(read)
            if self._bytes_left < 0:
                most = f"{self.name} holds more than {MAX_TOTAL_MB} MB"
                raise SubmissionError(f"{most}; hand in the exercise files alone.")
            if kind == "notebook":
                self.take_notebook(where, read)
            elif exercise:
                take_source(exercise, where, read)
            elif kind == "exercise":
                self._take_by_content(name, source_in(read, limit_kb))
            elif kind == "packed":
                raise self._no_answer(name)
            else:
                raise UnreadableError("is not a folder, a .py file, a .zip or a notebook (.ipynb)")
        except UnreadableError as error:
            if is_alone:
                raise error.of_all(printable(name)) from None
            if exercise:
                take_source(exercise, where, error)
            else:
                self._add(where, str(error), error.kind)

    def _take_by_content(self, name: str, source: bytes) -> None:
        names, text = self._names, source.decode("utf-8")
        defined = read_python(text).defined
        named = names.by_first_line(text, defined)
        answered = (named,) if named else names.by_definitions(defined)
        exercise = answered[0] if len(answered) == 1 else names.by_saved_file(name)
        if exercise is None:
            what_to_do = f"answers no exercise; name it like {self._example}"
            raise UnreadableError(advice(answered) if answered else what_to_do)
        self._take_source(exercise, name, source, is_exact=len(answered) == 1)

    def take_notebook(self, where: str, content: bytes) -> None:
        """Take every cell of a notebook that answers an exercise. Raises UnreadableError: it is no notebook."""
        answers, unclear = read_notebook(content, self._names)
        for exercise, number, source in answers:
            self._take_source(exercise, f"{where}, cell {number}", source)
        for number, what_to_do in unclear:
            self._add(f"{where}, cell {number}", what_to_do, "duplicate")
        if not (answers or unclear):
            what_to_do = f"put a comment like `# {self._example}` in the first line of each answer's cell"
            self._add(where, f"answers no exercise of this course; {what_to_do}", "unknown")

    def submission(self) -> Submission:
        """Decide every exercise and return the submission."""
        decided = [self._decided(exercise) for exercise in self._names.exercises]
        if not any(decided) and not self._problems:
            self._add(self.name, f"holds no exercise; name your files like {self._example}", "unknown")
        for (kind, id), number in self._number.items():
            if (left := number - _most_problems(id)) > 0:
                message = f"There are {left} more files like these, not listed one by one."
                self._problems.append(FileProblem(f"{left} more", kind, message, id))
        return Submission(self.name, {source.exercise: source for source in decided if source}, tuple(self._problems))

    def _take_source(
        self, exercise: Exercise, where: str, content: bytes | UnreadableError, *, is_exact: bool = True
    ) -> None:
        """Take `content` as an answer to `exercise`, or say why it is no source."""
        source = None
        try:
            if isinstance(content, UnreadableError):
                raise content
            source = source_in(content, exercise.limits.source_kb)
        except UnreadableError as error:
            self._add(where, str(error), error.kind, exercise)
            if error.kind != "unreadable":
                return
        self._claims[exercise.id].append(_Claim(where, source, is_exact))

    def _decided(self, exercise: Exercise) -> SourceFile | None:
        """The source that counts: an exact name wins; several that differ count for nothing."""
        claims = self._claims[exercise.id]
        if not claims:
            return None
        counted = [claim for claim in claims if claim.is_exact] or claims
        where, content, _ = counted[0]
        for claim in claims:
            if claim not in counted and claim.content is not None:
                self._add(claim.where, f"was left out, since {printable(where)} answers {exercise.id}", "unknown")
        contents = {claim.content for claim in counted}
        if len(contents) > 1 or (len(counted) > 1 and content is None):
            all_of_them = f" (and {len(counted) - 2} more) all" if len(counted) > 2 else " both"
            others = f"{printable(counted[1].where)}{all_of_them} answer {exercise.id}"
            self._add(where, f"and {others} and differ; hand in one of them", "duplicate", exercise)
            return None
        if content is None:
            return None
        for claim in (each for each in counted if not each.is_exact):
            taken_as = f"was taken as {exercise.file_name}, the only one that its name can mean"
            self._add(claim.where, taken_as, "renamed", exercise)
        return SourceFile(exercise.id, printable(where), content)

    def _no_answer(self, name: str) -> UnreadableError:
        kind = kind_of_file(name)
        if kind == "zip":
            return UnreadableError("is a zip inside a submission; unpack it and hand in its files", "refused")
        if kind == "packed":
            return UnreadableError("is packed in a way that is not read here; hand in a zip", "refused")
        is_listed = self._number["unknown", None] < _most_problems(None)
        meant = self._names.nearest_file(name) if is_listed else None
        what_to_do = f"; if it is an answer, call it {meant}" if meant else ""
        return UnreadableError(f"is not a file of this course and was left out{what_to_do}", "unknown")

    def _add(self, where: str, said: str, kind: ProblemKind, exercise: Exercise | None = None) -> None:
        """Add a problem. said: the sentence that begins with the name of the file or cell, without that."""
        shown, id = printable(where), exercise.id if exercise else None
        self._number[kind, id] += 1
        if self._number[kind, id] <= _most_problems(id):
            self._problems.append(FileProblem(shown, kind, f"{shown} {said}.", id))


def _most_problems(exercise: str | None) -> int:
    """How many of one kind are listed; the rest are counted."""
    return 3 if exercise else 20


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
        coding, _ = tokenize.detect_encoding(io.BytesIO(lines).readline)
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is not UTF-8 (line {lines.count(10, 0, error.start) + 1}); save it as UTF-8") from None
    except SyntaxError:
        raise UnreadableError("declares a coding that Python does not know; save it as UTF-8") from None
    if codecs.lookup(coding).name != "utf-8":
        raise UnreadableError(f"declares the coding {coding}; save it as UTF-8 and take that comment out")
    return content
