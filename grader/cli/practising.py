"""The learner's commands: overview, check, hints, reset, solution, workspace."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.service.opening import judge_for

from .app import LEARN, app
from .completing import exercise_ids, exercises_and_units
from .endings import EXIT_CANNOT_ISOLATE, EXIT_NOT_RIGHT, UsageError
from .expected import demand_there
from .terms import (
    CourseFile,
    Isolation,
    Seed,
    console,
    course_at,
    level_called,
    seed_or_fresh,
    titles_of,
    units_of,
)

if TYPE_CHECKING:
    from rich.console import Console

    from grader.course import Exercise
    from grader.mismatch import Mismatches
    from grader.practice.progress import Progress
    from grader.practice.workspace import Workspace
    from grader.record import Record

Fast = Annotated[bool, typer.Option("--fast", help="Only the fast track: the exercises that matter most.")]
ExerciseId = Annotated[str, typer.Argument(help="The exercise's id.", metavar="ID", autocompletion=exercise_ids)]


@app.command(rich_help_panel=LEARN)
def check(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="Exercises by id or file, or whole units; all that are started by default.",
            autocompletion=exercises_and_units,
        ),
    ] = None,
    isolation: Isolation = "best",
    seed: Seed = None,
    course: CourseFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show passed checks too.")] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Open Python's debugger in your code, with the numbers of the check that fails."),
    ] = False,
) -> None:
    """Check your own work."""
    level = level_called(isolation, chosen_aloud=False)
    workspace = workspace_here(course)
    for name in what or []:
        if name.endswith(".py"):
            demand_there(Path(name), "an exercise's id or file, or a unit", "kata check {}")
    if debug:
        _debug(workspace, what or [], isolation, seed)
        return
    from grader.practice.checking import files_of, graded, note_record, reviews_among, submission_of, untouched_record
    from grader.practice.progress import now
    from grader.practice.review import when
    from grader.render.terminal import print_record

    files = files_of(workspace, what or [])
    if not files:
        print("Nothing is started yet: every file is as it was given. `kata next` says where to begin.")
        return
    _demand_files(workspace, files)
    mine = submission_of(workspace, files)
    chosen = seed_or_fresh(seed, workspace.course)
    mismatches: Mismatches = {}
    record = untouched_record(workspace, mine, level, chosen)
    if record is None:
        judge = judge_for(workspace.course, level, chosen, list(files))
        with closing(judge):
            record, mismatches = graded(judge, mine)
    coming: dict[str, datetime] = {}
    with damage_told():
        coming = note_record(workspace, mine, record, reviews_among(workspace, files))
    is_right = all(result.status in ("passed", "partly", "not_started") for result in record.exercises)
    print_record(
        record,
        console(),
        titles=titles_of(workspace.course),
        units=units_of(workspace.course),
        verbose=verbose,
        mismatches=mismatches,
        with_circumstances=verbose or not is_right or not record.complete,
    )
    for id, due in coming.items():
        print(f"{id} comes back {when(due, now())}.")
    _offer_debugger(record)
    _offer_play(record, console())
    if not record.complete:
        sys.exit(EXIT_CANNOT_ISOLATE)
    if not is_right:
        sys.exit(EXIT_NOT_RIGHT)


def _demand_files(workspace: Workspace, files: Mapping[str, Path]) -> None:
    """Raise UsageError for an exercise whose file is missing."""
    for id, path in files.items():
        if not path.exists():
            raise UsageError(
                f"{workspace.shown(path)} is not there: `kata reset {id}` puts the given file in its place."
            )


def _offer_debugger(record: Record) -> None:
    """Print how to debug the one exercise that was checked and failed, with the same inputs."""
    if len(record.exercises) == 1 and record.exercises[0].status == "failed":
        _wrapped()(f"Step through it: kata check --debug {record.exercises[0].id} --seed {record.seed}")


def _debug(workspace: Workspace, what: list[str], isolation: str, seed: int | None) -> None:
    """Open the debugger for the one exercise that is named."""
    from grader.course.stubs import stub_of
    from grader.practice.checking import files_of
    from grader.practice.varied import is_as_given

    if isolation not in ("best", "none"):
        raise UsageError("--debug runs your code in kata's own process: leave out --isolation.")
    files = files_of(workspace, what) if what else {}
    if len(files) != 1:
        raise UsageError("--debug looks at one exercise: kata check --debug ID")
    _demand_files(workspace, files)
    ((id, path),) = files.items()
    exercise = workspace.course.exercise(id)
    if is_as_given(exercise, path.read_bytes(), stub_of(workspace.course, exercise)):
        print(f"{id} is not started yet: {workspace.shown(path)} is as it was given.")
        return
    chosen = seed_or_fresh(seed, workspace.course)
    from grader.practice.debugging import Debugging

    if not Debugging(workspace.course, exercise, path, chosen, _wrapped()).run():
        sys.exit(EXIT_NOT_RIGHT)


def _offer_play(record: Record, screen: Console) -> None:
    """Say that what was checked, right or wrong, can be seen at work, when it is one exercise."""
    from grader.play.catalogue import offer_of

    if len(record.exercises) == 1 and (offer := offer_of(record.exercises[0])):
        screen.print(offer, markup=False, highlight=False)


@app.command(rich_help_panel=LEARN)
def watch(isolation: Isolation = "best", seed: Seed = None, course: CourseFile = None) -> None:
    """Check every file as soon as it is saved; press single keys for hints, the next exercise and more."""
    level = level_called(isolation, chosen_aloud=False)
    workspace = workspace_here(course)
    progress_of(workspace)
    from grader.practice.watch import Watch
    from grader.render.terminal import print_verdicts

    def show(record: Record, mismatches: Mismatches) -> None:
        print_verdicts(record, screen, titles=titles_of(workspace.course), mismatches=mismatches)
        _offer_play(record, screen)

    screen = console()
    judge = judge_for(workspace.course, level, seed_or_fresh(seed, workspace.course))
    with closing(judge):
        Watch(workspace, screen, show).run(judge)


@app.command("list", rich_help_panel=LEARN)
def list_exercises(course: CourseFile = None, fast: Fast = False) -> None:
    """Every exercise: passed, tried, open, or what should come first."""
    from grader.practice.glance import print_list

    workspace = workspace_here(course)
    print_list(workspace, progress_of(workspace), console(), fast=fast)


@app.command("next", rich_help_panel=LEARN)
def next_one(
    course: CourseFile = None,
    fast: Fast = False,
    skip: Annotated[bool, typer.Option("--skip", help="Skip the exercise that is next; it can be done later.")] = False,
) -> None:
    """The next exercise: its file, its lesson, and what to type."""
    from grader.practice.glance import next_exercise, print_next
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
def hint(
    id: Annotated[
        str | None, typer.Argument(help="The exercise's id.", metavar="ID", autocompletion=exercise_ids)
    ] = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Open no hint: print how many you have opened, as a CSV for your instructor.")
    ] = False,
    course: CourseFile = None,
) -> None:
    """A hint: the first is free, each further one opens after another failed attempt."""
    from grader.practice.hints import HintsShut, next_hint, what_hints_cost
    from grader.practice.progress import ProgressFile

    say = _wrapped()
    workspace = workspace_here(course)
    if as_csv:
        if id is not None:
            raise UsageError("--csv tells the hints of all exercises: leave out the exercise.")
        _print_opened_hints(workspace)
        return
    if id is None:
        raise UsageError("A hint for which exercise? `kata list` shows their ids; then: kata hint ID")
    exercise = workspace.course.exercise(id)
    progress_of(workspace)
    with ProgressFile(workspace.state).change() as known:
        done = known.of(id)
        given = next_hint(exercise, done)
    if isinstance(given, HintsShut):
        for number, text in enumerate(given.given, start=1):
            say(f"Hint {number} of {len(exercise.hints)}: {text}")
        if given.is_last:
            say("These are all the hints there are.")
        else:
            say(f"The next hint opens after another attempt: kata check {id}")
    elif given.level:
        say(f"Hint {given.level} of {given.of}: {given.text}")
    else:
        say(f"From your last attempt: {given.text}")
    if cost := what_hints_cost(workspace.course, given, done):
        say(cost)


def _print_opened_hints(workspace: Workspace) -> None:
    """Print the learner's opened hints by exercise, as the CSV that instructors' commands read."""
    known = progress_of(workspace)
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(("exercise", "hints"))
    for exercise in workspace.course.exercises:
        if exercise.id in known.exercises and (opened := known.of(exercise.id).opened_hints):
            rows.writerow((exercise.id, opened))


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
    force: Annotated[bool, typer.Option("--force", help="Show it before you have passed.")] = False,
) -> None:
    """Your answer beside the course's, and other ways to write it; after passing."""
    workspace = workspace_here(course)
    exercise = workspace.course.exercise(id)
    if workspace.course.is_bundle:
        _refuse_unless_sealed(workspace, exercise, force=force)
    if not force and not progress_of(workspace).is_passed(id):
        more = "" if workspace.course.is_bundle else ", and --force shows the answer all the same"
        raise UsageError(f"{id} is not passed yet: `kata hint {id}` helps{more}.")
    from grader.practice.answers import BrokenSeal, course_answer, print_answers
    from grader.practice.review import note_solution_seen

    try:
        answer = course_answer(workspace.course, exercise)
    except BrokenSeal as error:
        raise UsageError(str(error)) from None
    with damage_told():
        note_solution_seen(workspace, exercise)
    print_answers(workspace, exercise, answer, console())


def _refuse_unless_sealed(workspace: Workspace, exercise: Exercise, *, force: bool) -> None:
    """Raise UsageError unless the bundle has a sealed answer and the learner has passed the exercise (or `force`)."""
    if not workspace.course.sealed_path(exercise).is_file():
        raise UsageError("This is a learner's bundle: the course's answers are not in it.")
    if force:
        raise UsageError("--force opens no answer of a learner's bundle: pass the exercise first.")


@app.command(rich_help_panel=LEARN)
def init(
    folder: Annotated[Path, typer.Argument(help="The folder to work in; it is created if necessary.", metavar="DIR")],
    course: CourseFile = None,
) -> None:
    """Create or update your workspace; files that you have changed are never touched.

    The workspace and its course are registered in your own configuration.
    """
    from grader.course.named import unnamed_around
    from grader.practice.workspace import is_at, make_workspace

    # a moved workspace is registered again, often from inside; make_workspace still refuses a folder in a course
    about_course = not is_at(unnamed_around(Path.cwd()), folder)
    chosen = course_at(course, may_be_bundle=True, about_course=about_course)
    made = make_workspace(folder, chosen)
    if made.in_place:
        print(f"{folder} is the course's own folder; from now on you can work in it.")
    else:
        from grader.render.wording import counted

        new = counted(len(made.new), "new exercise")
        print(f"{folder}: {new}, {len(made.renewed)} renewed, {len(made.kept)} of yours kept.")
    for id in made.outdated:
        print(f"The course has changed {id} since; yours stays as it is. `kata reset {id}` gives the new file, too.")
    if made.withdrawn:
        print(f"No longer part of the course, your files stay: {', '.join(made.withdrawn)}.")
    print(f"Go on with: cd {folder} && kata")


def glance(course: Path | None = None) -> None:
    """Print the overview and the next exercise."""
    from grader.practice.glance import print_glance

    workspace = workspace_here(course)
    print_glance(workspace, progress_of(workspace), console())


# --- what these commands share -----------------------------------------------------------------------------------


def workspace_here(course: Path | None, start: Path | None = None) -> Workspace:
    """The workspace around the current folder; else one for the named or installed course.

    start: the folder to start from instead of the current one.
    """
    from grader.course import load_course
    from grader.course.named import installed_course, is_installed, no_course
    from grader.practice.workspace import Workspace, find_workspace

    if course is not None:
        chosen = course_at(course, may_be_bundle=True)
    elif (around := find_workspace(start or Path.cwd())) is not None:
        return around
    elif (installed := installed_course()) is not None:
        chosen = load_course(installed)
    else:
        raise no_course()
    if is_installed(chosen.root):
        raise UsageError(_no_workspace())
    return Workspace(chosen, chosen.root)


def _no_workspace() -> str:
    """A sentence: there is no workspace here, where the registered one is, and how to make one."""
    from grader.course import CourseError
    from grader.registry import RegistryError, registered

    try:
        there = [str(each.root) for each in registered() if each.root.is_dir()]
    except RegistryError as error:
        raise CourseError(str(error)) from None
    if there:
        others = f" (or {', '.join(there[:-1])})" if len(there) > 1 else ""
        return (
            f"You are in no folder of the course. Yours is {there[-1]}{others}: cd {there[-1]} "
            "(`kata init DIR` makes another one)."
        )
    return "You are in no folder of the course. Make one with `kata init DIR`, and go on there: cd DIR"


def progress_of(workspace: Workspace) -> Progress:
    """The learner's progress. A damaged file is moved away and rebuilt by grading again."""
    from grader.practice.progress import DamagedProgress, ProgressFile

    file = ProgressFile(workspace.state)
    try:
        return file.read()
    except DamagedProgress as damage:
        print(damage, file=sys.stderr)
        _rebuild(workspace)
        return file.read()


def _rebuild(workspace: Workspace) -> None:
    """Grade everything that is started, to find out what is passed."""
    from grader.practice.checking import graded, note_record, started, submission_of

    begun = started(workspace, workspace.course.exercises)
    if not begun:
        return
    print(f"Grading the {len(begun)} exercises that you have started, to fill it again.", file=sys.stderr)
    mine = submission_of(workspace, {each.id: workspace.file_of(each) for each in begun})
    level = level_called("best", chosen_aloud=False)
    judge = judge_for(workspace.course, level, seed_or_fresh(None, workspace.course), [each.id for each in begun])
    with closing(judge):
        record, _ = graded(judge, mine)
    note_record(workspace, mine, record)


def _wrapped() -> Callable[[str], None]:
    """A function that prints text, wrapped between words to the terminal's width."""
    from rich.text import Text

    from grader.render.safe_text import encodable

    screen = console()
    return lambda text: screen.print(Text(encodable(text, screen.encoding)))


@contextmanager
def damage_told() -> Iterator[None]:
    """If the progress cannot be written, say so and go on: the learner still gets the results."""
    from grader.practice.progress import DamagedProgress

    try:
        yield
    except DamagedProgress as damage:
        print(f"{damage} `kata` fills it again.", file=sys.stderr)
    except OSError as error:
        print(f"Your progress could not be noted: {error.strerror or error}.", file=sys.stderr)
