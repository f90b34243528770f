"""`kata grade-class`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, UsageError, stop
from .expected import demand_class
from .terms import (
    CourseFile,
    Exempt,
    Extensions,
    HandedIn,
    Isolation,
    Only,
    Raw,
    Seed,
    Units,
    chosen_exercises,
    console,
    course_at,
    level_called,
    refuse_exposed,
    say,
    seed_or_fresh,
)

if TYPE_CHECKING:
    from grader.classroom.lms_names import Platform
    from grader.classroom.regrading import Move
    from grader.render.class_summary import ClassSummary

MINUTE = 60
MOST_MOVES = 20
"""The most changed points that are printed; the file has all."""


@app.command("grade-class", rich_help_panel=TEACH)
def grade_class(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A folder with one folder, zip, notebook or file a learner, or a zip of such a folder.",
            metavar="DIR|ZIP",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for results.jsonl.")],
    jobs: Annotated[int, typer.Option("--jobs", help="How many judges run in parallel.", min=1)] = os.cpu_count() or 1,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            help="Grade on the workers of this scheduler of dask.distributed instead, one judge a thread.",
            metavar="ADDRESS",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a stopped run into OUT; only new and changed work is graded.")
    ] = False,
    roster: Annotated[
        Path | None,
        typer.Option("--roster", help="A CSV of the class with columns like id, name and email.", metavar="FILE"),
    ] = None,
    groups: Annotated[
        Path | None,
        typer.Option(
            "--groups", help="A CSV with columns learner and group: one member hands in for all.", metavar="FILE"
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            "--names",
            help="The platform that made the file names: canvas, moodle, blackboard, brightspace or plain. Detected by "
            "default.",
            metavar="PLATFORM",
        ),
    ] = None,
    only: Only = None,
    unit: Units = None,
    html: Annotated[bool, typer.Option("--html", help="Write a class page and a page for each learner too.")] = False,
    isolation: Isolation = "full",
    seed: Seed = None,
    handed_in: HandedIn = None,
    extensions: Extensions = None,
    exempt: Exempt = None,
    raw: Raw = False,
    course: CourseFile = None,
) -> None:
    """Grade a class: one record a line in OUT/results.jsonl."""
    level = level_called(isolation, chosen_aloud=True)
    demand_class(folder)
    if scheduler is None:
        from grader.classroom.judging import start_ahead

        start_ahead(level)  # torch loads while course and class are read
    from grader.classroom.grade import ClassOptions, grade_class
    from grader.classroom.kept_times import PolicyTables
    from grader.classroom.results_file import NOT_GRADED

    chosen = course_at(course)
    refuse_exposed(level, chosen.root, folder, out)
    options = ClassOptions(
        level=level,
        jobs=jobs,
        scheduler=scheduler,
        resume=resume,
        roster=roster,
        groups=groups,
        platform=_platform_called(names),
        only=chosen_exercises(chosen, only, unit),
        seed=seed if seed is None else seed_or_fresh(seed, chosen),
        tables=PolicyTables(handed_in, extensions, exempt, raw),
        pages=html,
    )
    graded = grade_class(folder, out, chosen, options, _Terminal())
    show_class(graded.summary, out, html=html)
    _show_moves(graded.moves, out)
    if graded.faults:
        failed = ", ".join(graded.faults)
        stop(f"Not graded in full, by the grader's own fault: {failed}.", EXIT_CANNOT_ISOLATE)
    if graded.disputes:
        stop(f"Whose some submissions are is not clear; {out / NOT_GRADED} lists what does not count.", EXIT_BAD_INPUT)


class _Terminal:
    """Where a run says what it does."""

    def say(self, sentence: str) -> None:
        """Print a sentence on standard error."""
        say(sentence)

    @contextmanager
    def progress(self, total: int) -> Iterator[Callable[[str, bool], None]]:
        """A progress bar on standard error when that is a terminal.

        The yielded function is called with each learner's name and whether there was anything to grade: a learner who
        keeps an earlier record is removed from the total, so that rate and remaining time are those of grading.
        """
        if not sys.stderr.isatty():
            yield lambda name, was_graded: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
        from rich.text import Text

        class Rate(TextColumn):
            def render(self, task: Task) -> Text:
                return Text(rate_in_words(task.speed))

        columns = (TextColumn("Grading"), BarColumn(), MofNCompleteColumn(), Rate(""), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=total)
            left_out = 0

            def note_graded(name: str, was_graded: bool) -> None:
                nonlocal left_out
                if was_graded:
                    bar.advance(task)
                else:
                    left_out += 1
                    bar.update(task, total=total - left_out)

            yield note_graded


def rate_in_words(speed: float | None) -> str:
    """Submissions per second, in words; empty while unknown."""
    if not speed:
        return ""
    return f"{speed:.1f} a second" if speed >= 1 else f"{speed * MINUTE:.1f} a minute"


def _platform_called(name: str | None) -> Platform | None:
    from grader.classroom.lms_names import PLATFORMS

    if name is None or name in PLATFORMS:
        return PLATFORMS[name] if name else None
    raise UsageError(f"There are no names called {name!r}: take {', '.join(PLATFORMS)}.")


def show_class(summary: ClassSummary, out: Path, *, html: bool) -> None:
    """Print the class, and where its records and its page are."""
    from grader.classroom.results_file import RESULTS
    from grader.classroom.summary import CLASS_PAGE
    from grader.render.class_table import print_class

    print_class(summary, console(), rest=str(out / (CLASS_PAGE if html else RESULTS)))
    print(f"Records: {out / RESULTS}")
    if html:
        print(f"Page: {out / CLASS_PAGE}")


def _show_moves(moves: Sequence[Move], out: Path) -> None:
    """Print the points that a resumed run has changed, with the causes."""
    from grader.classroom.regrading import MOVED, told_moves

    if not moves:
        return
    print(f"Points that moved: {len(moves)}, listed in {out / MOVED}.")
    for line in islice(told_moves(moves), MOST_MOVES):
        print(line)
    if (more := len(moves) - MOST_MOVES) > 0:
        print(f"  and {more} more")
