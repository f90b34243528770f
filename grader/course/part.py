"""Part of a course, some of its units: the basis of a weekly assignment."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import yaml

from .model import Course
from .source import decoded, read_bytes, read_source

WIDTH = 120


def part_of(course: Course, folders: Collection[str]) -> Course:
    """The course with only these units; requirements on exercises outside of them are dropped."""
    units = [unit for unit in course.units if unit.folder in folders]
    there = {exercise.id for unit in units for exercise in unit.exercises}
    kept = [
        unit.model_copy(
            update={
                "exercises": tuple(
                    each.model_copy(update={"requires": tuple(id for id in each.requires if id in there)})
                    for each in unit.exercises
                )
            }
        )
        for unit in units
    ]
    due = {folder: moment for folder, moment in course.policy.due.items() if folder in folders}
    exempt = tuple(id for id in course.policy.exempt if id in there)
    policy = course.policy.model_copy(update={"due": due, "exempt": exempt})
    return course.model_copy(update={"units": tuple(kept), "policy": policy})


def plain_catalogue(path: Path) -> dict[str, Any]:
    """The data of a valid course.yml, with lists instead of tuples, which YAML does not have."""
    plain = _plain(read_source(decoded(read_bytes(path))).data)
    assert isinstance(plain, dict)
    return plain


def part_of_catalogue(data: dict[str, Any], folders: Collection[str]) -> dict[str, Any]:
    """As `part_of`, for the data of a course.yml."""
    units = [unit for unit in data["units"] if unit["folder"] in folders]
    there = {exercise["id"] for unit in units for exercise in unit["exercises"]}
    kept = [{**unit, "exercises": [_exercise(each, there) for each in unit["exercises"]]} for unit in units]
    policy = data.get("policy") or {}
    if due := policy.get("due"):
        policy = {**policy, "due": {folder: moment for folder, moment in due.items() if folder in folders}}
    if "exempt" in policy:
        policy = {**policy, "exempt": [id for id in policy["exempt"] or () if id in there]}
    return {**data, "units": kept, **({"policy": policy} if policy else {})}


def catalogue_bytes(course: Course, path: Path) -> bytes:
    """The course.yml of a course, or of a part of the one at `path`; a part loses the author's comments."""
    data = plain_catalogue(path)
    folders = [unit.folder for unit in course.units]
    if [unit["folder"] for unit in data["units"]] == folders:
        return path.read_bytes()
    part = part_of_catalogue(data, folders)
    return yaml.safe_dump(part, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False).encode()


def _exercise(exercise: dict[str, Any], there: Collection[str]) -> dict[str, Any]:
    if "requires" not in exercise:
        return exercise
    return {**exercise, "requires": [id for id in exercise["requires"] or () if id in there]}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
