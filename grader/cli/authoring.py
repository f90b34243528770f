"""`kata doctor` and `kata verify`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from grader.sandbox.doctor import examine, strongest_level
from grader.sandbox.levels import GRADING_LEVELS, LEVELS

from .app import app
from .endings import EXIT_CANNOT_ISOLATE, EXIT_NOT_RIGHT, UsageError
from .terms import CourseFile, Isolation, Seed, course_at, level_called, progress, refuse_unknown, seed_or_fresh


@app.command()
def doctor() -> None:
    """Say what this machine can isolate, and what to install."""
    findings = examine()
    for finding in findings:
        print(
            f"  {'yes' if finding.works else 'no ':3}  {finding.part}{': ' + finding.remedy if finding.remedy else ''}"
        )
    level = strongest_level(findings)
    if level != "none":
        from grader.sandbox.trial import try_level

        refused = try_level(level)
        while refused and level != "process":
            print(f"  no   a worker at level {level}: {refused}")
            level = LEVELS[LEVELS.index(level) + 1]
            refused = try_level(level)
    print(f"Isolation: {level}")
    if level not in GRADING_LEVELS:
        print("You can practise here, but other people's work can't be graded on this machine.")
        sys.exit(EXIT_CANNOT_ISOLATE)


@app.command()
def verify(
    ids: Annotated[list[str] | None, typer.Argument(help="Exercises; all by default.", metavar="[ID ...]")] = None,
    isolation: Isolation = "best",
    seed: Seed = None,
    course: CourseFile = None,
    jobs: Annotated[int, typer.Option("--jobs", help="How many judges work side by side.", min=1)] = os.cpu_count()
    or 1,
    stubs: Annotated[bool, typer.Option("--write-stubs", help="Make the stubs from the solutions first.")] = False,
) -> None:
    """The author's gate: is each exercise's kit complete, and does it hold?"""
    chosen = course_at(course, Path.cwd())
    level = level_called(isolation, chosen_aloud=False)
    refuse_unknown(chosen, ids)
    exercises = [chosen.exercise(id) for id in ids or []] or list(chosen.exercises)
    from grader.stubs import StubError
    from grader.verify import incomplete, prove_in_parallel, stale_stub, write_stubs

    number, graded = seed_or_fresh(seed), 0
    try:
        if stubs:
            for written in write_stubs(chosen, exercises):
                print(f"wrote {written}")
        problems = [problem for each in exercises for problem in incomplete(chosen, each)]
        if not problems:
            problems = [problem for each in exercises for problem in stale_stub(chosen, each)]
            course_file, chosen_ids = chosen.root / "course.yml", [each.id for each in exercises]
            with progress("Proving", len(exercises)) as advance:
                graded, found = prove_in_parallel(course_file, level, number, chosen_ids, jobs, advance)
            problems += found
    except StubError as error:
        raise UsageError(str(error)) from None
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} to mend (seed {number}, isolation {level}).")
        sys.exit(EXIT_NOT_RIGHT)
    noun = "exercise" if len(exercises) == 1 else "exercises"
    print(f"All hold: {len(exercises)} {noun}, {graded} files graded (seed {number}, isolation {level}).")
