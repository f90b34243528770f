"""The gradebook file that Canvas imports (Gradebook > Import).

Sources: Canvas' own importer, `lib/gradebook_importer.rb` of instructure/canvas-lms (stored version 00b222d), and
the guide of Ohio State University, "Import CSV File for Carmen Grades". They ask for:

- the columns Student, ID, SIS User ID, SIS Login ID, Section, in this order, then one for each assignment, called
  "Title (id)". An assignment is found by its id, else by its exact title; an unknown one is created;
- a row "Points Possible" below the header, from which Canvas takes what an assignment is worth;
- a row for each learner, who is found by ID (Canvas' own number), else SIS User ID, else SIS Login ID, else by the
  exact name. Section only has to be there.

"EX" excuses a learner, and an empty field is no score: where Canvas already has one it proposes to remove it, and shows
that before it does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from grader.classroom.claims import folded
from grader.classroom.members import Learner as ClassLearner
from grader.render.csv_text import line_field, number_field, table

from .export import ExportTerms, File
from .graded import Graded, assignments_of
from .marks import Column, ExportError, FormatError, Marks, PlatformLearner, demand_different
from .roster import Person, people_of

PlatformId = Literal["ID", "SIS User ID"]
"""Which of Canvas's two numbers a learner's `platform_id` is."""

HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "Points Possible"
EXCUSED = "EX"
"""Instead of a score: the assignment does not count for this learner."""

_ALSO_FOR_LEARNERS = (*HEADER, "LastName", "FirstName", "Integration ID", "Root Account")
# Canvas silently skips a column whose title contains one of these.
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
    learners: Sequence[PlatformLearner],
    columns: Sequence[Column],
    marks: Marks,
    *,
    platform_id: PlatformId = "ID",
    excused: Collection[tuple[str, str]] = (),
) -> str:
    """The text of the file; rows and columns in the order given.

    excused: pairs of a learner's id and a column's name that do not count.

    Raises FormatError for titles that Canvas would not accept, or could not tell apart.
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
        keys = [(learner.id, column.name) for column in columns]
        points = [EXCUSED if key in excused else number_field(marks.get(key)) for key in keys]
        login = learner.id if learner.login is None else learner.login
        rows.append([_name(learner), *ids, line_field(login), "", *points])
    return table(rows)


def _name(learner: PlatformLearner) -> str:
    # a learner with this name would overwrite the maximum points of the assignments
    return line_field(learner.id if POINTS_POSSIBLE in learner.name else learner.name)


def _title(column: Column) -> str:
    name = line_field(column.name)
    if not name or name in _ALSO_FOR_LEARNERS or any(words in name for words in _PASSED_OVER):
        raise FormatError(f"Canvas keeps the title {column.name!r} for itself; call the column something else.")
    return f"{name} ({line_field(column.platform_id)})" if column.platform_id else name


_AN_ID = re.compile(r"\s\(\d+\)\s*$")


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """The one file. With a roster, ids and names come from it.

    Learners without a submission are left out: for an empty field Canvas would propose to remove an existing score.

    Raises ExportError when there is nothing to export, two learners are alike, or Canvas would not accept a title.
    """
    summary = graded.summary
    assignments = [
        replace(each, title=_importable_title(each.title))
        for each in assignments_of(summary, terms.by, terms.units, terms.titles)
    ]
    everybody = people_of(summary.learners, terms.roster)
    people = everybody.of
    left_out = everybody.none | _namesakes(summary.learners, people, terms)
    _say_who_is_unknown(graded, people, terms)
    by_canvas_id = any(person.id for person in people.values())
    learners: dict[str, PlatformLearner] = {}
    marks: dict[tuple[str, str], float | None] = {}
    excused: set[tuple[str, str]] = set()
    for result in graded:
        if result.learner.name in left_out:
            continue
        person = people.get(result.learner.name, Person(result.learner.shown))
        learner = _learner(person, result.learner.name, by_canvas_id=by_canvas_id)
        if learner.id in learners:
            raise ExportError(f"Two learners are {learner.id!r} to Canvas: their marks could not be told apart.")
        learners[learner.id] = learner
        marks |= {(learner.id, each.title): each.points(result.record) for each in assignments}
        excused |= {(learner.id, each.title) for each in assignments if each.is_excused(result.record)}
    try:
        text = canvas_gradebook(
            list(learners.values()),
            [each.column for each in assignments],
            marks,
            platform_id="ID" if by_canvas_id else "SIS User ID",
            excused=excused,
        )
    except FormatError as error:
        raise ExportError(str(error)) from None
    yield File("canvas.csv", [text])


def _learner(person: Person, submission: str, *, by_canvas_id: bool) -> PlatformLearner:
    number = person.id if by_canvas_id else person.sis_id
    known = (person.login, person.email, person.sis_id, person.id, submission)
    login = person.login or person.email
    if not (login or number or submission.isdecimal()):  # a bare number is all that is known: it may be Canvas's id
        login = submission
    return PlatformLearner(
        next(filter(None, known)),
        last_name=_importable_name(person.name),
        email=person.email,
        platform_id=number,
        login=login,
    )


def _namesakes(learners: Sequence[ClassLearner], people: Mapping[str, Person], terms: ExportTerms) -> frozenset[str]:
    """Learners of whom only a name is known that another one has too: Canvas would mix up their scores."""
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


def _importable_title(title: str) -> str:
    """The title; changed if its end looks like Canvas's number of an assignment."""
    return f"{title}." if _AN_ID.search(title) else title


def _importable_name(name: str) -> str:
    """The name; changed if it looks like the mark of the points row."""
    return " ".join(name.split()).replace(POINTS_POSSIBLE, POINTS_POSSIBLE.replace(" ", "_"))
