"""Loads course.yml into a Course, or reports its errors, each with its line.

YAML gives text in mappings and lists, and pydantic says what is wrong with a value. What is wrong between the entries
is looked for once all of them are sound.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from .model import EXAMPLE, Course, CourseError, Exercise, Model, did_you_mean, quoted

FILE_NAME = "course.yml"
POLICY_FILE = "policy.yml"
"""Beside course.yml, for a course whose policy is not in it: so nobody has to edit the catalogue."""

Place = tuple[str | int, ...]
"""A path into the data: keys and indices from the outside in."""
Problems = Iterator[tuple[Place, str]]
"""Sentences, each with the place that it is about."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is about ten times faster


def load_course(path: Path) -> Course:
    """Load the course that `path`, a course.yml, describes, with a policy.yml beside it; its root is that folder.

    Raises CourseError when the file cannot be read, or with a line "course.yml:LINE: sentence" for every problem.
    """
    path = Path(path)
    source = Source()
    data = source.read(path)
    policy_file = path.parent / POLICY_FILE
    if policy_file.exists() and isinstance(data, dict):
        if "policy" in data:
            name, line = source.lines["policy",]
            raise CourseError(f"{name}:{line}: `policy` stands in {POLICY_FILE} too: keep one of them")
        data["policy"] = source.read(policy_file, ("policy",))
    try:
        course = _completed(Course.model_validate(data), path.parent.resolve())
        problems = list(_inconsistencies(course))
    except ValidationError as error:
        problems = [(each["loc"], _sentence(each)) for each in error.errors(include_url=False)]
    if problems:
        told = dict.fromkeys((source.line_of(place), sentence) for place, sentence in problems)
        lines = sorted(told, key=itemgetter(0))
        raise CourseError("\n".join(f"{name}:{line}: {sentence}" for (name, line), sentence in lines))
    return course


def _completed(course: Course, root: Path) -> Course:
    """The course with what no author writes: its root, each exercise's unit, and the limits that it inherits."""

    def completed(exercise: Exercise, unit: str) -> Exercise:
        limits = course.limits.model_copy(update=exercise.limits.model_dump(exclude_unset=True))
        return exercise.model_copy(update={"unit": unit, "limits": limits})

    units = tuple(
        unit.model_copy(update={"exercises": tuple(completed(each, unit.folder) for each in unit.exercises)})
        for unit in course.units
    )
    return course.model_copy(update={"units": units, "root": root})


class Source:
    """The data of files (mappings as dicts, lists as lists, all else as text), and where each value stands."""

    def __init__(self) -> None:
        self.lines: dict[Place, tuple[str, int]] = {}
        """The file's name and the line, by place."""

    def read(self, path: Path, at: Place = ()) -> Any:
        """The data of a file that stands at a place. Raises CourseError when it cannot be read, or is not YAML."""
        self.lines[at] = path.name, 1
        try:
            node = yaml.compose(path.read_text(encoding="utf-8-sig"), _LOADER)
            return "" if node is None else self._value(path.name, node, at)
        except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
            why = " ".join(str(error).split()).replace("<unicode string>", path.name)
            raise CourseError(f"{path.name} cannot be read: {why}") from None

    def line_of(self, place: Place) -> tuple[str, int]:
        """The file and the line of a value, or of what it would stand in."""
        while place not in self.lines:
            place = place[:-1]
        return self.lines[place]

    def _value(self, name: str, node: yaml.Node, place: Place) -> Any:
        """The data of a node. Raises CourseError for a key that is given twice."""
        self.lines.setdefault(place, (name, node.start_mark.line + 1))
        if isinstance(node, yaml.ScalarNode):
            return node.value
        if isinstance(node, yaml.SequenceNode):
            return [self._value(name, item, (*place, index)) for index, item in enumerate(node.value)]
        values: dict[str, Any] = {}
        for key, item in node.value:
            line, word = key.start_mark.line + 1, str(key.value)
            inside = (*place, word)
            if word in values:
                first = self.lines[inside][1]
                raise CourseError(f"{name}:{line}: {quoted(word)} is given twice (first on line {first})")
            self.lines[inside] = name, line
            values[word] = self._value(name, item, inside)
        return values


def _sentence(error: Mapping[str, Any]) -> str:
    """What pydantic says of a value, with its name ("entry 2 of `hints`") and the value itself if it is text."""
    place, given = error["loc"], error["input"]
    name = next((quoted(step) for step in reversed(place) if isinstance(step, str)), "the file")
    if place and isinstance(place[-1], int):
        name = f"entry {place[-1] + 1} of {name}"
    if error["type"] == "extra_forbidden":
        known = {key for model in Model.__subclasses__() for key in model.model_fields}
        return f"unknown key {name}{did_you_mean(place[-1], known)}"
    value = f" is {quoted(given)}" if isinstance(given, str) else ""
    return f"{name}{value}: {error['msg'].removeprefix('Value error, ')}"


def _inconsistencies(course: Course) -> Problems:
    """What is wrong between the entries of a course."""
    exercises: list[tuple[Place, Exercise]] = [
        (("units", number, "exercises", place), each)
        for number, unit in enumerate(course.units)
        for place, each in enumerate(unit.exercises)
    ]
    for (before, former), (at, each) in pairwise(exercises):
        rises = each.number > former.number if at[:2] == before[:2] else each.unit[:2] > former.unit[:2]
        if not rises:
            yield (*at, "number"), f"{each.relative_path} cannot come after {former.relative_path}: numbers must rise"
    earlier: list[str] = []
    for at, each in exercises:
        yield from _unknown((*at, "document"), "document", each.document, course.documents)
        for place, needed in enumerate(each.requires):
            yield from _unknown((*at, "requires", place), "earlier exercise", needed, earlier)
        if each.id in earlier:
            yield (*at, "id"), f"exercise {quoted(each.id)} is given twice"
        earlier.append(each.id)
    policy = course.policy
    for folder, moment in policy.due.items():
        yield from _unknown(("policy", "due", folder), "unit", folder, [unit.folder for unit in course.units])
        if moment.tzinfo is None and policy.time_zone is None:
            sentence = f"the time zone of this moment is missing: add `time_zone`, or write `{EXAMPLE} +01:00`"
            yield ("policy", "due", folder), sentence
    for place, id in enumerate(policy.exempt):
        yield from _unknown(("policy", "exempt", place), "exercise", id, course.titles)
    for key in ("late_percent_per_day", "late_percent_at_most", "grace_minutes"):
        if key in policy.model_fields_set and not policy.due:
            yield ("policy", key), f"{quoted(key)} means nothing without `due`"


def _unknown(place: Place, what: str, name: str, known: Collection[str]) -> Problems:
    if name not in known:
        yield place, f"there is no {what} {quoted(name)}{did_you_mean(name, known)}"
