"""Lists a submission's folder, follows no link, and decides of any list of paths which may be a learner's work."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from .names import COURSE_WORK, is_course, is_passed_over
from .reading_time import look_at_clock
from .regular_file import read_regular, reason_of, refuse_special
from .submission import SubmissionError, UnreadableError

MAX_ENTRIES = 20_000  # files and folders visited
MAX_DEPTH = 16  # folders within folders
ENVIRONMENT = "pyvenv.cfg"
"""Marks a virtual environment, whatever its folder is called: libraries, not work."""

_TOO_DEEP = UnreadableError(f"lies more than {MAX_DEPTH} folders deep and was not looked into", "refused")

Read = Callable[[int], bytes]
"""Takes a number of bytes; returns the file's content, of a longer one at least a byte more. Raises UnreadableError."""
Listed = Read | UnreadableError | None
"""What stands at a path: a file, a reason not to read it, or (None) a folder."""


class Taker(Protocol):
    """Is offered the files of a submission one by one; a `Collector` is one."""

    name: str

    def offer(self, where: str, read: Read) -> None:
        """Take or ignore the file `where`; only files that are read are unpacked."""

    def report(self, where: str, error: UnreadableError) -> None:
        """Report what is wrong with `where`."""


def collect_folder(path: Path, taker: Taker) -> None:
    """Offer every file below the folder `path`. Raises SubmissionError: it cannot be opened, or holds too much."""
    listed: dict[str, Listed] = {}
    waiting = [("", os.fspath(path))]
    for inside, folder in waiting:
        look_at_clock()
        below: list[tuple[str, str]] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    where, place = inside + entry.name, os.path.join(folder, entry.name)
                    listed[where] = _listed(entry, place)
                    if listed[where] is None and not is_passed_over(entry.name):
                        below.append((f"{where}/", place))
                    if len(listed) > MAX_ENTRIES:
                        advice = "hand in the exercise files alone"
                        raise SubmissionError(f"{taker.name} holds more than {MAX_ENTRIES} files; {advice}.")
        except OSError as error:
            if not inside:
                raise SubmissionError(f"{taker.name} {reason_of(error)}.") from None
            listed[inside[:-1]] = reason_of(error)
        if not inside or inside + ENVIRONMENT not in listed:
            waiting += [each for each in below if each[0].count("/") <= MAX_DEPTH]
            listed |= {each[0][:-1]: _TOO_DEEP for each in below if each[0].count("/") > MAX_DEPTH}
    offer_all(listed, taker)


def _listed(entry: os.DirEntry[str], path: str) -> Listed:
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
        refuse_special(mode)
    except OSError as error:
        return reason_of(error)
    except UnreadableError as error:
        return error
    return None if stat.S_ISDIR(mode) else partial(read_regular, path)


def offer_all(listed: Mapping[str, Listed], taker: Taker) -> None:
    """Offer the files that may be a learner's work, sorted by path."""
    for where in _possible_work(listed):
        look_at_clock()
        found = _TOO_DEEP if where.count("/") > MAX_DEPTH else listed[where]
        if isinstance(found, UnreadableError):
            taker.report(where, found)
        elif found is not None:
            taker.offer(where, found)


def _possible_work(paths: Collection[str]) -> list[str]:
    """The paths without those that are hidden, a tool's, the course's own, or in libraries.

    Takes time in proportion to the paths. Searching each folder in each path would take hours for a large zip.
    """
    names: defaultdict[str, set[str]] = defaultdict(set)
    for path in paths:
        for folder, name in _steps(path):
            names[folder].add(name)
    libraries = {folder for folder, inside in names.items() if folder and ENVIRONMENT in inside}
    courses = {folder for folder, inside in names.items() if is_course(inside)}
    return [
        path
        for path in sorted(paths)
        if path
        and not any(is_passed_over(name) for name in path.split("/"))
        and all(each not in libraries and (each not in courses or name == COURSE_WORK) for each, name in _steps(path))
    ]


def _steps(path: str) -> Iterator[tuple[str, str]]:
    """Each folder along the path, with the name that is looked up in it; levels beyond MAX_DEPTH are one name."""
    folder = ""
    for name in path.split("/", MAX_DEPTH + 1):
        yield folder, name
        folder = f"{folder}{name}/"
