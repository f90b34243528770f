"""Feedback for a whole class at once: a zip of every learner's page, and Moodle's grading worksheet filled in.

Sources: Moodle's own importers, mod/assign/feedback/file/importziplib.php (stored version 0203d8f of moodle/moodle) and
mod/assign/feedback/offline/importgradeslib.php (452e36f). They say:

- in a zip of feedback files ("Upload multiple feedback files in a zip") a folder is called as in the download of the
  submissions, NAME_PARTICIPANT_assignsubmission_file_; the number of the participant decides, and a wrong one is
  passed over;
- of a worksheet ("Upload grading worksheet") each row is found by its Identifier; Grade and the columns of feedback
  plugins, such as "Feedback comments", are taken. "Last modified (grade)" has to be there, and no title may change. So
  the titles that came go back, in the language in which Moodle wrote them (grader/classroom/worksheet_titles.py).
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Annotated, ClassVar

from grader.classroom.csv_file import Column, CsvRow, Table, lacking, read_table, rows_of
from grader.classroom.page_names import page_name
from grader.classroom.results_file import Result
from grader.classroom.roster import participant_in
from grader.classroom.worksheet_titles import COMMENTS, GRADE, IDENTIFIER, KNOWN_LANGUAGES, MAXIMUM
from grader.record import POINTS_TOLERANCE, ExerciseResult, Record
from grader.render.csv_text import number_field
from grader.render.safe_text import safe_line
from grader.render.wording import MARKS, change, findings, score, ungraded

from .marks import ExportError, mark

PAGE = "feedback.html"
ZIP = "feedback.zip"
WORKSHEET = "moodle-worksheet.csv"
_NEVER = (1980, 1, 1, 0, 0, 0)
"""The fixed time of every file in a zip, so that equal pages make equal zips."""


class WorksheetRow(CsvRow):
    """What a row of Moodle's grading worksheet says of a grade."""

    wanted: ClassVar[str] = f"columns Identifier and Grade, as Moodle's grading worksheet has in {KNOWN_LANGUAGES}"
    example: ClassVar[tuple[str, ...]] = (
        "Identifier,Full name,Email address,Grade,Maximum grade,Feedback comments",
        "Participant 9001,Ada Byron,ada@uni.example,,100,",
    )

    identifier: Annotated[str, Column((IDENTIFIER,), is_needed=True)] = ""
    grade: Annotated[str, Column((GRADE,), is_needed=True)] = ""
    maximum: Annotated[str, Column((MAXIMUM,))] = ""

    @property
    def participant(self) -> str:
        """The participant's number, if there is one."""
        return participant_in(self.identifier)

    def worth(self, given: Given) -> float:
        """What the assignment is worth in Moodle: as here, where the worksheet does not say."""
        if not self.maximum:
            return given.max_points
        try:
            worth = float(self.maximum.replace(",", "."))
        except ValueError:
            worth = 0.0
        if worth <= 0:
            raise ExportError(
                f"In the worksheet the maximum grade is {self.maximum!r}: set the assignment's grade to points in "
                "Moodle."
            )
        return worth


@dataclass(frozen=True)
class Worksheet:
    """Moodle's grading worksheet: the table as it came, and what each row of it says."""

    table: Table
    said: tuple[WorksheetRow, ...]

    @property
    def has_comments(self) -> bool:
        """Whether it has a column for comments."""
        return self.table.place(COMMENTS) is not None


def read_worksheet(path: Path) -> Worksheet:
    """Read a worksheet. Raises ExportError when it cannot be read, or is none."""
    table = read_table(path, ExportError)
    if not WorksheetRow.suffice(table.columns):
        raise ExportError(lacking(table, WorksheetRow.wanted, *WorksheetRow.example))
    return Worksheet(table, tuple(row for _, row in rows_of(table, WorksheetRow, ExportError)))


@dataclass(frozen=True)
class Given:
    """One learner's grade: points, maximum and comment; points are None where there is no grade."""

    points: float | None
    max_points: float
    comment: str


def filled(worksheet: Worksheet, of: Mapping[str, Given]) -> str:
    """The worksheet's text with a grade and a comment for each of these participants; everything else unchanged.

    A grade is scaled if the assignment has another maximum in Moodle.

    Raises ExportError if the assignment is not graded in points there.
    """
    table = worksheet.table
    rows = (
        (number, _filled_row(table, cells, row, given) if (given := of.get(row.participant)) else cells)
        for (number, cells), row in zip(table.rows, worksheet.said, strict=True)
    )
    return replace(table, rows=tuple(rows)).text()


def _filled_row(table: Table, cells: Sequence[str], row: WorksheetRow, given: Given) -> tuple[str, ...]:
    filled = list(cells)
    grade, comments = table.place(GRADE), table.place(COMMENTS)
    if given.points is not None and grade is not None:
        filled[grade] = number_field(given.points * row.worth(given) / (given.max_points or 1))
    if comments is not None:
        filled[comments] = given.comment
    return tuple(filled)


def is_in_proportion(worksheet: Worksheet, of: Mapping[str, Given]) -> bool:
    """Whether any grade of these is out of something else in Moodle."""
    known = [(row, given) for row in worksheet.said if (given := of.get(row.participant))]
    return any(abs(row.worth(given) - given.max_points) > POINTS_TOLERANCE for row, given in known)


def given_to(result: Result, titles: Mapping[str, str]) -> Given:
    """The grade of one learner."""
    record = result.record
    return Given(mark(record), record.counted_max_points, comment_on(record, titles))


def comment_on(record: Record, titles: Mapping[str, str]) -> str:
    """A few lines of HTML: the total, what the policy changed, and where points were lost."""
    lines = [f"{score(record.counted_points)} / {score(record.counted_max_points)}"] if record.complete else []
    lines += [] if record.complete else [ungraded(record)]
    lines += [f"{safe_line(each.reason)} ({change(each)})" for each in record.adjustments or ()]
    lines += [_told(each, titles) for each in record.exercises if not each.uncounted and each.points < each.max_points]
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _told(exercise: ExerciseResult, titles: Mapping[str, str]) -> str:
    title = safe_line(titles.get(exercise.id, exercise.id))
    missed = [safe_line(check.title) for finding in findings(exercise) for check in finding.checks]
    why = "; ".join(missed) if exercise.status == "failed" else MARKS[exercise.status].word
    return f"{title}: {score(exercise.points)} / {score(exercise.max_points)}. {why}"


def place_for(result: Result, participant: str) -> str:
    """The path of a learner's page in the zip: by the id, or where Moodle looks for this participant's."""
    if not participant:
        return page_name(result.learner.name)
    name = re.sub(r"[^\w .-]+|_", " ", result.learner.shown).strip() or "participant"
    return f"{name}_{participant}_assignsubmission_file_/{PAGE}"


def zip_of(pages: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of pages; equal pages give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in pages:
            info = zipfile.ZipInfo(name, _NEVER)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return packed.getvalue()


def each_of(results: Iterable[Result], participants: Mapping[str, str] | None) -> Iterator[tuple[Result, str]]:
    """The learners who get feedback, with their participant numbers in Moodle; without a worksheet, all learners."""
    for result in results:
        if participants is None:
            yield result, ""
        elif result.learner.name in participants:
            yield result, participants[result.learner.name]
