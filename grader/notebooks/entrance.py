"""Limits nbgrader's access to `submitted/`: notebooks, timestamp and secret, in ordinary folders with plain names.

nbgrader follows links, copies everything beside a notebook, even into the feedback, and writes the name of a learner's
folder into its pages as HTML. So a link to `source/` would give full marks, and one to a device would end the batch.

Without a timestamp, the time of handing in is when the files were last changed.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nbgrader.converters.base import NbGraderException
from nbgrader.utils import parse_utc

from grader.errors import KataError
from grader.intake.names import printable
from grader.intake.regular_file import read_regular
from grader.intake.submission import UnreadableError

from .former import EarlierGradings
from .readiness import course_of, fault_of_unit

NBGRADERS_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"


def _last_changed(submitted: Path) -> datetime:
    """When the newest notebook of a submission was last changed, and not later than now."""
    now = datetime.now(timezone.utc)
    times = [path.lstat().st_mtime for path in submitted.glob("*.ipynb")]
    # a wrong clock, or a forged time, is later
    return datetime.fromtimestamp(min(max(times, default=now.timestamp()), now.timestamp()), timezone.utc)


TIMESTAMP = "timestamp.txt"
TIMESTAMP_BYTES = 200
SECRET = "submission_secret.txt"
"""`nbgrader submit` creates it beside a notebook: in the exchange, feedback is found only by it."""
SECRET_BYTES = 1000

NOT_IN_NAMES = '<>"\\*?[]'
"""Characters that nbgrader's pages take for HTML or script text, and its commands for glob patterns."""


def watch(autograde: Any) -> EarlierGradings:
    """Restrict what this run of nbgrader's Autograde sees of each submission to its notebooks and its time.

    Submissions that cannot be graded are named in the log, and their earlier gradings kept; once all others are graded,
    the run ends like nbgrader's own runs with failures. Without a course nothing is graded. Returns the earlier
    gradings that this run replaces.
    """
    earlier = EarlierGradings(autograde)
    convert, begin, prepare = autograde.convert_notebooks, autograde.init_destination, autograde.init_assignment

    def convert_notebooks() -> None:
        try:
            course = course_of(autograde)
        except KataError as error:
            autograde.log.error("Nobody was graded. %s", error)
            raise NbGraderException(str(error)) from None
        refused = {place: reason for place in sorted(autograde.assignments) if (reason := _refusal(autograde, place))}
        for place, reason in refused.items():
            autograde.log.error("Not graded: %s %s", printable(place), reason)
        sound = autograde.assignments.keys() - refused.keys()
        left = {place: _unit_of(autograde, place) for place in sound}
        faults = {unit: fault_of_unit(autograde, course, unit) for unit in sorted(set(left.values()))}
        for unit, fault in faults.items():
            if fault:
                autograde.log.error("Nobody's %s was graded. %s", unit, fault)
        failed = {*refused, *(place for place, unit in left.items() if faults[unit])}
        for place in failed:
            del autograde.assignments[place]
        try:
            convert()
        finally:
            earlier.put_back()
        if failed:
            raise NbGraderException(f"Submissions that were not graded: {len(failed)}. The log above says why.")

    def init_destination(assignment: str, student: str) -> bool:
        earlier.keep(assignment, student)
        return bool(begin(assignment, student))

    def init_assignment(assignment: str, student: str) -> None:
        place = Path(autograde._format_source(assignment, student))
        with _only_the_time(autograde, place):
            prepare(assignment, student)
        _complete(autograde, place, Path(autograde._format_dest(assignment, student)))

    autograde.convert_notebooks, autograde.init_destination = convert_notebooks, init_destination
    autograde.init_assignment = init_assignment
    return earlier


def _refusal(autograde: Any, place: str) -> str | None:
    """Why the submission in this folder cannot be graded, to follow the folder's name; None when it can."""
    course, folder = autograde.coursedir, Path(place)
    named = _named(autograde, place)
    if named is None or not named["student"].isprintable() or set(named["student"]) & set(NOT_IN_NAMES):
        return f"has characters in the learner's name that make trouble in pages ({NOT_IN_NAMES}, invisible ones)."
    if named["student"] in course.student_id_exclude.split(","):
        return None
    for each in (folder, folder.parent):
        if each.is_symlink():
            return f"is reached by a link, {each.name}. Put the learner's own folder in its place."
    source = Path(course.format_path(course.source_directory, ".", named["assignment"]))
    for notebook in map(Path, autograde.assignments[place]):
        # a link instead of a notebook is refused by the intake, without points
        if not notebook.is_symlink() and _are_one(notebook, source / notebook.name):
            return f"holds no notebook of its own: {notebook.name} is the course's, with the solutions."
    try:
        _time_of(folder)
    except UnreadableError as error:
        return f"has a {TIMESTAMP} that {error}."
    return None


def _named(autograde: Any, place: str) -> re.Match[str] | None:
    pattern = autograde._format_source("(?P<assignment>.*)", "(?P<student>.*)", escape=True)
    return re.fullmatch(pattern, place)


def _unit_of(autograde: Any, place: str) -> str:
    named = _named(autograde, place)
    assert named is not None  # others were refused
    return named["assignment"]


def _are_one(handed_in: Path, source: Path) -> bool:
    return source.exists() and handed_in.samefile(source)


@contextmanager
def _only_the_time(autograde: Any, place: Path) -> Iterator[None]:
    """In this block nbgrader copies a folder with only the timestamp instead of the submission's."""
    with TemporaryDirectory() as clean:
        if (time := _time_of(place)) is not None:
            (Path(clean) / TIMESTAMP).write_bytes(time)
        autograde._format_source = lambda *names, **options: clean
        try:
            yield
        finally:
            del autograde._format_source


def _complete(autograde: Any, submitted: Path, graded: Path) -> None:
    """Create what `nbgrader release_feedback` requires of every grading; it would stop for all if one lacked it.

    A submission that did not come through the exchange gets a random secret, so its feedback cannot be fetched there.
    One without a timestamp gets its file's time, only here.
    """
    graded.mkdir(parents=True, exist_ok=True)
    if not (graded / TIMESTAMP).exists():
        (graded / TIMESTAMP).write_text(_last_changed(submitted).strftime(NBGRADERS_FORMAT), "ascii")
    secret = graded / SECRET
    secret.unlink(missing_ok=True)
    secret.write_text(_secret_of(autograde, submitted) or secrets.token_hex(), "utf-8")


def _secret_of(autograde: Any, submitted: Path) -> str | None:
    path = submitted / SECRET
    if not path.exists() and not path.is_symlink():
        return None
    try:
        content = read_regular(path, SECRET_BYTES)
        if len(content) > SECRET_BYTES:
            raise UnreadableError("is longer than any secret")
        return content.decode("utf-8")
    except (UnreadableError, UnicodeDecodeError) as error:
        why = "holds no text" if isinstance(error, UnicodeDecodeError) else error
        autograde.log.warning("%s %s: this learner cannot fetch feedback.", printable(str(path)), why)
        return None


def _time_of(folder: Path) -> bytes | None:
    """The timestamp as nbgrader writes it; None if there is none.

    Raises UnreadableError, to follow the file's name, if it contains something else.
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
    except Exception:  # the date parser lets any internal error through, such as one from decimal division
        raise UnreadableError("holds no time that nbgrader can read; correct it or take it away") from None
    return content
