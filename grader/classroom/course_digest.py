"""Digests of a course: one for the kit of each exercise, and one for all of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from grader.course import Course, Exercise
from grader.record import Record

_GRADED_BY = {"id", "kind", "points", "entry_points", "forbidden", "limits"}
"""The fields of an exercise in course.yml that affect its results."""


def kit_digests(course: Course, exercises: Iterable[Exercise] = ()) -> dict[str, str]:
    """SHA-256 of all that an exercise is graded by: checks, solution, known mistakes and its part of course.yml.

    exercises: only these; all if empty. Raises OSError when a file of the course cannot be read.
    """
    return {each.id: _kit(course, each) for each in exercises or course.exercises}


def course_digest(course: Course) -> str:
    """SHA-256 of the kits of all exercises and the limits that they share. Raises as `kit_digests` does."""
    shared = [course.submission_seconds]
    told = json.dumps([shared, sorted(kit_digests(course).items())])
    return hashlib.sha256(told.encode()).hexdigest()


def stamped(record: Record, course: Course) -> Record:
    """The record with the course's digest. Raises as `kit_digests` does."""
    return record.model_copy(update={"course": record.course.model_copy(update={"digest": course_digest(course)})})


def _kit(course: Course, exercise: Exercise) -> str:
    total = hashlib.sha256(exercise.model_dump_json(include=_GRADED_BY).encode())
    own = [place(exercise) for place in (course.checks_path, course.solution_path, course.mistakes_path)]
    for path in (*own, *course.families()):  # which family files a bank uses is only known when it runs, so all count
        content = _content(path)
        total.update(f"\n{len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
