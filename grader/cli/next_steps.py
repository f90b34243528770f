"""The end of `kata doctor`: what to type next, for each kind of user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from grader.errors import KataError
from grader.sandbox.doctor import Finding
from grader.sandbox.levels import GRADING_LEVELS, Level


def next_steps(level: Level, findings: Sequence[Finding]) -> list[str]:
    """Lines for a learner, an instructor and an author, each with commands that work on this machine."""
    rows = [*_to_learn(), *_to_grade(level, findings), *_TO_WRITE]
    return ["What to do next:", *(f"  {who:10}  {command:48}  {what}" for who, command, what in rows)]


_Row = tuple[str, str, str]
_TO_WRITE: list[_Row] = [
    ("to write", "kata new ID --unit FOLDER", "begin an exercise: every file of its kit"),
    ("", "kata verify ID", "is it complete, and does it hold?"),
]


def _to_learn() -> Iterator[_Row]:
    if workspace := _workspace():
        yield "to learn", "kata next", f"the next exercise in {workspace}"
        yield "", "kata watch", "check every file as soon as it is saved"
    else:
        yield "to learn", "kata init ~/attention", "make a folder to work in"
        yield "", "cd ~/attention && kata next", "the first exercise, and what to type"
    yield "", "kata --install-completion", "let the shell complete commands and exercises"


def _workspace() -> Path | None:
    """The workspace around the current folder, if any; the course's own folder does not count."""
    from grader.course import load_course
    from grader.course.installed import course_file
    from grader.practice.workspace import find_workspace

    try:
        course = load_course(course_file())
    except KataError:
        return None
    found = find_workspace(course, Path.cwd())
    return found.root if found and found.root != course.root else None


def _to_grade(level: Level, findings: Sequence[Finding]) -> Iterator[_Row]:
    if level not in GRADING_LEVELS:
        missing = next((f"{each.part}: {each.remedy}" for each in findings if not each.works), "see above")
        yield "to grade", "(not on this machine yet)", missing
        return
    more = "" if level == "full" else f" --isolation {level}"
    yield "to grade", f"kata grade-class SUBMISSIONS --out OUT --html{more}", "a class: one folder, zip or file each"
    yield "", "kata export OUT --format csv", "the marks, for spreadsheets and platforms"
    if find_spec("nbgrader"):
        yield "", "kata notebooks FOLDER", "a course folder for nbgrader"
    else:
        yield "", "make instructor", "in the clone: what nbgrader and the instructor's tools need"
