"""What to type next, for each kind of user: the end of `kata doctor`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from grader.sandbox.doctor import Finding
from grader.sandbox.levels import GRADING_LEVELS, Level


def next_steps(level: Level, findings: Sequence[Finding]) -> list[str]:
    """Lines for a learner, an instructor and an author, each with what can be typed on this machine."""
    return ["What to do next:", *_to_learn(), *_to_grade(level, findings), *_to_write()]


def _line(who: str, command: str, what: str) -> str:
    return f"  {who:10}  {command:48}  {what}"


def _to_learn() -> Iterator[str]:
    workspace = _workspace()
    if workspace is None:
        yield _line("to learn", "kata init ~/attention", "make a folder to work in")
        yield _line("", "cd ~/attention && kata next", "the first exercise, and what to type")
    else:
        yield _line("to learn", "kata next", f"the next exercise in {workspace}")
        yield _line("", "kata watch", "check every file as soon as it is saved")
    yield _line("", "kata --install-completion", "let the shell complete commands and exercises")


def _workspace() -> Path | None:
    """The folder to work in that one stands in, if any; the clone that the program was installed from is none."""
    from grader.course import CourseError
    from grader.course.carried import installed_course
    from grader.course.named import named_around

    try:
        named = named_around(Path.cwd())
    except CourseError:
        return None
    installed = installed_course()
    return named.root if named and (installed is None or named.root != installed.parent) else None


def _to_grade(level: Level, findings: Sequence[Finding]) -> Iterator[str]:
    if level not in GRADING_LEVELS:
        missing = next((f"{each.part}: {each.remedy}" for each in findings if not each.works), "see above")
        yield _line("to grade", "(not on this machine yet)", missing)
        return
    more = "" if level == "full" else f" --isolation {level}"
    yield _line(
        "to grade", f"kata grade-class SUBMISSIONS --out OUT --html{more}", "a class: one folder, zip or file each"
    )
    yield _line("", "kata export OUT --format csv", "the marks, for spreadsheets and platforms")
    if find_spec("nbgrader"):
        yield _line("", "kata notebooks FOLDER", "a course folder for nbgrader")
    else:
        yield _line("", "make instructor", "in the clone: what nbgrader and the instructor's tools need")


def _to_write() -> Iterator[str]:
    yield _line("to write", "kata new ID --unit FOLDER", "begin an exercise: every file of its kit")
    yield _line("", "kata verify ID", "is it complete, and does it hold?")
