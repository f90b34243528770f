"""`kata doctor`: what this machine can isolate, and which judges run on it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from grader.sandbox.doctor import examine, strongest_level
from grader.sandbox.levels import GRADING_LEVELS, LEVELS

from .app import LEARN, app
from .endings import EXIT_CANNOT_ISOLATE


@app.command(rich_help_panel=LEARN)
def doctor(
    stop_judges: Annotated[
        bool, typer.Option("--stop-judges", help="Only stop the judges that run in the background for you.")
    ] = False,
) -> None:
    """Show what this machine can isolate, what to install, and which judges run in the background."""
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
    print("To learn, type `kata`; `kata --help` lists what else there is.")
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
