"""The gradebook file that Canvas imports (Gradebook > Import).

Sources: Canvas' own importer, `lib/gradebook_importer.rb` of instructure/canvas-lms (stored version 00b222d), and
the guide of Ohio State University, "Import CSV File for Carmen Grades". They ask for:

- the columns Student, ID, SIS User ID, SIS Login ID, Section, in this order, then one for each assignment, called
  "Title (id)". An assignment is found by its id, else by its exact title; an unknown one is created;
- a row "Points Possible" below the header, from which Canvas takes what an assignment is worth;
- a row for each learner, who is found by ID (Canvas' own number), else SIS User ID, else SIS Login ID, else by the
  exact name. Section only has to be there.

An empty field is no score. Where Canvas already has one it proposes to remove it, and shows that before it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from grader.reports.formats.marks import Column, FormatError, Learner, Marks, demand_different
from grader.reports.formats.table import line_field, number_field, table

PlatformId = Literal["ID", "SIS User ID"]
"""Which of Canvas' two numbers a learner's `platform_id` is."""

HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "Points Possible"

_ALSO_FOR_LEARNERS = (*HEADER, "LastName", "FirstName", "Integration ID", "Root Account")
# A column whose title holds one of these is passed over by Canvas without a word.
_PASSED_OVER = tuple(
    f"{which} {what}"
    for which, kinds in {
        "Current": ("Score", "Points", "Grade"),
        "Final": ("Score", "Points", "Grade"),
        "Override": ("Score", "Grade", "Status"),
    }.items()
    for what in kinds
)


def canvas_gradebook(
    learners: Sequence[Learner], columns: Sequence[Column], marks: Marks, *, platform_id: PlatformId = "ID"
) -> str:
    """The text of the file, in the order given.

    Raises FormatError for titles that Canvas would not take, or could not tell apart.
    """
    titles = [_title(column) for column in columns]
    demand_different(titles, "columns")
    rows = [
        [*HEADER, *titles],
        [f"    {POINTS_POSSIBLE}", *[""] * (len(HEADER) - 1), *(number_field(each.max_points) for each in columns)],
    ]
    for learner in learners:
        number = line_field(learner.platform_id)
        ids = [number, ""] if platform_id == "ID" else ["", number]
        points = [number_field(marks.get((learner.id, column.name))) for column in columns]
        login = learner.id if learner.login is None else learner.login
        rows.append([_name(learner), *ids, line_field(login), "", *points])
    return table(rows)


def _name(learner: Learner) -> str:
    # a learner of that name would set what the assignments are worth
    return line_field(learner.id if POINTS_POSSIBLE in learner.name else learner.name)


def _title(column: Column) -> str:
    name = line_field(column.name)
    if not name or name in _ALSO_FOR_LEARNERS or any(words in name for words in _PASSED_OVER):
        raise FormatError(f"Canvas keeps the title {column.name!r} for itself; call the column something else.")
    return f"{name} ({line_field(column.platform_id)})" if column.platform_id else name
