"""Which exercise a piece of Python text answers, told by its first line or else by what it defines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.course import Exercise
from grader.submission.naming import ExerciseNames
from grader.submission.statements import defined_names, statements

_WRITTEN = re.compile(r"%%(?:writefile|file)[ \t]+(?:-a[ \t]+)?(\S+)[ \t]*\Z")
_KATA = re.compile(r"%%kata[ \t]+(\S+)[ \t]*\Z")
_COMMENT = re.compile(r"#+[ \t]*(exercise[ \t]*:)?[ \t]*(\S+)[ \t]*\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """The exercise that a text answers; or none, with advice where it could be one of several."""

    exercise: Exercise | None = None
    advice: str | None = None
    candidates: tuple[Exercise, ...] = ()


def exercise_of_text(text: str, names: ExerciseNames) -> Finding:
    """Return which exercise `text` answers, by its first line or by its definitions."""
    defined = defined_names(statements(text))
    named = named_exercise(text, defined, names)
    return Finding(named) if named else defining_exercise(defined, names)


def named_exercise(text: str, defined: frozenset[str], names: ExerciseNames) -> Exercise | None:
    """Return the exercise that the first line with anything in it names, or None.

    That is a comment like `# 03_softmax.py` or `# exercise: softmax`, or a magic that writes the file. A
    comment of the bare id may just be a heading, so it counts only over one of the exercise's entry points.
    """
    first = text.lstrip().split("\n", 1)[0].rstrip()
    if found := _WRITTEN.match(first):
        return names.by_file(_last_part(found[1]))
    if found := _KATA.match(first):
        return _by_any_name(found[1], names)
    if found := _COMMENT.match(first):
        exercise = _by_any_name(found[2], names)
        if exercise and (
            found[1] or _last_part(found[2]) != exercise.id or defined.intersection(exercise.entry_points)
        ):
            return exercise
    return None


def defining_exercise(defined: frozenset[str], names: ExerciseNames) -> Finding:
    """Return the one exercise whose entry points are all defined; with several, advice instead of a guess."""
    known = defined.intersection(name for exercise in names.exercises for name in exercise.entry_points)
    whole = tuple(exercise for exercise in names.exercises if known.issuperset(exercise.entry_points))
    exact = tuple(exercise for exercise in whole if known == set(exercise.entry_points))
    candidates = exact or whole
    if not candidates:
        return Finding()
    if len(candidates) == 1:
        return Finding(candidates[0], candidates=candidates)
    ids = [exercise.id for exercise in candidates]
    listed = f"{', '.join(ids[:-1])} or {ids[-1]}"
    return Finding(
        advice=f"could be {listed}; say which in its first line, like `# {candidates[0].file_name}`",
        candidates=candidates,
    )


def _by_any_name(token: str, names: ExerciseNames) -> Exercise | None:
    bare = _last_part(token.strip("`'\":"))
    return names.by_file(bare) or names.by_stem(bare)


def _last_part(path: str) -> str:
    return re.split(r"[/\\]", path.strip("`'\":"))[-1]
