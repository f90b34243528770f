"""A learner's workspace: the course's own folder, or a folder of `kata init` whose changed files no update touches.

Nothing that a learner wrote is ever deleted: old work is moved to an archive.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from grader.course import FILE_NAME, Course, CourseError, Exercise, Unit, load_course
from grader.course.named import named_around, refuse_unnamed
from grader.course.stubs import stub_of
from grader.intake.names import REVIEWS
from grader.registry import RegistryError, is_users_own, register
from grader.writing import make_folder, move_file, write_file

from .progress import now


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
    kept = free_name(workspace.state / "archive" / exercise.id)
    move_file(path, kept, below=workspace.root)
    return kept


def free_name(folder: Path) -> Path:
    """A free file name with the current time."""
    stamp = now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    number, path = 1, folder / f"{stamp}.py"
    while os.path.lexists(path):
        number, path = number + 1, folder / f"{stamp}_{number}.py"
    return path


NAME = "README.md"

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
"""

GLOSSARY = """
The documents have several names for one thing: [the glossary](docs/glossary.md) puts them side by side.
"""


def first_page(course: Course) -> str:
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


STATE = ".kata"
MARKER = "workspace.json"
LESSON_FILES = ("*.md", "*.svg", "*.png")


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
        return path if os.path.lexists(path) else self._moved_from(exercise) or path

    def _moved_from(self, exercise: Exercise) -> Path | None:
        """The only file with the exercise's id in another unit or with another number; None for none or several."""
        numbered = (self.root / "exercises").glob(f"*/*_{exercise.id}.py")
        found = [path for path in numbered if re.fullmatch(rf"[0-9]+_{exercise.id}\.py", path.name)]
        return found[0] if len(found) == 1 else None

    def lesson_of(self, unit: Unit) -> Path:
        """The lesson of a unit, in the exercises folder."""
        return self.root / "exercises" / unit.folder / "README.md"

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

    def is_review(self, path: Path) -> bool:
        """Whether a file is in the review folder."""
        return path.resolve().parent == (self.root / REVIEWS).resolve()

    def shown(self, path: Path) -> str:
        """A path relative to the current folder, for a learner to type."""
        try:
            return os.path.relpath(path) if path.resolve().is_relative_to(self.root.resolve()) else str(path)
        except (OSError, ValueError):  # no current folder, or another drive
            return str(path)


@dataclass
class Made:
    """What `make_workspace` did: exercises whose files are new, were updated, or were kept because they are changed.

    outdated: kept files whose stub the course has changed since it was handed out. withdrawn: files of exercises that
    the course no longer has; they stay. in_place: nothing was copied, since the folder is the course's own.
    """

    new: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    in_place: bool = False


def find_workspace(start: Path) -> Workspace | None:
    """The registered workspace that contains a folder; None if there is none.

    Raises CourseError when it cannot be used, Unnamed for a workspace that the user has not registered.
    """
    refuse_unnamed(start)
    named = named_around(start)
    return Workspace(load_course(named.course), named.root) if named else None


def is_at(found: Path | None, folder: Path) -> bool:
    """Whether this folder holds a workspace, and no course."""
    return found is not None and found.resolve() == folder.resolve() and not (found / FILE_NAME).exists()


def make_workspace(folder: Path, course: Course) -> Made:
    """Create or update a workspace for a course, and register it for the user.

    A file that a learner has changed is never touched. The course's own folder is a workspace already: nothing is
    copied. Raises CourseError for a folder that is not the user's or is in a course, LinkInTheWay, and OSError.
    """
    made = Made(in_place=folder.resolve() == course.root.resolve())
    course_file = course.root / FILE_NAME
    if folder.exists() and not is_users_own(folder):
        raise CourseError(f"{folder} belongs to another user: choose a folder of your own")
    if not made.in_place:
        _refuse_course(folder, course)
        workspace = Workspace(course, folder)
        given = _given_before(workspace.state / MARKER)
        for exercise in course.exercises:
            _give(workspace, exercise, given, made)
        there = {exercise.id for exercise in course.exercises}
        made.withdrawn += [id for id in given if id not in there and id != NAME]
        for unit in course.units:
            _copy_lesson(workspace, unit)
        _give_first_page(workspace, given)
        text = json.dumps({"given": given}, indent=1) + "\n"
        write_file(workspace.state / MARKER, text.encode("utf-8"), below=folder)
    try:
        register(folder, course_file)
    except RegistryError as error:
        raise CourseError(str(error)) from None
    return made


def _refuse_course(folder: Path, course: Course) -> None:
    if folder.resolve().is_relative_to(course.root.resolve()):
        raise CourseError(f"{folder} lies in the course itself: choose a folder of your own")
    if (folder / FILE_NAME).exists():
        raise CourseError(
            f"{folder} holds a course of its own: choose another folder, or name that course too: "
            f"kata init {folder} --course {folder}"
        )


def _given_before(marker: Path) -> dict[str, str]:
    """The digests of the handed-out stubs, by exercise."""
    try:
        given = json.loads(content_of(marker) or b"")["given"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return dict(given) if isinstance(given, dict) else {}


def _give(workspace: Workspace, exercise: Exercise, given: dict[str, str], made: Made) -> None:
    stub = stub_of(workspace.course, exercise).encode()
    path = workspace.file_of(exercise)
    there = content_of(path)
    if not os.path.lexists(path):
        made.new.append(exercise.id)
    elif there == stub:
        given[exercise.id] = _digest(stub)
        return
    elif there is not None and _digest(there) == given.get(exercise.id):
        made.renewed.append(exercise.id)
    else:
        made.kept.append(exercise.id)
        if given.get(exercise.id, _digest(stub)) != _digest(stub):
            made.outdated.append(exercise.id)
        return
    write_file(path, stub, below=workspace.root)
    given[exercise.id] = _digest(stub)


def _give_first_page(workspace: Workspace, given: dict[str, str]) -> None:
    """Write the README, unless the learner has one, and the glossary that lessons link to."""
    glossary = workspace.course.glossary_path
    if glossary.is_file():
        write_file(workspace.root / "docs" / glossary.name, glossary.read_bytes(), below=workspace.root)
    path, page = workspace.root / NAME, first_page(workspace.course).encode("utf-8")
    there = content_of(path)
    if os.path.lexists(path) and (there is None or _digest(there) != given.get(NAME)):
        return
    write_file(path, page, below=workspace.root)
    given[NAME] = _digest(page)


def content_of(path: Path) -> bytes | None:
    """The content of a regular file; None for anything else, such as a link or a pipe."""
    try:
        return path.read_bytes() if stat.S_ISREG(os.lstat(path).st_mode) else None
    except OSError:
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _copy_lesson(workspace: Workspace, unit: Unit) -> None:
    target = workspace.lesson_of(unit).parent
    make_folder(target, below=workspace.root)
    for pattern in LESSON_FILES:
        for path in sorted(workspace.course.lesson_path(unit).parent.glob(pattern)):
            write_file(target / path.name, path.read_bytes(), below=workspace.root)
