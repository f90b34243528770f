"""Prints the course's overview: units with progress bars, points, the next exercise, which ones are open."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.course import Course, Exercise, Unit
from grader.render.safe_text import encodable, safe_line
from grader.render.wording import held_so_far

from .kept_up import remarks
from .progress import Progress, now
from .review import coming_back
from .workspace import Workspace


def missing(progress: Progress, exercise: Exercise) -> list[str]:
    """The required exercises of this one that are not passed."""
    return [id for id in exercise.requires if not is_settled(progress, id)]


def is_settled(progress: Progress, id: str) -> bool:
    """Whether an exercise is passed or skipped, or passes every check that can run here."""
    done = progress.exercises.get(id)
    return done is not None and (done.is_passed or done.skipped or done.holds_so_far > 0)


def next_exercise(course: Course, progress: Progress, *, fast: bool = False) -> Exercise | None:
    """The first open exercise, in course order, that is neither passed nor skipped; None when all are done.

    fast: only exercises of the fast track count, and their requirements may be missing.
    """
    if fast:
        track = [each for each in course.exercises if each.fast_track]
        return next((each for each in track if not is_settled(progress, each.id)), None)
    waiting = [each for each in course.exercises if not is_settled(progress, each.id)]
    return next((each for each in waiting if not missing(progress, each)), None)


BAR_WIDTH = 20
NARROW = 60
SIGNS = {
    "passed": ("✓", "+", "green"),
    "partly": ("~", "~", "cyan"),
    "tried": ("✗", "x", "red"),
    "skipped": ("»", ">", "cyan"),
    "next": ("→", ">", "bold yellow"),
    "open": ("○", "o", ""),
    "shut": ("·", ".", "dim"),
}
SAID = {
    "passed": "passed",
    "partly": "in part",
    "tried": "tried",
    "skipped": "skipped",
    "next": "next",
    "open": "open",
    "shut": "later",
}


def state_of(exercise: Exercise, progress: Progress, coming: Exercise | None) -> str:
    """The exercise's state, as a key of SAID."""
    done = progress.exercises.get(exercise.id)
    if done and done.is_passed:
        return "passed"
    if done and done.holds_so_far:
        return "partly"
    if coming is not None and exercise.id == coming.id:
        return "next"
    if done and done.attempts:
        return "tried"
    if done and done.skipped:
        return "skipped"
    return "shut" if missing(progress, exercise) else "open"


def print_glance(workspace: Workspace, progress: Progress, console: Console) -> None:
    """Print each unit with a progress bar, then the next exercise and the command for it."""
    course = workspace.course
    _put(console, course.title, "bold")
    console.print(_unit_lines(course, course.units, progress, console))
    earned, most = _points(progress, course.exercises)
    passed = sum(progress.is_passed(each.id) for each in course.exercises)
    console.print()
    if course.shows_part:
        left = [done.holds_so_far for done in progress.exercises.values() if done.holds_so_far]
        _put(console, f"The example passes in {len(left)} of {len(course.exercises)} exercises.")
        _put(console, "The other checks run when you hand in.", "dim")
    else:
        _put(console, f"{passed} of {len(course.exercises)} exercises, {earned:g} of {most:g} points")
    for id, remark in remarks(workspace, progress).items():
        _put(console, f"{id} is passed, but {remark}", "yellow")
    if due := [each for each in coming_back(course, progress, now()) if each.is_due]:
        noun = "exercise is" if len(due) == 1 else "exercises are"
        _put(console, f"{len(due)} {noun} due for review: kata review", "cyan")
    print_next(workspace, progress, console)


def print_next(workspace: Workspace, progress: Progress, console: Console, *, fast: bool = False) -> Exercise | None:
    """Print the next exercise: its file, its lesson, and the command for it."""
    course = workspace.course
    coming = next_exercise(course, progress, fast=fast)
    if coming is None:
        if any(done.holds_so_far for done in progress.exercises.values()):
            _put(console, "Everything that can be checked here holds. The other checks run when you hand in.", "bold")
        else:
            _put(console, "All done. `kata review` brings back what you passed, so that it stays.", "bold green")
        return None
    unit = next(unit for unit in course.units if coming in unit.exercises)
    _put(console, f"Next: {coming.title} ({coming.id}, {coming.points:g} points)", "bold yellow")
    _put(console, f"  lesson  {workspace.shown(workspace.lesson_of(unit))}, section {coming.number:02d}")
    _put(console, f"  file    {workspace.shown(workspace.file_of(coming))}")
    _put(console, f"  check   kata check {coming.id}    or leave `kata watch` running")
    return coming


def print_list(workspace: Workspace, progress: Progress, console: Console, *, fast: bool = False) -> None:
    """Print every exercise with its state; for a locked one, which exercises to pass first."""
    course = workspace.course
    coming = next_exercise(course, progress, fast=fast)
    remarked = remarks(workspace, progress)
    for unit in course.units:
        shown = [each for each in unit.exercises if each.fast_track or not fast]
        if not shown:
            continue
        console.print()
        console.print(_unit_lines(course, [unit], progress, console))
        for exercise in shown:
            console.print(_exercise_line(course, exercise, progress, coming, console))
            if exercise.id in remarked:
                _put(console, f"               {remarked[exercise.id]}", "yellow")


def _unit_lines(course: Course, units: Sequence[Unit], progress: Progress, console: Console) -> Table:
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(overflow="fold")
    is_roomy = console.width >= NARROW
    if is_roomy:
        rows.add_column(no_wrap=True)
    rows.add_column(justify="right", no_wrap=True)
    if not course.shows_part:  # a part of the course does not know the points of the whole
        rows.add_column(justify="right", no_wrap=True)
    for unit in units:
        earned, most = _points(progress, unit.exercises)
        passed = sum(_is_done(course, progress, each) for each in unit.exercises)
        title = _text(console, unit.title + (" (extra)" if unit.extra_credit else ""), "bold")
        progress_bar = [bar(passed, len(unit.exercises), console)] if is_roomy else []
        points = [] if course.shows_part else [Text(f"{earned:g} / {most:g} pt", style="dim")]
        rows.add_row(title, *progress_bar, Text(f"{passed} of {len(unit.exercises)}"), *points)
    return rows


def _exercise_line(
    course: Course, exercise: Exercise, progress: Progress, coming: Exercise | None, console: Console
) -> Table:
    state = state_of(exercise, progress, coming)
    sign, ascii_sign, style = SIGNS[state]
    row = Table.grid(padding=(0, 1, 0, 0))
    row.add_column(width=3)
    row.add_column(width=8)
    row.add_column(overflow="fold")
    said = f"{exercise.number:02d} {exercise.id}: {exercise.title}"
    if state == "shut":
        said += f" (after {', '.join(missing(progress, exercise))})"
    if state == "partly":
        left = progress.exercises[exercise.id].holds_so_far
        said += f" ({held_so_far(left, is_example=course.shows_part, begins=False)})"
    shown = ascii_sign if console.options.ascii_only else sign
    row.add_row(
        Text(f"  {shown}", style=style),
        Text(SAID[state], style=style),
        _text(console, said, style if state == "shut" else ""),
    )
    return row


def _is_done(course: Course, progress: Progress, exercise: Exercise) -> bool:
    """Whether an exercise counts as done in a bar: passed; where nothing can be passed, its example passes."""
    done = progress.exercises.get(exercise.id)
    return done is not None and (done.holds_so_far > 0 if course.shows_part else done.is_passed)


def bar(done: int, total: int, console: Console) -> Text:
    """A progress bar; it is full only when all is done."""
    full, empty = ("#", ".") if console.options.ascii_only else ("█", "░")
    filled = done * BAR_WIDTH // max(total, 1) or int(done > 0)
    return Text.assemble((full * filled, "green"), (empty * (BAR_WIDTH - filled), "dim"))


def _points(progress: Progress, exercises: Sequence[Exercise]) -> tuple[float, float]:
    earned = sum(progress.exercises[each.id].best for each in exercises if each.id in progress.exercises)
    return earned, sum(each.points for each in exercises)


def _text(console: Console, shown: str, style: str = "") -> Text:
    return Text(encodable(safe_line(shown), console.encoding), style=style)


def _put(console: Console, shown: str, style: str = "") -> None:
    console.print(Text(encodable(shown, console.encoding), style=style))
