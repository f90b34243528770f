"""The learner's commands on work that was checked: play, review, report, solution; and what this machine can do."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_NOT_RIGHT, KataError
from grader.files import write_file, write_output
from grader.practice.checking import check_works, works_started
from grader.practice.hints import print_answers
from grader.practice.overview import put, render_learner
from grader.practice.progress import Progress, now
from grader.practice.workspace import Workspace
from grader.sandbox.doctor import examine, strongest_level, try_level
from grader.sandbox.levels import GRADING_LEVELS, LEVELS, launch_ahead

from .app import learners_command, say
from .learn import ExerciseId, workspace_here
from .terms import CourseFile, Seed, best_level, console, exercise_ids, open_page, progress

if TYPE_CHECKING:
    from grader.play.catalogue import Play
    from grader.play.showing import Showing

ASKED = "> "
GO_ON = "Stopped. Enter goes on, anything else ends: "
PARTS = "Switch a part off: mask, scale, residual, positions, head:1.3. May be given again."
PLAYED_ID = "The exercise's id; without one, what can be played."
REVIEWED_ID = "The exercise's id; the one that is due first by default."
PAGE = "report.html"
ENDINGS = (".html", ".htm")


# --- kata play --------------------------------------------------------------------------------------------------------


@learners_command()
def play(
    id: Annotated[str | None, Argument(help=PLAYED_ID, metavar="ID", autocompletion=exercise_ids)] = None,
    text: Annotated[str | None, Option("--text", help="The text for the model; otherwise it is asked for.")] = None,
    file: Annotated[
        Path | None, Option("--file", help="A file with that text, such as one for tiny_gpt to learn.")
    ] = None,
    without: Annotated[list[str] | None, Option("--without", help=PARTS)] = None,
    page: Annotated[bool, Option("--page", help="Write a page into play/ beside your exercises.")] = False,
    show: Annotated[bool, Option("--open", help="Write the page and open it in the browser.")] = False,
    course: CourseFile = None,
) -> None:
    """See your own code attend, in a small trained model."""
    workspace = workspace_here(course)
    progress = workspace.progress.read()
    if id is None:
        if text is not None or file is not None or without or page or show:
            raise KataError("Play which exercise? `kata play` lists those that can be played.")
        _print_playable(workspace, progress)
        return
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise KataError(f"{file} is no text in UTF-8.") from None
    from grader.play.catalogue import play_of, standing_of

    exercise = workspace.course.exercise(id)
    chosen = play_of(exercise.id)
    if chosen is None:
        raise KataError(f"There is nothing to play in {exercise.id}: `kata play` lists what there is.")
    standing = standing_of(workspace, progress, exercise)
    source = workspace.file_of(exercise).read_bytes()
    level = best_level()
    launched = launch_ahead(level)  # the worker loads torch while this process loads it
    if not (page or show):
        console().print(standing.text, style="yellow" if standing.kind == "warning" else "green")
        console().print()
    import torch

    from grader.play.showing import Showing
    from grader.play.stage import Stage

    torch.set_num_threads(1)  # more threads are no faster for such small tensors
    with closing(Stage(exercise, source, level, launched)) as stage:
        showing = Showing(workspace, chosen, standing, stage)
        if page or show:
            shown = showing.example if text is None else text
            path = showing.write_page(list(showing.parts(shown, without or [], in_full=True)))
            print(f"The page is {workspace.shown(path)}")
            if show:
                open_page(path)
        else:
            _in_terminal(showing, chosen, text, without or [])
    if showing.has_failed:
        sys.exit(EXIT_NOT_RIGHT)


def _print_playable(workspace: Workspace, progress: Progress) -> None:
    """Print what can be played, and what to do first. Loads no model."""
    from rich.table import Column, Table

    from grader.play.catalogue import PLAYS, waits_for

    screen = console()
    screen.print("Your own code at work in small trained models: kata play ID")
    table = Table(Column(no_wrap=True), Column(overflow="fold"), box=None, show_header=False, padding=(0, 2, 0, 0))
    for each in (each for each in PLAYS if each.id in workspace.course.titles):
        first = waits_for(workspace, progress, each)
        table.add_row(each.id, each.seen + (f" ({first})" if first else ""), style="dim" if first else "")
    screen.print(table if table.row_count else "None of this course's exercises can be played.")


def _in_terminal(showing: Showing, play: Play, text: str | None, off: Sequence[str]) -> None:
    """Show a scene: of the given text, or of the example and then of each typed text, if there is a keyboard."""
    is_typed_to = sys.stdin.isatty() and sys.stdout.isatty()
    has_keys = is_typed_to and text is None
    while True:
        try:
            _show(showing, showing.example if text is None else text, off)
            break
        except KeyboardInterrupt:
            if not (is_typed_to and play.goes_on):
                raise
            print()
            if input(GO_ON).strip():
                raise
    if has_keys and (play.reads or play.switches):
        _converse(showing, play, off)


def _show(showing: Showing, text: str, off: Sequence[str]) -> None:
    from grader.play.showing import show

    for part in showing.parts(text, off, in_full=False):
        show(part, console())


def _converse(showing: Showing, play: Play, off: Sequence[str]) -> None:
    """Play each typed line, until an empty one, the end of the input or Ctrl-C."""
    from grader.play.parts import Words
    from grader.play.showing import show

    told = [f"Type {play.reads}."] if play.reads else []
    if play.switches:
        names = ["head:1.3" if switch == "head" else switch for switch in play.switches]
        there = f"(there is {', '.join(names)}), `without` turns all on."
        told.append(f"`without {names[0]}` switches a part off {there}")
    console().print(" ".join([*told, "An empty line ends."]), style="dim", markup=False)
    text = showing.example
    while True:
        try:
            line = input(ASKED).strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return
        words = line.split()
        if not words:
            return
        if words[0] == "without" and play.switches:
            off = words[1:]
        elif play.reads:
            text = line
        try:
            _show(showing, text, off)
        except KataError as error:
            show(Words(str(error), "warning"), console())


# --- kata review, report and solution ---------------------------------------------------------------------------------


@learners_command()
def review(
    id: Annotated[str | None, Argument(help=REVIEWED_ID, metavar="[ID]", autocompletion=exercise_ids)] = None,
    due: Annotated[bool, Option("--due", help="Only list what is due and what comes later.")] = False,
    course: CourseFile = None,
) -> None:
    """Write a passed exercise again, before you forget it."""
    from grader.practice.review import coming_back, hand_out, when

    workspace, at, say = workspace_here(course), now(), partial(put, console(), is_wrapped=False)
    coming = coming_back(workspace.course, workspace.progress.read(), at)
    if id is not None:
        wanted = workspace.course.exercise(id)
        coming = [each for each in coming if each.exercise == wanted]
        if not coming:
            raise KataError(f"{wanted.id} is not passed yet, so there is nothing to review: kata check {wanted.id}")
    if not coming:
        print("Nothing is passed yet. What you pass comes back here, to be written again from the formula.")
        return
    first, exercise = coming[0], coming[0].exercise
    if due:
        for each in coming:
            say(f"{when(each.due, at)}: {each.exercise.title} ({each.exercise.id})")
        return
    if id is None and not first.is_due:
        print(f"Nothing is due. Next is {exercise.id}, {when(first.due, at)}.")
        print(f"`kata review {exercise.id}` brings it now, `kata review --due` lists all.")
        return
    kept, file = hand_out(workspace, exercise), workspace.shown(workspace.review_of(exercise).path)
    say(f"Review: {exercise.title} ({exercise.id})", "bold yellow")
    say(f"  file     {file}, the formula is at its top")
    say(f"  lesson   {workspace.section_of(exercise)}")
    say(f"  check    kata check {file}    or leave `kata watch` running")
    if kept is not None:
        say(f"  before   your last review of it is in {workspace.shown(kept)}", "dim")
    task = "Find the fault" if exercise.kind == "debug" else "Write it from the formula"
    say(f"{task}, without a look at your old work.")


@learners_command()
def report(
    out: Annotated[
        Path | None, Option("--out", help=f"The file to write; {PAGE} beside your exercises folder by default.")
    ] = None,
    show: Annotated[bool, Option("--open", help="Open it in the browser.")] = False,
    seed: Seed = None,
    course: CourseFile = None,
) -> None:
    """Your progress, as a page.

    What you have started is checked first.
    """
    workspace = workspace_here(course)
    path = workspace.root / PAGE if out is None else out
    if path.suffix.lower() not in ENDINGS:
        raise KataError(f"{path} should end in .html: it becomes a page, and an exercise must not be written over.")
    from grader.played import read_kept
    from grader.service.client import judge_for

    checked, begun = None, works_started(workspace)
    if begun:
        judge = judge_for(workspace.course, best_level(), workspace.course.seed_for(seed))
        with closing(judge), progress("Checking", len(begun)) as advance:
            checked = check_works(judge, workspace, begun, advance)
        for sentence in checked.told:
            say(sentence)
    page = render_learner(workspace, workspace.progress.read(), now(), checked, read_kept(workspace.state))
    if out is None:
        write_file(path, page.encode("utf-8"), below=workspace.root)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, page.encode("utf-8"))
    print(f"Your progress is in {workspace.shown(path)}")
    if show:
        open_page(path)


@learners_command()
def solution(
    id: ExerciseId,
    course: CourseFile = None,
    force: Annotated[bool, Option("--force", help="Show it before you have passed.")] = False,
) -> None:
    """After passing: your answer beside the course's.

    And other ways to write it.
    """
    workspace = workspace_here(course)
    exercise = workspace.course.exercise(id)
    if not force and not workspace.progress.read().of(exercise.id).is_passed:
        more = ", and --force shows the answer all the same" if workspace.course.has_answers else ""
        raise KataError(f"{exercise.id} is not passed yet: `kata hint {exercise.id}` helps{more}.")
    print_answers(workspace, exercise, console())


# --- the machine ------------------------------------------------------------------------------------------------------


@learners_command()
def doctor(
    stop_judges: Annotated[
        bool, Option("--stop-judges", help="Only stop the judges that run in the background for you.")
    ] = False,
) -> None:
    """What this machine can isolate, and what to install.

    And which judges run in the background.
    """
    from grader.service.client import ServiceError, running_judges

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
    try:
        kept = running_judges()
    except ServiceError as error:
        print(f"No judge can be kept warm: {error}")
    else:
        for judge in kept:
            print(f"A judge is kept warm (process {judge.pid}, level {judge.level}) for {judge.course}")
        print("`kata doctor --stop-judges` ends it now." if kept else "No judge is kept warm.")
    print("To learn, type `kata`; `kata --help` lists what else there is.")
    if level not in GRADING_LEVELS:
        print("You can practise here, but other people's work can't be graded on this machine.")
        sys.exit(EXIT_CANNOT_ISOLATE)
