"""Reads one submission from a path, and decides which source counts for which exercise."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from posixpath import basename
from typing import NamedTuple

from grader.course import Course, Exercise
from grader.errors import printable
from grader.files import UnreadableError, read_regular
from grader.record import Problem, ProblemKind

from .names import CASE, ExerciseNames, advice, kind_of_file, own_name, stem_of
from .notebook import NOTEBOOK_MB, read_notebook, read_python
from .walk import (
    MAX_TOTAL_MB,
    MB,
    ZIP_MB,
    Content,
    OutOfReach,
    SubmissionError,
    list_folder,
    list_zip,
    look_at_clock,
    reading_clock,
)

_MOST_LISTED = {True: 3, False: 20}  # problems of one kind, about an exercise and about none; others are counted
_PACKED = "is packed in a way that is not read here; hand in its files, or a zip of them"


class _Claim(NamedTuple):
    """An answer to an exercise: where it was found, and its source, or why it cannot be read.

    is_exact: False for a file that is not called quite as it should be.
    """

    where: str
    content: bytes | UnreadableError
    is_exact: bool


@dataclass(frozen=True)
class SourceFile:
    """One exercise's source, as the learner wrote it; `name` says where it was found."""

    exercise: str
    name: str
    content: bytes


@dataclass(frozen=True)
class Submission:
    """Everything found under one name. An exercise without a source here is missing."""

    name: str
    sources: Mapping[str, SourceFile]
    problems: tuple[Problem, ...]

    def digest(self, exercise: str | None = None) -> str:
        """SHA-256 of the sources that count and of the problems in reading them; of one exercise, if it is given.

        The submission's name and those of its files do not matter.
        """
        read = [(id, each.content) for id, each in sorted(self.sources.items()) if exercise in (None, id)]
        told = [(p.file, p.kind, p.message, p.exercise) for p in self.problems if exercise in (None, p.exercise)]
        return hashlib.sha256(ascii((read, told)).encode()).hexdigest()


def read_submission(path: Path, course: Course) -> Submission:
    """Read what a learner handed in: a folder, a `.py` file, a zip or a notebook. A zip alone in a folder is read.

    The course says which files count and how large they may be. Raises SubmissionError: it is a link, or cannot be read
    as a whole; single unreadable files are among its problems.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        return read_files(stem_of(path.name), lambda: [(path.name, partial(read_regular, path))], course, is_loose=True)
    return read_files(own_name(path), partial(list_folder, path), course)


def read_files(
    name: str, listed: Callable[[], Iterable[tuple[str, Content]]], course: Course, *, is_loose: bool = False
) -> Submission:
    """Read the files of a submission, which `listed` gives by their paths. Raises as `read_submission` does.

    is_loose: they are in no folder, but lie among those of others, as some platforms deliver them. If it is one, it may
    be called as its learner likes: what it says or defines counts as well.
    """
    reader = _SubmissionReader(printable(name) or "submission", course)
    shown = reader.name
    with reading_clock(shown):
        try:
            files = list(listed())
            for where, content in files:
                shown = printable(basename(where))
                reader.take(where, content, is_loose=is_loose, is_one=len(files) == 1)
        except UnreadableError as error:
            raise (OutOfReach if error.is_systems else SubmissionError)(f"{shown} {error}.") from None
        return reader.submission()


class _SubmissionReader:
    """Takes the files of one submission; `submission()` returns the result."""

    def __init__(self, name: str, course: Course) -> None:
        self.name, self._names = name, ExerciseNames(course)
        self._files = [each.file_name for each in course.exercises]
        self._most_kb = max(each.limits.source_kb for each in course.exercises)
        self._claims: defaultdict[str, list[_Claim]] = defaultdict(list)
        self._problems: list[Problem] = []
        self._number: Counter[tuple[ProblemKind, str | None]] = Counter()
        self._bytes_left = MAX_TOTAL_MB * MB

    def take(self, where: str, content: Content, *, is_loose: bool = False, is_one: bool = False) -> None:
        """Take a file if it answers an exercise, and report it otherwise; only files that may count are read.

        is_loose: as in `read_files`. is_one: there is no other file. So a zip is unpacked if it is either, and what a
        file says or defines counts if it is both.
        Raises SubmissionError: the submission is too large; UnreadableError: this is all there is and cannot be taken,
        or the system does not open it.
        """
        look_at_clock()
        name, is_alone = basename(where), is_loose and is_one
        kind, exercise = kind_of_file(name), self._names.by_saved_file(name)
        is_exact = self._names.by_stem(name.removesuffix(".py")) is not None
        try:
            if kind == "zip" and (is_loose or is_one):
                for member in list_zip(io.BytesIO(content(ZIP_MB * MB))):
                    self.take(*member)
            elif kind == "notebook":
                self._take_cells(where, self._read(content, NOTEBOOK_MB * 1024))
            elif exercise and (is_exact or not is_alone):
                self._claim(exercise, where, self._read(content, self._most_kb), is_exact=is_exact)
            elif is_alone:
                self._claim_by_content(name, self._read(content, self._most_kb))
            elif isinstance(content, UnreadableError):
                raise content
            elif kind in ("zip", "packed"):
                raise UnreadableError(_PACKED, "refused")
            else:
                self._leave_out(where)
        except UnreadableError as error:
            if (is_one and (is_loose or kind == "zip")) or (is_loose and error.is_systems):
                raise
            self._claim(exercise, where, error, is_exact=is_exact)

    def _read(self, content: Content, limit_kb: int) -> bytes:
        given = content(limit_kb * 1024)
        self._bytes_left -= len(given)
        if self._bytes_left < 0:
            raise SubmissionError(f"{self.name} holds more than {MAX_TOTAL_MB} MB; hand in the exercise files alone.")
        return given

    def _leave_out(self, where: str) -> None:
        """Say that a file answers nothing; of a script that `kata check --script` wrote beside an answer, nothing."""
        name = basename(where)
        if name.endswith((f"{CASE}.py", f"{CASE}.pt")) and self._names.by_stem(name.rpartition(CASE)[0]):
            return
        is_listed = self._number["unknown", None] < _MOST_LISTED[False]
        near = get_close_matches(printable(name), self._files, n=1) if is_listed else []
        what_to_do = f"; if it is an answer, call it {near[0]}" if near else ""
        self._add(where, f"is not a file of this course and was left out{what_to_do}", "unknown")

    def _take_cells(self, where: str, content: bytes) -> None:
        """Take every cell of a notebook that answers an exercise. Raises UnreadableError: it is no notebook."""
        cells = read_notebook(content, self._names)
        for number, answered, source in cells:
            cell = f"{where}, cell {number}"
            if len(answered) == 1:
                self._claim(answered[0], cell, source, is_exact=True)
            else:
                self._add(cell, advice(answered), "duplicate")
        if not cells:
            what_to_do = f"put a comment like `# {self._files[0]}` in the first line of each answer's cell"
            self._add(where, f"answers no exercise of this course; {what_to_do}", "unknown")

    def _claim_by_content(self, name: str, content: bytes) -> None:
        """Take a file that is called as its learner likes. Raises UnreadableError: it answers no exercise alone."""
        if (kind := kind_of_file(name)) != "exercise":
            other = "is not a folder, a .py file, a .zip or a notebook (.ipynb)"
            raise UnreadableError(_PACKED if kind == "packed" else other)
        text = source_in(content, self._most_kb).decode("utf-8")
        answered, _ = self._names.by_text(text, read_python(text).defined)
        exercise = answered[0] if len(answered) == 1 else self._names.by_saved_file(name)
        if exercise is None:
            what_to_do = f"answers no exercise; name it like {self._files[0]}"
            raise UnreadableError(advice(answered) if answered else what_to_do)
        self._claim(exercise, name, content, is_exact=len(answered) == 1)

    def _claim(self, exercise: Exercise | None, where: str, content: bytes | UnreadableError, is_exact: bool) -> None:
        """Take `content` as an answer to `exercise`, or say why it is no source."""
        if exercise and isinstance(content, bytes):
            try:
                content = source_in(content, exercise.limits.source_kb)
            except UnreadableError as error:
                content = error
        if isinstance(content, UnreadableError):
            self._add(where, str(content), content.kind, exercise)
            if content.kind == "refused":
                return
        if exercise:
            self._claims[exercise.id].append(_Claim(where, content, is_exact))

    def submission(self) -> Submission:
        """Decide every exercise and return the submission."""
        decided = [source for exercise in self._names.exercises if (source := self._decided(exercise))]
        if not (decided or self._problems):
            self._add(self.name, f"holds no exercise; name your files like {self._files[0]}", "unknown")
        for (kind, id), number in self._number.items():
            if (left := number - _MOST_LISTED[bool(id)]) > 0:
                message = f"There are {left} more files like these, not listed one by one."
                self._problems.append(Problem(file=f"{left} more", kind=kind, message=message, exercise=id))
        return Submission(self.name, {each.exercise: each for each in decided}, tuple(self._problems))

    def _decided(self, exercise: Exercise) -> SourceFile | None:
        """The source that counts: an exact name wins; several that differ count for nothing."""
        claims = self._claims[exercise.id]
        counting = [each for each in claims if each.is_exact] or claims
        if not counting:
            return None
        (where, content, is_exact), *others = counting
        for each in claims:
            if each.is_exact < is_exact and isinstance(each.content, bytes):
                self._add(each.where, f"was left out, since {printable(where)} answers {exercise.id}", "unknown")
        if any(each.content != content for each in others):
            all_of_them = f" (and {len(others) - 1} more) all" if len(others) > 1 else " both"
            said = f"and {printable(others[0].where)}{all_of_them} answer {exercise.id} and differ; hand in one of them"
            self._add(where, said, "duplicate", exercise)
            return None
        if isinstance(content, UnreadableError):
            return None
        for each in () if is_exact else claims:
            taken_as = f"was taken as {exercise.file_name}, the only one that its name can mean"
            self._add(each.where, taken_as, "renamed", exercise)
        return SourceFile(exercise.id, printable(where), content)

    def _add(self, where: str, said: str, kind: ProblemKind, exercise: Exercise | None = None) -> None:
        """Add a problem. said: the sentence that begins with the name of the file or cell, without that."""
        shown, id = printable(where), exercise.id if exercise else None
        self._number[kind, id] += 1
        if self._number[kind, id] <= _MOST_LISTED[bool(id)]:
            self._problems.append(Problem(file=shown, kind=kind, message=f"{shown} {said}.", exercise=id))


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
    with suppress(SyntaxError):  # for a coding that Python does not know
        if codecs.lookup(tokenize.detect_encoding(io.BytesIO(lines).readline)[0]).name == "utf-8":
            return content
    raise UnreadableError("declares another coding than UTF-8; take that comment out, and save it as UTF-8")
