"""Moodle: the file of grades that it imports, the grading worksheet filled in, and every learner's page in one zip.

Grades (Grades > Import > CSV file; encoding UTF-8, separator comma). Sources: MoodleDocs, "Grade import"
(docs.moodle.org/311/en/Grade_import), and Moodle's own importer, `grade/import/csv/classes/load_data.php` of
moodle/moodle (stored version 0289d8c). They say:

- the header may be called anything; at the import one column is chosen that identifies the learner (ID number,
  username or e-mail address, capitals count) and each other one is mapped to a grade item, or ignored;
- "-" is no grade. An empty field is one for grade items that exist already, and an unusable grade for new ones;
- one unknown learner ends the whole import. A row whose identifier is empty (or "0") goes to the learner of the row
  before. So there is a single identifier here, and never a row without one;
- a grade above 100 ends the import too, unless the site allows more (`unlimitedgrades`). So what is worth more is
  written out of 100, and points beyond that, which extra credit can give, are left out aloud.

Feedback. Sources: mod/assign/feedback/file/importziplib.php (stored version 0203d8f) and
mod/assign/feedback/offline/importgradeslib.php (452e36f). They say:

- in a zip of feedback files ("Upload multiple feedback files in a zip") a folder is called as in the download of the
  submissions, NAME_PARTICIPANT_assignsubmission_file_; the participant's number decides; a wrong one is passed over;
- of a worksheet ("Upload grading worksheet") each row is found by its Identifier; Grade and the columns of feedback
  plugins, such as "Feedback comments", are taken. "Last modified (grade)" has to be there, and no title may change. So
  the titles that came go back, in the language in which Moodle wrote them (grader/csv_file.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from html import escape

from grader.classroom.results import page_name
from grader.classroom.roster import Learner
from grader.csv_file import COMMENTS, GRADE, IDENTIFIER, MAXIMUM, Table, table_in
from grader.errors import KataError
from grader.files import line_field, number_field
from grader.files import table as as_csv
from grader.record import POINTS_TOLERANCE, Record
from grader.render.pages import render_record
from grader.render.safe_text import safe_line
from grader.render.verdict import ExerciseVerdict, verdicts_on
from grader.render.wording import change, first_few, out_of, ungraded

from .results_table import ResultsTable, TableColumn, demand_different, mark_of, shown_name

MOST_POINTS = 100.0
"""The highest grade that Moodle accepts, unless the site allows more."""

IDENTIFIERS = {"email": "Email address", "id number": "ID number", "username": "Username"}
"""The title of each identifier's column; the first is preferred."""


def lines(table: ResultsTable) -> list[str]:
    """The text of the file. Learners without an identifier are left out, since they would stop the import.

    Raises KataError when nobody has an identifier, or two learners or columns are alike.
    """
    say, most = table.options.say, number_field(MOST_POINTS)
    known = {each.id: _ids(each) for each in table.learners if each.id in table.people}
    if not any(any(ids.values()) for ids in known.values()):
        if table.has_roster:
            raise KataError("Moodle needs an email address, ID number or username of each learner: there is none.")
        say("No roster was given, so the submissions' names stand for Moodle's usernames.")
        known = {each.id: _ids(Learner(each.id, each.id, login=each.id)) for each in table.learners}
    # the identifier that most of these people have, each a different one
    identifier = max(IDENTIFIERS, key=lambda each: len({ids[each] for ids in known.values()} - {""}))
    ids = {name: found[identifier] for name, found in known.items() if found[identifier]}
    if left_out := [each.name for each in table.learners if each.id not in ids]:
        say(f"Left out, since the roster has no {identifier} of theirs: {', '.join(left_out)}.")
    large = {each.title: f"{each.title} (out of {most})" for each in table.columns if each.max_points > MOST_POINTS}
    if large:
        say(f"Moodle's grade items are worth {most}: written out of that: {', '.join(large)}.")
    shown = {} if table.options.column else large
    titles = [shown.get(column.title, column.title) for column in table.columns]
    demand_different(titles, "columns")
    demand_different(list(ids.values()), "learners")
    rows = [["Full name", IDENTIFIERS[identifier], *map(line_field, titles)]]
    above: set[str] = set()
    for row in table.rows():
        if id := ids.get(row.learner.id, ""):
            points = [_points(each, row.record) for each in table.columns]
            above |= {id for each in points if each is not None and each > MOST_POINTS}
            marks = ["-" if each is None else number_field(min(each, MOST_POINTS)) for each in points]
            rows.append([line_field(shown_name(row.learner)), id, *marks])
    if above:
        gone = ", ".join(sorted(above))
        say(f"Moodle takes no more than {most}, so what extra credit gave beyond that is left out: {gone}.")
    return [as_csv(rows)]


def _ids(person: Learner) -> dict[str, str]:
    """Each identifier of a person, "" for those that Moodle would take for none."""
    fields = map(line_field, (person.email, person.sis_id or person.own_id, person.login))
    return {each: "" if id == "0" else id for each, id in zip(IDENTIFIERS, fields, strict=True)}


def _points(column: TableColumn, record: Record) -> float | None:
    points = column.points(record)
    is_large = column.max_points > MOST_POINTS
    return points / column.max_points * MOST_POINTS if points and is_large else points


COMMENT_LINES = 3
"""The most lines of a check's message in a comment; the page has them all."""


def pages(table: ResultsTable) -> Iterator[tuple[str, bytes]]:
    """Each learner's page with its path in the zip: by the id, or where the roster is Moodle's worksheet, as Moodle's.

    Tells whom that worksheet lacks.
    """
    numbers = {id: person.participant for id, person in table.people.items() if person.participant}
    left_out = [each.name for each in table.learners if each.id not in numbers]
    if numbers and left_out:
        table.options.say(f"Not in the worksheet, so they get nothing back: {first_few(left_out)}.")
    for row in table.rows():
        path = page_name(row.learner.id)
        if numbers:
            name = re.sub(r"[^\w .-]+|_", " ", row.learner.name).strip() or "participant"
            path = f"{name}_{numbers.get(row.learner.id)}_assignsubmission_file_/feedback.html"
        if not numbers or row.learner.id in numbers:
            page = render_record(row.titled, titles=table.titles, units=table.options.course.headings)
            yield path, page.encode("utf-8")


def worksheet(table: ResultsTable) -> list[str]:
    """The roster, which is the worksheet, with a grade and a comment for each participant; all else as it was.

    A grade is in proportion where the assignment has another maximum in Moodle.
    Raises KataError without a worksheet, or if the assignment is not graded in points in Moodle.
    """
    say, roster = table.options.say, roster_of(table.everyone)
    if roster is None:
        raise KataError("Grade with --roster FILE, the assignment's grading worksheet of Moodle: it is filled in here.")
    sheet, ids = roster
    identifier, grade, maximum, comments = (sheet.place(each) for each in (IDENTIFIER, GRADE, MAXIMUM, COMMENTS))
    if identifier is None or grade is None:
        raise KataError("The roster has no columns Identifier and Grade, as the grading worksheet of Moodle has them.")
    records = {row.learner.id: row.record for row in table.rows()}
    rows: list[tuple[int, tuple[str, ...]]] = []
    is_scaled = False
    for id, (number, row) in zip(ids, sheet.rows, strict=True):
        cells = list(row)
        if record := records.get(id):
            points, most = mark_of(record), record.counted_max_points
            worth = _worth(cells[maximum].strip() if maximum is not None else "") or most
            is_scaled |= abs(worth - most) > POINTS_TOLERANCE
            if points is not None:
                cells[grade] = number_field(points * worth / (most or 1))
            if comments is not None:
                cells[comments] = "".join(f"<p>{escape(line)}</p>" for line in _comment(record, table))
        rows.append((number, tuple(cells)))
    if comments is None:
        say("The worksheet has no column for comments: turn feedback comments on for the assignment in Moodle.")
    if is_scaled:
        say("The assignment is worth something else in Moodle: grades are written in proportion.")
    return [replace(sheet, rows=tuple(rows)).text()]


def roster_of(learners: Iterable[Learner]) -> tuple[Table, tuple[str, ...]] | None:
    """The roster with which a class was graded, and the id of the learner in each row; None if there was none."""
    sheets = {each.id: table_in(each.roster_row.encode(), "the roster") for each in learners if each.roster_row}
    if not sheets:
        return None
    first = next(iter(sheets.values()))
    rows = {id: sheet.rows[0] for id, sheet in sheets.items() if sheet.titles == first.titles}
    # as a whole again: the columns of Moodle's worksheet are found by what they hold
    return table_in(replace(first, rows=tuple(rows.values())).text().encode(), first.name), tuple(rows)


def _comment(record: Record, table: ResultsTable) -> Iterator[str]:
    """The total, what the policy changed, and where points were lost."""
    total = out_of(record.counted_points, record.counted_max_points)
    yield total if record.complete else ungraded(record)
    yield from (f"{safe_line(each.reason)} ({change(each)})" for each in record.adjustments or ())
    for each, verdict in zip(record.exercises, verdicts_on(record, table.titles), strict=True):
        if not each.uncounted and each.points < each.max_points:
            yield f"{verdict.title}: {verdict.score}. {_why(verdict)}"


def _why(verdict: ExerciseVerdict) -> str:
    """Why points are missing, on one line: the mistake that was named, else what the first failed check says."""
    why = [verdict.note, *(f"Probably: {each}" for each in verdict.probably)]
    why += [each.message or f"This does not hold yet: {each.checks[0].title}" for each in verdict.failures]
    lines = next(filter(None, [*why, verdict.remark]), "").splitlines()[:COMMENT_LINES]
    return " ".join(" ".join(lines).split())


def _worth(maximum: str) -> float:
    """What the assignment is worth in Moodle; 0 where the worksheet does not say."""
    with suppress(ValueError):
        worth = float(maximum.replace(",", ".") or 0.0)
        if worth > 0 or not maximum:
            return worth
    raise KataError(f"The worksheet's maximum grade is {maximum!r}: set the assignment's grade to points in Moodle.")
