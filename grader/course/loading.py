"""Loads course.yml into a Course, or reports its errors, each with its line.

pydantic says what is wrong with a value; what is wrong between the entries is looked for once all of them are sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import yaml
from pydantic import ValidationError

from .model import EXAMPLE, Course, CourseError, Model, Unit, did_you_mean, quoted, read_moment

FILE_NAME = "course.yml"
POLICY_FILE = "policy.yml"
"""Beside course.yml, for a course whose policy is not in it: so nobody has to edit the catalogue."""

Place = tuple[str | int, ...]
"""A path into the data: keys and indices from the outside in."""
Problems = Iterator[tuple[Place, str]]
"""Sentences, each with the place that it is about."""

_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is about ten times faster


class _Loader(_SAFE):  # type: ignore[misc]
    """A loader for which dates are text, as their author wrote them."""

    yaml_implicit_resolvers: ClassVar[Any] = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in _SAFE.yaml_implicit_resolvers.items()
    }


class Source(NamedTuple):
    """The data of a file (mappings as dicts, lists as tuples), the line of each value, and keys that count for nothing.

    problems: each with its line.
    """

    data: Any
    lines: dict[Place, int]
    problems: list[tuple[int, str]]


def load_course(path: Path) -> Course:
    """Load the course that `path`, a course.yml, describes, with a policy.yml beside it; its root is that folder.

    Raises CourseError when the file is wrong, with a line "course.yml:LINE: sentence" for every problem.
    """
    path = Path(path)
    data, lines, found = read_source(path)
    where = {place: (path.name, line) for place, line in lines.items()}
    problems = [((path.name, line), sentence) for line, sentence in found]
    policy_file = path.parent / POLICY_FILE
    if policy_file.exists() and isinstance(data, dict):
        if "policy" in data:
            problems.append((where["policy",], f"`policy` stands in {POLICY_FILE} too: keep one of them"))
        data["policy"], lines, found = read_source(policy_file)
        where["policy",] = (POLICY_FILE, 1)
        where |= {("policy", *place): (POLICY_FILE, line) for place, line in lines.items()}
        problems += [((POLICY_FILE, line), sentence) for line, sentence in found]
    root = path.absolute().parent
    if ".." in root.parts:  # pytest finds none of its tests below such a root
        root = root.resolve()
    course = None
    try:
        course = Course.model_validate(_completed(data, root))
        wrong = list(_inconsistencies(course))
    except ValidationError as error:
        errors = error.errors(include_url=False)
        # what was filled in here has no line, and what is wrong there is reported where it comes from
        own = [each for each in errors if each["type"] == "missing" or each["loc"] in where]
        wrong = [(each["loc"], _sentence(each)) for each in own or errors]
    for place, sentence in wrong:
        while place and place not in where:
            place = place[:-1]
        problems.append((where.get(place, (path.name, 1)), sentence))
    if course is None or problems:
        told = sorted(dict.fromkeys(problems), key=lambda problem: problem[0])
        raise CourseError("\n".join(f"{name}:{line}: {sentence}" for (name, line), sentence in told))
    return course


def _completed(data: Any, root: Path) -> Any:
    """The data with what no author writes: the root, each exercise's unit, and the limits that it inherits."""
    if not isinstance(data, dict):
        return data
    shared = data["limits"] if isinstance(data.get("limits"), dict) else {}
    for unit in _mappings(data.get("units")):
        for exercise in _mappings(unit.get("exercises")):
            limits = exercise.get("limits", {})
            exercise["limits"] = {**shared, **limits} if isinstance(limits, dict) else limits
            exercise["unit"] = unit.get("folder")
    return {**data, "root": root}


def _mappings(data: Any) -> list[dict[str, Any]]:
    return [each for each in data if isinstance(each, dict)] if isinstance(data, tuple) else []


def read_source(path: Path) -> Source:
    """Read a file. Raises CourseError when there is none, or it is not YAML."""
    source = Source({}, {}, [])
    try:
        loader = _Loader(path.read_text(encoding="utf-8-sig"))
        node = loader.get_single_node()
        return source._replace(data=None if node is None else _value(source, loader, node, ()))
    except FileNotFoundError:
        raise CourseError(f"{path.name}: there is no such file in {path.absolute().parent}") from None
    except OSError as error:
        raise CourseError(f"{path.name}: this file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise CourseError(f"{path.name}:{line}: this is not text in UTF-8: save the file as UTF-8") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        mark, began = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", "it cannot be read")
        where = f", {getattr(error, 'context', '')} that begins on line {began.line + 1}" if mark and began else ""
        line = mark.line + 1 if mark else 1
        raise CourseError(f"{path.name}:{line}: this is not YAML: {problem}{where}") from None


def _value(source: Source, loader: Any, node: Any, place: Place) -> Any:
    """The data of a node; notes the lines of everything in it, and reports keys that count for nothing."""
    source.lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_value(source, loader, item, (*place, index)) for index, item in enumerate(node.value))
    if not isinstance(node, yaml.MappingNode):
        return loader.construct_object(node)
    values: dict[str, Any] = {}
    for key, item in node.value:
        line, inside = key.start_mark.line + 1, (*place, key.value)
        if not isinstance(key, yaml.ScalarNode):
            source.problems.append((line, "a key must be text"))
        elif key.value in values:
            source.problems.append((line, f"{quoted(key.value)} is given twice (first on line {source.lines[inside]})"))
        else:
            source.lines[inside] = line
            values[key.value] = _value(source, loader, item, inside)
    return values


_SHAPES = {
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping (lines of `key: value`)",
    "model_type": "must be a mapping (lines of `key: value`)",
}
"""For pydantic's words that are not an author's."""


def _sentence(error: Mapping[str, Any]) -> str:
    """What pydantic says of a value, with its name ("entry 2 of `hints`") and, where that is short, the value."""
    place, kind, given = error["loc"], error["type"], error["input"]
    key = next((step for step in reversed(place) if isinstance(step, str)), None)
    name = "the file" if key is None else quoted(key)
    if place and isinstance(place[-1], int):
        name = f"entry {place[-1] + 1} of {name}"
    if kind == "missing":
        return f"{name} is missing"
    if kind == "extra_forbidden":
        known = {key for model in Model.__subclasses__() for key in model.model_fields}
        return f"unknown key {name}{did_you_mean(place[-1], known)}"
    if given is None:
        return f"{name} is empty"
    demand = error["ctx"]["error"] if kind == "value_error" else error["msg"].removeprefix("Input ")
    return f"{name} {_SHAPES.get(kind, demand)}" + (
        f", not {quoted(given)}" if isinstance(given, str | int | float) else ""
    )


def _inconsistencies(course: Course) -> Problems:
    """What is wrong between the entries of a course."""
    units: list[tuple[Place, Unit]] = [(("units", place), unit) for place, unit in enumerate(course.units)]
    exercises = [((*at, "exercises", place), each) for at, unit in units for place, each in enumerate(unit.exercises)]
    for (_, earlier), (at, unit) in pairwise(units):
        if unit.number <= earlier.number:
            told = f"{quoted(unit.folder)} cannot come after {quoted(earlier.folder)}: numbers must rise"
            yield (*at, "folder"), told
    for (before_it, former), (at, each) in pairwise(exercises):
        if before_it[:2] == at[:2] and each.number <= former.number:
            yield (*at, "number"), f"`{each.number}` cannot come after `{former.number}`: numbers must rise"
    places: dict[str, Place] = {}
    for at, each in exercises:
        if each.document not in course.documents:
            near = did_you_mean(each.document, course.documents)
            yield (*at, "document"), f"there is no document {quoted(each.document)}{near}"
        if each.id in places:
            yield (*at, "id"), f"exercise {quoted(each.id)} is given twice"
        places[each.id] = at
    required: dict[str, list[str]] = {}
    for at, each in exercises:
        for number, needed in enumerate(each.requires):
            here = (*at, "requires", number)
            if needed not in places:
                yield here, f"there is no exercise {quoted(needed)} to require{did_you_mean(needed, places)}"
            elif places[needed][:2] > at[:2]:
                yield here, f"{quoted(each.id)} cannot require {quoted(needed)}, which comes in a later unit"
            else:
                required.setdefault(each.id, []).append(needed)
    try:
        TopologicalSorter(required).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        yield (*places[circle[0]], "requires"), f"these require each other in a circle: {' > '.join(circle)}"
    yield from _wrong_policy(course)


def _wrong_policy(course: Course) -> Problems:
    policy, folders = course.policy, [unit.folder for unit in course.units]
    for folder, when in policy.due.items():
        place: Place = ("policy", "due", folder)
        if folder not in folders:
            yield place, f"there is no unit {quoted(folder)} to be due{did_you_mean(folder, folders)}"
        moment = read_moment(when)
        if moment is not None and moment.tzinfo is None and policy.time_zone is None:
            yield place, f"the time zone of {quoted(when)} is missing: add `time_zone`, or write `{EXAMPLE} +01:00`"
    for number, id in enumerate(policy.exempt):
        if id not in course.titles:
            near = did_you_mean(id, course.titles)
            yield ("policy", "exempt", number), f"there is no exercise {quoted(id)} to be exempt{near}"
    for key in ("late_percent_per_day", "late_percent_at_most", "grace_minutes"):
        if key in policy.model_fields_set and not policy.due:
            yield ("policy", key), f"{quoted(key)} means nothing without `due`"
