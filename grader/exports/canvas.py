"""The CSV that Canvas's gradebook imports, from a class's results; `grader.reports.formats.canvas` has the rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grader.classroom.claims import folded
from grader.classroom.learners import Learner as ClassLearner
from grader.reports.formats import FormatError, Learner
from grader.reports.formats.canvas import POINTS_POSSIBLE, canvas_gradebook

from .columns import assignments_of
from .errors import ExportError
from .graded import Graded
from .roster import Person, people_of
from .terms import ExportTerms, File

_AN_ID = re.compile(r"\s\(\d+\)\s*$")


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """The one file. With a roster, ids and names come from it.

    Learners without a submission are not in it: for an empty field Canvas would propose to remove the mark it has.

    Raises ExportError when there is nothing to export, two learners are alike, or Canvas would not take a title.
    """
    summary = graded.summary
    assignments = [
        replace(each, title=_title(each.title)) for each in assignments_of(summary, terms.by, terms.units, terms.titles)
    ]
    everybody = people_of(summary.learners, terms.roster)
    people = everybody.of
    left_out = everybody.none | _namesakes(summary.learners, people, terms)
    _say_who_is_unknown(graded, people, terms)
    by_canvas_id = any(person.id for person in people.values())
    learners: dict[str, Learner] = {}
    marks: dict[tuple[str, str], float | None] = {}
    for result in graded:
        if result.learner.name in left_out:
            continue
        person = people.get(result.learner.name, Person(result.learner.shown))
        learner = _learner(person, result.learner.name, by_canvas_id=by_canvas_id)
        if learner.id in learners:
            raise ExportError(f"Two learners are {learner.id!r} to Canvas: their marks could not be told apart.")
        learners[learner.id] = learner
        marks |= {(learner.id, each.title): each.points(result.record) for each in assignments}
    try:
        text = canvas_gradebook(
            list(learners.values()),
            [each.column for each in assignments],
            marks,
            platform_id="ID" if by_canvas_id else "SIS User ID",
        )
    except FormatError as error:
        raise ExportError(str(error)) from None
    yield File("canvas.csv", [text])


def _learner(person: Person, submission: str, *, by_canvas_id: bool) -> Learner:
    number = person.id if by_canvas_id else person.sis_id
    known = (person.login, person.email, person.sis_id, person.id, submission)
    login = person.login or person.email
    if not (login or number or submission.isdecimal()):  # all that is known, and it may be one
        login = submission
    return Learner(
        next(filter(None, known)), last_name=_name(person.name), email=person.email, platform_id=number, login=login
    )


def _namesakes(learners: Sequence[ClassLearner], people: Mapping[str, Person], terms: ExportTerms) -> frozenset[str]:
    """Those of whom only a name is known that is another's too: Canvas would take their marks for the other's."""
    if terms.roster is None:
        known = {each.name for each in learners if each.in_roster}
        names = [folded(each.shown) for each in learners]
    else:
        known = set(people)
        names = [folded(person.name) for person in terms.roster.people]
        names += [folded(each.shown) for each in learners if each.name not in known]
    counts = Counter(names)
    found = [each for each in learners if each.name not in known and counts[folded(each.shown)] > 1]
    if found:
        terms.say(f"Left out, since others have the same name: {', '.join(each.name for each in found)}.")
    return frozenset(each.name for each in found)


def _say_who_is_unknown(graded: Graded, people: Mapping[str, Person], terms: ExportTerms) -> None:
    strangers = [each.shown for each in graded.summary.learners if each.name not in people]
    if terms.roster is None:
        terms.say("No roster was given, so Canvas finds learners by their names: --roster takes Canvas's own export.")
    elif strangers:
        terms.say(f"Not in the roster, so Canvas will ask who they are: {', '.join(strangers)}.")


def _title(title: str) -> str:
    """The title; one that ends like Canvas's number of an assignment does not end so any more."""
    return f"{title}." if _AN_ID.search(title) else title


def _name(name: str) -> str:
    """The name; nobody is called what marks the row of the points."""
    return " ".join(name.split()).replace(POINTS_POSSIBLE, POINTS_POSSIBLE.replace(" ", "_"))
