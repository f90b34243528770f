"""The gradebook file that Canvas imports (Gradebook > Import).

Sources: Canvas' own importer, `lib/gradebook_importer.rb` of instructure/canvas-lms (stored version 00b222d), and
the guide of Ohio State University, "Import CSV File for Carmen Grades". They ask for:

- the columns Student, ID, SIS User ID, SIS Login ID, Section, in this order, then one for each assignment, which is
  found by its exact title; an unknown one is created. Behind a title, "(7)" would be taken for an assignment's number;
- a row "Points Possible" below the header, from which Canvas takes what an assignment is worth;
- a row for each learner, who is found by ID (Canvas' own number), else SIS User ID, else SIS Login ID, else by the
  exact name. Section only has to be there.

"EX" excuses a learner, and an empty field is no score: where Canvas already has one it proposes to remove it, and shows
that before it does. So learners without a submission are left out.
"""

from __future__ import annotations

import re

from grader.classroom.roster import Learner
from grader.errors import KataError
from grader.files import line_field, number_field
from grader.files import table as as_csv

from .results_table import ResultsTable, demand_different, shown_name

HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "Points Possible"
EXCUSED = "EX"

_NUMBERED = re.compile(r"\s\(\d+\)\s*$")
_RESERVED = {*HEADER, "LastName", "FirstName", "Integration ID", "Root Account"}
# Canvas silently skips a column whose title contains one of these.
_PASSED_OVER = re.compile("(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")


def lines(table: ResultsTable) -> list[str]:
    """The text of the file. Raises KataError when two learners are alike, or Canvas would not accept a title."""
    say = table.options.say
    titles = [_title(each.title, bool(table.options.column)) for each in table.columns]
    demand_different(titles, "columns")
    if not table.has_roster:
        say("No roster was given, so Canvas finds learners by their names: grade with --roster, Canvas's own export.")
    has_canvas_ids = any(each.canvas_id for each in table.learners)
    keys: list[str] = []
    rows = [[*HEADER, *titles]]
    rows += [[f"    {POINTS_POSSIBLE}", "", "", "", "", *(number_field(each.max_points) for each in table.columns)]]
    for row in table.rows():
        key, who = _who(row.learner, has_canvas_ids=has_canvas_ids)
        keys.append(key)
        marks = [(each.points(row.record), each.is_excused(row.record)) for each in table.columns]
        rows.append([*who, *(number_field(points) or EXCUSED * is_excused for points, is_excused in marks)])
    demand_different(keys, "learners")
    return [as_csv(rows)]


def _who(learner: Learner, *, has_canvas_ids: bool) -> tuple[str, list[str]]:
    """What tells the learner apart, and the columns about the learner."""
    number = learner.canvas_id if has_canvas_ids else learner.sis_id or learner.own_id
    # a bare number, if that is all that is known, may be Canvas's id
    login = learner.login or learner.email or ("" if number or learner.id.isdecimal() else learner.id)
    name = " ".join((shown_name(learner).strip() or learner.id).split())
    key = next(filter(None, (learner.login, learner.email, learner.sis_id, learner.own_id, name)))
    name = name.replace(POINTS_POSSIBLE, "Points_Possible")  # else it would set what the assignments are worth
    ids = [number, ""] if has_canvas_ids else ["", number]
    return key, [*map(line_field, (name, *ids, login)), ""]


def _title(title: str, is_there: bool) -> str:
    """The title as Canvas keeps it. is_there: whether Canvas has it already, so that a number behind it is its own."""
    name = line_field(f"{title}." if _NUMBERED.search(title) and not is_there else title)
    if not name or name in _RESERVED or _PASSED_OVER.search(name):
        raise KataError(f"Canvas keeps the title {title!r} for itself; call the column something else.")
    return name
