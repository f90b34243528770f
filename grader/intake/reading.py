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

from grader.course import Course, Exercise
from grader.record import Problem, ProblemKind

from .names import CASE, SHOWN_CHARACTERS, ExerciseNames, advice, kind_of_file, own_name, printable, stem_of
from .notebook import NOTEBOOK_MB, read_notebook, read_python
from .walk import (
    MAX_TOTAL_MB,
    MB,
    ZIP_MB,
    Content,
    OutOfReach,
    SubmissionError,
    UnreadableError,
    list_folder,
    list_zip,
    look_at_clock,
    read_regular,
    reading_clock,
)

_MOST_LISTED = {True: 3, False: 20}  # problems of one kind, about an exercise and about none; others are counted
_Claim = tuple[str, bytes | UnreadableError]
"""Where an exercise's answer was found, and its source, or why it cannot be read."""


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
        about = [each for each in self.problems if exercise in (None, each.exercise)]
        told = [(each.file, each.kind, each.message, each.exercise) for each in about]
        return hashlib.sha256(ascii((read, told)).encode()).hexdigest()


def read_submission(path: Path, course: Course) -> Submission:
    """Read what a learner handed in: a folder, a `.py` file, a zip or a notebook. A zip alone in a folder is read.

    The course says which files count and how large they may be. Raises SubmissionError: it is a link, or cannot be read
    as a whole; single unreadable files are among its problems.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        return read_files(stem_of(path.name), lambda: [(path.name, partial(read_regular, path))], course, is_loose=True)
    name = own_name(path)
    return read_files(name, partial(list_folder, path, printable(name)), course)


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
            is_one = len(files) == 1
            for where, content in files:
                file_name = basename(where)
                shown = printable(file_name)
                if kind_of_file(file_name) == "zip" and (is_loose or is_one):
                    packed = io.BytesIO(content(ZIP_MB * MB))
                    for member in list_zip(packed, printable(stem_of(file_name))):
                        reader.take(*member)
                else:
                    reader.take(where, content, is_alone=is_loose and is_one)
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
        self._renamed: defaultdict[str, list[_Claim]] = defaultdict(list)
        """Claims of files that are not called quite as they should be."""
        self._problems: list[Problem] = []
        self._number: Counter[tuple[ProblemKind, str | None]] = Counter()
        self._bytes_left = MAX_TOTAL_MB * MB

    def take(self, where: str, content: Content, *, is_alone: bool = False) -> None:
        """Take a file if its name says that it counts, and report it otherwise; only files that count are read.

        is_alone: it is the whole submission, perhaps named after its learner: what it says or defines counts as well.
        Raises SubmissionError: the submission is too large; UnreadableError: a file that is alone cannot be taken.
        """
        look_at_clock()
        name, names = basename(where), self._names
        kind, exercise = kind_of_file(name), names.by_saved_file(name)
        is_exact = names.by_stem(name.removesuffix(".py")) is not None
        stem, _, ending = name.rpartition(".")
        is_script = stem.endswith(CASE) and ending in ("py", "pt") and names.by_stem(stem.removesuffix(CASE))
        if is_script and not (exercise or is_alone):
            return
        try:
            if not (is_alone or exercise or kind == "notebook" or isinstance(content, UnreadableError)):
                raise self._no_answer(name)
            given = content(NOTEBOOK_MB * MB if kind == "notebook" else self._most_kb * 1024)
            self._bytes_left -= len(given)
            if self._bytes_left < 0:
                most = f"{self.name} holds more than {MAX_TOTAL_MB} MB"
                raise SubmissionError(f"{most}; hand in the exercise files alone.")
            if kind == "notebook":
                self._take_cells(where, given)
            elif kind != "exercise":
                other = UnreadableError("is not a folder, a .py file, a .zip or a notebook (.ipynb)")
                raise self._no_answer(name) if kind == "packed" else other
            elif exercise and (is_exact or not is_alone):
                self._claim(exercise, where, given, is_exact=is_exact)
            else:
                self._claim_by_content(name, source_in(given, self._most_kb))
        except UnreadableError as error:
            if is_alone:
                raise
            self._claim(exercise, where, error, is_exact=is_exact)

    def _no_answer(self, name: str) -> UnreadableError:
        if kind_of_file(name) in ("zip", "packed"):
            packed = "is packed in a way that is not read here; hand in its files, or a zip of them"
            return UnreadableError(packed, "refused")
        is_listed = self._number["unknown", None] < _MOST_LISTED[False]
        near = get_close_matches(name[:SHOWN_CHARACTERS], self._files, n=1) if is_listed else []
        what_to_do = f"; if it is an answer, call it {near[0]}" if near else ""
        return UnreadableError(f"is not a file of this course and was left out{what_to_do}", "unknown")

    def _take_cells(self, where: str, content: bytes) -> None:
        """Take every cell of a notebook that answers an exercise. Raises UnreadableError: it is no notebook."""
        cells = read_notebook(content, self._names)
        for number, exercise, source in cells:
            self._claim(exercise, f"{where}, cell {number}", source)
        if not cells:
            what_to_do = f"put a comment like `# {self._files[0]}` in the first line of each answer's cell"
            self._add(where, f"answers no exercise of this course; {what_to_do}", "unknown")

    def _claim_by_content(self, name: str, source: bytes) -> None:
        names, text = self._names, source.decode("utf-8")
        defined = read_python(text).defined
        named = names.by_first_line(text, defined)
        answered = (named,) if named else names.by_definitions(defined)
        exercise = answered[0] if len(answered) == 1 else names.by_saved_file(name)
        if exercise is None:
            what_to_do = f"answers no exercise; name it like {self._files[0]}"
            raise UnreadableError(advice(answered) if answered else what_to_do)
        self._claim(exercise, name, source, is_exact=len(answered) == 1)

    def _claim(
        self, exercise: Exercise | None, where: str, content: bytes | UnreadableError, *, is_exact: bool = True
    ) -> None:
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
            claims = self._claims if is_exact else self._renamed
            claims[exercise.id].append((where, content))

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
        exact, renamed = self._claims[exercise.id], self._renamed[exercise.id]
        if not (exact or renamed):
            return None
        (where, content), *others = exact or renamed
        for left_out in [place for place, each in renamed if exact and isinstance(each, bytes)]:
            self._add(left_out, f"was left out, since {printable(where)} answers {exercise.id}", "unknown")
        if any(each != content for _, each in others):
            all_of_them = f" (and {len(others) - 1} more) all" if len(others) > 1 else " both"
            said = f"and {printable(others[0][0])}{all_of_them} answer {exercise.id} and differ; hand in one of them"
            self._add(where, said, "duplicate", exercise)
            return None
        if isinstance(content, UnreadableError):
            return None
        for taken, _ in () if exact else renamed:
            taken_as = f"was taken as {exercise.file_name}, the only one that its name can mean"
            self._add(taken, taken_as, "renamed", exercise)
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
