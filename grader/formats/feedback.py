"""Feedback for a whole class at once: a zip of every learner's page, and Moodle's grading worksheet filled in.

Sources: Moodle's own importers, mod/assign/feedback/file/importziplib.php (stored version 0203d8f of moodle/moodle) and
mod/assign/feedback/offline/importgradeslib.php (452e36f). They say:

- in a zip of feedback files ("Upload multiple feedback files in a zip") a folder is called as in the download of the
  submissions, NAME_PARTICIPANT_assignsubmission_file_; the number of the participant decides, and a wrong one is
  passed over;
- of a worksheet ("Upload grading worksheet") each row is found by its Identifier; Grade and the columns of feedback
  plugins, such as "Feedback comments", are taken. "Last modified (grade)" has to be there, and no title may change.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from grader.classroom.page_names import page_name
from grader.classroom.results_file import Result
from grader.classroom.roster import PARTICIPANTS, first_of, lacking, letters, participant_in, text_of
from grader.record import ExerciseResult, Record
from grader.render.csv_text import number_field
from grader.render.safe_text import safe_line
from grader.render.wording import MARKS, change, findings, score, ungraded

from .marks import ExportError, mark

PAGE = "feedback.html"
ZIP = "feedback.zip"
WORKSHEET = "moodle-worksheet.csv"
_GRADE, _MAXIMUM, _COMMENTS = ("grade",), ("maximumgrade",), ("feedbackcomments",)
_EXAMPLE = (
    "Identifier,Full name,Email address,Grade,Maximum grade,Feedback comments",
    "Participant 9001,Ada Byron,ada@uni.example,,100,",
)
LEAST = 1e-6
"""Points that differ by less are equal."""
_NEVER = (1980, 1, 1, 0, 0, 0)
"""The fixed time of every file in a zip, so that equal pages make equal zips."""


@dataclass(frozen=True)
class Worksheet:
    """Moodle's grading worksheet: its titles, its unchanged rows, and the indices of the columns used."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    participant: int
    grade: int
    maximum: int | None
    comments: int | None


def read_worksheet(path: Path) -> Worksheet:
    """Read a worksheet. Raises ExportError when it cannot be read or is no worksheet."""
    lines = list(csv.reader(io.StringIO(text_of(path, ExportError), newline="")))
    titles = lines[0] if lines else []
    columns = [letters(title) for title in titles]
    participant, grade = first_of(PARTICIPANTS, columns), first_of(_GRADE, columns)
    if participant is None or grade is None:
        raise ExportError(lacking(path, "columns Identifier and Grade, as Moodle's grading worksheet has", *_EXAMPLE))
    rows = [[*line, *[""] * (len(titles) - len(line))] for line in lines[1:] if any(line)]
    return Worksheet(titles, rows, participant, grade, first_of(_MAXIMUM, columns), first_of(_COMMENTS, columns))


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
    rows = [list(worksheet.titles), *(_row(worksheet, row, of) for row in worksheet.rows)]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def _row(worksheet: Worksheet, row: Sequence[str], of: Mapping[str, Given]) -> list[str]:
    cells = list(row)
    given = of.get(participant_in(cells[worksheet.participant]))
    if given is None:
        return cells
    if given.points is not None:
        cells[worksheet.grade] = number_field(given.points * _worth(worksheet, cells, given) / (given.max_points or 1))
    if worksheet.comments is not None:
        cells[worksheet.comments] = given.comment
    return cells


def _worth(worksheet: Worksheet, cells: Sequence[str], given: Given) -> float:
    """The assignment's maximum in Moodle; the course's own, if the worksheet does not say."""
    text = cells[worksheet.maximum].strip() if worksheet.maximum is not None else ""
    if not text:
        return given.max_points
    try:
        worth = float(text.replace(",", "."))
    except ValueError:
        worth = 0.0
    if worth <= 0:
        raise ExportError(
            f"In the worksheet the maximum grade is {text!r}: set the assignment's grade to points in Moodle."
        )
    return worth


def is_in_proportion(worksheet: Worksheet, of: Mapping[str, Given]) -> bool:
    """Whether any of these grades is scaled to another maximum in Moodle."""
    known = [
        (cells, given) for cells in worksheet.rows if (given := of.get(participant_in(cells[worksheet.participant])))
    ]
    return any(abs(_worth(worksheet, cells, given) - given.max_points) > 1e-6 for cells, given in known)


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
