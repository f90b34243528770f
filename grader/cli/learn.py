"""The learner's commands on an exercise: workspace, overview, check, hints, what comes next."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from grader.course import load_course
from grader.course.installed import course_file
from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_NOT_RIGHT, KataError
from grader.judge.faults import NOT_PYTHON
from grader.practice.checking import Checked, check_works, is_as_given, submission_of, works_of
from grader.practice.hints import open_hint
from grader.practice.overview import next_exercise, print_list, print_next, print_overview, put
from grader.practice.workspace import Work, Workspace, find_workspace, make_workspace, workspace_around
from grader.practice.workspace import reset as give_stub
from grader.render.wording import counted
from grader.sandbox.levels import Level, launch_ahead

from .app import learners_command
from .terms import (
    ID_HELP,
    CourseFile,
    Isolation,
    Seed,
    best_level,
    console,
    course_at,
    exercise_ids,
    exercises_and_units,
    level_called,
)

if TYPE_CHECKING:
    from grader.record import Record

ExerciseId = Annotated[str, Argument(help=ID_HELP, metavar="ID", autocompletion=exercise_ids)]
WHAT = "Exercises by id or file, or whole units; all that are started by default."
SCRIPT = "Write the case that fails beside your file, as a script to run or debug."


def workspace_here(course: Path | None) -> Workspace:
    """The workspace around the current folder; outside of one, the folder of the course that was named with --course.

    Raises KataError where there is neither.
    """
    chosen = load_course(course_file(course))
    if course is None:
        return workspace_around(chosen, Path.cwd())
    return find_workspace(chosen, Path.cwd()) or Workspace(chosen, chosen.root)


def overview() -> None:
    """Print the overview and the next exercise."""
    workspace = workspace_here(None)
    print_overview(workspace, workspace.progress.read(), console())


@learners_command()
def init(
    folder: Annotated[Path, Argument(help="The folder to work in; it is created if necessary.", metavar="DIR")],
    course: CourseFile = None,
) -> None:
    """Make or update your workspace; your own files stay.

    You may move or copy the folder afterwards.
    """
    made = make_workspace(folder, course_at(course, to_practise=True))
    kept = len(made["kept"]) + len(made["outdated"])
    new = counted(len(made["new"]), "new exercise")
    print(f"{folder}: {new}, {len(made['renewed'])} renewed, {kept} of yours kept.")
    for id in made["outdated"]:
        print(f"The course has changed {id} since; yours stays as it is. `kata reset {id}` gives the new file, too.")
    if made["withdrawn"]:
        print(f"No longer part of the course, your files stay: {', '.join(made['withdrawn'])}.")
    print(f"Go on with: cd {folder} && kata")


@learners_command("next")
def next_one(
    course: CourseFile = None,
    fast: Annotated[bool, Option("--fast", help="Only the fast track: the exercises that matter most.")] = False,
    skip: Annotated[bool, Option("--skip", help="Skip the exercise that is next; it can be done later.")] = False,
) -> None:
    """The next exercise: its file, its lesson, what to type."""
    workspace = workspace_here(course)
    known = workspace.progress.read()
    coming = next_exercise(workspace.course, known, fast=fast)
    if skip and coming is not None:
        with workspace.progress.change() as known:
            known.of(coming.id).skipped = True
        print(f"Skipped: {coming.id}. It stays in `kata list`; `kata check {coming.id}` takes it up again.")
    print_next(workspace, known, console(), fast=fast)


# --- checking ---------------------------------------------------------------------------------------------------------


@learners_command()
def check(
    what: Annotated[list[str] | None, Argument(help=WHAT, autocompletion=exercises_and_units)] = None,
    isolation: Isolation = "best",
    seed: Seed = None,
    course: CourseFile = None,
    verbose: Annotated[bool, Option("--verbose", "-v", help="Show every check and whole messages.")] = False,
    script: Annotated[bool, Option("--script", help=SCRIPT)] = False,
    debug: Annotated[
        bool, Option("--debug", help="Open that script in Python's debugger, with its numbers at hand.")
    ] = False,
) -> None:
    """Check your own work."""
    workspace = workspace_here(course)
    works = works_of(workspace, what or [])
    if (script or debug) and (not what or len(works) != 1):
        option = "--debug" if debug else "--script"
        raise KataError(f"{option} looks at one exercise: kata check ID {option}")
    given = [work for work in works if is_as_given(workspace, work)]
    if given:
        print(f"Not started, as it was given: {', '.join(work.exercise.id for work in given)}.")
    works = [work for work in works if work not in given]
    if not works and not given:
        print("Nothing is started yet: every file is as it was given. `kata next` says where to begin.")
    if not works:
        return
    level, chosen = level_called(isolation, is_for_grading=False), workspace.course.seed_for(seed)
    if script or debug:
        _write_script(workspace, works[0], level, chosen, debug=debug)
        return
    from grader.service.client import judge_for

    with closing(judge_for(workspace.course, level, chosen, [work.exercise.id for work in works])) as judge:
        Thread(target=_load_printers, daemon=True).start()  # the judge works meanwhile
        checked = check_works(judge, workspace, works)
    print_checked(workspace, checked, verbose=verbose)
    if not checked.record.complete:
        sys.exit(EXIT_CANNOT_ISOLATE)
    if not checked.is_right:
        sys.exit(EXIT_NOT_RIGHT)


def _load_printers() -> None:
    """Load what prints verdicts."""
    import grader.play.catalogue
    import grader.render.terminal  # noqa: F401


def print_checked(workspace: Workspace, checked: Checked, *, verbose: bool) -> None:
    """Print the verdicts, and what to do next: one line of it where a check failed."""
    from grader.render.terminal import print_record, print_verdicts

    record, screen, seen = checked.record, console(), checked.mismatches
    titles, units = workspace.course.titles, workspace.course.headings
    if verbose or not record.complete:
        print_record(record, screen, titles=titles, units=units, verbose=verbose, mismatches=seen)
    else:
        print_verdicts(record, screen, titles=titles, mismatches=seen)
    for sentence in checked.told:
        put(screen, sentence)
    again = f"--seed {record.seed}"
    if checked.is_right:
        _offer_play(record)
        print_next(workspace, workspace.progress.read(), screen)
    elif len(record.exercises) == 1 and record.exercises[0].status == "failed":
        if not record.exercises[0].checks[0].message.startswith(NOT_PYTHON):
            put(screen, f"Step through it: kata check --debug {record.exercises[0].id} {again}", is_wrapped=False)
    elif not verbose:
        put(screen, f"The same inputs again with {again}")


def _offer_play(record: Record) -> None:
    """Say that what was checked, right or wrong, can be seen at work, when it is one exercise."""
    from grader.play.catalogue import offer_of

    if len(record.exercises) == 1 and (offer := offer_of(record.exercises[0])):
        put(console(), offer)


def _write_script(workspace: Workspace, work: Work, level: Level, seed: int, *, debug: bool) -> None:
    """Write a case of one exercise as a script; with `debug` open it in Python's debugger."""
    launched = None if level == "none" else launch_ahead(level)
    from grader.judge.grading import Judge
    from grader.practice.script import KEYS, Script, first_stop, look_into, sentences

    id, file = work.exercise.id, work.path
    with closing(Judge(workspace.course, level, seed, [id], launched)) as judge:
        result, fault, reaches_breakpoint = look_into(judge, submission_of(workspace, [work]))
    put(console(), "\n".join(sentences(result, fault)))
    if fault is not None:
        written = Script(file, fault, f"{id} --script --seed {seed}")
        written.write()
        print(f"\nThe script is {workspace.shown(written.path)}: run it with python, or in your editor's debugger.")
        if debug:
            where, commands = first_stop(fault, reaches_breakpoint, file)
            put(console(), f"{where} {KEYS}")
            written.debug(commands)
    if result.status == "failed":
        sys.exit(EXIT_NOT_RIGHT)


@learners_command()
def watch(seed: Seed = None, course: CourseFile = None) -> None:
    """Check each file as soon as you save it.

    Single keys give a hint, the next exercise and more.
    """
    level = best_level()
    workspace = workspace_here(course)
    from grader.practice.watch import Watch
    from grader.render.terminal import print_verdicts
    from grader.service.client import judge_for

    def show(checked: Checked) -> None:
        print_verdicts(checked.record, screen, titles=workspace.course.titles, mismatches=checked.mismatches)
        _offer_play(checked.record)

    screen = console()
    with closing(judge_for(workspace.course, level, workspace.course.seed_for(seed))) as judge:
        Watch(workspace, screen, judge, show).run()


# --- beside checking --------------------------------------------------------------------------------------------------


@learners_command()
def hint(id: ExerciseId, course: CourseFile = None) -> None:
    """A hint; each further one opens after another failed try."""
    workspace = workspace_here(course)
    put(console(), "\n".join(open_hint(workspace, workspace.course.exercise(id))))


@learners_command("list")
def list_exercises(course: CourseFile = None) -> None:
    """All exercises: passed, tried, open, later."""
    workspace = workspace_here(course)
    print_list(workspace, workspace.progress.read(), console())


@learners_command()
def reset(id: ExerciseId, course: CourseFile = None) -> None:
    """Begin an exercise again; your old work is kept."""
    workspace = workspace_here(course)
    work = workspace.work_of(workspace.course.exercise(id))
    kept = give_stub(workspace, work)
    print(f"{workspace.shown(work.path)} is the given file again.")
    if kept is not None:
        print(f"Your old work is in {workspace.shown(kept)}")
