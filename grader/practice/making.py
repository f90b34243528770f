"""`kata init`: makes a workspace, or brings one up to date. It touches no file that the learner has changed."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Literal, get_args

from grader.course import FILE_NAME, Course, Unit
from grader.course.stubs import stub_of
from grader.errors import KataError
from grader.files import make_folder, write_file

from .workspace import Workspace, content_of, is_users_own

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
