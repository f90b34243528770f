"""What the names that learning management systems give to hand-ins say: who it is, and what the file was called."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Moodle, "Download all submissions": a folder a participant, or flat files whose names begin like such a folder's.
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)")
# Canvas, "Download submissions": familynamefirstname_LATE_USER_SUBMISSION_file; a file handed in again ends in -1.
_CANVAS = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+)")
_CANVAS_AGAIN = re.compile(r"-\d+(?=\.[^.]+$)")
# Blackboard: assignment_username_attempt_time_file, and a .txt of that name without the file.
_BLACKBOARD = re.compile(r".+_(?P<id>[^_]+)_attempt_\d{4}(?:-\d\d){5}_?(?P<file>.*)")
# Brightspace: a folder "12345-67890 - Ada Lovelace - Nov 20, 2026 416 PM".
_BRIGHTSPACE = re.compile(r"(?P<number>\d+-\d+) ?- ?(?P<name>.+?) ?- ?\w{3} \d{1,2}, \d{4} .+")


@dataclass(frozen=True)
class HandIn:
    """What a name of a system's making says.

    id: the system's own number or login of the learner, empty where the number is the hand-in's.
    file: what the learner called the file; empty for a folder.
    whose: the beginning of the name, which all files of this learner share.
    """

    whose: str
    name: str
    id: str
    file: str


def read_name(name: str) -> HandIn | None:
    """What the name of a file or folder says, or None when no system that is known here gave it."""
    for pattern in (_MOODLE, _BLACKBOARD, _BRIGHTSPACE, _CANVAS):
        if found := pattern.fullmatch(name):
            said = found.groupdict()
            file = said.get("file") or ""
            if pattern is _CANVAS:
                file = _CANVAS_AGAIN.sub("", file)
            whose = name[: max(found.end(part) for part in said if part != "file")]
            return HandIn(whose, said.get("name") or said["id"], said.get("id") or "", file)
    return None
