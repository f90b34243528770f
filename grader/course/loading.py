"""Loads course.yml into a Course, or reports every error at once, each with its line.

Checks across entries are here too: repeated ids, circular requirements, documents and units that do not exist.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .errors import CourseError, Place, did_you_mean, quoted
from .model import Course, Limits
from .moments import EXAMPLE, read_moment
from .source import Problem, Source, Unreadable, decoded, read_bytes, read_source
from .wording import problems_of

Entry = Mapping[str, Any]


def check_whole(source: Source) -> None:
    """Report errors between entries. It works on the raw data, so that no error hides another."""
    units = list(_entries(source.data, (), "units"))
    exercises = [found for place, unit in units for found in _entries(unit, place, "exercises")]
    _check_distinct(source, units, "folder", "unit")
    _check_distinct(source, exercises, "id", "exercise")
    _check_order_of_units(source, units)
    for place, unit in units:
        _check_numbers(source, list(_entries(unit, place, "exercises")))
    _check_documents(source, exercises)
    _check_requires(source, exercises)
    _check_policy(source, units)


def _entries(holder: Any, place: Place, key: str) -> Iterator[tuple[Place, Entry]]:
    """The mappings in the list `key` of `holder`, if there is such a list, each with its place."""
    listed = holder.get(key) if isinstance(holder, dict) else None
    for index, entry in enumerate(listed if isinstance(listed, tuple) else ()):
        if isinstance(entry, dict):
            yield (*place, key, index), entry


def _check_distinct(source: Source, entries: list[tuple[Place, Entry]], key: str, noun: str) -> None:
    first: dict[str, Place] = {}
    for place, entry in entries:
        value = entry.get(key)
        if not isinstance(value, str):
            continue
        if value in first:
            line = source.line(first[value])
            source.report((*place, key), f"{noun} {quoted(value)} is given twice (first on line {line})")
        first.setdefault(value, (*place, key))


def _check_order_of_units(source: Source, units: list[tuple[Place, Entry]]) -> None:
    folders = [(place, unit.get("folder")) for place, unit in units]
    numbered = [(place, folder) for place, folder in folders if isinstance(folder, str) and folder[:2].isdigit()]
    for (_, before), (place, folder) in itertools.pairwise(numbered):
        if folder != before and folder[:2] == before[:2]:
            source.report((*place, "folder"), f"number {folder[:2]} is taken by unit {quoted(before)}")
        elif folder[:2] < before[:2]:
            source.report((*place, "folder"), f"unit {quoted(folder)} must stand before {quoted(before)}")


def _check_numbers(source: Source, exercises: list[tuple[Place, Entry]]) -> None:
    first: dict[int, Place] = {}
    before = 0
    for place, exercise in exercises:
        number = exercise.get("number")
        if type(number) is not int:
            continue
        if number in first:
            line = source.line(first[number])
            source.report((*place, "number"), f"number {number} is taken by the exercise on line {line}")
        elif 1 <= number < before:
            source.report((*place, "number"), f"number {number} must stand before number {before}")
        first.setdefault(number, (*place, "number"))
        before = number


def _check_documents(source: Source, exercises: list[tuple[Place, Entry]]) -> None:
    documents = source.data.get("documents") if isinstance(source.data, dict) else None
    if not isinstance(documents, dict):
        return
    for place, exercise in exercises:
        key = exercise.get("document")
        if isinstance(key, str) and key not in documents:
            sentence = f"there is no document {quoted(key)}{did_you_mean(key, documents)}"
            source.report((*place, "document"), sentence)


def _check_requires(source: Source, exercises: list[tuple[Place, Entry]]) -> None:
    requires: dict[str, tuple[str, ...]] = {}
    units: dict[str, Place] = {}
    for place, exercise in exercises:
        if isinstance(exercise.get("id"), str):
            requires.setdefault(exercise["id"], _texts(exercise.get("requires")))
            units.setdefault(exercise["id"], place[:2])
    order = {id: position for position, id in enumerate(requires)}
    for place, exercise in exercises:
        id = exercise.get("id")
        listed: Any = exercise.get("requires")
        for index, needed in enumerate(listed if isinstance(listed, tuple) else ()):
            if not isinstance(needed, str):
                continue
            where = (*place, "requires", index)
            if needed in listed[:index]:
                source.report(where, f"{quoted(needed)} is named twice in `requires`")
            elif needed not in order:
                sentence = f"there is no exercise {quoted(needed)} to require{did_you_mean(needed, order)}"
                source.report(where, sentence)
            elif isinstance(id, str) and (sentence := _wrong_requirement(id, needed, requires, order, units)):
                source.report(where, sentence)


def _check_policy(source: Source, units: list[tuple[Place, Entry]]) -> None:
    policy = source.data.get("policy") if isinstance(source.data, dict) else None
    if not isinstance(policy, dict):
        return
    due = policy.get("due")
    if isinstance(due, dict):
        folders = _texts(tuple(unit.get("folder") for _, unit in units))
        for folder, when in due.items():
            _check_due(source, folder, when, folders, has_zone="time_zone" in policy)
    exempt = policy.get("exempt")
    ids = _texts(
        tuple(each.get("id") for _, unit in units for each in unit.get("exercises") or () if isinstance(each, dict))
    )
    for index, id in enumerate(exempt if isinstance(exempt, tuple) else ()):
        if isinstance(id, str) and id not in ids:
            sentence = f"there is no exercise {quoted(id)} to be exempt{did_you_mean(id, ids)}"
            source.report(("policy", "exempt", index), sentence)
    for key in _NEED_DUE if not due else ():
        if key in policy:
            source.report(("policy", key), f"{quoted(key)} means nothing without {quoted('due')}")


_NEED_DUE = ("late_percent_per_day", "late_percent_at_most", "grace_minutes")


def _check_due(source: Source, folder: str, when: Any, folders: tuple[str, ...], *, has_zone: bool) -> None:
    place = ("policy", "due", folder)
    if source.is_invalid(place):
        return
    if folder not in folders:
        source.report(place, f"there is no unit {quoted(folder)} to be due{did_you_mean(folder, folders)}")
    moment = read_moment(when) if isinstance(when, str) else None
    if moment is not None and moment.tzinfo is None and not has_zone:
        source.report(
            place,
            f"nobody knows in which time zone {quoted(when)} is: add {quoted('time_zone')} to the policy, "
            f"or write {quoted(f'{EXAMPLE} +01:00')}",
        )


def _wrong_requirement(
    id: str,
    needed: str,
    requires: Mapping[str, tuple[str, ...]],
    order: Mapping[str, int],
    units: Mapping[str, Place],
) -> str:
    """Why `id` cannot require `needed`, or "". Within a unit it may require a later one: files keep their numbers."""
    if needed == id:
        return f"exercise {quoted(id)} requires itself"
    if order[needed] < order[id]:
        return ""
    if way := _way(needed, id, requires):
        return f"{quoted(id)} requires itself in a circle: {' > '.join([id, *way])}"
    if units[needed] == units[id]:
        return ""
    return f"{quoted(id)} cannot require {quoted(needed)}, which comes in a later unit"


def _way(start: str, goal: str, requires: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A shortest path along `requires` from start to goal, both included, or []."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == goal:
            return way
        fresh = [needed for needed in requires.get(way[-1], ()) if needed not in seen]
        seen.update(fresh)
        ways.extend([*way, needed] for needed in fresh)
    return []


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, tuple) else ()


FILE_NAME = "course.yml"


def load_course(path: Path) -> Course:
    """Load the course that `path`, a course.yml, describes; its root is that file's folder.

    Raises CourseError when the file is wrong, with a line "course.yml:LINE: sentence" for every problem.
    """
    path = Path(path)
    try:
        source = read_source(decoded(read_bytes(path)))
    except Unreadable as error:
        raise _refusal(path, [error.problem]) from None
    check_whole(source)
    try:
        course = Course.model_validate(_completed(source, _place(path.absolute().parent)))
    except ValidationError as error:
        source.problems.extend(problems_of(error, source))
    if source.problems:
        raise _refusal(path, source.problems)
    return course


def _place(folder: Path) -> Path:
    """Resolve `..`, because pytest normalises its own paths and would find none of its tests below such a root."""
    return folder.resolve() if ".." in folder.parts else folder


def _refusal(path: Path, problems: Iterable[Problem]) -> CourseError:
    in_order = sorted(dict.fromkeys(problems), key=lambda problem: problem.line)
    return CourseError("\n".join(f"{path.name}:{problem.line}: {problem.sentence}" for problem in in_order))


def _completed(source: Source, root: Path) -> Any:
    """The data with computed values added: the root, and each exercise's unit and inherited limits."""
    data = source.data
    if not isinstance(data, dict):
        return data
    _refuse_filled_in(source, (), data, "root")
    shared = _shared_limits(data)
    units: Any = data.get("units")
    if isinstance(units, tuple):
        units = tuple(_completed_unit(source, ("units", index), unit, shared) for index, unit in enumerate(units))
        data = {**data, "units": units}
    return {**data, "root": root}


def _completed_unit(source: Source, place: Place, unit: Any, shared: Mapping[str, Any]) -> Any:
    if not isinstance(unit, dict) or not isinstance(unit.get("exercises"), tuple):
        return unit
    exercises = []
    for index, exercise in enumerate(unit["exercises"]):
        if isinstance(exercise, dict):
            _refuse_filled_in(source, (*place, "exercises", index), exercise, "unit")
            limits = exercise.get("limits", {})
            if isinstance(limits, dict):
                limits = {**shared, **limits}
            exercise = {**exercise, "unit": unit.get("folder"), "limits": limits}
        exercises.append(exercise)
    return {**unit, "exercises": tuple(exercises)}


def _refuse_filled_in(source: Source, place: Place, entry: Mapping[str, Any], key: str) -> None:
    """Refuse a key that the loader computes, and suppress other errors about it."""
    if key in entry:
        source.report((*place, key), f"unknown key {quoted(key)}: it follows from where the file stands")
    source.invalid.add((*place, key))


def _shared_limits(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The course-wide limits; none if they are invalid, so that their errors are reported only once."""
    limits = data.get("limits", {})
    try:
        Limits.model_validate(limits)
    except ValidationError:
        return {}
    return dict(limits)
