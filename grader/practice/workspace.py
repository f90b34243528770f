"""A learner's workspace: a folder made by `kata init`, wherever it was moved or copied, or the course's own folder.

Nothing that a learner wrote is ever deleted: old work is moved to an archive, and no update touches what was changed.
"""

from __future__ import annotations

import json
import os
import stat
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course import FILE_NAME, Course, Exercise
from grader.course.installed import is_wheels
from grader.course.stubs import stub_of
from grader.errors import KataError
from grader.files import UnreadableError, make_folder, move_file, open_regular, write_file
from grader.intake.names import REVIEWS

from .progress import ProgressFile, digest_of, free_path

USUAL = "attention"
"""Where a workspace lies if it was made as the guide says: in the home folder."""
STATE = ".kata"
"""The folder that makes a folder a workspace. What is in it decides nothing about checks."""
GIVEN = "workspace.json"
"""The file in `.kata` with the digests of the files that were handed out, to tell which ones the learner changed."""
LESSON_FILES = ("*.md", "*.svg", "*.png")
PAGE = "README.md"


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

    def lesson_of(self, unit: str) -> Path:
        """The lesson in a unit's folder, in the exercises folder."""
        return self.root / "exercises" / unit / PAGE

    def section_of(self, exercise: Exercise) -> str:
        """The lesson of an exercise and the section in it, for a learner to find."""
        return f"{self.shown(self.lesson_of(exercise.unit))}, section {exercise.number:02d}"

    @property
    def state(self) -> Path:
        """The folder for progress, archive and reviews."""
        return self.root / STATE

    @property
    def progress(self) -> ProgressFile:
        """The learner's progress."""
        return ProgressFile(self.state)

    def work_of(self, exercise: Exercise) -> Work:
        """The learner's file for an exercise, in exercises/."""
        return Work(exercise, self.file_of(exercise))

    def review_of(self, exercise: Exercise) -> Work:
        """The file of the exercise's review."""
        return Work(exercise, self.root / REVIEWS / exercise.file_name, is_review=True)

    def work_at(self, path: Path) -> Work | None:
        """The exercise that this file of the workspace is for; None for any other file."""
        where = path.resolve()
        own = (find(each) for find in (self.work_of, self.review_of) for each in self.course.exercises)
        return next((work for work in own if work.path.resolve() == where), None)

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


def reset(workspace: Workspace, work: Work) -> Path | None:
    """Replace a learner's file by the stub; return where the old work was moved, None when there was none."""
    stub, kept = stub_of(workspace.course, work.exercise).encode(), None
    if os.path.lexists(work.path) and content_of(work.path) != stub:
        kept = free_path(workspace.state / "archive" / work.exercise.id, "", ".py")
        move_file(work.path, kept, below=workspace.root)
    write_file(work.path, stub, below=workspace.root)
    return kept


def content_of(path: Path) -> bytes | None:
    """The content of a regular file; None for anything else, such as a link or a pipe."""
    with suppress(UnreadableError, OSError), open_regular(path) as file:
        return file.read()
    return None


def _is_marked(folder: Path) -> bool:
    """Whether this user's `.kata` folder lies in a folder."""
    try:
        return stat.S_ISDIR(os.lstat(folder / STATE).st_mode) and is_users_own(folder / STATE)
    except OSError:
        return False


# --- kata init --------------------------------------------------------------------------------------------------------


def make_workspace(folder: Path, course: Course) -> dict[str, list[str]]:
    """Create or update a workspace for a course; return the exercises by what became of their files.

    That is new, renewed or unchanged; or the file is the learner's own and stays: kept, outdated (the course has
    changed its stub since) or withdrawn (the course has no such exercise any more).
    Raises KataError for a folder that is not the user's or holds a course, and OSError.
    """
    if folder.exists() and not is_users_own(folder):
        raise KataError(f"{folder} belongs to another user: choose a folder of your own")
    if folder.resolve().is_relative_to(course.root.resolve()):
        raise KataError(f"{folder} lies in the course itself: choose a folder of your own, such as ~/attention")
    if (folder / FILE_NAME).exists():
        raise KataError(f"{folder} holds a {FILE_NAME}: choose a folder without a course, such as ~/attention")
    workspace = Workspace(course, folder)
    given = _given_before(workspace)
    made: defaultdict[str, list[str]] = defaultdict(list)
    made["withdrawn"] = [name for name in given if name not in {PAGE, *(each.id for each in course.exercises)}]

    def give(path: Path, content: bytes, name: str) -> str:
        """Write a file, unless the learner has changed it or put a link or a folder in its place."""
        there, digest = content_of(path), digest_of(content)
        is_own = os.path.lexists(path) if there is None else there != content and digest_of(there) != given.get(name)
        if is_own:
            return "kept" if given.get(name, digest) == digest else "outdated"
        given[name] = digest
        if there != content:
            write_file(path, content, below=folder)
        return "new" if there is None else "unchanged" if there == content else "renewed"

    for exercise in course.exercises:
        stub = stub_of(course, exercise).encode()
        made[give(workspace.file_of(exercise), stub, exercise.id)].append(exercise.id)
    for unit in course.units:
        lesson = workspace.lesson_of(unit.folder)
        make_folder(lesson.parent, below=folder)
        for path in sorted(each for kind in LESSON_FILES for each in course.lesson_path(unit).parent.glob(kind)):
            write_file(lesson.with_name(path.name), path.read_bytes(), below=folder)
    if course.glossary_path.is_file():
        write_file(folder / "docs" / course.glossary_path.name, course.glossary_path.read_bytes(), below=folder)
    page = filled("workspace_page.md.j2", course=course, first=f"{course.exercises[0].id:12} ")
    give(folder / PAGE, page.encode(), PAGE)
    write_file(workspace.state / GIVEN, (json.dumps({"given": given}, indent=1) + "\n").encode(), below=folder)
    return made


def _given_before(workspace: Workspace) -> dict[str, str]:
    """The digests of the files that were handed out, by exercise; none where the file is missing or damaged."""
    try:
        given = json.loads(content_of(workspace.state / GIVEN) or b"")["given"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return dict(given) if isinstance(given, dict) else {}


def filled(template: str, **values: Any) -> str:
    """The text of a template beside this module with these values in it."""
    from jinja2 import Template

    text = Path(__file__).with_name(template).read_text(encoding="utf-8")
    return str(Template(text, keep_trailing_newline=True, trim_blocks=True).render(values))
