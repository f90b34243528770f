"""Grading others' work: `kata grade` and `kata grade-class`."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

from grader.errors import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, KataError
from grader.service.client import judge_for

from .app import TEACH, app, say, stop
from .named_paths import demand_class, demand_there
from .terms import (
    CourseFile,
    Isolation,
    Only,
    Seed,
    Units,
    chosen_exercises,
    console,
    course_at,
    course_of_class,
    level_called,
    progress,
    seed_or_fresh,
)

if TYPE_CHECKING:
    from grader.classroom.grade import GradedClass
    from grader.classroom.platforms import Platform
    from grader.record import Record

MOST_MOVES = 20
"""The most changed points that are printed; `kata diff` prints all."""
JUDGES = os.cpu_count() or 1
RARE = "Rarely needed"
FOLDER = "A folder with one folder, zip, notebook or file a learner, or a zip of such a folder."
PLATFORMS = (
    "The platform of the download: plain, canvas, moodle, blackboard, brightspace or nbgrader. "
    "Found out if all names fit one."
)
ROSTER = "A CSV with columns id and any of name, email, section, group, handed_in, extra_days and exempt."
MATCH = "OUT/unmatched.csv, with its column learner filled in."
SCHEDULER = "Grade on the workers of this scheduler of dask.distributed instead, one judge a thread."
RESUME = "Go on with the class in OUT; only new and changed work is graded."
ANEW = "Grade the class in OUT from the start; the earlier run stays in class.db."


@app.command(rich_help_panel=TEACH)
def grade(
    path: Annotated[Path, Argument(help="A folder, zip, notebook or file.", metavar="PATH")],
    only: Only = None,
    unit: Units = None,
    json: Annotated[Path | None, Option(help="Write the record here; - for standard output.")] = None,
    html: Annotated[Path | None, Option(help="Write the report here as a page.")] = None,
    isolation: Isolation = "full",
    seed: Seed = None,
    course: CourseFile = None,
    verbose: Annotated[bool, Option("--verbose", "-v", help="Show passed checks too.")] = False,
) -> None:
    """Grade one submission."""
    from grader.course.installed import refuse_exposed

    level = level_called(isolation, is_for_grading=True)
    chosen = course_at(course)
    demand_there(path, "one learner's folder, zip, notebook or file", "kata grade {}")
    refuse_exposed(level, chosen.root)
    exercises = chosen_exercises(chosen, only, unit)
    from grader.classroom.grading_terms import stamped
    from grader.classroom.results import final_record
    from grader.files import write_output
    from grader.intake import read_submission

    submission = read_submission(path, chosen)
    judge = judge_for(chosen, level, seed_or_fresh(seed, chosen), exercises)
    records: list[Record] = []
    with closing(judge), progress("Grading", len(exercises) or len(chosen.exercises)) as advance:
        judge.grade([submission], records.append, advance)
    record, remarks = final_record(stamped(records[0], chosen), chosen)
    for remark in remarks:
        say(remark)
    if json == Path("-"):
        print(record.to_json())
    elif json is not None:
        write_output(json, f"{record.to_json()}\n".encode())
    if html is not None:
        from grader.render.pages import render_record

        write_output(html, render_record(record, titles=chosen.titles, units=chosen.headings).encode("utf-8"))
    if json != Path("-"):
        from grader.render.terminal import print_record

        print_record(record, console(), titles=chosen.titles, units=chosen.headings, verbose=verbose)
    if not record.complete:
        fault = "Some exercises could not be graded: that is the grader's fault, not the learner's."
        stop(fault, EXIT_CANNOT_ISOLATE)


@app.command("grade-class", rich_help_panel=TEACH)
def grade_class(
    folder: Annotated[Path, Argument(help=FOLDER, metavar="DIR|ZIP")],
    out: Annotated[Path, Option(help="The folder for class.db and results.jsonl.")],
    names: Annotated[str | None, Option("--from", help=PLATFORMS, metavar="PLATFORM")] = None,
    roster: Annotated[Path | None, Option(help=ROSTER, metavar="FILE")] = None,
    match: Annotated[Path | None, Option(help=MATCH, metavar="FILE")] = None,
    only: Only = None,
    unit: Units = None,
    jobs: Annotated[int, Option(help="How many judges run in parallel.", min=1, rich_help_panel=RARE)] = JUDGES,
    scheduler: Annotated[str | None, Option(help=SCHEDULER, metavar="ADDRESS", rich_help_panel=RARE)] = None,
    resume: Annotated[bool, Option("--resume", help=RESUME)] = False,
    anew: Annotated[bool, Option("--anew", help=ANEW)] = False,
    html: Annotated[bool, Option("--html", help="Write a class page and a page for each learner too.")] = False,
    isolation: Isolation = "full",
    seed: Seed = None,
    course: CourseFile = None,
) -> None:
    """Grade a class into OUT/class.db: one record a line in OUT/results.jsonl."""
    if resume and anew:
        raise KataError("--resume goes on with the class in OUT, --anew begins again: give one of them.")
    level = level_called(isolation, is_for_grading=True)
    demand_class(folder)
    if scheduler is None:
        from grader.classroom.judging import start_ahead

        start_ahead(level)  # torch loads while course and class are read
    from grader.classroom.grade import ClassOptions, grade_class
    from grader.classroom.store import DATABASE
    from grader.course.installed import refuse_exposed

    chosen = course_of_class(out, course) if resume and (out / DATABASE).exists() else course_at(course)
    refuse_exposed(level, chosen.root, folder, out)
    options = ClassOptions(
        level=level,
        jobs=jobs,
        scheduler=scheduler,
        resume=resume,
        anew=anew,
        roster=roster,
        platform=_platform_called(names),
        matches=match,
        only=chosen_exercises(chosen, only, unit),
        seed=None if seed is None else seed_or_fresh(seed, chosen),
        pages=html,
    )
    _show_class(grade_class(folder, out, chosen, options, _Terminal()), out)


class _Terminal:
    """Where a run says what it does."""

    def say(self, sentence: str) -> None:
        """Print a sentence on standard error."""
        say(sentence)

    def progress(self, total: int) -> AbstractContextManager[Callable[[str, bool], None]]:
        """A progress bar; see `terms.progress`."""
        return progress("Grading", total, with_rate=True)


def _platform_called(name: str | None) -> Platform | None:
    from grader.classroom.platforms import TITLES

    if name is not None and name not in TITLES:
        raise KataError(f"There are no names called {name!r}: take {', '.join(TITLES)}.")
    return cast("Platform | None", name)


def _show_class(graded: GradedClass, out: Path) -> None:
    """Print the class, where its records and its page are, and the points that a resumed run has changed."""
    from grader.classroom.class_contents import UNMATCHED
    from grader.classroom.diff import told
    from grader.classroom.results import CLASS_PAGE
    from grader.classroom.store import RESULTS
    from grader.render.class_table import print_class

    has_page = (out / CLASS_PAGE).exists()
    print_class(graded.summary, console(), rest=str(out / (CLASS_PAGE if has_page else RESULTS)))
    print(f"Records: {out / RESULTS}")
    if has_page:
        print(f"Page: {out / CLASS_PAGE}")
    if graded.moves:
        print(f"Points that moved: {len(graded.moves)}. kata diff {out} lists them too.")
        print("\n".join(told(graded.moves, MOST_MOVES)))
    if graded.faults:
        stop(f"Not graded in full, by the grader's own fault: {', '.join(graded.faults)}.", EXIT_CANNOT_ISOLATE)
    if graded.unmatched:
        advice = f"fill the column learner of {out / UNMATCHED}, and give it with --resume --match FILE"
        stop(f"Nobody knows whose some submissions are: {advice}.", EXIT_BAD_INPUT)
