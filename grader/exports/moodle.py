"""The CSV that Moodle's gradebook imports, from a class's results; `grader.reports.formats.moodle` has the rules.

A new grade item of Moodle's is worth 100 points, and a higher grade ends the whole import: what is worth more is
written out of 100, and points beyond that, which extra credit can give, are left out aloud.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.reports.formats import FormatError, Learner, number_field
from grader.reports.formats.moodle import MOST_POINTS, Identifier, moodle_grades, moodle_identifier
from grader.results import Record

from .columns import Assignment, assignments_of
from .errors import ExportError
from .graded import Graded
from .roster import Person, people_of
from .terms import ExportTerms, File

_IDENTIFIERS: tuple[Identifier, ...] = ("email", "id number", "username")


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """The one file. Learners whom Moodle could not know are left out, since they would end the import.

    Raises ExportError when there is nothing to export, nobody is known or two learners are alike.
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
    """The identifier that tells most of these apart."""
    there = list(people)
    counts = {
        each: len({moodle_identifier(_learner(person, each), each) for person in there} - {None})
        for each in _IDENTIFIERS
    }
    best = max(counts, key=lambda each: counts[each])
    return best if counts[best] else None


def _learner(person: Person, identifier: Identifier) -> Learner:
    """The learner with this identifier as the id; the rest is for whoever reads the file."""
    id = {"email": person.email, "id number": person.sis_id, "username": person.login}[identifier]
    first, last = person.parts
    return Learner(id, first, last, email=person.email, platform_id=person.sis_id)
