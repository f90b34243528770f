"""Reads one submission from a path."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from grader.course import Course

from .collected_files import Collector
from .names import ExerciseNames, advice, is_passed_over, kind_of_file, own_name, printable, stem_of
from .notebook import NOTEBOOK_MB
from .reading_time import reading_clock
from .regular_file import read_regular, reason_of, refuse_special
from .statements import read_python
from .submission import FileProblem, SlowDiskError, Submission, SubmissionError, UnreadableError, source_in
from .walk import collect_folder
from .zip_file import collect_zip


def read_submission(path: Path, course: Course) -> Submission:
    """Read what a learner handed in: a folder, a `.py` file, a zip or a notebook.

    A folder with nothing in it but one zip is read as that zip.

    Args:
        path: the submission; not a link itself.
        course: says which files count and how large they may be.

    Raises:
        SubmissionError: it cannot be read as a whole. Single unreadable files are among its problems.
    """
    names, name = ExerciseNames(course), own_name(path)
    packed = None
    try:
        mode = os.lstat(path).st_mode
        refuse_special(mode)
        if stat.S_ISDIR(mode):
            with os.scandir(path) as entries:
                inside = list(islice((entry.name for entry in entries if not is_passed_over(entry.name)), 2))
            packed = path / inside[0] if [*map(kind_of_file, inside)] in (["zip"], ["packed"]) else None
    except FileNotFoundError:
        raise SubmissionError(f"{printable(name)} does not exist.") from None
    except (OSError, ValueError, UnreadableError) as error:  # a path with a NUL is a ValueError
        told = reason_of(error) if isinstance(error, OSError) else error
        reason = "is not a usable path" if isinstance(error, ValueError) else str(told)
        raise SubmissionError(f"{printable(name)} {reason}.") from None
    with reading_clock(printable(name)):
        if not stat.S_ISDIR(mode):
            return _read_file(path, name, Collector(stem_of(name), names), names)
        if packed is not None:
            try:
                return _read_file(packed, packed.name, Collector(stem_of(packed.name), names), names)
            except SlowDiskError:
                raise
            except SubmissionError as error:  # the learner did submit, but nothing in it can be read
                return Submission(name, {}, (FileProblem(printable(packed.name), "unreadable", str(error)),))
        collector = Collector(name, names)
        collect_folder(path, collector)
        return collector.submission()


@dataclass(frozen=True)
class LooseFile:
    """One file of a submission that lies among other learners' files, and the name that its learner gave it."""

    path: Path
    called: str


def read_loose_files(files: Sequence[LooseFile], course: Course) -> Submission:
    """Read a submission whose files lie singly among those of others, as some platforms deliver them.

    Raises:
        SubmissionError: a zip among them cannot be read. Other unreadable files are among the problems.
    """
    names = ExerciseNames(course)
    collector = Collector(files[0].path.name, names)
    with reading_clock(collector.name):
        if len(files) == 1 and kind_of_file(files[0].called) == "exercise":
            return _read_file(files[0].path, files[0].called, collector, names)
        for file in files:
            if kind_of_file(file.called) == "zip":
                collect_zip(file.path, collector)
            else:
                collector.offer(file.called, partial(read_regular, file.path))
        return collector.submission()


def _read_file(path: Path, called: str, collector: Collector, names: ExerciseNames) -> Submission:
    kind = kind_of_file(called)
    try:
        if kind == "zip":
            collect_zip(path, collector)
        elif kind == "packed":
            raise UnreadableError("is packed in a way that is not read here; hand in a zip")
        elif kind == "unknown":
            raise UnreadableError("is not a folder, a .py file, a .zip or a notebook (.ipynb)")
        elif kind == "notebook":
            collector.take_notebook(path.name, read_regular(path, NOTEBOOK_MB * 1024 * 1024))
        elif names.by_file(called):
            collector.offer(called, partial(read_regular, path))
        else:
            _take_by_content(path, called, collector, names)
    except UnreadableError as error:
        raise SubmissionError(f"{printable(path.name)} {error}.") from None
    return collector.submission()


def _take_by_content(path: Path, called: str, collector: Collector, names: ExerciseNames) -> None:
    """Take a file, perhaps named after its learner, as what it says or defines; else as what its name can mean."""
    if names.is_case(called):
        raise UnreadableError("is a script of `kata check --script`, not an answer")
    limit_kb = max(exercise.limits.source_kb for exercise in names.exercises)
    source = source_in(read_regular(path, limit_kb * 1024), limit_kb)
    text = source.decode("utf-8")
    defined = read_python(text).defined
    named = names.by_first_line(text, defined)
    answered = (named,) if named else names.by_definitions(defined)
    exercise = answered[0] if len(answered) == 1 else names.by_saved_file(called)
    if exercise is None:
        example = names.exercises[0].file_name
        raise UnreadableError(advice(answered) if answered else f"answers no exercise; name it like {example}")
    collector.take_source(exercise, path.name, source, is_exact=len(answered) == 1)
