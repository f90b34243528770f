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


@dataclass(frozen=True)
class LooseFile:
    """One file of a submission that may lie among other learners' files, and the name that its learner gave it."""

    path: Path
    called: str


def read_submission(path: Path, course: Course) -> Submission:
    """Read what a learner handed in: a folder, a `.py` file, a zip or a notebook.

    A folder with nothing in it but one zip is read as that zip.

    Args:
        path: the submission; not a link itself.
        course: says which files count and how large they may be.

    Raises:
        SubmissionError: it cannot be read as a whole. Single unreadable files are among its problems.
    """
    name = own_name(path)
    inside = _inside(path, printable(name))
    if inside is None:
        return read_loose_files([LooseFile(path, path.name)], course)
    if [*map(kind_of_file, inside)] in (["zip"], ["packed"]):
        try:
            return read_loose_files([LooseFile(path / inside[0], inside[0])], course)
        except SlowDiskError:
            raise
        except SubmissionError as error:  # the learner did submit, but nothing in it can be read
            return Submission(name, {}, (FileProblem(printable(inside[0]), "unreadable", str(error)),))
    collector = Collector(name, ExerciseNames(course))
    with reading_clock(collector.name):
        collect_folder(path, collector)
        return collector.submission()


def _inside(path: Path, shown: str) -> list[str] | None:
    """The first two names in a folder; None for a file. Raises SubmissionError: it cannot be read."""
    try:
        mode = os.lstat(path).st_mode
        refuse_special(mode)
        if not stat.S_ISDIR(mode):
            return None
        with os.scandir(path) as entries:
            return list(islice((entry.name for entry in entries if not is_passed_over(entry.name)), 2))
    except FileNotFoundError:
        raise SubmissionError(f"{shown} does not exist.") from None
    except (OSError, UnreadableError) as error:
        raise SubmissionError(f"{shown} {reason_of(error) if isinstance(error, OSError) else error}.") from None
    except ValueError:  # a path with a NUL
        raise SubmissionError(f"{shown} is not a usable path.") from None


def read_loose_files(files: Sequence[LooseFile], course: Course) -> Submission:
    """Read a submission whose files lie singly among those of others, as some platforms deliver them.

    Raises:
        SubmissionError: a lone file or a zip cannot be read. Other unreadable files are among the problems.
    """
    names = ExerciseNames(course)
    collector = Collector(stem_of(files[0].path.name), names)
    with reading_clock(collector.name):
        if len(files) == 1:
            _read_file(files[0], collector, names)
            return collector.submission()
        for file in files:
            if kind_of_file(file.called) == "zip":
                collect_zip(file.path, collector)
            else:
                collector.offer(file.called, partial(read_regular, file.path))
        return collector.submission()


def _read_file(file: LooseFile, collector: Collector, names: ExerciseNames) -> None:
    kind = kind_of_file(file.called)
    try:
        if kind == "zip":
            collect_zip(file.path, collector)
        elif kind == "packed":
            raise UnreadableError("is packed in a way that is not read here; hand in a zip")
        elif kind == "unknown":
            raise UnreadableError("is not a folder, a .py file, a .zip or a notebook (.ipynb)")
        elif kind == "notebook":
            collector.take_notebook(file.path.name, read_regular(file.path, NOTEBOOK_MB * 1024 * 1024))
        elif names.by_file(file.called):
            collector.offer(file.called, partial(read_regular, file.path))
        else:
            _take_by_content(file.path, file.called, collector, names)
    except UnreadableError as error:
        raise SubmissionError(f"{printable(file.path.name)} {error}.") from None


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
