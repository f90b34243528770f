"""The file of grades that Moodle imports (Grades > Import > CSV file; encoding UTF-8, separator comma).

Sources: MoodleDocs, "Grade import" (docs.moodle.org/311/en/Grade_import), and Moodle's own importer,
`grade/import/csv/classes/load_data.php` of moodle/moodle (stored version 0289d8c). They say:

- the header may be called anything; at the import one column is chosen that identifies the learner (ID number,
  username or e-mail address, capitals count) and each other one is mapped to a grade item, or ignored;
- "-" is no grade. An empty field is one for grade items that exist already, and an unusable grade for new ones;
- one unknown learner ends the whole import. A row whose identifier is empty goes to the learner of the row before;
- a grade above 100 ends the import too, unless the site allows more (`unlimitedgrades`).

So there is a single identifier here, and never a row without one.

A new grade item of Moodle's is worth 100 points, and a higher grade ends the whole import: what is worth more is
written out of 100, and points beyond that, which extra credit can give, are left out aloud.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from grader.record import Record
from grader.render.csv_text import line_field, number_field, table

from .export import ExportTerms, File
from .graded import Assignment, Graded, assignments_of
from .marks import Column, ExportError, FormatError, Marks, PlatformLearner, demand_different
from .roster import Person, people_of

Identifier = Literal["email", "id number", "username"]

NO_GRADE = "-"
MOST_POINTS = 100.0
"""The highest grade that Moodle accepts, unless the site allows more."""

_IDENTIFIERS: dict[Identifier, tuple[str, Callable[[PlatformLearner], str]]] = {
    "email": ("Email address", lambda learner: learner.email or (learner.id if "@" in learner.id else "")),
    "id number": ("ID number", lambda learner: learner.platform_id or learner.id),
    "username": ("Username", lambda learner: learner.id),
}


def moodle_identifier(learner: PlatformLearner, identifier: Identifier) -> str | None:
    """The learner's identifier in Moodle; None if unknown ("0" counts as empty there)."""
    value = line_field(_IDENTIFIERS[identifier][1](learner))
    return value if value not in ("", "0") else None


def moodle_grades(
    learners: Sequence[PlatformLearner], columns: Sequence[Column], marks: Marks, *, identifier: Identifier = "email"
) -> str:
    """The text of the file; rows and columns in the order given.

    If nobody's first name is known, names are in one column.

    Raises FormatError for a learner without the identifier, two with the same one, and columns with equal names.
    """
    demand_different([column.name for column in columns], "columns")
    header = _IDENTIFIERS[identifier][0]
    known = [moodle_identifier(learner, identifier) for learner in learners]
    if None in known:
        learner = learners[known.index(None)]
        raise FormatError(f"There is no {header} of {learner.name!r}, and Moodle takes no row without one.")
    identifiers = [value for value in known if value]
    demand_different(identifiers, "learners")
    is_whole = any(each.last_name for each in learners) and not any(each.first_name for each in learners)
    names = ["Full name"] if is_whole else ["First name", "Last name"]
    rows = [[*names, header, *(line_field(column.name) for column in columns)]]
    for learner, value in zip(learners, identifiers, strict=True):
        points = [number_field(marks.get((learner.id, column.name))) or NO_GRADE for column in columns]
        called = [learner.last_name] if is_whole else [learner.first_name, learner.last_name]
        rows.append([*map(line_field, called), value, *points])
    return table(rows)


_PREFERRED: tuple[Identifier, ...] = ("email", "id number", "username")


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """The one file. Learners without an identifier are left out, since they would stop the import.

    Raises ExportError when there is nothing to export, nobody has an identifier, or two learners are alike.
    """
    summary = graded.summary
    people = dict(people_of(summary.learners, terms.roster).of)
    identifier = _best(people.values())
    if identifier is None and terms.roster is None:
        terms.say("No roster was given, so the submissions' names stand for Moodle's usernames.")
        people = {each.name: Person(each.shown, login=each.name) for each in summary.learners}
        identifier = _best(people.values())
    if identifier is None:
        raise ExportError("Moodle needs an email address, ID number or username of each learner: there is none.")
    learners = {name: _learner(person, identifier) for name, person in people.items()}
    known = {name: each for name, each in learners.items() if moodle_identifier(each, identifier)}
    if left_out := [each.shown for each in summary.learners if each.name not in known]:
        terms.say(f"Left out, since the roster has no {identifier} of theirs: {', '.join(left_out)}.")
    assignments = assignments_of(summary, terms.by, terms.units, terms.titles)
    if large := [each.title for each in assignments if _is_large(each)]:
        terms.say(
            f"Moodle's grade items are worth {number_field(MOST_POINTS)}: written out of that: {', '.join(large)}."
        )
    marks = {
        (known[result.learner.name].id, _title(each)): _points(each, result.record)
        for result in graded
        if result.learner.name in known
        for each in assignments
    }
    if above := sorted({id for (id, _), points in marks.items() if points is not None and points > MOST_POINTS}):
        terms.say(
            f"Moodle takes no more than {number_field(MOST_POINTS)}, so what extra credit gave beyond that is left "
            f"out: {', '.join(above)}."
        )
        marks = {key: points if points is None else min(points, MOST_POINTS) for key, points in marks.items()}
    columns = [replace(each.column, name=_title(each)) for each in assignments]
    try:
        yield File("moodle.csv", [moodle_grades(list(known.values()), columns, marks, identifier=identifier)])
    except FormatError as error:
        raise ExportError(str(error)) from None


def _is_large(assignment: Assignment) -> bool:
    return assignment.max_points > MOST_POINTS


def _title(assignment: Assignment) -> str:
    return f"{assignment.title} (out of {number_field(MOST_POINTS)})" if _is_large(assignment) else assignment.title


def _points(assignment: Assignment, record: Record) -> float | None:
    points = assignment.points(record)
    if points is None or not _is_large(assignment):
        return points
    return points / assignment.max_points * MOST_POINTS


def _best(people: Iterable[Person]) -> Identifier | None:
    """The identifier that most of these people have, each a different one."""
    there = list(people)
    counts = {
        each: len({moodle_identifier(_learner(person, each), each) for person in there} - {None}) for each in _PREFERRED
    }
    best = max(counts, key=lambda each: counts[each])
    return best if counts[best] else None


def _learner(person: Person, identifier: Identifier) -> PlatformLearner:
    """The learner with this identifier as the id; the other fields are for human readers."""
    id = {"email": person.email, "id number": person.sis_id, "username": person.login}[identifier]
    first, last = person.parts
    return PlatformLearner(id, first, last, email=person.email, platform_id=person.sis_id)
