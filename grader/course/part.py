"""Part of a course, some of its exercises: the basis of a weekly assignment."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import yaml

from .model import Course, Exercise, Unit

WIDTH = 120


def part_of(course: Course, ids: Collection[str]) -> Course:
    """The course with only these exercises and their units; requirements on others are dropped."""

    def kept(unit: Unit) -> tuple[Exercise, ...]:
        return tuple(
            each.model_copy(update={"requires": tuple(id for id in each.requires if id in ids)})
            for each in unit.exercises
            if each.id in ids
        )

    units = tuple(unit.model_copy(update={"exercises": kept(unit)}) for unit in course.units if kept(unit))
    folders = {unit.folder for unit in units}
    due = {folder: moment for folder, moment in course.policy.due.items() if folder in folders}
    exempt = tuple(id for id in course.policy.exempt if id in ids)
    policy = course.policy.model_copy(update={"due": due, "exempt": exempt})
    return course.model_copy(update={"units": units, "policy": policy})


def catalogue_of(course: Course) -> bytes:
    """A course.yml for this course, or this part of one. It has none of its author's comments."""
    filled_in: Any = {"root": True, "units": {"__all__": {"exercises": {"__all__": {"unit", "limits"}}}}}
    data = course.model_dump(mode="json", exclude=filled_in, exclude_defaults=True)
    for unit, written in zip(course.units, data["units"], strict=True):
        for exercise, entry in zip(unit.exercises, written["exercises"], strict=True):
            if exercise.limits != course.limits:
                entry["limits"] = exercise.limits.model_dump()
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False).encode()
