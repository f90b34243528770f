"""`kata similar`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import UsageError
from .expected import demand_class
from .terms import CourseFile, Only, console, course_at, refuse_unknown, titles_of

if TYPE_CHECKING:
    from grader.classroom.entries import Entry
    from grader.classroom.likeness import Likeness
    from grader.course import Course, Exercise

Answers = dict[str, dict[str, str]]
"""Of each exercise each learner's text."""


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
    course: CourseFile = None,
) -> None:
    """Name pairs of learners whose answers are alike beyond what the exercise explains. It marks nobody."""
    chosen = course_at(course)
    refuse_unknown(chosen, only)
    demand_class(submissions)
    try:
        from grader.classroom.likeness import alike
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed: it comes with the instructor's extra, `make instructor` in the clone."
        ) from None
    wanted = [chosen.exercise(id) for id in only or []] or list(chosen.exercises)
    answers = _answers(submissions, chosen)
    found = [
        each
        for exercise in wanted
        for each in alike(exercise.id, answers.get(exercise.id, {}), list(_known(chosen, exercise)))
    ]
    _tell(found, chosen, len({name for texts in answers.values() for name in texts}))
    if html is not None:
        from grader.classroom.likeness_page import render_likeness
        from grader.writing import write_output

        write_output(html, render_likeness(found, answers, titles_of(chosen)).encode("utf-8"))
        print(f"Page: {html}")


def _answers(submissions: Path, course: Course) -> Answers:
    """What every learner has written; what is still the stub as it was given is nobody's."""
    import sys

    from grader.classroom.entries import OutOfReach, read_entry
    from grader.course.stubs import same_as_stub, stub_of
    from grader.render.safe_text import visible

    stubs = {each.id: stub_of(course, each) for each in course.exercises}
    answers: Answers = {}
    with _entries(submissions, course) as entries:
        for entry in entries:
            try:
                read = read_entry(entry, course)
            except OutOfReach as error:
                print(visible(f"{entry.name}: {error}"), file=sys.stderr)
                continue
            for id, source in read.sources.items():
                if not same_as_stub(source.content, stubs[id]):
                    answers.setdefault(id, {})[entry.name] = source.content.decode("utf-8", "replace")
    return answers


@contextmanager
def _entries(submissions: Path, course: Course) -> Iterator[list[Entry]]:
    """The class in a folder or a zip, for as long as it is read."""
    from grader.classroom import download
    from grader.classroom.download import read_download
    from grader.classroom.members import last_attempts, members
    from grader.intake import SubmissionError, look_into, nothing_in

    if submissions.is_file():
        with TemporaryDirectory() as room, download.laid_out(submissions, Path(room) / "class") as contents:
            listing, folder = download.listing_of(contents, course)
            yield last_attempts(members(read_download(listing, folder, {}).entries)).entries
        return
    listing = look_into(submissions)
    if not listing.submissions:
        raise SubmissionError(nothing_in(submissions, listing.others))
    yield last_attempts(members(read_download(listing, submissions, {}).entries)).entries


def _known(course: Course, exercise: Exercise) -> Iterator[str]:
    """What explains an answer: the stub, the reference, and other right answers."""
    from grader.course.stubs import stub_of

    yield stub_of(course, exercise)
    for path in (course.solution_path(exercise), *course.alternatives(exercise)):
        if path.is_file():
            yield path.read_text(encoding="utf-8")


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
