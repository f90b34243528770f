"""Finds what is wrong between the entries of a course: repeated ids, unknown documents, circular requirements.

It looks at the raw data, so that no error within an entry hides another.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import groupby, pairwise
from typing import Any

from .course_error import did_you_mean, quoted
from .moments import EXAMPLE, read_moment
from .source import Place

Found = list[tuple[Place, Any]]
"""Values, each with its place."""
Problems = Iterator[tuple[Place, str]]
"""Sentences, each with the place that it is about."""

EACH = "*"
EXERCISES = ("units", EACH, "exercises", EACH)
_EXERCISE = len(EXERCISES)

_NEED_DUE = ("late_percent_per_day", "late_percent_at_most", "grace_minutes")


def at(data: Any, *path: str, kind: type = object) -> Found:
    """The values of this kind at a path of keys, of which `*` stands for each place in a list."""
    if not path:
        return [((), data)] if isinstance(data, kind) else []
    key, *rest = path
    items: dict[Any, Any] = {}
    if key == EACH:
        items = dict(enumerate(data)) if isinstance(data, tuple) else {}
    elif isinstance(data, dict) and key in data:
        items = {key: data[key]}
    return [((step, *place), value) for step, item in items.items() for place, value in at(item, *rest, kind=kind)]


def inconsistencies(data: Any) -> Problems:
    """What is wrong between entries."""
    yield from _out_of_order(
        [(place, name, _number(name)) for place, name in at(data, "units", EACH, "folder", kind=str)]
    )
    numbers = [(place, each, each) for place, each in at(data, *EXERCISES, "number") if type(each) is int]
    for _, of_unit in groupby(numbers, key=lambda each: each[0][1]):
        yield from _out_of_order(list(of_unit))
    for _, documents in at(data, "documents", kind=dict):
        for place, key in at(data, *EXERCISES, "document", kind=str):
            if key not in documents:
                yield place, f"there is no document {quoted(key)}{did_you_mean(key, documents)}"
    yield from _wrong_requirements(data)
    yield from _wrong_policy(data)


def _out_of_order(numbered: list[tuple[Place, Any, int | None]]) -> Problems:
    """Numbers that do not rise."""
    known = [(place, name, number) for place, name, number in numbered if number is not None]
    for (_, before, low), (place, name, high) in pairwise(known):
        if high <= low:
            yield place, f"{quoted(name)} cannot come after {quoted(before)}: numbers must rise"


def _number(folder: str) -> int | None:
    """The number at the beginning of a folder's name."""
    return int(folder[:2]) if folder[:2].isdecimal() else None


def _wrong_requirements(data: Any) -> Problems:
    ids = at(data, *EXERCISES, "id", kind=str)
    own = {place[:_EXERCISE]: id for place, id in ids}
    places: dict[str, Place] = {}
    for place, id in ids:
        if id in places:
            yield place, f"exercise {quoted(id)} is given twice"
        places[id] = place
    required: dict[str, list[str]] = {}
    for place, needed in at(data, *EXERCISES, "requires", EACH, kind=str):
        id = own.get(place[:_EXERCISE])
        if needed not in places:
            yield place, f"there is no exercise {quoted(needed)} to require{did_you_mean(needed, places)}"
        elif places[needed][1] > place[1]:  # type: ignore[operator]
            yield place, f"{quoted(id)} cannot require {quoted(needed)}, which comes in a later unit"
        elif id is not None:
            required.setdefault(id, []).append(needed)
    try:
        TopologicalSorter(required).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        place = (*places[circle[0]][:_EXERCISE], "requires")
        yield place, f"these require each other in a circle: {' > '.join(circle)}"


def _wrong_policy(data: Any) -> Problems:
    folders = [folder for _, folder in at(data, "units", EACH, "folder", kind=str)]
    ids = [id for _, id in at(data, *EXERCISES, "id", kind=str)]
    dues = [each for _, due in at(data, "policy", "due", kind=dict) for each in due.items()]
    for folder, when in dues:
        place: Place = ("policy", "due", folder)
        if folder not in folders:
            yield place, f"there is no unit {quoted(folder)} to be due{did_you_mean(folder, folders)}"
        moment = read_moment(when) if isinstance(when, str) else None
        if moment is not None and moment.tzinfo is None and not at(data, "policy", "time_zone"):
            sentence = f"the time zone of {quoted(when)} is missing: add `time_zone`, or write `{EXAMPLE} +01:00`"
            yield place, sentence
    for place, id in at(data, "policy", "exempt", EACH, kind=str):
        if id not in ids:
            yield place, f"there is no exercise {quoted(id)} to be exempt{did_you_mean(id, ids)}"
    for key in _NEED_DUE:
        for place, _ in at(data, "policy", key):
            if not dues:
                yield place, f"{quoted(key)} means nothing without `due`"
