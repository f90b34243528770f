"""Feedback for a whole class at once: where every learner's page goes, and Moodle's grading worksheet filled in.

Sources: Moodle's own importers, mod/assign/feedback/file/importziplib.php (stored version 0203d8f of moodle/moodle) and
mod/assign/feedback/offline/importgradeslib.php (452e36f). They say:

- in a zip of feedback files ("Upload multiple feedback files in a zip") a folder is called as in the download of the
  submissions, NAME_PARTICIPANT_assignsubmission_file_; the number of the participant decides, and a wrong one is
  passed over;
- of a worksheet ("Upload grading worksheet") each row is found by its Identifier; Grade and the columns of feedback
  plugins, such as "Feedback comments", are taken. "Last modified (grade)" has to be there, and no title may change. So
  the titles that came go back, in the language in which Moodle wrote them (grader/classroom/moodle_worksheet.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from grader.classroom.csv_file import Table, lacking, read_table
from grader.classroom.moodle_worksheet import COMMENTS, GRADE, IDENTIFIER, MAXIMUM
from grader.classroom.page_names import page_name
from grader.classroom.roster import participant_in
from grader.csv_writing import number_field
from grader.errors import KataError
from grader.intake.names import first_few
from grader.record import POINTS_TOLERANCE, Record
from grader.render.record_page import render_record
from grader.render.safe_text import safe_line
from grader.render.verdict import verdict_on
from grader.render.wording import MARKS, change, score, ungraded
from grader.zip_writing import zip_of

from .export import torn, write_new
from .people import read_people
from .results_table import ExportOptions, ResultsTable, mark_of

PAGE = "feedback.html"
ZIP = "feedback.zip"
WORKSHEET = "moodle-worksheet.csv"

_EXAMPLE = (
    "Identifier,Full name,Email address,Grade,Maximum grade,Feedback comments",
    "Participant 9001,Ada Byron,ada@uni.example,,100,",
)


@dataclass(frozen=True)
class Feedback:
    """One learner's grade: points, maximum and comment; points are None where there is no grade."""

    points: float | None
    max_points: float
    comment: str


def write_feedback(
    out: Path, worksheet: Path | None, to: Path | None, options: ExportOptions, *, force: bool = False
) -> tuple[list[Path], str]:
    """Write a zip of every learner's page, and the worksheet if there is one, beside the results or into a folder.

    worksheet: Moodle's, to be filled in; then the pages get the names that Moodle expects.

    Returns the paths, and a sentence on learners whom the worksheet takes for one and the same; "" if there are none.
    Raises KataError when a file cannot be read or written.
    """
    sheet = read_worksheet(worksheet) if worksheet else None
    people = read_people(worksheet) if worksheet else None
    table = ResultsTable(out, replace(options, roster=people))
    folder, written = to or out, []
    participants = {name: person.participant for name, person in table.people.of.items() if person.participant}
    if sheet:
        known = participants.keys() | table.people.none
        if left_out := [each.shown for each in table.learners if each.name not in known]:
            options.say(f"Not in the worksheet, so they get nothing back: {first_few(left_out)}.")
        numbered = ((participants.get(row.learner.name), row.record) for row in table.rows())
        of = {number: feedback_on(record, options.titles) for number, record in numbered if number}
        written.append(write_new(folder / WORKSHEET, filled(sheet, of, options.say).encode("utf-8"), force=force))
    written.append(write_new(folder / ZIP, zip_of(_pages(table, participants if sheet else None)), force=force))
    return written, torn(table)


def _pages(table: ResultsTable, participants: Mapping[str, str] | None) -> Iterator[tuple[str, bytes]]:
    """Each learner's page and its path: by the id, or where Moodle looks for this participant's."""
    units = table.options.course.headings if table.options.course else []
    for row in table.rows():
        path = page_name(row.learner.name)
        if participants is not None:
            name = re.sub(r"[^\w .-]+|_", " ", row.learner.shown).strip() or "participant"
            path = f"{name}_{participants.get(row.learner.name)}_assignsubmission_file_/{PAGE}"
        if participants is None or row.learner.name in participants:
            yield path, render_record(row.titled, titles=table.options.titles, units=units).encode("utf-8")


def feedback_on(record: Record, titles: Mapping[str, str]) -> Feedback:
    """The grade, with a few lines of HTML: the total, what the policy changed, and where points were lost."""
    lines = [ungraded(record)]
    if record.complete:
        lines = [f"{score(record.counted_points)} / {score(record.counted_max_points)}"]
    lines += [f"{safe_line(each.reason)} ({change(each)})" for each in record.adjustments or ()]
    for each in record.exercises:
        if not each.uncounted and each.points < each.max_points:
            verdict = verdict_on(each, title=titles.get(each.id, ""))
            missed = "; ".join(check.title for failure in verdict.failures for check in failure.checks)
            why = missed if verdict.status == "failed" else MARKS[verdict.status].word
            lines.append(f"{verdict.title}: {verdict.score}. {why}")
    comment = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return Feedback(mark_of(record), record.counted_max_points, comment)


def read_worksheet(path: Path) -> Table:
    """Read a worksheet. Raises KataError when it cannot be read, or is none."""
    sheet = read_table(path)
    if None in (sheet.place(IDENTIFIER), sheet.place(GRADE)):
        wanted = "columns Identifier and Grade, as Moodle's grading worksheet has"
        raise KataError(lacking(sheet, wanted, *_EXAMPLE))
    return sheet


def filled(sheet: Table, of: Mapping[str, Feedback], say: Callable[[str], None] = print) -> str:
    """The worksheet's text with a grade and a comment for each of these participants; everything else unchanged.

    A grade is scaled if the assignment has another maximum in Moodle. say: receives a sentence for the user.

    Raises KataError if the assignment is not graded in points there.
    """
    identifier, grade, maximum, comments = (sheet.place(each) for each in (IDENTIFIER, GRADE, MAXIMUM, COMMENTS))
    rows: list[tuple[int, tuple[str, ...]]] = []
    is_scaled = False
    for number, row in sheet.rows:
        cells = list(row)
        if feedback := of.get(participant_in(cells[identifier or 0].strip())):
            worth = _worth(cells[maximum].strip() if maximum is not None else "") or feedback.max_points
            is_scaled |= abs(worth - feedback.max_points) > POINTS_TOLERANCE
            if feedback.points is not None and grade is not None:
                cells[grade] = number_field(feedback.points * worth / (feedback.max_points or 1))
            if comments is not None:
                cells[comments] = feedback.comment
        rows.append((number, tuple(cells)))
    if comments is None:
        say("The worksheet has no column for comments: turn feedback comments on for the assignment in Moodle.")
    if is_scaled:
        say("The assignment is worth something else in Moodle: grades are written in proportion.")
    return replace(sheet, rows=tuple(rows)).text()


def _worth(maximum: str) -> float:
    """What the assignment is worth in Moodle; 0 where the worksheet does not say."""
    try:
        worth = float(maximum.replace(",", ".") or 0.0)
    except ValueError:
        worth = -1.0
    if worth < 0 or (maximum and not worth):
        raise KataError(
            f"In the worksheet the maximum grade is {maximum!r}: set the assignment's grade to points in Moodle."
        )
    return worth
