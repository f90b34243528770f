"""A learner's workspace: a folder made by `kata init`, wherever it was moved or copied, or the course's own folder.

Nothing that a learner wrote is ever deleted: old work is moved to an archive, and no update touches what was changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from grader.course import FILE_NAME, Course, Exercise, Unit
from grader.course.installed import is_wheels
from grader.course.stubs import stub_of
from grader.errors import KataError
from grader.files import make_folder, move_file, write_file
from grader.intake.names import REVIEWS

from .progress import free_path

USUAL = "attention"
"""Where a workspace lies if it was made as the guide says: in the home folder."""
STATE = ".kata"
"""The folder that makes a folder a workspace. What is in it decides nothing about checks."""
GIVEN = "workspace.json"
"""The file in `.kata` with the digests of the files that were handed out, to tell which ones the learner changed."""
LESSON_FILES = ("*.md", "*.svg", "*.png")
PAGE = "README.md"

TEXT = """\
# {title}: your folder

This folder is yours. Read a lesson, write in the `.py` files beside it, save. Type in this folder:

    kata                    # where you are, and the next exercise
    kata watch              # leave it running: every save is checked at once
    kata check {first}{space}# one exercise, by its id
    kata hint {first} {space}# the first hint is free, each further one opens after another try
    kata list               # what is passed, tried and open
    kata reset {first}{space}# the given file again; your old work is kept
    kata review             # write something again that you have passed, on the day that it is due
    kata report             # your progress as a page

| lesson | exercises |
|---|---|
{lessons}
{glossary}
Your progress is in `.kata`, with everything that `reset` put aside. What is handed out for a review lies in `review`.
`kata init` on this folder brings lessons and untouched exercises up to date, and leaves alone what you have changed.
You may move or copy this folder, with `.kata` in it.
"""

GLOSSARY = """
The documents have several names for one thing: [the glossary](docs/glossary.md) puts them side by side.
"""


Outcome = Literal["new", "renewed", "unchanged", "kept", "outdated", "withdrawn"]
"""What became of an exercise's file. The last three are the learner's own and stay as they are: kept, outdated (the
course has changed its stub since), withdrawn (the course has no such exercise any more)."""


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


# --- kata init --------------------------------------------------------------------------------------------------------


def make_workspace(folder: Path, course: Course) -> dict[Outcome, list[str]]:
    """Create or update a workspace for a course; return the exercises by what became of their files.

    Raises KataError for a folder that is not the user's or holds a course, and OSError.
    """
    _refuse(folder, course)
    workspace = Workspace(course, folder)
    given = _given_before(workspace)
    made: dict[Outcome, list[str]] = {outcome: [] for outcome in get_args(Outcome)}
    made["withdrawn"] += [name for name in given if name not in {PAGE, *(each.id for each in course.exercises)}]
    for exercise in course.exercises:
        stub = stub_of(course, exercise).encode()
        made[_give(folder, workspace.file_of(exercise), stub, exercise.id, given)].append(exercise.id)
    for unit in course.units:
        _copy_lesson(workspace, unit)
    if course.glossary_path.is_file():
        write_file(folder / "docs" / course.glossary_path.name, course.glossary_path.read_bytes(), below=folder)
    _give(folder, folder / PAGE, _first_page(course).encode("utf-8"), PAGE, given)
    write_file(workspace.state / GIVEN, (json.dumps({"given": given}, indent=1) + "\n").encode("utf-8"), below=folder)
    return made


def _refuse(folder: Path, course: Course) -> None:
    """Raise KataError for a folder that no workspace may be made in."""
    if folder.exists() and not is_users_own(folder):
        raise KataError(f"{folder} belongs to another user: choose a folder of your own")
    if folder.resolve().is_relative_to(course.root.resolve()):
        raise KataError(f"{folder} lies in the course itself: choose a folder of your own, such as ~/attention")
    if (folder / FILE_NAME).exists():
        raise KataError(f"{folder} holds a {FILE_NAME}: choose a folder without a course, such as ~/attention")


def _given_before(workspace: Workspace) -> dict[str, str]:
    """The digests of the files that were handed out, by exercise; none where the file is missing or damaged."""
    try:
        given = json.loads(content_of(workspace.state / GIVEN) or b"")["given"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return dict(given) if isinstance(given, dict) else {}


def _give(folder: Path, path: Path, content: bytes, name: str, given: dict[str, str]) -> Outcome:
    """Write a file of the course, unless the learner has changed it or put a link or a folder in its place."""
    there, digest = content_of(path), _digest(content)
    is_own = os.path.lexists(path) if there is None else there != content and _digest(there) != given.get(name)
    if is_own:
        return "kept" if given.get(name, digest) == digest else "outdated"
    given[name] = digest
    if there == content:
        return "unchanged"
    write_file(path, content, below=folder)
    return "new" if there is None else "renewed"


def _copy_lesson(workspace: Workspace, unit: Unit) -> None:
    target = workspace.lesson_of(unit).parent
    make_folder(target, below=workspace.root)
    for pattern in LESSON_FILES:
        for path in sorted(workspace.course.lesson_path(unit).parent.glob(pattern)):
            write_file(target / path.name, path.read_bytes(), below=workspace.root)


def _first_page(course: Course) -> str:
    """The text of the README in a workspace of this course."""
    lessons = [
        f"| [{unit.title}](exercises/{unit.folder}/README.md) | {len(unit.exercises)}"
        f"{' (extra credit)' if unit.extra_credit else ''} |"
        for unit in course.units
    ]
    first = course.exercises[0].id
    return TEXT.format(
        title=course.title,
        first=first,
        space=" " * max(13 - len(first), 1),
        lessons="\n".join(lessons),
        glossary=GLOSSARY if course.glossary_path.is_file() else "",
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
