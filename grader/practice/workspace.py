"""Where a learner works: the course's own folder, or a workspace of `kata init` that no update touches."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course import Course, CourseError, Exercise, Unit, find_course, load_course
from grader.stubs import stub_of
from grader.submission.naming import REVIEWS

STATE = ".kata"
MARKER = "workspace.json"
LESSON_FILES = ("*.md", "*.svg", "*.png")


@dataclass(frozen=True)
class Work:
    """A learner's file for an exercise: the one in exercises/, or one that was handed out for a review."""

    exercise: Exercise
    path: Path
    is_review: bool = False


@dataclass(frozen=True)
class Workspace:
    """A learner's exercises and what is remembered about them; `root` holds `exercises/`, `review/` and `.kata/`."""

    course: Course
    root: Path

    def file_of(self, exercise: Exercise) -> Path:
        """The learner's file for an exercise."""
        return self.root / "exercises" / exercise.relative_path

    def lesson_of(self, unit: Unit) -> Path:
        """The lesson of a unit, beside the exercises."""
        return self.root / "exercises" / unit.folder / "README.md"

    @property
    def state(self) -> Path:
        """The folder for progress, archive and reviews."""
        return self.root / STATE

    def review_file_of(self, exercise: Exercise) -> Path:
        """The file in which an exercise is written again."""
        return self.root / REVIEWS / exercise.file_name

    def work_of(self, exercise: Exercise) -> Work:
        """The learner's file for an exercise, in exercises/."""
        return Work(exercise, self.file_of(exercise))

    def work_at(self, path: Path) -> Work | None:
        """Which work this file is, if it is one of this workspace's."""
        where = path.resolve()
        for each in self.course.exercises:
            if self.file_of(each).resolve() == where:
                return self.work_of(each)
            if self.review_file_of(each).resolve() == where:
                return Work(each, self.review_file_of(each), is_review=True)
        return None

    def is_review(self, path: Path) -> bool:
        """Whether a file lies where reviews are handed out."""
        return path.resolve().parent == (self.root / REVIEWS).resolve()

    def shown(self, path: Path) -> str:
        """A path as a learner would type it from here."""
        try:
            return os.path.relpath(path) if path.resolve().is_relative_to(self.root.resolve()) else str(path)
        except (OSError, ValueError):  # no current folder, or another drive
            return str(path)


@dataclass
class Made:
    """What `make_workspace` did: the exercises whose files are new, brought up to date, or kept as they are changed."""

    new: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


class BrokenLink(CourseError):
    """A workspace whose course cannot be found through it."""


def find_workspace(start: Path) -> Workspace:
    """The nearest workspace or course in `start` or a folder above it.

    Raises CourseError when there is none, BrokenLink when a workspace's course has gone.
    """
    for folder in (start, *start.parents):
        if (folder / STATE / MARKER).is_file():
            return Workspace(_course_of(folder), folder)
        if (folder / "course.yml").is_file():
            return Workspace(load_course(folder / "course.yml"), folder)
    return _refused(start)


def _refused(start: Path) -> Workspace:
    course = load_course(find_course(start))  # says that there is none
    return Workspace(course, course.root)


def _course_of(folder: Path) -> Course:
    marker = folder / STATE / MARKER
    try:
        path = Path(_read_marker(marker)["course"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BrokenLink(f"{marker} is damaged: make it anew with `kata init {folder}`") from None
    if not path.is_file():
        raise BrokenLink(f"the course of this workspace is not at {path} any more: link it anew with `kata init`")
    return load_course(path)


def _read_marker(marker: Path) -> dict[str, Any]:
    read = json.loads(marker.read_text(encoding="utf-8"))
    if not isinstance(read, dict):
        raise TypeError("not an object")
    return read


def make_workspace(folder: Path, course: Course) -> Made:
    """Make a workspace for a course, or bring one up to date; a file that a learner has changed is never touched.

    Raises CourseError for a folder that is the course's own or lies in it.
    """
    if folder.resolve().is_relative_to(course.root.resolve()):
        raise CourseError(f"{folder} lies in the course itself: choose a folder of your own")
    workspace = Workspace(course, folder)
    marker = workspace.state / MARKER
    given = _given_before(marker)
    made = Made()
    for exercise in course.exercises:
        _give(workspace, exercise, given, made)
    for unit in course.units:
        _copy_lesson(course.lesson_path(unit).parent, workspace.lesson_of(unit).parent)
    marker.parent.mkdir(parents=True, exist_ok=True)
    told = {"course": str((course.root / "course.yml").resolve()), "given": given}
    marker.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return made


def _given_before(marker: Path) -> dict[str, str]:
    """The digests of the stubs that were handed out, by exercise."""
    try:
        given = _read_marker(marker).get("given", {})
    except (OSError, ValueError, TypeError):
        return {}
    return dict(given) if isinstance(given, dict) else {}


def _give(workspace: Workspace, exercise: Exercise, given: dict[str, str], made: Made) -> None:
    stub = stub_of(workspace.course, exercise)
    path = workspace.file_of(exercise)
    if not path.exists():
        made.new.append(exercise.id)
    elif path.read_bytes() == stub.encode():
        given[exercise.id] = _digest(stub.encode())
        return
    elif _digest(path.read_bytes()) == given.get(exercise.id):
        made.renewed.append(exercise.id)
    else:
        made.kept.append(exercise.id)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(stub.encode())
    given[exercise.id] = _digest(stub.encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _copy_lesson(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for pattern in LESSON_FILES:
        for path in sorted(source.glob(pattern)):
            shutil.copyfile(path, target / path.name)
