"""Reads file names of a platform's download: the submitter and the file's own name. All names follow one platform.

One part of a name is written by the platform, another by the learner (display name, file name). The submitter is read
where the platform puts its own number or login, counted from the side that learners cannot write.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from grader.errors import KataError

from .dates import read_date

Platform = Literal["canvas", "moodle", "blackboard", "brightspace", "plain"]
PLATFORMS: Mapping[str, Platform] = {
    "canvas": "canvas",
    "moodle": "moodle",
    "blackboard": "blackboard",
    "brightspace": "brightspace",
    "plain": "plain",
}
TITLES: Mapping[Platform, str] = {
    "canvas": "Canvas",
    "moodle": "Moodle",
    "blackboard": "Blackboard",
    "brightspace": "Brightspace",
}


# Canvas, "Download submissions": familynamefirstname_LATE_USER_ATTACHMENT_file, or ..._USER_text.html if it was typed.
# Its numbers do not begin with 0, unlike those of exercises (_5001_03_softmax.py is not of a user 5001).
_CANVAS = re.compile(
    r"(?:_LATE)?_(?P<id>[1-9][0-9]*)_(?:(?P<number>[1-9][0-9]*)_(?P<file>.+)|(?:text|link)\.html)", re.DOTALL
)
_CANVAS_UNNAMED = re.compile(
    r"(?:LATE_)?anon_(?P<id>(?![0-9]+_)[0-9A-Za-z]{5})_(?:[0-9]+_(?P<file>.+)|(?:text|link)\.html)", re.DOTALL
)
_CANVAS_AGAIN = re.compile(r"-[0-9]+(?=\.[^.]+$)")  # of a file that was handed in again
# Moodle, "Download all submissions": a folder for each participant, or files whose names begin like such a folder's.
# Moodle replaces underscores in a display name by blanks, so the first match is Moodle's own.
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>[0-9]+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)", re.DOTALL)
# Blackboard: assignment_username_attempt_time_file, and a receipt with that name without the file.
_BLACKBOARD = re.compile(
    r"(?P<head>.+?_.+?)_attempt_(?P<when>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt|)", re.DOTALL
)
# Brightspace: a folder "12345-67890 - Ada Lovelace - Nov 20, 2026 416 PM"; the last date is its own, in its language.
_BRIGHTSPACE = re.compile(
    r"(?P<id>[0-9]+-[0-9]+) ?- ?(?P<name>.+) ?- ?(?P<when>[^\W\d_]{3,}\.? [0-9]{1,2},? [0-9]{4} [^-]+"
    r"|[0-9]{1,2}\.? (?:de )?[^\W\d_]{3,}\.?,? (?:de )?[0-9]{4} [^-]+)",
    re.DOTALL,
)
_CLOCK_OF_DIGITS = re.compile(r"([0-9]{1,2})([0-9]{2})(?=[^0-9]*$)")


MOST_LETTERS = 512
"""No file system has longer names. A zip may, and each underscore in a name is a place to try."""


@dataclass(frozen=True)
class Said:
    """The content of a name that a platform made.

    submitter: equal for all files of one submitter, and for nobody else's. name: the display name, which learners can
    often change; empty if the platform does not write it. ids: the platform's own id, then other possible readings of
    it. file: the learner's name of the file; empty for a folder. attempt: the platform's mark of an attempt, sorted in
    time order; empty if it has none. is_typed: whether it is text typed into the platform or written by it, rather than
    a file.
    """

    submitter: str
    name: str
    ids: tuple[str, ...]
    file: str = ""
    attempt: str = ""
    is_typed: bool = False


def platform_called(name: str) -> Platform:
    """The platform with this name; "plain" for an unknown one."""
    return PLATFORMS.get(name, "plain")


def platform_of(names: Collection[str]) -> Platform:
    """The platform whose download these names are from: the one that can read most of them, if that is at least half.

    Raises KataError when two can read equally many.
    """
    found = {platform: _readable(platform, names) for platform in TITLES}
    counts = {platform: len(said) for platform, said in found.items()}
    if _has_numbers_in_its_title(found["canvas"], found["blackboard"]):
        counts["canvas"] = 0
    most = max(counts.values(), default=0)
    if not most or 2 * most < len(names):
        return "plain"
    best = [platform for platform in TITLES if counts[platform] == most]
    if len(best) > 1:
        both = " or ".join(f"{TITLES[platform]}'s" for platform in best)
        raise KataError(f"These names can be read as {both}: say which with --from {' or '.join(best)}.")
    return best[0]


def read_names(platform: Platform, names: Collection[str]) -> dict[str, Said]:
    """Read the names that the platform made; the others are left out."""
    found = _readable(platform, names)
    if platform == "blackboard":
        return _with_logins(found)
    return _without_refuted(found) if platform == "canvas" else found


def _readable(platform: Platform, names: Collection[str]) -> dict[str, Said]:
    read = {"canvas": _canvas, "moodle": _moodle, "blackboard": _blackboard, "brightspace": _brightspace}.get(platform)
    if read is None:
        return {}
    return {name: said for name in names if len(name) <= MOST_LETTERS and (said := read(name)) is not None}


def _canvas(name: str) -> Said | None:
    if unnamed := _CANVAS_UNNAMED.fullmatch(name):
        file = unnamed["file"]
        return Said(name[: unnamed.end("id")], "", (unnamed["id"],), _first_name(file), is_typed=not file)
    places = [match.start() for match in re.finditer("_", name)]
    found = [match for place in places if (match := _CANVAS.fullmatch(name, place))]
    if not found:
        return None
    first = found[0]
    # a display name or file name with numbers in it has further readings
    ids = tuple(dict.fromkeys(match["id"] for match in found))
    shown = name[: first.start()]
    return Said(name[: first.end("id")], shown, ids, _first_name(first["file"]), is_typed=not first["file"])


def _first_name(file: str | None) -> str:
    return _CANVAS_AGAIN.sub("", file or "")


def _has_numbers_in_its_title(canvas: Mapping[str, Said], blackboard: Mapping[str, Said]) -> bool:
    """Whether Canvas's numbers are part of a Blackboard assignment's title, with which all names begin.

    One learner's files are not enough to decide that: a display name in Canvas can be anything.
    """
    heads = {name[: match.end("number")] for name, said in canvas.items() if (match := _numbered(name, said))}
    return len(canvas) > 1 and len(heads) == 1 and canvas.keys() <= blackboard.keys()


def _numbered(name: str, said: Said) -> re.Match[str] | None:
    match = _CANVAS.fullmatch(name, len(said.name))
    return match if match and match["number"] else None


def _without_refuted(found: Mapping[str, Said]) -> dict[str, Said]:
    """Remove readings that contradict another file: Canvas writes the same name for all files of a user.

    Only files with a single reading count as evidence: others may result from an accomplice's display name.
    """
    names: dict[str, set[str]] = {}
    for said in found.values():
        if len(said.ids) == 1:
            names.setdefault(said.ids[0], set()).add(said.name)
    known = {id: next(iter(called)) for id, called in names.items() if len(called) == 1}

    def possible(name: str, said: Said) -> tuple[str, ...]:
        others = []
        for id in said.ids[1:]:
            before = name.partition(f"_{id}_")[0].removesuffix("_LATE")
            if known.get(id, before) == before:
                others.append(id)
        return (said.ids[0], *others)

    return {name: replace(said, ids=possible(name, said)) for name, said in found.items()}


def _moodle(name: str) -> Said | None:
    match = _MOODLE.fullmatch(name)
    if match is None:
        return None
    is_typed = match["kind"] != "file"
    return Said(name[: match.end("id")], match["name"], (match["id"],), match["file"], is_typed=is_typed)


def _blackboard(name: str) -> Said | None:
    match = _BLACKBOARD.fullmatch(name)
    if match is None:
        return None
    head, file = match["head"], match["file"] or ""
    return Said(head, "", (), file, match["when"], is_typed=not file and name.endswith(".txt"))


def _with_logins(found: Mapping[str, Said]) -> dict[str, Said]:
    """Add the possible logins: each part between the common beginning (the assignment's title) and the attempt."""
    heads = {said.submitter for said in found.values()}
    first, last = min(heads, default=""), max(heads, default="")
    shared = first[: next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]
    cuts = [match.end() for match in re.finditer("_", shared) if all(len(head) > match.end() for head in heads)]
    cuts.sort(reverse=True)  # the shortest login first
    return {name: replace(said, ids=tuple(said.submitter[cut:] for cut in cuts)) for name, said in found.items()}


def _brightspace(name: str) -> Said | None:
    match = _BRIGHTSPACE.fullmatch(name)
    if match is None:
        return None
    return Said(match["id"], match["name"].strip(), (match["id"],), attempt=match["when"].strip())


def in_time_order(platform: Platform, attempts: Sequence[str]) -> list[str]:
    """Sort the platform's marks of attempts, the earliest first.

    Raises KataError for several with a date that cannot be read.
    """
    if platform != "brightspace" or len(attempts) < 2:
        return sorted(attempts)
    return sorted(attempts, key=_brightspace_time)


def _brightspace_time(written: str) -> datetime:
    """When `Nov 20, 2026 416 PM` is: the clock has no colon, as file names have none."""
    found = read_date(_CLOCK_OF_DIGITS.sub(r"\1:\2", written))
    if found is None:
        raise KataError(
            f"Several attempts, and nobody knows which is the last: {written!r} is no date that can be read. Take out "
            "all but the last of each learner's."
        )
    return found
