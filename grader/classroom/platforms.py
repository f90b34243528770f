"""The names that learning platforms give to files and folders in a download: one pattern a platform.

One part of such a name is the platform's, another the learner's (the display name, the name of the file). Who it is
stands where the platform puts its own number or login. Sources: lib/content_zipper.rb of instructure/canvas-lms (stored
version 05e9653), mod/assign/locallib.php and mod/assign/classes/downloader.php of moodle/moodle (2a6fd31).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Literal

from grader.intake.names import stem_of

Platform = Literal["plain", "canvas", "moodle", "blackboard", "brightspace", "nbgrader"]
TITLES: Mapping[Platform, str] = {
    "plain": "plain names",
    "canvas": "Canvas",
    "moodle": "Moodle",
    "blackboard": "Blackboard",
    "brightspace": "Brightspace",
    "nbgrader": "nbgrader",
}


@dataclass(frozen=True)
class PlatformName:
    """What a name in a download says.

    readings: whom it can mean, as display names by the platform's own number or login; several where parts of the name
    could be the platform's. Learners may set a display name. submission: the same for all files of one submission.
    number: the learner's in the platform, or those that it can be; "" without one. file: the learner's name of the
    file; "" for a folder. is_typed: it is text that was typed into the platform, or the platform's own, and no file.
    """

    readings: Mapping[str, str]
    submission: Hashable
    number: str = ""
    file: str = ""
    is_typed: bool = False
    is_late: bool = False


_PATTERNS: Mapping[Platform, re.Pattern[str]] = {
    # "Download submissions": familynamefirstname_LATE_USER_ATTACHMENT_file, or ..._USER_text.html if it was typed. An
    # attachment's number has three digits at least: in _5001_10_multi_head.py the 10 is of the learner's file.
    "canvas": re.compile(
        r"(?P<late>_LATE)?_(?P<id>[1-9][0-9]*)_(?:[1-9][0-9]{2,}_(?P<file>[^/]+)|(?P<typed>text|link)\.html)/?",
        re.DOTALL,
    ),
    # "Download all submissions": a folder for each participant, or files whose names begin like such a folder's; since
    # 4.1 no underscore ends the folder's name, and a team's name and number stand in place of a participant's. Moodle
    # replaces underscores in a display name by blanks, so the first match is Moodle's own.
    "moodle": re.compile(
        r"(?P<name>.+?)(?:_(?P<id>[0-9]+))?_assignsubmission_(?:file|(?P<typed>[a-z]+))(?:_(?P<file>[^/]*))?/?",
        re.DOTALL,
    ),
    # assignment_username_attempt_time_file, and a receipt with that name without the file; both title and login may
    # have underscores, so the id has both
    "blackboard": re.compile(
        r"(?P<id>.+?_.+?)_attempt_(?P<when>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>[^/]+)|(?P<typed>\.txt)|)/?",
        re.DOTALL,
    ),
    # a folder "12345-67890 - Ada Lovelace - Nov 20, 2026 416 PM"; the last date is its own, in its language
    "brightspace": re.compile(
        r"(?P<id>[0-9]+-[0-9]+) ?- ?(?P<name>.+?) ?- ?(?:[^\W\d_]{3,}\.? [0-9]{1,2},? [0-9]{4} [^-]+"
        r"|[0-9]{1,2}\.? (?:de )?[^\W\d_]{3,}\.?,? (?:de )?[0-9]{4} [^-]+)/",
        re.DOTALL,
    ),
    # submitted/: a folder for each learner, with one for each assignment in it; nbgrader allows no + in an id
    "nbgrader": re.compile(r"(?P<id>[^/+]+)/"),
}
_CANVAS_AGAIN = re.compile(r"-[0-9]+(?=\.[^.]+$)")  # of a file that was handed in again
FOUND_OUT: tuple[Platform, ...] = ("canvas", "moodle", "blackboard", "brightspace")
"""The platforms that names give away: any folder could be one of nbgrader's."""
NUMBERED: Collection[Platform] = ("canvas", "moodle", "brightspace")
"""The platforms that write a number of the learner's beside a display name, which learners can change."""


def read_name(platform: Platform, name: str) -> PlatformName | None:
    """What a name says that the platform made; None for any other. A plain name is the learner's.

    name: of a file, or of a folder with a `/` at the end. One of Canvas's has as many readings as places where the
    numbers could be Canvas's.
    """
    if platform == "plain":
        return PlatformName({"": stem_of(name)}, name)
    is_canvas, pattern = platform == "canvas", _PATTERNS[platform]
    places = [each.start() for each in re.finditer("_", name)] if is_canvas else [0]
    found = [match for place in places if (match := pattern.fullmatch(name, place))]
    readings: dict[str, str] = {}
    for match in found:  # of _LATE_104_ and _104_ the first
        said = match.groupdict(default="")
        readings.setdefault(said.get("id", ""), said.get("name", name[: match.start()]).strip())
    if not found:
        return None
    said = found[0].groupdict(default="")
    file = "" if name.endswith("/") else said.get("file", "")
    return PlatformName(
        readings,
        (*readings, next(iter(readings.values())), said.get("when")),
        number="#" + " #".join(readings) if platform in NUMBERED and all(readings) else "",
        file=_CANVAS_AGAIN.sub("", file) if is_canvas else file,
        is_typed=bool(said.get("typed")),
        is_late=bool(said.get("late")),
    )


def platform_of(names: Collection[str]) -> Platform:
    """The only platform that could have made all of these names; "plain" if there is none, or several."""
    found = [each for each in FOUND_OUT if names and all(read_name(each, name) for name in names)]
    return found[0] if len(found) == 1 else "plain"


def read_entry(platform: Platform, entry: str) -> PlatformName:
    """What the name of a file or folder says, as the database has it: without the `/` of a folder."""
    return read_name(platform, entry) or read_name(platform, f"{entry}/") or PlatformName({}, entry)


def as_first_saved(name: str) -> str:
    """A name without the number that a browser puts behind that of a file that is there already."""
    return re.sub(r" \([0-9]{1,3}\)$", "", name) or name
