"""Titles of a course's exercises and units, as reports head their parts with them."""

from __future__ import annotations

from .model import Course


def titles_of(course: Course) -> dict[str, str]:
    """Each exercise's title by its id."""
    return {exercise.id: exercise.title for exercise in course.exercises}


def units_of(course: Course) -> list[tuple[str, list[str]]]:
    """Each unit's title with its exercise ids."""
    return [(unit.title, [exercise.id for exercise in unit.exercises]) for unit in course.units]
