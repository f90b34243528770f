"""What of `submitted/` nbgrader may touch: notebooks and their time, in ordinary folders with plain names.

nbgrader follows links, copies whatever lies beside a notebook, even into the feedback, and writes the name of a
learner's folder into its pages as HTML. So a link to `source/` would be full marks, and one to a device would end the
batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nbgrader.converters.base import NbGraderException
from nbgrader.utils import parse_utc

from grader.submission.files import read_regular
from grader.submission.model import RefusedError, UnreadableError
from grader.submission.naming import printable

TIMESTAMP = "timestamp.txt"
TIMESTAMP_BYTES = 200

NOT_IN_NAMES = '<>"\\*?[]'
"""What nbgrader's pages take for HTML or a script's text, and its commands for a pattern of names."""


def watch(autograde: Any) -> None:
    """Let this run of nbgrader's Autograde see of each submission its notebooks and its time, and nothing else.

    A submission that lies in no ordinary folder is named in the log and left alone; once all others are graded, the
    run ends as nbgrader's runs end when something failed.
    """
    convert, prepare = autograde.convert_notebooks, autograde.init_assignment

    def convert_notebooks() -> None:
        refused = {place: reason for place in sorted(autograde.assignments) if (reason := _refusal(autograde, place))}
        for place, reason in refused.items():
            del autograde.assignments[place]
            autograde.log.error("Not graded: %s %s", printable(place), reason)
        convert()
        if refused:
            raise NbGraderException(f"Submissions that were not graded: {len(refused)}. The log above says why.")

    def init_assignment(assignment: str, student: str) -> None:
        with _only_the_time(autograde, autograde._format_source(assignment, student)):
            prepare(assignment, student)

    autograde.convert_notebooks, autograde.init_assignment = convert_notebooks, init_assignment


def _refusal(autograde: Any, place: str) -> str | None:
    """Why the submission in this folder cannot be graded, to follow the folder's name; None when it can."""
    course, folder = autograde.coursedir, Path(place)
    named = re.fullmatch(autograde._format_source("(?P<assignment>.*)", "(?P<student>.*)", escape=True), place)
    if named is None or not named["student"].isprintable() or set(named["student"]) & set(NOT_IN_NAMES):
        return f"has characters in the learner's name that make trouble in pages ({NOT_IN_NAMES}, invisible ones)."
    if named["student"] in course.student_id_exclude.split(","):
        return None
    for each in (folder, folder.parent):
        if each.is_symlink():
            return f"is reached by a link, {each.name}. Put the learner's own folder in its place."
    source = Path(course.format_path(course.source_directory, ".", named["assignment"]))
    for notebook in map(Path, autograde.assignments[place]):
        # a link in a notebook's place is answered by the intake, with no points
        if not notebook.is_symlink() and _are_one(notebook, source / notebook.name):
            return f"holds no notebook of its own: {notebook.name} is the course's, with the solutions."
    try:
        _time_of(folder)
    except (RefusedError, UnreadableError) as error:
        return f"has a {TIMESTAMP} that {error}."
    return None


def _are_one(handed_in: Path, source: Path) -> bool:
    return source.exists() and handed_in.samefile(source)


@contextmanager
def _only_the_time(autograde: Any, place: str) -> Iterator[None]:
    """In here nbgrader takes a folder with nothing but the time for the submission's."""
    with TemporaryDirectory() as clean:
        if (time := _time_of(Path(place))) is not None:
            (Path(clean) / TIMESTAMP).write_bytes(time)
        autograde._format_source = lambda *names, **options: clean
        try:
            yield
        finally:
            del autograde._format_source


def _time_of(folder: Path) -> bytes | None:
    """When this was handed in, as nbgrader writes it; None when it does not say.

    Raises RefusedError or UnreadableError, to follow the file's name, when it holds something else.
    """
    path = folder / TIMESTAMP
    if not path.exists() and not path.is_symlink():
        return None
    content = read_regular(path, TIMESTAMP_BYTES)
    try:
        if len(content) > TIMESTAMP_BYTES:
            raise ValueError("longer than any time")
        if text := content.decode("utf-8").strip():
            parse_utc(text)
    except Exception:  # the parser of dates lets through whatever goes wrong in it, such as a division of decimals
        raise UnreadableError("holds no time that nbgrader can read; correct it or take it away") from None
    return content
