"""`kata grade` and `kata grade-class`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import app
from .endings import EXIT_CANNOT_ISOLATE, stop
from .terms import (
    CourseFile,
    Isolation,
    Only,
    Seed,
    console,
    course_at,
    ending,
    launched_at,
    level_called,
    progress,
    refuse_unknown,
    seed_or_fresh,
    titles_of,
    units_of,
)

if TYPE_CHECKING:
    from grader.course import Course
    from grader.results import Record


@app.command()
def grade(
    path: Annotated[Path, typer.Argument(help="A folder, zip, notebook or file.", metavar="PATH")],
    only: Only = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the record here; - for standard output.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the report here as a page.")] = None,
    isolation: Isolation = "full",
    seed: Seed = None,
    course: CourseFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show passed checks too.")] = False,
) -> None:
    """Grade one submission."""
    level = level_called(isolation, chosen_aloud=True)
    launched = launched_at(level)
    chosen = course_at(course, path)
    refuse_unknown(chosen, only)
    from grader.submission import read_submission

    submission = read_submission(path, chosen)
    from grader.judge.grading import Judge

    judge = Judge(chosen, level, seed_or_fresh(seed), only or (), launched)
    records: list[Record] = []
    with ending(judge.close), progress("Grading", len(judge.kits)) as advance:
        judge.grade([submission], records.append, advance)
    record = records[0]
    _write_outputs(record, chosen, json, html)
    if json != Path("-"):
        from grader.reports.terminal import print_record

        print_record(record, console(), titles=titles_of(chosen), units=units_of(chosen), verbose=verbose)
    if not record.complete:
        stop(
            "Some exercises could not be graded: that is the grader's fault, not the learner's.",
            EXIT_CANNOT_ISOLATE,
        )


@app.command("grade-class")
def grade_class(
    folder: Annotated[
        Path, typer.Argument(help="A folder with one folder, zip, notebook or file a learner.", metavar="DIR")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for results.jsonl.")],
    jobs: Annotated[int, typer.Option("--jobs", help="How many judges work side by side.", min=1)] = os.cpu_count()
    or 1,
    only: Only = None,
    html: Annotated[bool, typer.Option("--html", help="Write a class page and a page for each learner too.")] = False,
    isolation: Isolation = "full",
    seed: Seed = None,
    course: CourseFile = None,
) -> None:
    """Grade a class: one record a line in OUT/results.jsonl."""
    from grader.classroom import Terms, entries
    from grader.classroom import grade_class as grade_all
    from grader.submission import find_submissions

    chosen = course_at(course, folder)
    level = level_called(isolation, chosen_aloud=True)
    refuse_unknown(chosen, only)
    found = entries(find_submissions(folder))
    terms = Terms(chosen.root / "course.yml", level, seed_or_fresh(seed), tuple(only or ()))
    records: list[Record] = []
    results = out / "results.jsonl"
    with progress("Grading", len(found)) as advance:
        for record in grade_all(found, terms, jobs):
            if not records:  # not before: when nothing can be graded, older results stay as they are
                _make_room(results)
            with results.open("a", encoding="utf-8") as lines:
                lines.write(record.to_json() + "\n")
            records.append(record)
            advance(record.submission)
    _show_class(records, chosen, out, results, html)
    if not all(record.complete for record in records):
        names = ", ".join(record.submission for record in records if not record.complete)
        stop(f"Not graded in full, by the grader's own fault: {names}.", EXIT_CANNOT_ISOLATE)


def _make_room(results: Path) -> None:
    """Make the folder for the results; older ones are kept beside the new."""
    results.parent.mkdir(parents=True, exist_ok=True)
    if results.exists():
        results.replace(results.with_name("results.previous.jsonl"))


def _write_outputs(record: Record, course: Course, json: Path | None, html: Path | None) -> None:
    if json == Path("-"):
        print(record.to_json())
    elif json is not None:
        json.write_text(record.to_json() + "\n", encoding="utf-8")
    if html is not None:
        from grader.reports.html import render_record

        html.write_text(render_record(record, titles=titles_of(course), units=units_of(course)), encoding="utf-8")


def _show_class(records: Sequence[Record], course: Course, out: Path, results: Path, html: bool) -> None:
    from grader.reports.class_table import print_class, render_class
    from grader.reports.html import render_record

    print_class(records, console(), titles=titles_of(course))
    print(f"Records: {results}")
    if not html:
        return
    links = {}
    for number, record in enumerate(records, start=1):
        # not the learner's own name: what is legal in a name is not in every file system
        links[record.submission] = f"learner-{number:04d}.html"
        page = render_record(record, titles=titles_of(course), units=units_of(course))
        (out / links[record.submission]).write_text(page, encoding="utf-8")
    class_page = out / "class.html"
    class_page.write_text(
        render_class(records, titles=titles_of(course), units=units_of(course), links=links), encoding="utf-8"
    )
    print(f"Page: {class_page}")
