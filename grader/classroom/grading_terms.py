"""What a class is graded by: the settings, digests of the course, the run that is stored; and how two runs differ."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
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
    digest for each of them, in course order. id, first and begun (a moment in UTC) are empty until it is stored.
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
        digest=_digest(kits),
        level=terms.level,
        seed=terms.seed,
        exercises=exercises,
        kits={id: kit for id, kit in kits.items() if id in (exercises or kits)},
        versions={
            "attention-kata": __version__,
            "numpy": version("numpy"),
            "python": platform.python_version(),
            "torch": version("torch"),
        },
    )


def kit_digests(course: Course) -> dict[str, str]:
    """SHA-256 of all that each exercise is graded by: checks, solution, known mistakes, and what course.yml says.

    Raises OSError when a file of the course cannot be read.
    """
    return {each.id: _kit(course, each) for each in course.exercises}


def course_digest(course: Course) -> str:
    """SHA-256 of the kits of all exercises. Raises as `kit_digests` does."""
    return _digest(kit_digests(course))


def _digest(kits: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(kits.items())).encode()).hexdigest()


def stamped(record: Record, course: Course) -> Record:
    """The record with the course's digest. Raises as `kit_digests` does."""
    return record.model_copy(update={"course": record.course.model_copy(update={"digest": course_digest(course)})})


def _kit(course: Course, exercise: Exercise) -> str:
    total = hashlib.sha256(exercise.model_dump_json(include=_GRADED_BY).encode())
    total.update(f"\n{course.submission_seconds}".encode())
    own = [place(exercise) for place in (course.checks_path, course.solution_path, course.mistakes_path)]
    for path in (*own, *course.families()):  # which family files a bank uses is only known when it runs, so all count
        content = path.read_bytes() if path.is_file() else b""
        total.update(f"\n{len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()


def differences(before: Run, now: Run) -> Iterator[str]:
    """What is graded differently in another run, each in a few words; nothing for the same terms."""
    if (before.title, before.version) != (now.title, now.version):
        yield f"the course was {before.title} {before.version} and is {now.title} {now.version}"
    if changed := [id for id, kit in before.kits.items() if now.kits.get(id, kit) != kit]:
        yield f"the hidden checks, solutions or known mistakes of {', '.join(changed)} were changed"
    if sorted(before.exercises) != sorted(now.exercises):
        chosen = [", ".join(each.exercises) or "all" for each in (before, now)]
        yield f"the exercises were {chosen[0]} and are {chosen[1]}"
    if before.seed != now.seed:
        yield f"the seed was {before.seed} and is {now.seed}"
    if before.level != now.level:
        yield f"the isolation was {before.level} and is {now.level}"
    yield from other_programs(before.versions, now.versions)


def other_programs(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Which programs have another version, each in a few words."""
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name, "not there"), now.get(name, "not there")
        if old != new:
            yield f"{name} was {old} and is {new}"
