"""Which exercise a piece of Python text answers, told by its first line or else by what it defines."""

from __future__ import annotations

from dataclasses import dataclass

from grader.course import Exercise
from grader.submission.naming import ExerciseNames
from grader.submission.statements import defined_names, statements

_WRITE_A_FILE = ("%%writefile", "%%file")
_NAME_AN_EXERCISE = "%%kata"
_QUOTES = "`'\":"
_BLANKS = " \t"
_LABEL = "exercise"


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
    # Words and not a pattern: a line may be as long as the file, and of nothing but `#` or blanks.
    first = text.lstrip().split("\n", 1)[0].rstrip()
    if first.startswith("#"):
        return _in_comment(first.lstrip("#"), defined, names)
    words = first.split(maxsplit=3)
    if words[1:2] == ["-a"] and words[0] in _WRITE_A_FILE and len(words) == 3:
        del words[1]
    if len(words) != 2:
        return None
    if words[0] in _WRITE_A_FILE:
        return names.by_file(_last_part(words[1]))
    return _by_any_name(words[1], names) if words[0] == _NAME_AN_EXERCISE else None


def _in_comment(comment: str, defined: frozenset[str], names: ExerciseNames) -> Exercise | None:
    """Return the exercise that is all of a comment, but for the word "exercise:" in front."""
    said, is_labelled = comment.strip(), False
    if said[: len(_LABEL)].lower() == _LABEL and (rest := said[len(_LABEL) :].lstrip(_BLANKS)).startswith(":"):
        said, is_labelled = rest[1:].lstrip(_BLANKS), True
    if len(said.split(maxsplit=1)) != 1:
        return None
    exercise = _by_any_name(said, names)
    is_meant = exercise and (
        is_labelled or _last_part(said) != exercise.id or defined.intersection(exercise.entry_points)
    )
    return exercise if is_meant else None


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
    bare = _last_part(token)
    return names.by_file(bare) or names.by_stem(bare)


def _last_part(path: str) -> str:
    return path.strip(_QUOTES).replace("\\", "/").rpartition("/")[2]
