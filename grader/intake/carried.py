"""What `kata hand-in` writes into a notebook that it makes of files: which cells are whole files, and what was refused.

A learner could write such metadata too. So it can only take away: a whole file gets nothing put in front of it, and a
carried problem is a sentence, shown as coming from elsewhere, which gives no points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from .names import ExerciseNames, printable
from .submission import FileProblem, ProblemKind

KEY = "kata"
"""The key of our own metadata, of a cell or of the notebook."""
PROBLEMS = "problems"
TOLD = "Told at hand-in: "
"""Prefix of a carried sentence, so that it is not taken for one of the grader's own."""
MAX_CARRIED = 300
"""More problems than reading one submission can report."""
MAX_CHARACTERS = 600


def whole_file(exercise: str, name: str) -> dict[str, Any]:
    """Our metadata of a cell that holds a whole file; `name` says where the file was found."""
    return {"exercise": exercise, "file": name}


def exercise_of_file(metadata: Mapping[str, Any]) -> str | None:
    """The exercise id that a whole-file cell with this metadata answers; None for any other cell."""
    marks = metadata.get(KEY)
    if not isinstance(marks, Mapping) or not isinstance(marks.get("file"), str):
        return None
    exercise = marks.get("exercise")
    return exercise if isinstance(exercise, str) else ""


def listed(problems: Iterable[FileProblem]) -> list[list[str | None]]:
    """Encode problems for JSON."""
    return [[each.file, each.kind, each.message, each.exercise] for each in problems]


def carried_problems(metadata: Mapping[str, Any], names: ExerciseNames) -> tuple[FileProblem, ...]:
    """The problems in a notebook's metadata; malformed ones are left out."""
    marks = metadata.get(KEY)
    rows = marks.get(PROBLEMS) if isinstance(marks, Mapping) else None
    found: list[FileProblem] = []
    for row in rows[:MAX_CARRIED] if isinstance(rows, list) else []:
        cells: list[Any] = row if isinstance(row, list) and len(row) == 4 else [None] * 4
        file, kind, message, exercise = cells
        is_known = exercise is None or (isinstance(exercise, str) and names.by_id(exercise))
        if isinstance(file, str) and isinstance(message, str) and kind in get_args(ProblemKind) and is_known:
            told = printable(TOLD + message.removeprefix(TOLD), MAX_CHARACTERS)
            found.append(FileProblem(printable(file), kind, told, exercise))
    return tuple(found)
