"""What a notebook that was made of files says of them: which cell is a whole file, and what was not taken, and why.

A learner could write such marks too. So they can take away only: a whole file gets nothing put in front of it, and a
carried problem is a sentence, shown as one that was told elsewhere, which gives no points to anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from grader.submission.model import Problem, ProblemKind
from grader.submission.naming import ExerciseNames, printable

KEY = "kata"
"""The key of our own metadata, of a cell or of the notebook."""
PROBLEMS = "problems"

TOLD = "Told at hand-in: "
"""Before a carried sentence, so that it is not taken for one of the grader's own."""
MAX_CARRIED = 300
"""More than one submission's intake ever tells."""
MAX_CHARACTERS = 600


def whole_file(exercise: str, name: str) -> dict[str, Any]:
    """Our metadata of a cell that holds a file, to the byte; `name` says where the file was found."""
    return {"exercise": exercise, "file": name}


def exercise_of_file(metadata: Mapping[str, Any]) -> str | None:
    """What a cell with this metadata answers as a whole file; None when it is no such cell."""
    marks = metadata.get(KEY)
    if not isinstance(marks, Mapping) or not isinstance(marks.get("file"), str):
        return None
    exercise = marks.get("exercise")
    return exercise if isinstance(exercise, str) else ""


def listed(problems: Iterable[Problem]) -> list[list[str | None]]:
    """Problems as JSON holds them."""
    return [[each.file, each.kind, each.message, each.exercise] for each in problems]


def carried_problems(metadata: Mapping[str, Any], names: ExerciseNames) -> tuple[Problem, ...]:
    """The problems that a notebook's metadata carries; what is not made like one is left out."""
    marks = metadata.get(KEY)
    found = marks.get(PROBLEMS) if isinstance(marks, Mapping) else None
    rows = found[:MAX_CARRIED] if isinstance(found, list) else []
    return tuple(problem for row in rows if (problem := _problem(row, names)))


def _problem(row: object, names: ExerciseNames) -> Problem | None:
    if not isinstance(row, list) or len(row) != 4:
        return None
    file, kind, message, exercise = row
    if not isinstance(file, str) or not isinstance(message, str) or kind not in get_args(ProblemKind):
        return None
    if exercise is not None and not (isinstance(exercise, str) and names.by_id(exercise)):
        return None
    told = printable(TOLD + message.removeprefix(TOLD), MAX_CHARACTERS)
    return Problem(printable(file), kind, told, exercise)
