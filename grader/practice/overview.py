"""How far a learner is: the state of each exercise, which is next, which passed file passes no more; and printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from grader.course import Course, Exercise, Unit
from grader.course.stubs import same_as_stub, stub_of
from grader.render.terminal import bar, text_for
from grader.render.wording import Mark, counted, share

from .progress import ExerciseProgress, Progress, digest_of, now
from .review import coming_back
from .workspace import Workspace

State = Literal["passed", "partly", "tried", "skipped", "open", "later"]
STATES: Mapping[State, Mark] = {
    "passed": Mark("passed", "✓", "+"),
    "partly": Mark("in part", "~", "~"),
    "tried": Mark("tried", "✗", "x"),
    "skipped": Mark("skipped", "»", ">"),
    "open": Mark("open", "○", "o"),
    "later": Mark("later", "·", "."),
}
NEXT = Mark("next", "→", ">")
STYLES = {"passed": "green", "partly": "cyan", "tried": "red", "skipped": "cyan", "later": "dim"}
BAR_WIDTH = 20
NARROW = 60


def missing(progress: Progress, exercise: Exercise) -> list[str]:
    """The required exercises of this one that are not passed."""
    return [id for id in exercise.requires if not is_settled(progress, id)]


def is_settled(progress: Progress, id: str) -> bool:
    """Whether an exercise is passed or skipped, or passes every check that can run here."""
    done = progress.exercises.get(id)
    return done is not None and (done.is_passed or done.skipped or done.holds_so_far)


def next_exercise(course: Course, progress: Progress, *, fast: bool = False) -> Exercise | None:
    """The first open exercise, in course order, that is neither passed nor skipped; None when all are done.

    fast: only exercises of the fast track count, and their requirements may be missing.
    """
    waiting = [each for each in course.exercises if not is_settled(progress, each.id)]
    if fast:
        return next((each for each in waiting if each.fast_track), None)
    return next((each for each in waiting if not missing(progress, each)), None)


def state_of(exercise: Exercise, progress: Progress) -> State:
    """The exercise's state."""
    done = progress.exercises.get(exercise.id, ExerciseProgress())
    if done.is_passed:
        return "passed"
    if done.holds_so_far:
        return "partly"
    if done.attempts:
        return "tried"
    if done.skipped:
        return "skipped"
    return "later" if missing(progress, exercise) else "open"


def remarks(workspace: Workspace, progress: Progress) -> dict[str, str]:
    """Why the file of a passed exercise does not pass any more, by id. The exercise stays passed all the same.

    An exercise that was passed elsewhere, such as in a notebook, has none.
    """
    found = {}
    for exercise in workspace.course.exercises:
        done = progress.exercises.get(exercise.id, ExerciseProgress())
        practised = [attempt for attempt in done.attempts if attempt.kind == "practice" and not attempt.elsewhere]
        if not any(attempt.status == "passed" for attempt in practised):
            continue
        try:
            content = workspace.file_of(exercise).read_bytes()
        except OSError:
            found[exercise.id] = f"its file is gone: kata reset {exercise.id} gives a new one"
            continue
        judged = [attempt.status for attempt in done.attempts if attempt.digest == digest_of(content)]
        if judged and judged[-1] != "passed":
            found[exercise.id] = f"its file fails now: kata check {exercise.id}"
        elif not judged and same_as_stub(content, stub_of(workspace.course, exercise)):
            found[exercise.id] = "its file is as it was given again"
        elif not judged:
            found[exercise.id] = f"its file has changed since: kata check {exercise.id}"
    return found


# --- in a terminal ----------------------------------------------------------------------------------------------------


def put(console: Console, shown: str, style: str = "", *, is_wrapped: bool = True) -> None:
    """Print a sentence: never read as markup, unsafe characters escaped. Unwrapped, a file name can be copied."""
    console.print(text_for(console, shown, style), soft_wrap=not is_wrapped)


def print_overview(workspace: Workspace, progress: Progress, console: Console) -> None:
    """Print each unit with a progress bar, then the next exercise and the command for it."""
    course = workspace.course
    put(console, course.title, "bold")
    console.print(_unit_lines(course.units, progress, console))
    console.print()
    passed, earned, most = _sums(progress, course.exercises)
    put(console, f"{passed} of {len(course.exercises)} exercises, {earned:g} of {most:g} points")
    for id, remark in remarks(workspace, progress).items():
        put(console, f"{id} is passed, but {remark}", "yellow")
    if due := sum(each.is_due for each in coming_back(course, progress, now())):
        put(console, f"{counted(due, 'exercise')} {'is' if due == 1 else 'are'} due for review: kata review", "cyan")
    print_next(workspace, progress, console)


def print_next(workspace: Workspace, progress: Progress, console: Console, *, fast: bool = False) -> Exercise | None:
    """Print the next exercise: its file, its lesson, and the command for it; return it."""
    coming = next_exercise(workspace.course, progress, fast=fast)
    left = sum(not is_settled(progress, each.id) for each in workspace.course.exercises)
    if coming is not None:
        put(console, f"Next: {coming.title} ({coming.id}, {coming.points:g} points)", "bold yellow")
        put(console, f"  lesson  {workspace.section_of(coming)}")
        put(console, f"  file    {workspace.shown(workspace.file_of(coming))}")
        put(console, f"  check   kata check {coming.id}    or leave `kata watch` running")
    elif left:
        still = f"{counted(left, 'exercise')} {'is' if left == 1 else 'are'} left"
        put(console, f"The fast track is done; {still}: kata next", "bold green")
    else:
        put(console, "All done. `kata review` brings back what you passed, so that it stays.", "bold green")
    return coming


def print_list(workspace: Workspace, progress: Progress, console: Console, *, fast: bool = False) -> None:
    """Print every exercise with its state; for a locked one, which exercises to pass first."""
    coming = next_exercise(workspace.course, progress, fast=fast)
    remarked = remarks(workspace, progress)
    for unit in workspace.course.units:
        shown = [each for each in unit.exercises if each.fast_track or not fast]
        if not shown:
            continue
        console.print()
        console.print(_unit_lines([unit], progress, console))
        for exercise in shown:
            state = state_of(exercise, progress)
            mark, style = STATES[state], STYLES.get(state, "")
            said = f"{exercise.number:02d} {exercise.id}: {exercise.title}"
            if exercise == coming:
                mark, style = NEXT, "bold yellow"
            elif state == "later":
                said += f" (after {', '.join(missing(progress, exercise))})"
            row = Table.grid(Column(width=3), Column(width=8), Column(overflow="fold"), padding=(0, 1, 0, 0))
            sign = mark.ascii_sign if console.options.ascii_only else mark.sign
            row.add_row(
                Text(f"  {sign}", style=style),
                Text(mark.word, style=style),
                text_for(console, said, "dim" if mark is STATES["later"] else ""),
            )
            console.print(row)
            if exercise.id in remarked:
                put(console, f"               {remarked[exercise.id]}", "yellow")


def _unit_lines(units: Sequence[Unit], progress: Progress, console: Console) -> Table:
    """A row for each unit: its title, its bar where there is room, exercises passed, points."""
    is_roomy = console.width >= NARROW
    numbers = [Column(justify="right", no_wrap=True) for _ in range(2)]
    drawn = [Column(no_wrap=True)] if is_roomy else []
    rows = Table.grid(Column(overflow="fold"), *drawn, *numbers, padding=(0, 2, 0, 0))
    for unit in units:
        passed, earned, most = _sums(progress, unit.exercises)
        title = text_for(console, unit.title + (" (extra)" if unit.extra_credit else ""), "bold")
        done = [bar(share(passed, len(unit.exercises)), BAR_WIDTH, console)] if is_roomy else []
        points = Text(f"{earned:g} / {most:g} pt", style="dim")
        rows.add_row(title, *done, Text(f"{passed} of {len(unit.exercises)}"), points)
    return rows


def _sums(progress: Progress, exercises: Sequence[Exercise]) -> tuple[int, float, float]:
    """How many of these exercises are passed, the points for them, and the most points."""
    known = [progress.exercises[each.id] for each in exercises if each.id in progress.exercises]
    passed = sum(each.is_passed for each in known)
    return passed, sum(each.best for each in known), sum(each.points for each in exercises)
