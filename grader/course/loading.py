"""course.yml read into a Course, or refused with every error at once, each with its line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .errors import CourseError
from .model import Course, Limits
from .phrases import Place, quoted
from .source import Problem, Source, Unreadable, decoded, read_bytes, read_source
from .whole import check_whole
from .wording import problems_of

FILE_NAME = "course.yml"


def load_course(path: Path) -> Course:
    """The course that `path`, a course.yml, describes; its root is the folder of that file.

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
    """Without `..`, which pytest takes out of its own paths: it would find none of its tests below this one."""
    return folder.resolve() if ".." in folder.parts else folder


def _refusal(path: Path, problems: Iterable[Problem]) -> CourseError:
    in_order = sorted(dict.fromkeys(problems), key=lambda problem: problem.line)
    return CourseError("\n".join(f"{path.name}:{problem.line}: {problem.sentence}" for problem in in_order))


def _completed(source: Source, root: Path) -> Any:
    """The data with what the file leaves to us: the root, and each exercise's unit and inherited limits."""
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
    """Refuse a key that is ours to fill in, and keep quiet about what we shall put there."""
    if key in entry:
        source.report((*place, key), f"unknown key {quoted(key)}: it follows from where the file stands")
    source.spoilt.add((*place, key))


def _shared_limits(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The course-wide limits; none when they are wrong, so that they are reported once only."""
    limits = data.get("limits", {})
    try:
        Limits.model_validate(limits)
    except ValidationError:
        return {}
    return dict(limits)
