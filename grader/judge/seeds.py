"""Chooses the seed of a run: any seed in the whole course, one of those with plans in a bundle."""

from __future__ import annotations

import secrets

from grader.course import Course
from grader.record import MAX_SEED

from .faults import GraderBroken


def seed_for(course: Course, given: int | None = None) -> int:
    """The given seed, or a random one. Raises GraderBroken for one that a bundle has no plans for."""
    if not course.is_bundle:
        return secrets.randbelow(MAX_SEED + 1) if given is None else given
    seeds = course.seeds
    if not seeds:
        raise GraderBroken("there are no plans in this bundle: unzip the bundle again")
    if given is None:
        return secrets.choice(seeds)
    if given not in seeds:
        raise GraderBroken(
            f"this bundle has no plans for the seed {given}; it has them for {', '.join(map(str, seeds))}"
        )
    return given
