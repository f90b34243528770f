"""`kata feedback`: every learner's page in one zip, and Moodle's grading worksheet with grades and comments."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.intake.names import first_few

from .app import TEACH, app
from .expected import demand_results
from .exporting import Force, export_errors_told, refuse_torn
from .grading import page_of
from .terms import CourseFile, Units, course_at, tell_units, titles_of, units_called

if TYPE_CHECKING:
    from grader.formats.graded import Graded


@app.command(rich_help_panel=TEACH)
def feedback(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
    worksheet: Annotated[
        Path | None,
        typer.Option(
            "--worksheet",
            help="Moodle's grading worksheet of the assignment: it is filled in, and pages get the names that Moodle "
            "expects.",
            metavar="FILE",
        ),
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", help="The folder to write into; OUT by default.")] = None,
    unit: Units = None,
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Write feedback for a whole class: a zip of pages, and for Moodle the worksheet with grades and comments."""
    from grader.formats.export import write_bytes
    from grader.formats.feedback import (
        WORKSHEET,
        ZIP,
        each_of,
        filled,
        given_to,
        is_in_proportion,
        place_for,
        read_worksheet,
        zip_of,
    )
    from grader.formats.graded import Graded
    from grader.formats.part import Part

    demand_results(out, "kata feedback {}")
    chosen = course_at(course)
    units = units_called(chosen, unit)
    tell_units(chosen, units)
    folder = to or out
    with export_errors_told():
        graded = Graded(out, Part.of(units) if units else None)
        sheet = read_worksheet(worksheet) if worksheet else None
        participants, torn = _participants(graded, worksheet) if worksheet else (None, [])
        theirs = list(each_of(graded, participants))
        if sheet is not None:
            of = {number: given_to(result, titles_of(chosen)) for result, number in theirs}
            if not sheet.has_comments:
                _say(
                    "The worksheet has no column for comments: turn feedback comments on for the assignment in Moodle."
                )
            if is_in_proportion(sheet, of):
                _say("The assignment is worth something else in Moodle: grades are written in proportion.")
            print(write_bytes(filled(sheet, of).encode("utf-8"), folder / WORKSHEET, force=force))
        pages = ((place_for(result, number), page_of(result.titled, chosen)) for result, number in theirs)
        print(write_bytes(zip_of(pages), folder / ZIP, force=force))
        refuse_torn(torn)


def _participants(graded: Graded, worksheet: Path) -> tuple[dict[str, str], list[str]]:
    """The participant numbers of Moodle's worksheet by names in the results; and sentences about doubtful learners."""
    from grader.formats.roster import people_of, read_roster

    people = people_of(graded.summary.learners, read_roster(worksheet))
    found = {name: person.participant for name, person in people.of.items() if person.participant}
    torn = [
        f"{first_few(list(names))} would all be {name} of the worksheet, so none is."
        for name, names in people.torn.items()
    ]
    known = found.keys() | people.none
    left_out = [each.shown for each in graded.summary.learners if each.name not in known]
    if left_out:
        _say(f"Not in the worksheet, so they get nothing back: {first_few(left_out)}.")
    return found, torn


def _say(sentence: str) -> None:
    from grader.render.safe_text import visible

    print(visible(sentence), file=sys.stderr)
