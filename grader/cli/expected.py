"""Messages for wrong folders and files: what was expected, what is there, and a command to paste.

And the end of `kata doctor`: what to type next, for each kind of user.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from grader.sandbox.doctor import Finding
from grader.sandbox.levels import GRADING_LEVELS, Level

from .endings import UsageError

NAMED = 5
"""The most names that a sentence lists."""
RESULTS = "results.jsonl"
WORK = (".py", ".ipynb", ".zip", ".tar", ".tgz", ".gz")


def demand_there(path: Path, expected: str, command: str, *, is_class: bool = False) -> None:
    """Raise UsageError if a path does not exist; the message shows `command` with a path that does.

    is_class: a folder is wanted, not one learner's work.
    """
    if os.path.lexists(path):
        return
    beside = _names_in(path.parent)
    likely = [name for name in beside if (path.parent / name).is_dir()]
    likely += [] if is_class else [name for name in beside if name.endswith(WORK)]
    given = str(path.parent / _likest(path.name, likely)) if likely else "SUBMISSIONS" if is_class else "SUBMISSION"
    raise UsageError(
        f"{_shown(path)} does not exist; {_told(path.parent, beside)}. Expected is {expected}, such as: "
        f"{command.format(shlex.quote(given))}"
    )


def demand_class(path: Path) -> None:
    """Raise UsageError for a single file; a class is a folder or a zip."""
    demand_there(
        path,
        "a folder with one folder, zip, notebook or file a learner, or a zip of such a folder",
        "kata grade-class {} --out OUT",
        is_class=True,
    )
    if path.is_file() and path.suffix.lower() != ".zip":
        raise UsageError(
            f"{_shown(path)} is not a folder. Expected is one with a folder, zip, notebook or file a learner, such as: "
            f"kata grade-class {shlex.quote(str(path.parent))} --out OUT; one learner's file alone is graded by: "
            f"kata grade {shlex.quote(str(path))}"
        )


def demand_results(out: Path, command: str) -> None:
    """Raise UsageError unless OUT holds a graded class; the message shows `command` with a folder that does."""
    if any((out / place).is_file() for place in (RESULTS, f"attempts/{RESULTS}")):
        return
    found = [name for name in _names_in(out) if (out / name / RESULTS).is_file()]
    places = [out / name for name in found]
    places += [out.parent / name for name in _names_in(out.parent) if (out.parent / name / RESULTS).is_file()]
    what = "is not a folder" if out.exists() else "does not exist"
    there = f"holds no {RESULTS}; {_told(out, _names_in(out))}" if out.is_dir() else what
    if places:
        advice = f"such as: {command.format(shlex.quote(str(places[0])))}"
    else:
        advice = "which is made by: kata grade-class SUBMISSIONS --out OUT"
    raise UsageError(f"{_shown(out)} {there}. Expected is the folder into which a class was graded, {advice}")


def demand_course(given: Path) -> None:
    """Raise UsageError if --course does not lead to a course.yml."""
    path = given / "course.yml" if given.is_dir() else given
    if path.exists():
        return
    from grader.course.named import installed_course

    installed = installed_course()
    where = f"holds no course.yml; {_told(given, _names_in(given))}" if given.is_dir() else "does not exist"
    example = shlex.quote(str(installed.parent)) if installed else "PATH"
    raise UsageError(
        f"{_shown(given)} {where}. Expected is the folder of a course, with course.yml in it, "
        f"such as: --course {example}"
    )


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def _told(folder: Path, names: Sequence[str]) -> str:
    from grader.intake.names import first_few

    shown = _shown(folder)
    if not names:
        return f"{shown} {'is empty' if folder.is_dir() else 'is not there either'}"
    return f"in {shown} there is {first_few(names, NAMED)}"


def _shown(path: Path) -> str:
    return "this folder" if str(path) in ("", ".") else str(path)


def _likest(name: str, names: Sequence[str]) -> str:
    """The most similar of some names; the first if none is similar."""
    from grader.course.errors import likest

    return likest(name, names) or names[0]


def next_steps(level: Level, findings: Sequence[Finding]) -> list[str]:
    """Lines for a learner, an instructor and an author, each with commands that work on this machine."""
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
    """The workspace around the current folder, if any; the clone that the program was installed from does not count."""
    from grader.course import CourseError
    from grader.course.named import installed_course, named_around

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
