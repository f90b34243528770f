"""Loads course.yml into a Course, or reports every error at once, each with its line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .consistency import EACH, at, inconsistencies
from .course_error import did_you_mean, quoted
from .model import Course, Model
from .source import Place, read_source

FILE_NAME = "course.yml"


def load_course(path: Path) -> Course:
    """Load the course that `path`, a course.yml, describes; its root is that file's folder.

    Raises CourseError when the file is wrong, with a line "course.yml:LINE: sentence" for every problem.
    """
    path = Path(path)
    source = read_source(path)
    for place, sentence in inconsistencies(source.data):
        source.report(place, sentence)
    try:
        course = Course.model_validate(_completed(source.data, _root(path)))
    except ValidationError as error:
        found = error.errors(include_url=False)
        # what the loader filled in has no line, and what is wrong there is reported where it comes from
        for each in [one for one in found if one["type"] == "missing" or one["loc"] in source.lines] or found:
            source.report(each["loc"], _sentence(each))
    if source.problems:
        raise source.error()
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
    for _, unit in at(data, "units", EACH, kind=dict):
        for _, exercise in at(unit, "exercises", EACH, kind=dict):
            limits = exercise.get("limits", {})
            exercise["limits"] = {**shared, **limits} if isinstance(limits, dict) else limits
            exercise["unit"] = unit.get("folder")
    return {**data, "root": root}


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
