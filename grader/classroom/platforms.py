"""The names that learning platforms give to files and folders in a download: one pattern a platform.

One part of such a name is the platform's, another the learner's (the display name, the name of the file). Who it is
stands where the platform puts its own number or login. Sources: lib/content_zipper.rb of instructure/canvas-lms (stored
version 05e9653), mod/assign/locallib.php and mod/assign/classes/downloader.php of moodle/moodle (2a6fd31).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from grader.errors import KataError

from .dates import read_date

Platform = Literal["plain", "canvas", "moodle", "blackboard", "brightspace", "nbgrader"]
TITLES: Mapping[Platform, str] = {
    "plain": "plain names",
    "canvas": "Canvas",
    "moodle": "Moodle",
    "blackboard": "Blackboard",
    "brightspace": "Brightspace",
    "nbgrader": "nbgrader",
}
LONGEST_NAME = 512
"""No file system has longer names. A zip may, and each underscore in a name is a place to try."""


@dataclass(frozen=True)
class NameReading:
    """Whom a name can mean. id: the platform's own number or login. name: the display name, which learners may set."""

    id: str = ""
    name: str = ""


@dataclass(frozen=True)
class PlatformName:
    """What a name in a download says.

    submitter: the same for all files of one submission. readings: several where parts of it could be the platform's.
    file: the learner's name of the file; "" for a folder. attempt: the platform's mark of one of several, in the order
    of time. is_typed: it is text that somebody typed into the platform, or the platform's own, and no file.
    """

    submitter: str
    readings: tuple[NameReading, ...]
    file: str = ""
    attempt: str = ""
    is_typed: bool = False
    is_late: bool = False


# Canvas, "Download submissions": familynamefirstname_LATE_USER_ATTACHMENT_file, or ..._USER_text.html if it was typed.
# An attachment's number has three digits at least: in _5001_10_multi_head.py the 10 is of the learner's file.
_CANVAS = re.compile(
    r"(?P<late>_LATE)?_(?P<id>[1-9][0-9]*)_(?:[1-9][0-9]{2,}_(?P<file>[^/]+)|(?:text|link)\.html)/?", re.DOTALL
)
_CANVAS_NAMELESS = re.compile(
    r"(?P<late>LATE_)?anon_(?P<id>[0-9A-Za-z]{5})_(?:[0-9]+_(?P<file>[^/]+)|(?:text|link)\.html)/?", re.DOTALL
)
_CANVAS_AGAIN = re.compile(r"-[0-9]+(?=\.[^.]+$)")  # of a file that was handed in again
# Moodle, "Download all submissions": a folder for each participant, or files whose names begin like such a folder's;
# since 4.1 no underscore ends the folder's name, and a team's name and number stand in place of a participant's.
# Moodle replaces underscores in a display name by blanks, so the first match is Moodle's own.
_MOODLE = re.compile(
    r"(?P<name>.+?)(?:_(?P<id>[0-9]+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>[^/]*))?/?", re.DOTALL
)
# Blackboard: assignment_username_attempt_time_file, and a receipt with that name without the file.
_BLACKBOARD = re.compile(
    r"(?P<head>.+?_.+?)_attempt_(?P<when>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>[^/]+)|\.txt|)/?", re.DOTALL
)
# Brightspace: a folder "12345-67890 - Ada Lovelace - Nov 20, 2026 416 PM"; the last date is its own, in its language.
_BRIGHTSPACE = re.compile(
    r"(?P<id>[0-9]+-[0-9]+) ?- ?(?P<name>.+) ?- ?(?P<when>[^\W\d_]{3,}\.? [0-9]{1,2},? [0-9]{4} [^-]+"
    r"|[0-9]{1,2}\.? (?:de )?[^\W\d_]{3,}\.?,? (?:de )?[0-9]{4} [^-]+)/",
    re.DOTALL,
)
_CLOCK_OF_DIGITS = re.compile(r"([0-9]{1,2})([0-9]{2})(?=[^0-9]*$)")
# nbgrader, submitted/: a folder for each learner, with one for each assignment in it. It allows no + in an id.
_NBGRADER = re.compile(r"(?P<id>[^/+]+)/")


def read_names(platform: Platform, names: Collection[str]) -> dict[str, PlatformName]:
    """What each name says that the platform made; the others are left out.

    names: of files, and of folders with a `/` at the end.
    """
    read = _READERS.get(platform)
    if read is None:
        return {}
    found = {name: said for name in names if len(name) <= LONGEST_NAME and (said := read(name)) is not None}
    return _with_logins(found) if platform == "blackboard" else found


def platform_of(names: Collection[str]) -> Platform:
    """The platform that made all of these names; "plain" if there is none.

    Raises KataError if there are two. A class of nbgrader's is never found out: any folder could be of one.
    """
    found = [each for each in _READERS if each != "nbgrader" and names and len(read_names(each, names)) == len(names)]
    if len(found) > 1:
        both = " or ".join(f"{TITLES[platform]}'s" for platform in found)
        raise KataError(f"These names can be read as {both}: say which with --from {' or '.join(found)}.")
    return found[0] if found else "plain"


def _canvas(name: str) -> PlatformName | None:
    if nameless := _CANVAS_NAMELESS.fullmatch(name):
        return _said_by_canvas(nameless["id"], (NameReading(nameless["id"]),), nameless)
    found = [match for each in re.finditer("_", name) if (match := _CANVAS.fullmatch(name, each.start()))]
    if not found:
        return None
    readings: dict[str, NameReading] = {}
    for match in found:  # of _LATE_104_ and _104_ the first
        readings.setdefault(match["id"], NameReading(match["id"], name[: match.start()]))
    return _said_by_canvas(f"{name[: found[0].start()]}_{'_'.join(readings)}", tuple(readings.values()), found[0])


def _said_by_canvas(submitter: str, readings: tuple[NameReading, ...], match: re.Match[str]) -> PlatformName:
    file = _CANVAS_AGAIN.sub("", match["file"] or "")
    return PlatformName(submitter, readings, file, is_typed=not file, is_late=match["late"] is not None)


def _moodle(name: str) -> PlatformName | None:
    match = _MOODLE.fullmatch(name)
    if match is None:
        return None
    id = match["id"] or ""
    readings = (NameReading(id, match["name"]),)
    return PlatformName(f"{match['name']}_{id}", readings, match["file"] or "", is_typed=match["kind"] != "file")


def _blackboard(name: str) -> PlatformName | None:
    match = _BLACKBOARD.fullmatch(name)
    if match is None:
        return None
    file = match["file"] or ""
    return PlatformName(match["head"], (), file, match["when"], is_typed=not file and name.endswith(".txt"))


def _with_logins(found: Mapping[str, PlatformName]) -> dict[str, PlatformName]:
    """Add the logins: what stands behind an assignment's title, with which all names begin. A title may have `_`."""
    heads = {said.submitter for said in found.values()}
    first, last = min(heads, default=""), max(heads, default="")
    cuts = [each.end() for each in re.finditer("_", first) if last.startswith(first[: each.end()])]
    return {
        name: replace(said, readings=tuple(NameReading(said.submitter[cut:]) for cut in reversed(cuts)))
        for name, said in found.items()
    }


def _brightspace(name: str) -> PlatformName | None:
    match = _BRIGHTSPACE.fullmatch(name)
    if match is None:
        return None
    return PlatformName(match["id"], (NameReading(match["id"], match["name"].strip()),), attempt=match["when"].strip())


def _nbgrader(name: str) -> PlatformName | None:
    match = _NBGRADER.fullmatch(name)
    return PlatformName(match["id"], (NameReading(match["id"]),)) if match else None


_READERS: Mapping[Platform, Callable[[str], PlatformName | None]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "blackboard": _blackboard,
    "brightspace": _brightspace,
    "nbgrader": _nbgrader,
}


def last_attempt(platform: Platform, attempts: Collection[str]) -> str | None:
    """The last of the platform's marks of attempts; None if that cannot be said."""
    if platform != "brightspace" or len(attempts) < 2:
        return max(attempts)
    times = dict(_times(attempts))
    return max(times, key=lambda mark: times[mark]) if len(times) == len(attempts) else None


def _times(attempts: Collection[str]) -> Iterator[tuple[str, datetime]]:
    """When `Nov 20, 2026 416 PM` is, where it can be read: the clock has no colon, as file names have none."""
    for each in attempts:
        if (found := read_date(_CLOCK_OF_DIGITS.sub(r"\1:\2", each))) is not None:
            yield each, found
