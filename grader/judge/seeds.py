"""Chooses the seed of a run: any seed in the whole course, that of the plans in a course without answers."""

from __future__ import annotations

import secrets

from grader.course import Course
from grader.errors import KataError
from grader.record import MAX_SEED

from .faults import GraderBroken


def seed_for(course: Course, given: int | None = None) -> int:
    """The given seed, or a random one.

    Raises KataError for one that no record can hold, GraderBroken for one that a course without answers has no plan of.
    """
    if given is not None and not (isinstance(given, int) and 0 <= given <= MAX_SEED):
        raise KataError(f"The seed must be a whole number from 0 to {MAX_SEED}.")
    if course.planned_seed is None:
        return secrets.randbelow(MAX_SEED + 1) if given is None else given
    if given not in (None, course.planned_seed):
        raise GraderBroken(f"this course has no plans for the seed {given}; it has them for {course.planned_seed}")
    return course.planned_seed
