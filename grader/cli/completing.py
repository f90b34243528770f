"""Shell completion of exercises, units and levels. It loads nothing heavy, and on any error it completes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from grader.sandbox.levels import LEVELS

if TYPE_CHECKING:
    from grader.course import Course

Choices = list[tuple[str, str]]
"""Possible values, each with a short description."""


def exercise_ids(context: typer.Context, incomplete: str) -> Choices:
    """The exercises whose ids begin with the text."""
    found = [(each.id, each.title) for course in _course(context) for each in course.exercises]
    return _beginning(found, incomplete)


def exercises_and_units(context: typer.Context, incomplete: str) -> Choices:
    """The exercises and units whose names begin with the text."""
    units = [(unit.folder, unit.title) for course in _course(context) for unit in course.units]
    return [*exercise_ids(context, incomplete), *_beginning(units, incomplete)]


def unit_folders(context: typer.Context, incomplete: str) -> Choices:
    """The units whose folders begin with the text."""
    return _beginning([(unit.folder, unit.title) for course in _course(context) for unit in course.units], incomplete)


def levels(incomplete: str) -> Choices:
    """The isolation levels that begin with the text."""
    return _beginning([(level, "") for level in (*LEVELS, "best")], incomplete)


def _beginning(choices: Choices, incomplete: str) -> Choices:
    return [choice for choice in choices if choice[0].startswith(incomplete)]


def _course(context: typer.Context) -> Iterator[Course]:
    """The course that the command would use; none if there is none or it is invalid, which the command reports."""
    from grader.course import CourseError, load_course
    from grader.course.installed import course_file

    given = context.params.get("course")
    try:
        yield load_course(course_file(None if given is None else Path(given)))
    except (CourseError, OSError):
        return
