"""The file of grades that Moodle imports (Grades > Import > CSV file; encoding UTF-8, separator comma).

Sources: MoodleDocs, "Grade import" (docs.moodle.org/311/en/Grade_import), and Moodle's own importer,
`grade/import/csv/classes/load_data.php` of moodle/moodle (stored version 0289d8c). They say:

- the header may be called anything; at the import one column is chosen that identifies the learner (ID number,
  username or e-mail address, capitals count) and each other one is mapped to a grade item, or ignored;
- "-" is no grade. An empty field is one for grade items that exist already, and an unusable grade for new ones;
- one unknown learner ends the whole import. A row whose identifier is empty goes to the learner of the row before;
- a grade above 100 ends the import too, unless the site allows more (`unlimitedgrades`).

So there is a single identifier here, and never a row without one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from grader.reports.formats.marks import Column, FormatError, Learner, Marks, demand_different
from grader.reports.formats.table import line_field, number_field, table

Identifier = Literal["email", "id number", "username"]

NO_GRADE = "-"
MOST_POINTS = 100.0
"""The highest grade that Moodle takes, unless the site allows more."""

_IDENTIFIERS: dict[Identifier, tuple[str, Callable[[Learner], str]]] = {
    "email": ("Email address", lambda learner: learner.email or (learner.id if "@" in learner.id else "")),
    "id number": ("ID number", lambda learner: learner.platform_id or learner.id),
    "username": ("Username", lambda learner: learner.id),
}


def moodle_identifier(learner: Learner, identifier: Identifier) -> str | None:
    """How Moodle knows a learner, or None when that is not known ("0" counts as empty there)."""
    value = line_field(_IDENTIFIERS[identifier][1](learner))
    return value if value not in ("", "0") else None


def moodle_grades(
    learners: Sequence[Learner], columns: Sequence[Column], marks: Marks, *, identifier: Identifier = "email"
) -> str:
    """The text of the file, in the order given. Where nobody's first name is known, names stand in one column.

    Raises FormatError for a learner without the identifier, or two with the same, and for columns of one name.
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
