"""A folder, walked by descriptors: each step goes from an open folder to a name in it, no link leads out."""

from __future__ import annotations

import os
import stat
from functools import partial
from itertools import islice
from pathlib import Path

from grader.submission.collector import Taker
from grader.submission.files import kind_refused, read_regular, reason_of
from grader.submission.model import RefusedError, SubmissionError, UnreadableError
from grader.submission.naming import COURSE_WORK, is_course, is_passed_over
from grader.submission.reading_clock import look_at_clock

MAX_ENTRIES = 20_000  # files and folders looked at
MAX_DEPTH = 16  # folders within folders
ENVIRONMENT = "pyvenv.cfg"
"""Lies in a virtual environment of any name: libraries, not work."""

_CAN_WALK = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and os.scandir in os.supports_fd


def collect_folder(path: Path, collector: Taker) -> None:
    """Offer every file below the folder `path` to the collector.

    Raises:
        SubmissionError: the folder cannot be opened, or holds too much.
    """
    if not _CAN_WALK:
        raise SubmissionError("This system cannot read a folder safely; hand in a zip, a notebook or a single file.")
    try:
        root = _open_folder(os.fspath(path), None)
    except OSError as error:
        raise SubmissionError(f"{collector.name} {reason_of(error)}.") from None
    try:
        _Walk(collector).enter(root, "", 0)
    finally:
        os.close(root)


def _open_folder(name: str, parent: int | None) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)


class _Walk:
    def __init__(self, collector: Taker) -> None:
        self._collector = collector
        self._entries_left = MAX_ENTRIES

    def enter(self, folder: int, inside: str, depth: int) -> None:
        """Visit what is in an open folder, in the order of names; `inside` is its path in the submission."""
        try:
            names = self._names(folder)
        except OSError as error:
            self._collector.report(inside or self._collector.name, reason_of(error))
            return
        if depth and ENVIRONMENT in names:
            return
        if is_course(names):  # whole: the learner's work is one part of it
            names = [COURSE_WORK]
        for name in names:
            look_at_clock()
            if not is_passed_over(name):
                self._visit(folder, name, f"{inside}/{name}" if inside else name, depth)

    def _names(self, folder: int) -> list[str]:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, self._entries_left + 1)]
        self._entries_left -= len(names)
        if self._entries_left < 0:
            advice = "hand in the exercise files alone"
            raise SubmissionError(f"{self._collector.name} holds more than {MAX_ENTRIES} files; {advice}.")
        return sorted(names)

    def _visit(self, folder: int, name: str, where: str, depth: int) -> None:
        try:
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError as error:
            self._collector.report(where, reason_of(error))
            return
        if refusal := kind_refused(mode):
            self._collector.report(where, RefusedError(refusal))
        elif stat.S_ISDIR(mode):
            self._descend(folder, name, where, depth + 1)
        else:
            self._collector.offer(where, partial(_read, folder, name))

    def _descend(self, folder: int, name: str, where: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._collector.report(
                where, RefusedError(f"lies more than {MAX_DEPTH} folders deep and was not looked into")
            )
            return
        try:
            inner = _open_folder(name, folder)
        except NotADirectoryError:
            self._collector.report(where, UnreadableError("changed while the submission was read; hand it in again"))
            return
        except OSError as error:
            self._collector.report(where, reason_of(error))
            return
        try:
            self.enter(inner, where, depth)
        finally:
            os.close(inner)


def _read(folder: int, name: str, limit: int) -> bytes:
    return read_regular(name, limit, folder)
