"""What a class is graded by: a run, with all that its results depend on, and how the terms of two runs differ."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

from grader import __version__
from grader.course import Course, CourseError, Exercise, load_course
from grader.record import CourseStamp
from grader.sandbox.levels import Level

from .platforms import Platform

_GRADED_BY = {"id", "kind", "points", "entry_points", "forbidden", "limits"}  # fields of an exercise in course.yml


@dataclass(frozen=True)
class Run:
    """One run of `kata grade-class`, and all that its results depend on.

    exercises: those that were chosen, all if empty. kits: a digest for each of them, in course order. programs: with
    their versions. begun: in UTC. id; first, the id of the run that began the grading: both 0 until it is stored.
    """

    course: Path
    stamp: CourseStamp
    level: Level
    seed: int
    exercises: tuple[str, ...]
    kits: Mapping[str, str]
    programs: str
    begun: datetime
    platform: Platform = "plain"
    id: int = 0
    first: int = 0


def run_of(course: Course, level: Level, seed: int, exercises: tuple[str, ...] = ()) -> Run:
    """A run with these settings, not yet stored. Raises OSError when a file of the course cannot be read."""
    kits = {each.id: _kit(course, each) for each in course.exercises}
    digest = hashlib.sha256(json.dumps(sorted(kits.items())).encode()).hexdigest()
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch"))
    return Run(
        course=(course.root / "course.yml").absolute(),
        stamp=CourseStamp(title=course.title, version=course.version, digest=digest),
        level=level,
        seed=seed,
        exercises=exercises,
        kits={id: kit for id, kit in kits.items() if id in (exercises or kits)},
        programs=f"attention-kata {__version__}, Python {platform.python_version()}, {libraries}",
        begun=datetime.now(timezone.utc),
    )


def _kit(course: Course, exercise: Exercise) -> str:
    """SHA-256 of all that an exercise is graded by: checks, solution, known mistakes, and what course.yml says."""
    total = hashlib.sha256(exercise.model_dump_json(include=_GRADED_BY).encode())
    total.update(f"\n{course.submission_seconds}".encode())
    own = [place(exercise) for place in (course.checks_path, course.solution_path, course.mistakes_path)]
    for path in (*own, *course.families_of(*own)):
        content = path.read_bytes() if path.is_file() else b""
        total.update(f"\n{len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()


def terms_of(run: Run, exercise: str) -> dict[str, object]:
    """What a run's results of an exercise depend on, by its name in a sentence."""
    kit = run.kits.get(exercise)
    return {"the course": kit, "the seed": run.seed, "the isolation": run.level, "the programs": run.programs}


def differences(before: Run, now: Run) -> dict[str, str]:
    """What has another value in the terms of a run, by its name: each in a few words."""
    old, new = (
        {
            **terms_of(run, ""),
            "the course": run.stamp.title,
            "the course's version": run.stamp.version,
            "the platform": run.platform,
            "the choice of exercises": ", ".join(sorted(run.exercises)) or "all",
        }
        for run in (before, now)
    )
    told = {name: f"{name} was {value} and is {new[name]}" for name, value in old.items() if value != new[name]}
    if changed := [id for id, kit in before.kits.items() if now.kits.get(id, kit) != kit]:
        told["the kits"] = f"the hidden checks, solutions or known mistakes of {', '.join(changed)} were changed"
    return told


def why_not(run: Run) -> str | None:
    """Why this machine may not grade a class of such a run, in a few words; None if it may."""
    from grader.sandbox.doctor import try_level

    try:
        here = run_of(load_course(run.course), run.level, run.seed)
    except (CourseError, OSError):
        return f"it does not see the course at {run.course}"
    if here.programs != run.programs:
        return f"it has {here.programs}, not {run.programs}"
    if here.stamp.digest != run.stamp.digest:
        return "it sees another course at the same path"
    missing = None if run.level == "none" else try_level(run.level)
    return missing and f"it cannot isolate submissions, missing: {missing}"
