"""Which exercise a text answers: the one that its first line names, else the one whose entry points it defines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.course import Exercise

from .names import ExerciseNames

_LONGEST = 400  # characters of a first line that names an exercise
_FIRST_LINE = re.compile(
    r"(?:#{1,9}|%%(?:kata|file|writefile(?: {1,9}-a)?)\s)\s{0,9}(exercise\s{0,9}:)?\s{0,9}(\S{1,400})", re.IGNORECASE
)
"""`# 03_softmax.py`, `# exercise: softmax`, `%%writefile exercises/01_soft_lookup/03_softmax.py`"""


def named_exercise(text: str, defined: frozenset[str], names: ExerciseNames) -> Exercise | None:
    """The exercise that the first non-empty line names: a comment, or a magic that writes the file.

    A comment with only the id may just be a heading, so it counts only above one of the exercise's entry points.
    """
    first = text.lstrip().split("\n", 1)[0].rstrip()
    found = _FIRST_LINE.fullmatch(first) if len(first) <= _LONGEST else None
    if not found:
        return None
    name = found[2].strip("`'\":").replace("\\", "/").rpartition("/")[2]
    exercise = names.by_file(name) or names.by_stem(name)
    if not exercise or found[1] or name != exercise.id or defined.intersection(exercise.entry_points):
        return exercise
    return exercise if first.startswith("%%kata") else None


def defined_exercises(defined: frozenset[str], names: ExerciseNames) -> tuple[Exercise, ...]:
    """The exercises whose entry points are all defined: of these, those that ask for nothing less, if there are any."""
    known = defined.intersection(name for exercise in names.exercises for name in exercise.entry_points)
    whole = tuple(exercise for exercise in names.exercises if known.issuperset(exercise.entry_points))
    return tuple(exercise for exercise in whole if known == set(exercise.entry_points)) or whole


def advice(candidates: Sequence[Exercise]) -> str:
    """What to do about a text that could answer several exercises, to follow its name."""
    ids = [exercise.id for exercise in candidates]
    listed = f"{', '.join(ids[:-1])} or {ids[-1]}"
    return f"could be {listed}; say which in its first line, like `# {candidates[0].file_name}`"
