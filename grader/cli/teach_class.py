"""Grading others' work: a submission, a class, and what is done with a graded class, by default with its own course."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

from grader.course.installed import refuse_exposed
from grader.errors import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, KataError
from grader.files import write_output
from grader.intake import read_submission
from grader.render.safe_text import encodable, visible

from .app import say, teachers_command
from .terms import (
    ID_HELP,
    CourseFile,
    Isolation,
    Only,
    Seed,
    Units,
    chosen_exercises,
    console,
    course_at,
    course_of_class,
    demand_one_of,
    level_called,
    progress,
    units_called,
)

if TYPE_CHECKING:
    from grader.classroom.grading_terms import Run
    from grader.classroom.judging import Pool
    from grader.classroom.platforms import Platform
    from grader.formats.results_table import ResultsTable
    from grader.record import Record
    from grader.render.class_summary import ClassSummary
    from grader.sandbox.levels import Level

JUDGES = os.cpu_count() or 1
RARE = "Rarely needed"
FOLDER = "A folder with one folder, zip, notebook or file a learner."
PLATFORMS = (
    "The platform of the download: plain, canvas, moodle, blackboard, brightspace or nbgrader. "
    "Found out if all names fit one."
)
ROSTER = "A CSV with columns id and any of name, email, section, group, handed_in, extra_days and exempt."
MATCH = "A filled unmatched.csv; --resume reads that in OUT without it."
SCHEDULER = "Grade on the workers of this scheduler of dask.distributed instead, one judge a thread."
RESUME = "Go on with the class in OUT; only new and changed work is graded."
ANEW = "Grade the class in OUT from the start; the earlier run stays in class.db."
EARLIER = "Another such folder; without it the last run is compared with the one before."
COUNTED = "The points that count; back takes an earlier override back."
REASON = "Why, in a sentence: the learner reads it too."
ONE_COLUMN = ("canvas", "moodle")
"""Formats that can have their marks in one column, which is called like an assignment."""
GRADEBOOK = "gradebook"
"""The format that is nbgrader's database and no file."""
RESULTS = "Results of `kata grade-class`, or a file of `kata grade --json`."
NAMES = "csv, jsonl, canvas, moodle, moodle-feedback, junit, pages, gradescope, github or gradebook."
PLACE = "Where to write; beside the results by default, - for standard output."
ROWS = "Rows (csv) or columns (canvas, moodle) by learner, unit or exercise."
COLUMN = "What the assignment is called in Canvas or Moodle, such as 'Week 1 (88)'."
Out = Annotated[Path, Argument(help="The results folder of `kata grade-class`.", metavar="OUT")]
LearnerName = Annotated[str, Argument(help="The learner's id, login, email or name.", metavar="LEARNER")]
Force = Annotated[bool, Option("--force", help="Overwrite what is there.")]


@teachers_command()
def grade(
    path: Annotated[Path, Argument(help="A folder, zip, notebook or file.", metavar="PATH", exists=True)],
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
    level = level_called(isolation, is_for_grading=True)
    chosen = course_at(course)
    refuse_exposed(level, chosen.root)
    exercises = chosen_exercises(chosen, only, unit)
    from grader.classroom.results import final_record, without_time
    from grader.render.terminal import print_record
    from grader.service.client import judge_for

    submission = read_submission(path, chosen)
    judge = judge_for(chosen, level, chosen.seed_for(seed), exercises)
    records: list[Record] = []
    with closing(judge), progress("Grading", len(exercises) or len(chosen.exercises)) as advance:
        judge.grade([submission], records.append, advance)
    record = final_record(records[0], chosen)
    for remark in without_time([record.submission], chosen):
        say(remark)
    if html is not None:
        from grader.render.pages import render_record

        write_output(html, render_record(record, titles=chosen.titles, units=chosen.headings).encode("utf-8"))
    if json == Path("-"):
        print(record.to_json())
    else:
        if json is not None:
            write_output(json, f"{record.to_json()}\n".encode())
        print_record(record, console(), titles=chosen.titles, units=chosen.headings, verbose=verbose)
    if not record.complete:
        fault = "Some exercises could not be graded: that is the grader's fault, not the learner's."
        raise KataError(fault, EXIT_CANNOT_ISOLATE)


@teachers_command("grade-class")
def grade_class(
    folder: Annotated[Path, Argument(help=FOLDER, metavar="DIR", exists=True)],
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
    """Grade a class.

    Into OUT/class.db, and one record a line into OUT/results.jsonl.
    """
    _refuse_contradictions(folder, resume, anew)
    level = level_called(isolation, is_for_grading=True)
    judges = _judges(level, jobs, scheduler)  # torch loads while course and class are read
    from grader.classroom.grade import ClassOptions, grade_class
    from grader.classroom.platforms import TITLES
    from grader.classroom.store import DATABASE

    if names is not None:
        demand_one_of("platform", names, TITLES)
    chosen = course_of_class(out, course) if resume and (out / DATABASE).exists() else course_at(course)
    refuse_exposed(level, chosen.root, folder, out)
    options = ClassOptions(
        level=level,
        say=say,
        progress=partial(progress, "Grading"),
        judges=judges,
        resume=resume,
        anew=anew,
        roster=roster,
        platform=cast("Platform | None", names),
        matches=match,
        only=chosen_exercises(chosen, only, unit),
        seed=None if seed is None else chosen.seed_for(seed),
        pages=html,
    )
    _show_class(*grade_class(folder, out, chosen, options), out)


def _refuse_contradictions(folder: Path, resume: bool, anew: bool) -> None:
    if resume and anew:
        raise KataError("--resume goes on with the class in OUT, --anew begins again: give one of them.")
    if folder.is_file():
        raise KataError(
            f"{folder} is no folder. Unpack a class's zip, and give the folder; one learner's file: kata grade PATH"
        )


def _judges(level: Level, jobs: int, scheduler: str | None) -> Callable[[Run], Pool]:
    """What starts the judges of a run: on this machine, where torch begins to load at once, or on a cluster."""
    if scheduler is not None:
        from grader.classroom.cluster import ClusterJudges

        return partial(ClusterJudges, scheduler)
    from grader.classroom.judging import Judges, start_ahead

    start_ahead(level)
    return partial(Judges, jobs)


def _show_class(summary: ClassSummary, faults: Sequence[str], out: Path) -> None:
    """Print the class, and where its records and its page are. faults: the learners at whom the grader failed."""
    from grader.classroom.results import CLASS_PAGE
    from grader.classroom.store import RESULTS
    from grader.classroom.unmatched import UNMATCHED
    from grader.render.class_table import print_class

    has_page = (out / CLASS_PAGE).exists()
    print_class(summary, console(), rest=str(out / (CLASS_PAGE if has_page else RESULTS)))
    print(f"Records: {out / RESULTS}")
    if has_page:
        print(f"Page: {out / CLASS_PAGE}")
    if faults:
        fault = f"Not graded in full, by the grader's own fault: {', '.join(faults)}."
        raise KataError(fault, EXIT_CANNOT_ISOLATE)
    if summary.unmatched:
        advice = f"fill the column learner of {out / UNMATCHED}, and grade again with --resume"
        raise KataError(f"Nobody knows whose some submissions are: {advice}.", EXIT_BAD_INPUT)


# --- a graded class ---------------------------------------------------------------------------------------------------


@teachers_command()
def explain(
    out: Out,
    learner: LearnerName,
    exercises: Annotated[
        list[str] | None, Argument(help="Only these exercises; all with lost points by default.", metavar="[ID ...]")
    ] = None,
    course: CourseFile = None,
) -> None:
    """Show where a learner lost points, and why.

    The checks run again with the same inputs. Not for learners.
    """
    chosen = course_of_class(out, course)
    refuse_exposed("full", chosen.root)
    from grader.classroom.after_grading import explain as explained
    from grader.render.terminal import print_verdict

    for part in explained(out, learner, exercises or (), chosen):
        if isinstance(part, str):
            print(encodable(part, sys.stdout.encoding or "utf-8"))
        else:
            print_verdict(part, console())


@teachers_command()
def diff(
    out: Out,
    other: Annotated[Path | None, Argument(help=EARLIER, metavar="[OTHER]")] = None,
    course: CourseFile = None,
) -> None:
    """Compare two gradings of a class.

    Whose points differ, and why; nothing is graded.
    """
    from grader.classroom.after_grading import compared

    chosen = [course_of_class(each, course) for each in (out, other) if each]
    for line in compared(out, other, chosen[-1]):
        print(line)


@teachers_command()
def override(
    out: Out,
    learner: LearnerName,
    exercise: Annotated[str, Argument(help=ID_HELP, metavar="EXERCISE")],
    points: Annotated[str, Argument(help=COUNTED, metavar="POINTS")],
    reason: Annotated[str, Option(help=REASON, metavar="TEXT")],
    course: CourseFile = None,
) -> None:
    """Set a learner's points by hand, with the reason.

    For one exercise; they are kept when a run goes on.
    """
    from grader.classroom.after_grading import override_points

    done, *remarks = override_points(out, learner, exercise, points, reason, course_of_class(out, course))
    for remark in remarks:
        say(remark)
    print(done)


@teachers_command()
def export(
    out: Annotated[Path, Argument(help=RESULTS, metavar="OUT")],
    format: Annotated[str, Option(help=NAMES, metavar="FORMAT")],
    to: Annotated[Path | None, Option(help=PLACE)] = None,
    by: Annotated[str, Option(help=ROWS, metavar="WHAT")] = "learner",
    unit: Units = None,
    column: Annotated[str, Option(help=COLUMN)] = "",
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Write marks and feedback for other programs.

    For spreadsheets, gradebooks, CI, and as pages for learners.
    """
    from grader.formats.export import FORMATS, warnings, write_export
    from grader.formats.results_table import BY, ExportOptions, results_table

    demand_one_of("format", format, (*FORMATS, GRADEBOOK))
    if by not in BY:
        raise KataError(f"There is nothing called {by!r} to export by: take {', '.join(BY)}.")
    if column and (format not in ONE_COLUMN or by != "learner"):
        raise KataError(f"--column names one column of a gradebook: --format {' or '.join(ONE_COLUMN)}, without --by.")
    chosen = course_at(course) if out.is_file() else course_of_class(out, course)
    units = units_called(chosen, unit)
    with results_table(out, ExportOptions(chosen, by, units, column.strip(), say)) as table:
        if format == GRADEBOOK:
            print(_fill_gradebook(table, to, force))
        elif written := write_export(table, format, to, force=force):
            print(written)
        for sentence in warnings(table):
            say(sentence)


def _fill_gradebook(table: ResultsTable, to: Path | None, force: bool) -> str:
    if to is None:
        raise KataError("Say which gradebook: --to DIR, the course folder that `kata notebooks` made.")
    from grader.notebooks.gradebook import gradebook_at, write_gradebook

    return write_gradebook(table, gradebook_at(to), force=force)


@teachers_command()
def forget(out: Out, learner: LearnerName, course: CourseFile = None) -> None:
    """Remove one learner from a graded class.

    Their records, sources and pages.
    """
    from grader.classroom.after_grading import forget_learner

    for line in forget_learner(out, learner, course_of_class(out, course)):
        print(visible(line))
