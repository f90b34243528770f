"""`kata doctor`: what this machine can isolate, and what to type next, for each kind of user."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from grader.errors import KataError
from grader.sandbox.doctor import Finding, examine, strongest_level
from grader.sandbox.levels import GRADING_LEVELS, LEVELS, Level

from .app import LEARN, app
from .endings import EXIT_CANNOT_ISOLATE

_Row = tuple[str, str, str]
_TO_WRITE: list[_Row] = [
    ("to write", "kata new ID --unit FOLDER", "begin an exercise: every file of its kit"),
    ("", "kata verify ID", "is it complete, and does it hold?"),
]


@app.command(rich_help_panel=LEARN)
def doctor(
    stop_judges: Annotated[
        bool, typer.Option("--stop-judges", help="Only stop the judges that run in the background for you.")
    ] = False,
) -> None:
    """Show what this machine can isolate, what to install, which judges run in the background, and what to do next."""
    if stop_judges:
        _stop_judges()
        return
    findings = examine()
    for finding in findings:
        print(
            f"  {'yes' if finding.works else 'no ':3}  {finding.part}{': ' + finding.remedy if finding.remedy else ''}"
        )
    level = strongest_level(findings)
    if level != "none":
        from grader.sandbox.doctor import try_level

        refused = try_level(level)
        while refused and level != "process":
            print(f"  no   a worker at level {level}: {refused}")
            level = LEVELS[LEVELS.index(level) + 1]
            refused = try_level(level)
    print(f"Isolation: {level}")
    _tell_judges()
    for line in next_steps(level, findings):
        print(line)
    if level not in GRADING_LEVELS:
        print("You can practise here, but other people's work can't be graded on this machine.")
        sys.exit(EXIT_CANNOT_ISOLATE)


def _tell_judges() -> None:
    from grader.service.client import SWITCH, is_kept_warm, running_judges
    from grader.service.registration import ServiceError

    if not is_kept_warm():
        print(f"No judge is kept warm: {SWITCH} is 0.")
        return
    try:
        kept = running_judges()
    except ServiceError as error:
        print(f"No judge can be kept warm: {error}")
        return
    for each in kept:
        print(f"A judge is kept warm (process {each.pid}, level {each.level}) for {each.course}")
    if kept:
        print("It ends after 15 minutes without work; `kata doctor --stop-judges` ends it now.")


def _stop_judges() -> None:
    from grader.service.client import running_judges

    ended = running_judges(end=True)
    print(f"Ended: {len(ended)}." if ended else "No judge was kept warm.")


def next_steps(level: Level, findings: Sequence[Finding]) -> list[str]:
    """Lines for a learner, an instructor and an author, each with commands that work on this machine."""
    rows = [*_to_learn(), *_to_grade(level, findings), *_TO_WRITE]
    return ["What to do next:", *(f"  {who:10}  {command:48}  {what}" for who, command, what in rows)]


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
