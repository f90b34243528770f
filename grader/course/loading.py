"""Loads course.yml into a Course, or reports its errors, each with its line.

pydantic says what is wrong with a value; what is wrong between the entries is looked for once all of them are sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import yaml
from pydantic import ValidationError

from .course_error import CourseError, did_you_mean, quoted
from .model import Course, Exercise, Model
from .moments import EXAMPLE, read_moment

FILE_NAME = "course.yml"
POLICY_FILE = "policy.yml"
"""Beside course.yml, for a course whose policy is not in it: so nobody has to edit the catalogue."""

Place = tuple[str | int, ...]
"""A path into the data: keys and indices from the outside in."""
Problems = Iterator[tuple[Place, str]]
"""Sentences, each with the place that it is about."""

_NEED_DUE = ("late_percent_per_day", "late_percent_at_most", "grace_minutes")
_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is about ten times faster


def load_course(path: Path) -> Course:
    """Load the course that `path`, a course.yml, describes, with a policy.yml beside it; its root is that folder.

    Raises CourseError when the file is wrong, with a line "course.yml:LINE: sentence" for every problem.
    """
    path = Path(path)
    source = read_source(path)
    if (path.parent / POLICY_FILE).exists() and isinstance(source.data, dict):
        source.include("policy", read_source(path.parent / POLICY_FILE))
    try:
        course = Course.model_validate(_completed(source.data, _root(path)))
    except ValidationError as error:
        found = error.errors(include_url=False)
        # what the loader filled in has no line, and what is wrong there is reported where it comes from
        for each in [one for one in found if one["type"] == "missing" or source.has(one["loc"])] or found:
            source.report(each["loc"], _sentence(each))
        raise CourseError("\n".join(source.told())) from None
    for place, sentence in _inconsistencies(course):
        source.report(place, sentence)
    if told := source.told():
        raise CourseError("\n".join(told))
    return course


def _root(path: Path) -> Path:
    """The course's folder. `..` is resolved, as pytest finds none of its tests below a root that has it."""
    folder = path.absolute().parent
    return folder.resolve() if ".." in folder.parts else folder


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


class _Loader(_SAFE):  # type: ignore[misc]
    """A loader for which dates are text, as their author wrote them."""

    yaml_implicit_resolvers: ClassVar[Any] = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in _SAFE.yaml_implicit_resolvers.items()
    }


@dataclass
class Source:
    """The data of a file (mappings as dicts, lists as tuples), the line of each value, and what is wrong so far.

    parts: other files, each with what stands below one key.
    """

    name: str
    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)
    parts: dict[str | int, Source] = field(default_factory=dict)

    def include(self, key: str, part: Source) -> None:
        """Put another file's data below a key, which must not be here already."""
        if key in self.data:
            self.report((key,), f"{quoted(key)} stands in {part.name} too: keep one of them")
        self.parts[key] = part
        self.data[key] = part.data

    def has(self, place: Place) -> bool:
        """Whether a value stands in the file, so that it has a line."""
        part = self.parts.get(place[0]) if place else None
        return part.has(place[1:]) if part else place in self.lines

    def line(self, place: Place) -> int:
        """The line of `place`, or of its nearest parent."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def report(self, place: Place, sentence: str) -> None:
        """Note a problem with the value at `place`."""
        if part := self.parts.get(place[0]) if place else None:
            part.report(place[1:], sentence)
        else:
            self.problems.append((self.line(place), sentence))

    def told(self) -> list[str]:
        """Every problem with its file and line."""
        own = sorted(dict.fromkeys(self.problems), key=lambda problem: problem[0])
        told = [f"{self.name}:{line}: {sentence}" for line, sentence in own]
        return told + [each for part in self.parts.values() for each in part.told()]


def read_source(path: Path) -> Source:
    """Read a file. Raises CourseError when there is none, or it is not YAML."""
    try:
        loader = _Loader(path.read_text(encoding="utf-8-sig"))
        source = Source(path.name)
        if (node := loader.get_single_node()) is not None:
            source.data = _value(source, loader, node, ())
        return source
    except FileNotFoundError:
        raise CourseError(f"{path.name}: there is no such file in {path.absolute().parent}") from None
    except OSError as error:
        raise CourseError(f"{path.name}: this file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise CourseError(f"{path.name}:{line}: this is not text in UTF-8: save the file as UTF-8") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise CourseError(f"{path.name}:{_not_yaml(error)}") from None


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
            first = source.line(inside)
            source.problems.append((line, f"{quoted(key.value)} is given twice (first on line {first})"))
        else:
            source.lines[inside] = line
            values[key.value] = _value(source, loader, item, inside)
    return values


def _not_yaml(error: Exception) -> str:
    """The line and the sentence for what PyYAML raises: "12: this is not YAML: ..."."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f"1: this is not YAML: {getattr(error, 'reason', 'it cannot be read')}"
    sentence = f"{mark.line + 1}: this is not YAML: {getattr(error, 'problem', None)}"
    began = getattr(error, "context_mark", None)
    return sentence + (f", {error.context} that begins on line {began.line + 1}" if began else "")  # type: ignore[attr-defined]


_SHAPES = {
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping (lines of `key: value`)",
    "model_type": "must be a mapping (lines of `key: value`)",
}
"""For pydantic's words that are not an author's."""


def _sentence(error: Mapping[str, Any]) -> str:
    """What pydantic says of a value, with its name and, where that is short, the value."""
    place, kind, given = error["loc"], error["type"], error["input"]
    name = _name_of(place)
    if kind == "missing":
        return f"{name} is missing"
    if kind == "extra_forbidden":
        known = {key for model in Model.__subclasses__() for key in model.model_fields}
        return f"unknown key {name}{did_you_mean(place[-1], known)}"
    if given is None:
        return f"{name} is empty"
    demand = error["ctx"]["error"] if kind == "value_error" else error["msg"].removeprefix("Input ")
    demand = _SHAPES.get(kind, demand)
    return f"{name} {demand}" + (f", not {quoted(given)}" if isinstance(given, (str, int, float)) else "")


def _name_of(place: Place) -> str:
    """How a sentence names a place: "`points`", "entry 2 of `hints`"."""
    last = place[-1] if place else "the file"
    if isinstance(last, int):
        return f"entry {last + 1} of {_name_of(place[:-1])}"
    return quoted(last) if place else last


def _inconsistencies(course: Course) -> Problems:
    """What is wrong between the entries of a course."""
    yield from _out_of_order(
        (("units", place, "folder"), unit.folder, int(unit.folder[:2])) for place, unit in enumerate(course.units)
    )
    exercises: list[tuple[Place, Exercise]] = []
    for number, unit in enumerate(course.units):
        own = [(("units", number, "exercises", place), exercise) for place, exercise in enumerate(unit.exercises)]
        yield from _out_of_order(((*place, "number"), each.number, each.number) for place, each in own)
        exercises += own
    places: dict[str, Place] = {}
    for place, each in exercises:
        if each.document not in course.documents:
            near = did_you_mean(each.document, course.documents)
            yield (*place, "document"), f"there is no document {quoted(each.document)}{near}"
        if each.id in places:
            yield (*place, "id"), f"exercise {quoted(each.id)} is given twice"
        places[each.id] = place
    yield from _wrong_requirements(exercises, places)
    yield from _wrong_policy(course, places)


def _out_of_order(numbered: Iterable[tuple[Place, Any, int]]) -> Problems:
    """Numbers that do not rise."""
    for (_, before, low), (place, name, high) in pairwise(numbered):
        if high <= low:
            yield place, f"{quoted(name)} cannot come after {quoted(before)}: numbers must rise"


def _wrong_requirements(exercises: Iterable[tuple[Place, Exercise]], places: Mapping[str, Place]) -> Problems:
    required: dict[str, list[str]] = {}
    for place, each in exercises:
        for number, needed in enumerate(each.requires):
            at = (*place, "requires", number)
            if needed not in places:
                yield at, f"there is no exercise {quoted(needed)} to require{did_you_mean(needed, places)}"
            elif places[needed][1] > place[1]:  # type: ignore[operator]
                yield at, f"{quoted(each.id)} cannot require {quoted(needed)}, which comes in a later unit"
            else:
                required.setdefault(each.id, []).append(needed)
    try:
        TopologicalSorter(required).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        yield (*places[circle[0]], "requires"), f"these require each other in a circle: {' > '.join(circle)}"


def _wrong_policy(course: Course, ids: Iterable[str]) -> Problems:
    policy, folders = course.policy, [unit.folder for unit in course.units]
    for folder, when in policy.due.items():
        place: Place = ("policy", "due", folder)
        if folder not in folders:
            yield place, f"there is no unit {quoted(folder)} to be due{did_you_mean(folder, folders)}"
        moment = read_moment(when)
        if moment is not None and moment.tzinfo is None and policy.time_zone is None:
            yield place, f"the time zone of {quoted(when)} is missing: add `time_zone`, or write `{EXAMPLE} +01:00`"
    for number, id in enumerate(policy.exempt):
        if id not in ids:
            yield (
                ("policy", "exempt", number),
                f"there is no exercise {quoted(id)} to be exempt{did_you_mean(id, ids)}",
            )
    for key in _NEED_DUE:
        if key in policy.model_fields_set and not policy.due:
            yield ("policy", key), f"{quoted(key)} means nothing without `due`"
