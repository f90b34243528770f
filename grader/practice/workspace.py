"""A learner's workspace: a folder made by `kata init`, wherever it was moved or copied, or the course's own folder.

Nothing that a learner wrote is ever deleted: old work is moved to an archive.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, Exercise, Unit
from grader.course.installed import is_wheels
from grader.course.stubs import stub_of
from grader.errors import KataError
from grader.files import move_file, write_file
from grader.intake.names import REVIEWS

from .progress import free_path

USUAL = "attention"
"""Where a workspace lies if it was made as the guide says: in the home folder."""
STATE = ".kata"
"""The folder that makes a folder a workspace. What is in it decides nothing about checks."""


@dataclass(frozen=True)
class Work:
    """A learner's file for an exercise: the one in exercises/, or one handed out for a review."""

    exercise: Exercise
    path: Path
    is_review: bool = False


@dataclass(frozen=True)
class Workspace:
    """A learner's exercises and progress; `root` holds `exercises/`, `review/` and `.kata/`."""

    course: Course
    root: Path

    def file_of(self, exercise: Exercise) -> Path:
        """The learner's file for an exercise: at its path, or at its old one if the course has moved the exercise."""
        path = self.root / "exercises" / exercise.relative_path
        if os.path.lexists(path):
            return path
        moved = list((self.root / "exercises").glob(f"*/[0-9][0-9]_{exercise.id}.py"))
        return moved[0] if len(moved) == 1 else path

    def lesson_of(self, unit: Unit) -> Path:
        """The lesson of a unit, in the exercises folder."""
        return self.root / "exercises" / unit.folder / "README.md"

    def section_of(self, exercise: Exercise) -> str:
        """The lesson of an exercise and the section in it, for a learner to find."""
        unit = next(unit for unit in self.course.units if exercise in unit.exercises)
        return f"{self.shown(self.lesson_of(unit))}, section {exercise.number:02d}"

    @property
    def state(self) -> Path:
        """The folder for progress, archive and reviews."""
        return self.root / STATE

    def review_file_of(self, exercise: Exercise) -> Path:
        """The file of the exercise's review."""
        return self.root / REVIEWS / exercise.file_name

    def work_of(self, exercise: Exercise) -> Work:
        """The learner's file for an exercise, in exercises/."""
        return Work(exercise, self.file_of(exercise))

    def work_at(self, path: Path) -> Work | None:
        """The exercise that this file of the workspace is for; None for any other file."""
        where = path.resolve()
        for each in self.course.exercises:
            if self.file_of(each).resolve() == where:
                return self.work_of(each)
            if self.review_file_of(each).resolve() == where:
                return Work(each, self.review_file_of(each), is_review=True)
        return None

    def shown(self, path: Path) -> str:
        """A path relative to the current folder, for a learner to type."""
        try:
            return os.path.relpath(path) if path.resolve().is_relative_to(self.root.resolve()) else str(path)
        except (OSError, ValueError):  # no current folder, or another drive
            return str(path)


def find_workspace(course: Course, start: Path) -> Workspace | None:
    """The workspace that a folder lies in: a folder with `.kata`, or the course's own. None if there is none.

    One that another user made is passed over, as are the courses of wheels: nobody works there.
    """
    here, own = start.resolve(), course.root.resolve()
    for folder in (here, *here.parents):
        if _is_marked(folder):
            return Workspace(course, folder)
        if folder == own and not is_wheels(own):
            return Workspace(course, course.root)
    return None


def workspace_around(course: Course, start: Path) -> Workspace:
    """As `find_workspace`. Raises KataError where there is none."""
    if found := find_workspace(course, start):
        return found
    usual = Path.home() / USUAL
    advice = f"Your workspace is {usual}: cd {usual}" if _is_marked(usual) else f"Make one: kata init ~/{USUAL}"
    raise KataError(f"You are not in a workspace. {advice}")


def is_users_own(path: Path) -> bool:
    """Whether the current user owns what is at this path. Always so on systems without owners. Raises OSError."""
    return not hasattr(os, "geteuid") or os.lstat(path).st_uid == os.geteuid()


def reset(workspace: Workspace, exercise: Exercise) -> Path | None:
    """Replace a learner's file by the stub; return where the old work was moved, None when there was none."""
    path = workspace.file_of(exercise)
    stub = stub_of(workspace.course, exercise).encode()
    kept = None
    if os.path.lexists(path) and content_of(path) != stub:
        kept = put_aside(workspace, exercise, path)
    write_file(path, stub, below=workspace.root)
    return kept


def put_aside(workspace: Workspace, exercise: Exercise, path: Path) -> Path:
    """Move a file of an exercise into the archive; return its new path."""
    kept = free_path(workspace.state / "archive" / exercise.id, "", ".py")
    move_file(path, kept, below=workspace.root)
    return kept


def content_of(path: Path) -> bytes | None:
    """The content of a regular file; None for anything else, such as a link or a pipe."""
    try:
        return path.read_bytes() if stat.S_ISREG(os.lstat(path).st_mode) else None
    except OSError:
        return None


def _is_marked(folder: Path) -> bool:
    """Whether this user's `.kata` folder lies in a folder."""
    try:
        return stat.S_ISDIR(os.lstat(folder / STATE).st_mode) and is_users_own(folder / STATE)
    except OSError:
        return False
