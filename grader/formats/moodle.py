"""The file of grades that Moodle imports (Grades > Import > CSV file; encoding UTF-8, separator comma).

Sources: MoodleDocs, "Grade import" (docs.moodle.org/311/en/Grade_import), and Moodle's own importer,
`grade/import/csv/classes/load_data.php` of moodle/moodle (stored version 0289d8c). They say:

- the header may be called anything; at the import one column is chosen that identifies the learner (ID number,
  username or e-mail address, capitals count) and each other one is mapped to a grade item, or ignored;
- "-" is no grade. An empty field is one for grade items that exist already, and an unusable grade for new ones;
- one unknown learner ends the whole import. A row whose identifier is empty (or "0") goes to the learner of the row
  before. So there is a single identifier here, and never a row without one;
- a grade above 100 ends the import too, unless the site allows more (`unlimitedgrades`). So what is worth more is
  written out of 100, and points beyond that, which extra credit can give, are left out aloud.
"""

from __future__ import annotations

from grader.csv_writing import line_field, number_field
from grader.csv_writing import table as as_csv
from grader.errors import KataError
from grader.record import Record

from .people import Person, shown_name
from .results_table import ResultsTable, TableColumn
from .shared_text import demand_different

NO_GRADE = "-"
MOST_POINTS = 100.0
"""The highest grade that Moodle accepts, unless the site allows more."""

IDENTIFIERS = {"email": "Email address", "id number": "ID number", "username": "Username"}
"""The title of each identifier's column; the first is preferred."""


def lines(table: ResultsTable) -> list[str]:
    """The text of the file. Learners without an identifier are left out, since they would stop the import.

    Raises KataError when nobody has an identifier, or two learners or columns are alike.
    """
    say, most = table.options.say, number_field(MOST_POINTS)
    people = {each.id: table.people[each.id] for each in table.learners if each.id in table.people}
    if not any(any(_ids(person).values()) for person in people.values()):
        if table.has_roster:
            raise KataError("Moodle needs an email address, ID number or username of each learner: there is none.")
        say("No roster was given, so the submissions' names stand for Moodle's usernames.")
        people = {each.id: Person(whole_name=each.name, login=each.id) for each in table.learners}
    # the identifier that most of these people have, each a different one
    identifier = max(IDENTIFIERS, key=lambda each: len({_ids(person)[each] for person in people.values()} - {""}))
    ids = {name: id for name, person in people.items() if (id := _ids(person)[identifier])}
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
            marks = [NO_GRADE if each is None else number_field(min(each, MOST_POINTS)) for each in points]
            rows.append([line_field(shown_name(people[row.learner.id])), id, *marks])
    if above:
        gone = ", ".join(sorted(above))
        say(f"Moodle takes no more than {most}, so what extra credit gave beyond that is left out: {gone}.")
    return [as_csv(rows)]


def _ids(person: Person) -> dict[str, str]:
    """Each identifier of a person, "" for those that Moodle would take for none."""
    fields = map(line_field, (person.email, person.sis_id or person.own_id, person.login))
    return {each: "" if id == "0" else id for each, id in zip(IDENTIFIERS, fields, strict=True)}


def _points(column: TableColumn, record: Record) -> float | None:
    points = column.points(record)
    is_large = column.max_points > MOST_POINTS
    return points / column.max_points * MOST_POINTS if points and is_large else points
