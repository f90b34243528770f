"""`kata similar`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from grader.intake.names import first_few

from .app import TEACH, app
from .endings import UsageError
from .expected import demand_class
from .terms import CourseFile, Only, console, course_at, refuse_unknown, titles_of

if TYPE_CHECKING:
    from grader.classroom.entries import Entry
    from grader.classroom.likeness import Likeness
    from grader.course import Course


@app.command(rich_help_panel=TEACH)
def similar(
    submissions: Annotated[
        Path,
        typer.Argument(
            help="A folder with one folder, zip, notebook or file a learner, or a zip of such a folder.",
            metavar="SUBMISSIONS",
        ),
    ],
    html: Annotated[Path | None, typer.Option("--html", help="Write the answers side by side as a page.")] = None,
    only: Only = None,
    roster: Annotated[
        Path | None,
        typer.Option("--roster", help="A CSV of the class, as for grade-class.", metavar="FILE"),
    ] = None,
    groups: Annotated[
        Path | None,
        typer.Option("--groups", help="A CSV with columns learner and group: who hands in together.", metavar="FILE"),
    ] = None,
    course: CourseFile = None,
) -> None:
    """Name pairs of learners whose answers are more alike than the exercise explains. It changes no points."""
    chosen = course_at(course)
    refuse_unknown(chosen, only)
    demand_class(submissions)
    try:
        from grader.classroom.likeness import alike, answers_of, known_answers
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed: it comes with the instructor's extra, `make instructor` in the clone."
        ) from None
    wanted = [chosen.exercise(id) for id in only or []] or list(chosen.exercises)
    with _class_in(submissions, chosen, roster, groups) as (entries, of):
        answers = answers_of(chosen, entries, _say)
    found = [
        each
        for exercise in wanted
        for each in alike(exercise.id, answers.get(exercise.id, {}), list(known_answers(chosen, exercise)), of)
    ]
    _tell(found, chosen, len({name for texts in answers.values() for name in texts}))
    if html is not None:
        from grader.classroom.likeness_page import render_likeness
        from grader.writing import write_output

        write_output(html, render_likeness(found, answers, titles_of(chosen)).encode("utf-8"))
        print(f"Page: {html}")


@contextmanager
def _class_in(
    submissions: Path, course: Course, roster: Path | None, groups: Path | None
) -> Iterator[tuple[list[Entry], dict[str, str]]]:
    """The submissions in a folder or a zip, usable inside the context; and each learner's group."""
    from grader.classroom.class_folder import ReadingOptions, class_in
    from grader.classroom.groups import group_of_each, read_groups
    from grader.classroom.members import last_attempts

    rows = read_groups(groups) if groups else []
    with TemporaryDirectory() as room, class_in(submissions, Path(room), course, ReadingOptions(roster)) as members:
        of, unknown = group_of_each(rows, [each.learner for each in members.all])
        if unknown:
            _say(f"In a group, but nobody in this class: {first_few(unknown)}.")
        yield last_attempts(members).entries, of


def _say(sentence: str) -> None:
    from grader.render.safe_text import visible

    print(visible(sentence), file=sys.stderr)


def _tell(found: list[Likeness], course: Course, learners: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from grader.classroom.likeness import by_pair
    from grader.render.safe_text import safe_line

    if not found:
        print(f"No answers of {learners} learners are alike beyond what the exercises explain.")
        return
    table = Table("learners", "exercises", "shared words", title="Alike beyond what the exercises explain")
    for (one, other), pairs in by_pair(found).items():
        ids = ", ".join(each.exercise for each in pairs)
        table.add_row(Text(f"{safe_line(one)}, {safe_line(other)}"), ids, str(sum(each.shared for each in pairs)))
    console().print(table)
    print("This proves nothing and marks nobody: read both answers, and talk with both learners.")
