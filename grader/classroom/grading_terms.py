"""What a class is graded by: the settings, the run of them that is stored, and how two runs differ."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from grader import __version__
from grader.course import Course
from grader.sandbox.levels import Level

from .course_digest import course_digest, kit_digests
from .platforms import Platform
from .store import Run


@dataclass(frozen=True)
class Terms:
    """The settings with which every submission of a class is graded. course: its course.yml. only: all if empty."""

    course: Path
    level: Level
    seed: int
    only: tuple[str, ...] = ()


def run_of(course: Course, terms: Terms, submissions: Path = Path(), made_by: Platform = "plain") -> Run:
    """A run with these settings, not yet stored. Raises OSError when a file of the course cannot be read."""
    return Run(
        submissions=str(submissions.absolute()),
        platform=made_by,
        course=terms.course,
        title=course.title,
        version=course.version,
        digest=course_digest(course),
        level=terms.level,
        seed=terms.seed,
        exercises=terms.only,
        kits=kit_digests(course, [course.exercise(id) for id in terms.only]),
        versions={
            "attention-kata": __version__,
            "numpy": version("numpy"),
            "python": platform.python_version(),
            "torch": version("torch"),
        },
    )


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
