"""Finds what is wrong between the entries of a course: repeated ids, unknown documents, circular requirements.

It looks at the raw data, so that no error within an entry hides another.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from .errors import did_you_mean, quoted
from .moments import EXAMPLE, read_moment
from .source import Place

Entries = list[tuple[Place, dict[str, Any]]]
"""Mappings in the data, each with its place."""
Problems = Iterator[tuple[Place, str]]
"""Sentences, each with the place that it is about."""

_NEED_DUE = ("late_percent_per_day", "late_percent_at_most", "grace_minutes")


def inconsistencies(data: Any) -> Problems:
    """What is wrong between entries."""
    units = entries(data, (), "units")
    exercises = [each for place, unit in units for each in entries(unit, place, "exercises")]
    yield from _out_of_order(units, "folder")
    for place, unit in units:
        yield from _out_of_order(entries(unit, place, "exercises"), "number")
    if isinstance(data, dict) and isinstance(data.get("documents"), dict):
        yield from _unknown_documents(exercises, data["documents"])
    yield from _repeated_ids(exercises)
    yield from _wrong_requirements(exercises)
    yield from _wrong_policy(_mapping(data, "policy"), _texts(units, "folder"), _texts(exercises, "id"))


def _out_of_order(entries: Entries, key: str) -> Problems:
    """Numbers that do not rise; the number of a folder is at its beginning."""
    numbered = [(place, entry[key], _number(entry[key])) for place, entry in entries if key in entry]
    known = [each for each in numbered if each[2] is not None]
    for (_, before, low), (place, name, high) in itertools.pairwise(known):
        if high <= low:
            yield (*place, key), f"{quoted(name)} cannot come after {quoted(before)}: numbers must rise"


def _number(value: Any) -> Any:
    if isinstance(value, str):
        return int(value[:2]) if value[:2].isdecimal() else None
    return value if type(value) is int else None


def _unknown_documents(exercises: Entries, documents: Mapping[str, Any]) -> Problems:
    for place, exercise in exercises:
        if isinstance(key := exercise.get("document"), str) and key not in documents:
            yield (*place, "document"), f"there is no document {quoted(key)}{did_you_mean(key, documents)}"


def _repeated_ids(exercises: Entries) -> Problems:
    seen: set[str] = set()
    for place, exercise in exercises:
        if isinstance(id := exercise.get("id"), str):
            if id in seen:
                yield (*place, "id"), f"exercise {quoted(id)} is given twice"
            seen.add(id)


def _wrong_requirements(exercises: Entries) -> Problems:
    places = {id: place for place, exercise in exercises if isinstance(id := exercise.get("id"), str)}
    required: dict[str, list[str]] = {}
    for place, exercise in exercises:
        id = exercise.get("id")
        for index, needed in _listed(exercise, "requires"):
            if needed not in places:
                sentence = f"there is no exercise {quoted(needed)} to require{did_you_mean(needed, places)}"
                yield (*place, "requires", index), sentence
            elif places[needed][1] > place[1]:  # type: ignore[operator]
                sentence = f"{quoted(id)} cannot require {quoted(needed)}, which comes in a later unit"
                yield (*place, "requires", index), sentence
            elif isinstance(id, str):
                required.setdefault(id, []).append(needed)
    try:
        TopologicalSorter(required).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        yield (*places[circle[0]], "requires"), f"these require each other in a circle: {' > '.join(circle)}"


def _wrong_policy(policy: Mapping[str, Any], folders: list[str], ids: list[str]) -> Problems:
    due = _mapping(policy, "due")
    for folder, when in due.items():
        if folder not in folders:
            sentence = f"there is no unit {quoted(folder)} to be due{did_you_mean(folder, folders)}"
            yield ("policy", "due", folder), sentence
        moment = read_moment(when) if isinstance(when, str) else None
        if moment is not None and moment.tzinfo is None and "time_zone" not in policy:
            sentence = f"the time zone of {quoted(when)} is missing: add `time_zone`, or write `{EXAMPLE} +01:00`"
            yield ("policy", "due", folder), sentence
    for index, id in _listed(policy, "exempt"):
        if id not in ids:
            yield ("policy", "exempt", index), f"there is no exercise {quoted(id)} to be exempt{did_you_mean(id, ids)}"
    for key in _NEED_DUE:
        if key in policy and not due:
            yield ("policy", key), f"{quoted(key)} means nothing without `due`"


def entries(holder: Any, place: Place, key: str) -> Entries:
    """The mappings in the list `key` of `holder`, if there is such a list."""
    listed = holder.get(key) if isinstance(holder, dict) else None
    items = enumerate(listed if isinstance(listed, tuple) else ())
    return [((*place, key, index), item) for index, item in items if isinstance(item, dict)]


def _mapping(holder: Any, key: str) -> Mapping[str, Any]:
    """The mapping `key` of `holder`; empty if there is none."""
    found = holder.get(key) if isinstance(holder, dict) else None
    return found if isinstance(found, dict) else {}


def _listed(holder: Mapping[str, Any], key: str) -> list[tuple[int, str]]:
    """The texts in the list `key` of `holder`, each with its index."""
    listed = holder.get(key)
    items = enumerate(listed if isinstance(listed, tuple) else ())
    return [(index, item) for index, item in items if isinstance(item, str)]


def _texts(entries: Entries, key: str) -> list[str]:
    return [entry[key] for _, entry in entries if isinstance(entry.get(key), str)]
