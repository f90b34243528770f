"""What a class is graded by: the settings, digests of the course, the run that is stored; and how two runs differ."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from grader import __version__
from grader.course import Course, Exercise
from grader.record import Record
from grader.sandbox.levels import Level

from .platforms import Platform

_GRADED_BY = {"id", "kind", "points", "entry_points", "forbidden", "limits"}
"""The fields of an exercise in course.yml that affect its results."""


@dataclass(frozen=True)
class Terms:
    """The settings with which every submission of a class is graded. course: its course.yml."""

    course: Path
    level: Level
    seed: int


@dataclass(frozen=True)
class Run:
    """One run of `kata grade-class`, and all that its results depend on.

    first: the id of the run with which the grading began. exercises: those that were chosen, all if empty. kits: a
    digest for each exercise. id, first and begun (a moment in UTC) are empty until it is stored.
    """

    submissions: str
    platform: Platform
    course: Path
    title: str
    version: str
    digest: str
    level: Level
    seed: int
    exercises: tuple[str, ...]
    kits: Mapping[str, str]
    versions: Mapping[str, str]
    id: int = 0
    first: int = 0
    begun: str = ""

    @property
    def terms(self) -> Terms:
        """The settings for the judges."""
        return Terms(self.course, self.level, self.seed)


def run_of(
    course: Course,
    terms: Terms,
    exercises: tuple[str, ...] = (),
    submissions: Path = Path(),
    made_by: Platform = "plain",
) -> Run:
    """A run with these settings, not yet stored. Raises OSError when a file of the course cannot be read."""
    kits = kit_digests(course)
    return Run(
        submissions=str(submissions.absolute()),
        platform=made_by,
        course=terms.course,
        title=course.title,
        version=course.version,
        digest=course_digest(course),
        level=terms.level,
        seed=terms.seed,
        exercises=exercises,
        kits={id: kits[id] for id in exercises or kits},
        versions={
            "attention-kata": __version__,
            "numpy": version("numpy"),
            "python": platform.python_version(),
            "torch": version("torch"),
        },
    )


def kit_digests(course: Course) -> dict[str, str]:
    """SHA-256 of all that each exercise is graded by: checks, solution, known mistakes and its part of course.yml.

    Raises OSError when a file of the course cannot be read.
    """
    return {each.id: _kit(course, each) for each in course.exercises}


def course_digest(course: Course) -> str:
    """SHA-256 of the kits of all exercises and the limits that they share. Raises as `kit_digests` does."""
    shared = [course.submission_seconds]
    return hashlib.sha256(json.dumps([shared, sorted(kit_digests(course).items())]).encode()).hexdigest()


def stamped(record: Record, course: Course) -> Record:
    """The record with the course's digest. Raises as `kit_digests` does."""
    return record.model_copy(update={"course": record.course.model_copy(update={"digest": course_digest(course)})})


def _kit(course: Course, exercise: Exercise) -> str:
    total = hashlib.sha256(exercise.model_dump_json(include=_GRADED_BY).encode())
    own = [place(exercise) for place in (course.checks_path, course.solution_path, course.mistakes_path)]
    for path in (*own, *course.families()):  # which family files a bank uses is only known when it runs, so all count
        content = path.read_bytes() if path.is_file() else b""
        total.update(f"\n{len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()


def changed_kits(before: Run, now: Run) -> list[str]:
    """The exercises that are graded by something else now."""
    return [id for id, kit in before.kits.items() if now.kits.get(id, kit) != kit]


def differences(before: Run, now: Run) -> list[str]:
    """What is graded differently in another run, each in a few words; empty for the same terms."""
    found = []
    changed = changed_kits(before, now)
    withdrawn = before.kits.keys() - now.kits.keys()
    is_part = bool(withdrawn) and not changed and before.title == now.title  # it grades the rest as before
    if (before.title, before.version) != (now.title, now.version) and not is_part:
        found.append(f"the course was {before.title} {before.version} and is {now.title} {now.version}")
    if changed:
        found.append(f"the hidden checks, solutions or known mistakes of {', '.join(changed)} were changed")
    if sorted(before.exercises) != sorted(now.exercises):
        chosen = [", ".join(each.exercises) or "all" for each in (before, now)]
        found.append(f"the exercises were {chosen[0]} and are {chosen[1]}")
    elif not changed and before.digest != now.digest and not withdrawn:
        found.append("course.yml was changed")
    if before.seed != now.seed:
        found.append(f"the seed was {before.seed} and is {now.seed}")
    if before.level != now.level:
        found.append(f"the isolation was {before.level} and is {now.level}")
    for name in sorted(before.versions.keys() | now.versions.keys()):
        old, new = before.versions.get(name, "not there"), now.versions.get(name, "not there")
        if old != new:
            found.append(f"{name} was {old} and is {new}")
    return found
