"""The learner's commands: overview, check, hints, reset, solution, workspace, and what the machine can do."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_NOT_RIGHT, KataError
from grader.sandbox.doctor import examine, strongest_level, try_level
from grader.sandbox.levels import GRADING_LEVELS, LEVELS, launch_ahead
from grader.service.client import SWITCH, ServiceError, is_kept_warm, judge_for, running_judges

from .app import LEARN, app, say
from .named_paths import demand_there
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
    seed_or_fresh,
)

if TYPE_CHECKING:
    from grader.mismatch import Mismatches
    from grader.practice.checking import Checked
    from grader.practice.progress import Progress
    from grader.practice.workspace import Work, Workspace
    from grader.record import Record
    from grader.sandbox.levels import Level

Fast = Annotated[bool, Option("--fast", help="Only the fast track: the exercises that matter most.")]
ExerciseId = Annotated[str, Argument(help=ID_HELP, metavar="ID", autocompletion=exercise_ids)]


def workspace_here(course: Path | None) -> Workspace:
    """The workspace around the current folder; outside of one, the folder of the course that was named with --course.

    Raises KataError where there is neither.
    """
    from grader.course import load_course
    from grader.course.installed import course_file
    from grader.practice.workspace import Workspace, find_workspace, workspace_around

    chosen = load_course(course_file(course))
    if course is None:
        return workspace_around(chosen, Path.cwd())
    return find_workspace(chosen, Path.cwd()) or Workspace(chosen, chosen.root)


def progress_of(workspace: Workspace) -> Progress:
    """The learner's progress; what became of a damaged file is said on standard error."""
    from grader.practice.progress import ProgressFile

    known = ProgressFile(workspace.state).read()
    if known.damage:
        say(known.damage)
    return known


def overview() -> None:
    """Print the overview and the next exercise."""
    from grader.practice.overview import print_overview

    workspace = workspace_here(None)
    print_overview(workspace, progress_of(workspace), console())


# --- checking ---------------------------------------------------------------------------------------------------------


@app.command(rich_help_panel=LEARN)
def check(
    what: Annotated[
        list[str] | None,
        Argument(
            help="Exercises by id or file, or whole units; all that are started by default.",
            autocompletion=exercises_and_units,
        ),
    ] = None,
    isolation: Isolation = "best",
    seed: Seed = None,
    course: CourseFile = None,
    verbose: Annotated[bool, Option("--verbose", "-v", help="Show every check and whole messages.")] = False,
    script: Annotated[
        bool, Option("--script", help="Write the case that fails beside your file, as a script to run or debug.")
    ] = False,
    debug: Annotated[
        bool, Option("--debug", help="Open that script in Python's debugger, with its numbers at hand.")
    ] = False,
) -> None:
    """Check your own work."""
    level = level_called(isolation, is_for_grading=False)
    workspace = workspace_here(course)
    for name in what or []:
        if name.endswith(".py"):
            demand_there(Path(name), "an exercise's id or file, or a unit", "kata check {}")
    from grader.practice.checking import check_works, is_as_given, works_of

    works = works_of(workspace, what or [])
    if script or debug:
        if not what or len(works) != 1:
            option = "--debug" if debug else "--script"
            raise KataError(f"{option} looks at one exercise: kata check ID {option}")
        _write_script(workspace, works[0], level, seed, debug=debug)
        return
    given = [work for work in works if is_as_given(workspace, work)]
    if given:
        print(f"Not started, as it was given: {', '.join(work.exercise.id for work in given)}.")
    works = [work for work in works if work not in given]
    if not works and not given:
        print("Nothing is started yet: every file is as it was given. `kata next` says where to begin.")
    if not works:
        return
    checked = check_works(workspace, works, level, seed_or_fresh(seed, workspace.course))
    print_checked(workspace, checked, verbose=verbose)
    if not checked.record.complete:
        sys.exit(EXIT_CANNOT_ISOLATE)
    if not checked.is_right:
        sys.exit(EXIT_NOT_RIGHT)


def print_checked(workspace: Workspace, checked: Checked, *, verbose: bool) -> None:
    """Print the verdicts, and what to do next: one line of it where a check failed."""
    from grader.judge.faults import NOT_PYTHON
    from grader.practice.overview import print_next, put
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
    elif len(record.exercises) == 1 and record.exercises[0].status == "failed":
        if not record.exercises[0].checks[0].message.startswith(NOT_PYTHON):
            put(screen, f"Step through it: kata check --debug {record.exercises[0].id} {again}", is_wrapped=False)
    elif not verbose:
        put(screen, f"The same inputs again with {again}")
    if all(result.status in ("passed", "partly") for result in record.exercises):
        print_next(workspace, progress_of(workspace), screen)


def _offer_play(record: Record) -> None:
    """Say that what was checked, right or wrong, can be seen at work, when it is one exercise."""
    from grader.play.catalogue import offer_of
    from grader.practice.overview import put

    if len(record.exercises) == 1 and (offer := offer_of(record.exercises[0])):
        put(console(), offer)


def _write_script(workspace: Workspace, work: Work, level: Level, seed: int | None, *, debug: bool) -> None:
    """Write a case of one exercise as a script; with `debug` open it in Python's debugger."""
    from grader.practice.checking import is_as_given, submission_of

    id, file = work.exercise.id, work.path
    if is_as_given(workspace, work):
        print(f"{id} is not started yet: {workspace.shown(file)} is as it was given.")
        return
    launched = None if level == "none" else launch_ahead(level)
    from grader.judge.grading import Judge
    from grader.judge.shown import look_into
    from grader.practice.overview import put
    from grader.practice.script import KEYS, Script, first_stop, sentences

    chosen = seed_or_fresh(seed, workspace.course)
    with closing(Judge(workspace.course, level, chosen, [id], launched)) as judge:
        look = look_into(judge, submission_of(workspace, [work]))
    put(console(), "\n".join(sentences(look)))
    if look.fault is not None:
        written = Script(file, look.fault, f"{id} --script --seed {chosen}")
        written.write()
        print(f"\nThe script is {workspace.shown(written.path)}: run it with python, or in your editor's debugger.")
        if debug:
            where, commands = first_stop(look, look.fault, file)
            put(console(), f"{where} {KEYS}")
            written.debug(commands)
    if look.result.status == "failed":
        sys.exit(EXIT_NOT_RIGHT)


@app.command(rich_help_panel=LEARN)
def watch(seed: Seed = None, course: CourseFile = None) -> None:
    """Check every file as soon as it is saved; press single keys for hints, the next exercise and more."""
    level = best_level()
    workspace = workspace_here(course)
    progress_of(workspace)
    from grader.practice.watch import Watch
    from grader.render.terminal import print_verdicts

    def show(record: Record, mismatches: Mismatches) -> None:
        print_verdicts(record, screen, titles=workspace.course.titles, mismatches=mismatches)
        _offer_play(record)

    screen = console()
    with closing(judge_for(workspace.course, level, seed_or_fresh(seed, workspace.course))) as judge:
        Watch(workspace, screen, judge, show).run()


# --- what comes next --------------------------------------------------------------------------------------------------


@app.command("list", rich_help_panel=LEARN)
def list_exercises(course: CourseFile = None, fast: Fast = False) -> None:
    """Every exercise: passed, tried, open, or what should come first."""
    from grader.practice.overview import print_list

    workspace = workspace_here(course)
    print_list(workspace, progress_of(workspace), console(), fast=fast)


@app.command("next", rich_help_panel=LEARN)
def next_one(
    course: CourseFile = None,
    fast: Fast = False,
    skip: Annotated[bool, Option("--skip", help="Skip the exercise that is next; it can be done later.")] = False,
) -> None:
    """The next exercise: its file, its lesson, and what to type."""
    from grader.practice.overview import next_exercise, print_next
    from grader.practice.progress import ProgressFile

    workspace = workspace_here(course)
    known = progress_of(workspace)
    coming = next_exercise(workspace.course, known, fast=fast)
    if skip and coming is not None:
        with ProgressFile(workspace.state).change() as known:
            known.of(coming.id).skipped = True
        print(f"Skipped: {coming.id}. It stays in `kata list`; `kata check {coming.id}` takes it up again.")
    print_next(workspace, known, console(), fast=fast)


@app.command(rich_help_panel=LEARN)
def hint(id: ExerciseId, course: CourseFile = None) -> None:
    """A hint: the first is free, each further one opens after another failed attempt."""
    from grader.practice.hints import open_hint
    from grader.practice.overview import put

    workspace = workspace_here(course)
    exercise = workspace.course.exercise(id)
    progress_of(workspace)
    for sentence in open_hint(workspace, exercise):
        put(console(), sentence)


@app.command(rich_help_panel=LEARN)
def reset(id: ExerciseId, course: CourseFile = None) -> None:
    """Start an exercise again from its stub; your old work is kept."""
    from grader.practice.workspace import reset as put_aside

    workspace = workspace_here(course)
    exercise = workspace.course.exercise(id)
    kept = put_aside(workspace, exercise)
    print(f"{workspace.shown(workspace.file_of(exercise))} is the given file again.")
    if kept is not None:
        print(f"Your old work is in {workspace.shown(kept)}")


@app.command(rich_help_panel=LEARN)
def solution(
    id: ExerciseId,
    course: CourseFile = None,
    force: Annotated[bool, Option("--force", help="Show it before you have passed.")] = False,
) -> None:
    """Your answer beside the course's, and other ways to write it; after passing."""
    from grader.practice.hints import print_answers

    workspace = workspace_here(course)
    exercise = workspace.course.exercise(id)
    if not force and not progress_of(workspace).is_passed(exercise.id):
        more = ", and --force shows the answer all the same" if workspace.course.has_answers else ""
        raise KataError(f"{exercise.id} is not passed yet: `kata hint {exercise.id}` helps{more}.")
    print_answers(workspace, exercise, console())


# --- workspace and machine --------------------------------------------------------------------------------------------


@app.command(rich_help_panel=LEARN)
def init(
    folder: Annotated[Path, Argument(help="The folder to work in; it is created if necessary.", metavar="DIR")],
    course: CourseFile = None,
) -> None:
    """Create or update your workspace; files that you have changed are never touched.

    You may move or copy the folder afterwards.
    """
    from grader.practice.workspace import make_workspace
    from grader.render.wording import counted

    made = make_workspace(folder, course_at(course, to_practise=True))
    kept = len(made["kept"]) + len(made["outdated"])
    new = counted(len(made["new"]), "new exercise")
    print(f"{folder}: {new}, {len(made['renewed'])} renewed, {kept} of yours kept.")
    for id in made["outdated"]:
        print(f"The course has changed {id} since; yours stays as it is. `kata reset {id}` gives the new file, too.")
    if made["withdrawn"]:
        print(f"No longer part of the course, your files stay: {', '.join(made['withdrawn'])}.")
    print(f"Go on with: cd {folder} && kata")


@app.command(rich_help_panel=LEARN)
def doctor(
    stop_judges: Annotated[
        bool, Option("--stop-judges", help="Only stop the judges that run in the background for you.")
    ] = False,
) -> None:
    """Show what this machine can isolate, what to install, and which judges run in the background."""
    if stop_judges:
        ended = running_judges(end=True)
        print(f"Ended: {len(ended)}." if ended else "No judge was kept warm.")
        return
    findings = examine()
    for finding in findings:
        remedy = f": {finding.remedy}" if finding.remedy else ""
        print(f"  {'yes' if finding.works else 'no ':3}  {finding.part}{remedy}")
    level = strongest_level(findings)
    while level != "process" and (refused := try_level(level)):
        print(f"  no   a worker at level {level}: {refused}")
        level = LEVELS[LEVELS.index(level) + 1]
    print(f"Isolation: {level}")
    _tell_judges()
    print("To learn, type `kata`; `kata --help` lists what else there is.")
    if level not in GRADING_LEVELS:
        print("You can practise here, but other people's work can't be graded on this machine.")
        sys.exit(EXIT_CANNOT_ISOLATE)


def _tell_judges() -> None:
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
