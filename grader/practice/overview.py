"""How far a learner is: the state of each exercise and which is next, in a terminal and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from grader.course import Course, Exercise, Unit
from grader.course.stubs import same_as_stub, stub_of
from grader.render.wording import MARKS, Mark, counted, share

from .progress import Progress, digest_of, now
from .workspace import Workspace, content_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from grader.played import Played

    from .checking import Checked

State = Literal["passed", "partly", "tried", "skipped", "open", "later"]
STATES: Mapping[State, Mark] = {
    "passed": MARKS["passed"],
    "partly": MARKS["partly"],
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
    done = progress.of(id)
    return done.is_passed or done.skipped or done.holds_so_far


def next_exercise(course: Course, progress: Progress, *, fast: bool = False) -> Exercise | None:
    """The first open exercise, in course order, that is neither passed nor skipped; None when all are done.

    fast: only exercises of the fast track count, and their requirements may be missing.
    """
    waiting = [each for each in course.exercises if not is_settled(progress, each.id)]
    return next((each for each in waiting if (each.fast_track if fast else not missing(progress, each))), None)


def state_of(exercise: Exercise, progress: Progress) -> State:
    """The exercise's state."""
    done = progress.of(exercise.id)
    if done.is_passed:
        return "passed"
    if done.attempts:
        return "partly" if done.holds_so_far else "tried"
    if done.skipped:
        return "skipped"
    return "later" if missing(progress, exercise) else "open"


def remarks(workspace: Workspace, progress: Progress) -> dict[str, str]:
    """Why the file of a passed exercise does not pass any more, by id. The exercise stays passed all the same.

    A file that is as it was given has none: it was reset, or the exercise is passed in a notebook.
    """
    found = {}
    for exercise in (each for each in workspace.course.exercises if progress.of(each.id).is_passed):
        content = content_of(workspace.file_of(exercise))
        if content is None:
            found[exercise.id] = f"its file is gone: kata reset {exercise.id} gives a new one"
            continue
        digest = digest_of(content)
        judged = [attempt.status for attempt in progress.of(exercise.id).attempts if attempt.digest == digest]
        if judged and judged[-1] != "passed":
            found[exercise.id] = f"its file fails now: kata check {exercise.id}"
        elif not judged and not same_as_stub(content, stub_of(workspace.course, exercise)):
            found[exercise.id] = f"its file has changed since: kata check {exercise.id}"
    return found


# --- in a terminal ----------------------------------------------------------------------------------------------------


def put(console: Console, shown: str, style: str = "", *, is_wrapped: bool = True) -> None:
    """Print a sentence: never read as markup, unsafe characters escaped. Unwrapped, a file name can be copied."""
    from grader.render.terminal import text_for

    console.print(text_for(console, shown, style), soft_wrap=not is_wrapped)


def print_overview(workspace: Workspace, progress: Progress, console: Console) -> None:
    """Print each unit with a progress bar, then the next exercise and the command for it."""
    from .review import coming_back

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


def print_list(workspace: Workspace, progress: Progress, console: Console) -> None:
    """Print every exercise with its state; for a locked one, which exercises to pass first."""
    from rich.table import Column, Table
    from rich.text import Text

    from grader.render.terminal import text_for

    coming, remarked = next_exercise(workspace.course, progress), remarks(workspace, progress)
    for unit in workspace.course.units:
        rows = Table.grid(Column(width=3), Column(width=8), Column(overflow="fold"), padding=(0, 1, 0, 0))
        for exercise in unit.exercises:
            state, said = state_of(exercise, progress), f"{exercise.number:02d} {exercise.id}: {exercise.title}"
            mark, style = (NEXT, "bold yellow") if exercise == coming else (STATES[state], STYLES.get(state, ""))
            sign, is_later = mark.ascii_sign if console.options.ascii_only else mark.sign, mark is STATES["later"]
            if is_later:
                said += f" (after {', '.join(missing(progress, exercise))})"
            aside = text_for(console, said, "dim" if is_later else "")
            rows.add_row(Text(f"  {sign}", style), Text(mark.word, style), aside)
            if exercise.id in remarked:
                rows.add_row("", "", text_for(console, remarked[exercise.id], "yellow"))
        console.print("", _unit_lines([unit], progress, console), rows, sep="\n")


def _unit_lines(units: Sequence[Unit], progress: Progress, console: Console) -> Table:
    """A row for each unit: its title, its bar where there is room, exercises passed, points."""
    from rich.table import Column, Table
    from rich.text import Text

    from grader.render.terminal import bar, text_for

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
    known = [progress.of(each.id) for each in exercises]
    return (
        sum(each.is_passed for each in known),
        sum(each.best for each in known),
        sum(each.points for each in exercises),
    )


# --- as a page --------------------------------------------------------------------------------------------------------


def render_learner(
    workspace: Workspace, progress: Progress, at: datetime, checked: Checked | None, played: Mapping[str, Played]
) -> str:
    """The page at a time, without scripts; the same bytes for equal progress.

    checked: the results of the started exercises. played: what was seen of exercises at work, by id.
    """
    from grader.render.pages import render_page
    from grader.render.verdict import verdict_on

    from .review import coming_back, when

    course = workspace.course
    results = {result.id: result for result in checked.record.exercises} if checked else {}
    returning = coming_back(course, progress, at)
    comes_back = {each.exercise.id: when(each.due, at) for each in returning}

    def task(exercise: Exercise) -> dict[str, Any]:
        """One exercise and how far the learner is with it."""
        done, verdict = progress.of(exercise.id), None
        if checked and exercise.id in results:
            verdict = verdict_on(results[exercise.id], title=exercise.title, mismatches=checked.mismatches)
        return {
            "exercise": exercise,
            "file": workspace.shown(workspace.file_of(exercise)),
            "state": state_of(exercise, progress),
            "points": min(done.best, exercise.points),
            "max_points": exercise.points,
            "after": [course.exercise(id).title for id in missing(progress, exercise)],
            "verdict": verdict,
            "passed_at": done.passed_at,
            "comes_back": comes_back.get(exercise.id, ""),
            "attempts": done.attempts,
            "hints": done.hints,
        }

    units = [(unit, [task(exercise) for exercise in unit.exercises]) for unit in course.units]
    tasks = [each for _, members in units for each in members]
    # Numbers, not ids, so that no text of a course or a learner ends up in an address.
    anchors = {each["exercise"].id: f"exercise-{number}" for number, each in enumerate(tasks, 1)}
    return render_page(
        "learner.html.j2",
        course=course,
        at=at.astimezone(),
        units=units,
        tasks=tasks,
        coming=next_exercise(course, progress),
        lesson_of=lambda unit: workspace.shown(workspace.lesson_of(unit.folder)),
        anchors=anchors,
        at_work=played,
        agenda=[(said, list(group)) for said, group in groupby(returning, lambda each: comes_back[each.exercise.id])],
        states=STATES,
        marks={**MARKS, **STATES},
    )
