"""Whose file it is, by the way Moodle names what it packs, and under which id nbgrader keeps it.

"Download all submissions" names a learner's folder `Full Name_1234567_assignsubmission_file_`; without folders that
stands before the file's name. Moodle turns underscores of the full name into spaces. The number is the participant's
for this one assignment: in the next assignment the same person has another one. So it tells apart two people of one
name, but only Moodle's grading worksheet tells who it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

# The first match counts: what comes later is the name of a learner's file, which may look like anything.
_PARTICIPANT = re.compile(
    r"(?P<name>.+?)_(?P<number>[0-9]{1,12})_assignsubmission_(?P<kind>[a-z]+)_(?P<rest>.*)", re.DOTALL
)
_ALSO_IN_AN_ID = "._@-"
_MOST_OF_AN_ID = 60  # characters; of four bytes and with a number they still make the name of a folder


@dataclass(frozen=True)
class Participant:
    """Somebody who handed in."""

    number: str
    """Of this person in this assignment."""
    name: str


@dataclass(frozen=True)
class HandedIn:
    """Where a file belongs."""

    participant: Participant
    kind: str
    """How it was handed in: `file`, `onlinetext`, ..."""
    name: str
    """The file's path as the learner handed it in."""
    download: str
    """The path to all that was downloaded with it; empty for what lies loose."""


def handed_in(where: str) -> HandedIn | None:
    """Who handed in the file at this path in a download; None when it is not named in Moodle's way."""
    parts = where.split("/")
    for count, part in enumerate(parts):
        if found := _PARTICIPANT.fullmatch(part):
            name = unicodedata.normalize("NFC", found["name"]).strip()
            rest = "/".join(each for each in (found["rest"], *parts[count + 1 :]) if each)
            return HandedIn(Participant(found["number"], name), found["kind"], rest, "/".join(parts[:count]))
    return None


def safe_id(text: str) -> str:
    """The text as an id that is good for the name of a folder: letters of any script, digits, and . _ - @"""
    kept = (char if _in_an_id(char) else " " for char in unicodedata.normalize("NFC", text))
    return "-".join("".join(kept).split()).strip("-.")[:_MOST_OF_AN_ID].rstrip("-.") or "learner"


def _in_an_id(char: str) -> bool:
    # many scripts write vowels as marks on a letter
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc") or char in _ALSO_IN_AN_ID


@dataclass(frozen=True)
class Ids:
    """nbgrader's id of each participant, by number, and what to tell the instructor about them."""

    of: Mapping[str, str]
    warnings: tuple[str, ...]


def ids_of(participants: Iterable[Participant], listed: Mapping[str, str], taken: Collection[str]) -> Ids:
    """Choose the ids: what the worksheet lists, else the name, with the number where several have that name.

    listed: ids by participant's number.
    taken: ids that there are already from other assignments.
    """
    by_number = {each.number: each for each in sorted(participants, key=lambda each: (each.number, each.name))}
    by_name = {number: safe_id(each.name) for number, each in by_number.items() if number not in listed}
    ids = {number: safe_id(listed[number]) for number in by_number if number in listed}
    warnings = []
    if listed and by_name:
        names = ", ".join(sorted(by_number[number].name for number in by_name))
        warnings.append(f"Not in the grading worksheet, so called by their names: {names}.")
    if len({id.casefold() for id in ids.values()}) < len(ids):
        warnings.append("The grading worksheet gives one id to several people; they are told apart by their numbers.")
    ids_listed, listed_ids = set(ids), Counter(id.casefold() for id in ids.values())
    used = Counter(id.casefold() for id in [*by_name.values(), *ids.values()])
    numbered = {id.rpartition("-")[0].casefold() for id in taken if id.rpartition("-")[2].isdigit()}
    for number, id in {**ids, **by_name}.items():
        rivals = listed_ids if number in ids_listed else used  # what somebody is called changes nobody's listed id
        shared = rivals[id.casefold()] > 1 or (number in by_name and id.casefold() in numbered)
        ids[number] = f"{id}-{number}" if shared else id
        if shared and number in by_name:
            warnings.append(
                f"{by_number[number].name} is the name of several people; this one is {ids[number]} here. The number "
                "differs from assignment to assignment: put Moodle's grading worksheet (a CSV) beside the zip."
            )
    return Ids(ids, tuple(warnings))
