"""Reads one submission from a path, and lists all submissions in a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from grader.course import Course

from . import submission
from .clock import SlowDiskError, reading_clock
from .collector import Collector
from .folder import collect_folder, kind_refused, read_regular, reason_of
from .names import ExerciseNames, first_few, is_passed_over, kind_of_file, printable, stem_of
from .notebook import NOTEBOOK_MB
from .statements import exercise_of_text
from .submission import Problem, RefusedError, Submission, SubmissionError, UnreadableError
from .tar_file import collect_tar
from .zip_file import collect_archive

_TOLD = 5  # names listed in a sentence
_LOOKED_AT = 256 * 1024  # of a lone file, to find out what it answers


def read_submission(path: Path, course: Course) -> Submission:
    """Read what a learner handed in: a folder, a `.py` file, a zip, a tar or a notebook.

    A folder with nothing in it but one zip or tar is read as that archive.

    Args:
        path: the submission; not a link itself.
        course: says which files count and how large they may be.

    Raises:
        SubmissionError: it cannot be read as a whole. Single unreadable files are among its problems.
    """
    names = ExerciseNames(course)
    shown = printable(_own_name(path))
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        raise SubmissionError(f"{shown} does not exist.") from None
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        reason = reason_of(error) if isinstance(error, OSError) else "is not a usable path"
        raise SubmissionError(f"{shown} {reason}.") from None
    if refusal := kind_refused(mode):
        raise SubmissionError(f"{shown} {refusal}.")
    with reading_clock(shown):
        if stat.S_ISDIR(mode) and (packed := _only_packed(path)) is not None:
            try:
                return _read_file(packed, Collector(stem_of(packed.name), names), names)
            except SlowDiskError:
                raise
            except SubmissionError as error:  # the learner did submit, but nothing in it can be read
                return Submission(_own_name(path), {}, (Problem(printable(packed.name), "unreadable", str(error)),))
        if stat.S_ISDIR(mode):
            collector = Collector(_own_name(path), names)
            collect_folder(path, collector)
            return collector.submission()
        return _read_file(path, Collector(stem_of(path.name), names), names)


def _only_packed(folder: Path) -> Path | None:
    """The single zip or tar in a folder, as platforms create one for each learner."""
    try:
        with os.scandir(folder) as entries:
            found = list(islice((entry.name for entry in entries if not is_passed_over(entry.name)), 2))
    except OSError:  # reading the folder will report it
        return None
    return folder / found[0] if len(found) == 1 and kind_of_file(found[0]) in ("zip", "tar", "packed") else None


@dataclass(frozen=True)
class Part:
    """One file of a submission that lies among other learners' files, and the name that its learner gave it."""

    path: Path
    called: str


def read_parts(parts: Sequence[Part], course: Course) -> Submission:
    """Read a submission whose files lie singly among those of others, as some platforms deliver them.

    Raises:
        SubmissionError: a zip among them cannot be read. Other unreadable files are among the problems.
    """
    names = ExerciseNames(course)
    collector = Collector(parts[0].path.name, names)
    with reading_clock(collector.name):
        for part in parts:
            if kind_of_file(part.called) == "zip":
                collect_archive(part.path, collector)
            elif kind_of_file(part.called) == "tar":
                collect_tar(part.path, collector)
            elif len(parts) == 1 and kind_of_file(part.called) == "exercise" and not names.by_file(part.called):
                _take_lone_file(part.path, part.called, collector, names)
            else:
                collector.offer(part.called, partial(read_regular, part.path))
        return collector.submission()


@dataclass(frozen=True)
class LeftOut:
    """An entry in the folder of a class that is not a submission; `reason` is a sentence about `name`.

    is_usual: whether systems and tools leave such entries behind.
    """

    name: str
    reason: str
    is_usual: bool = False


@dataclass(frozen=True)
class Listing:
    """All entries in the folder of a class."""

    submissions: tuple[Path, ...]
    others: tuple[LeftOut, ...]


def look_into(folder: Path) -> Listing:
    """List the folder of a class, sorted by name: submissions, one a learner, and everything else.

    Submissions are folders, zips, tars, notebooks and `.py` files. Links with such a name are included, so that reading
    them reports what is wrong. Nothing is opened.

    Raises:
        SubmissionError: it is not a folder, or cannot be opened.
    """
    shown = printable(_own_name(folder))
    try:
        with os.scandir(folder) as entries:
            found = sorted((entry.name, _why_no_submission(entry)) for entry in entries)
    except FileNotFoundError:
        raise SubmissionError(f"{shown} does not exist.") from None
    except NotADirectoryError:
        raise SubmissionError(f"{shown} is not a folder; name the folder that holds the submissions.") from None
    except (OSError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "is not a usable path"
        raise SubmissionError(f"{shown} {reason}.") from None
    others = [LeftOut(name, why, is_passed_over(name)) for name, why in found if why]
    return Listing(tuple(folder / name for name, why in found if not why), tuple(others))


def find_submissions(folder: Path) -> list[Path]:
    """Return the submissions in a folder, as `look_into` does.

    Raises:
        SubmissionError: it is not a folder, cannot be opened, or contains no submission.
    """
    found = look_into(folder)
    if not found.submissions:
        raise SubmissionError(nothing_in(folder, found.others))
    return list(found.submissions)


def nothing_in(folder: Path, others: Sequence[LeftOut]) -> str:
    """A sentence about a folder without submissions."""
    names = [each.name for each in others if not each.is_usual]
    there = f" What is there: {first_few(names, _TOLD)}." if names else ""
    shown = printable(_own_name(folder))
    return (
        f"{shown} holds no submission: no folder, .zip, .tar.gz, .ipynb or .py file.{there} "
        f"Expected is one of these a learner, such as {shown}/ada/03_softmax.py."
    )


def _why_no_submission(entry: os.DirEntry[str]) -> str:
    """Why an entry is skipped; "" for a submission."""
    if is_passed_over(entry.name):
        return "It is hidden, or what tools, systems or the course leave behind."
    if kind_of_file(entry.name) != "unknown" or _is_folder(entry):
        return ""
    if entry.is_symlink():
        return "It is a link and was not followed."
    if not entry.is_file(follow_symlinks=False):
        return "It is not an ordinary file (a pipe, a socket or a device) and was not opened."
    return "It is no folder, zip, tar, notebook or .py file."


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, or an entry without permission
        return False


def _own_name(path: Path) -> str:
    name = path.name
    return name if name not in ("", "..") else Path(os.path.abspath(path)).name or "submission"


def _read_file(path: Path, collector: Collector, names: ExerciseNames) -> Submission:
    kind = kind_of_file(path.name)
    if kind == "zip":
        collect_archive(path, collector)
    elif kind == "tar":
        collect_tar(path, collector)
    elif kind == "packed":
        raise SubmissionError(f"{printable(path.name)} is packed in a way that is not read here; hand in a zip.")
    elif names.by_file(path.name):
        collector.offer(path.name, partial(read_regular, path))
    elif kind == "unknown":
        raise SubmissionError(
            f"{printable(path.name)} is not a folder, a .py file, a .zip, a .tar.gz or a notebook (.ipynb)."
        )
    else:
        _take_lone_file(path, path.name, collector, names)
    return collector.submission()


def _take_lone_file(path: Path, called: str, collector: Collector, names: ExerciseNames) -> None:
    try:
        if kind_of_file(path.name) == "notebook":
            collector.take_notebook(path.name, read_regular(path, NOTEBOOK_MB * 1024 * 1024))
        else:
            _take_by_content(path, called, collector, names)
    except (UnreadableError, RefusedError) as error:
        raise SubmissionError(f"{printable(path.name)} {error}.") from None


def _take_by_content(path: Path, called: str, collector: Collector, names: ExerciseNames) -> None:
    """Find out what a lone file, perhaps named after its learner, answers: by its first line or its definitions.

    If these do not decide it, the name may still be one that can mean only a single exercise.
    """
    limit_kb = max(exercise.limits.source_kb for exercise in names.exercises)
    content = read_regular(path, limit_kb * 1024)
    if reason := submission.fault(content, limit_kb):
        raise UnreadableError(reason)
    text = submission.without_bom(content)[:_LOOKED_AT].decode("utf-8", "ignore")
    found = exercise_of_text(text.replace("\r\n", "\n").replace("\r", "\n"), names)
    if found.exercise is None and (meant := names.by_loose_file(called)):
        collector.take_by_loose_name(meant, path.name, content)
        return
    if found.exercise is None:
        raise UnreadableError(found.advice or f"answers no exercise; name it like {names.exercises[0].file_name}")
    collector.take_source(found.exercise, path.name, content)
