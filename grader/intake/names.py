"""What a file's name, or a text's first line, means: which exercise it answers, and whether it counts."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from grader.course import FILE_NAME, Course, Exercise

FileKind = Literal["exercise", "notebook", "zip", "packed", "unknown"]
_KINDS: dict[str, FileKind] = {".py": "exercise", ".ipynb": "notebook", ".zip": "zip"}
_KINDS |= dict.fromkeys((".tar", ".tgz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar"), "packed")

# Skipped silently with everything in them, like hidden names: tools leave them behind, or they are the course's own.
_LEFT_BY_TOOLS = {"__pycache__", "__MACOSX", "site-packages", "node_modules", "Thumbs.db", "desktop.ini"}
_OF_THE_COURSE = {"README.md", "glossary.md", FILE_NAME, "timestamp.txt"}

COURSE_WORK = "exercises"
"""The folder of the learner's work in a whole copy of the course, which also contains solutions and checks."""
REVIEWS = "review"
"""The folder beside the learner's work with exercises written again for practice. It is never handed in."""

CASE = "_case"
"""Ending of the name of a script that `kata check --script` writes beside an exercise's file."""

# What may stand before the exercise's name in a first line.
_BEFORE_NAME = (["#"], ["#", "exercise:"], ["%%kata"], ["%%file"], ["%%writefile"], ["%%writefile", "-a"])

_SAVED_AGAIN = re.compile(r"(?: ?\(\d{1,3}\)|-\d{1,3})$")
"""What a browser (` (1)`) or Canvas (`-1`) puts behind the name of a file that is there already."""


def is_passed_over(name: str) -> bool:
    """Whether a file or folder of this name is skipped silently: hidden, a tool's, the course's own."""
    is_hidden = name.startswith(".") and name.partition("\\")[0] != ".."  # which leads outside, and is told
    return is_hidden or name.endswith((".svg", ".png")) or name in _LEFT_BY_TOOLS | _OF_THE_COURSE


def kind_of_file(name: str) -> FileKind:
    """What a file may be by its ending; an `exercise` must still have a name that the course knows."""
    return _KINDS.get(Path(name).suffix.lower(), "unknown")


def stem_of(name: str) -> str:
    """The name of a file without its ending, or both endings of a packed folder (`.tar.gz`); of a folder, `x/`, all."""
    return name[:-1] if name.endswith("/") else Path(name).stem.removesuffix(".tar") or name


def own_name(path: Path) -> str:
    """What a submission at this path is called: `.` by its folder's name."""
    return Path(os.path.abspath(path)).name or "submission"


class ExerciseNames:
    """Finds the course's exercises by the names in learners' files and cells."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.exercises = course.exercises
        self._by_id = {exercise.id: exercise for exercise in self.exercises}

    def by_stem(self, stem: str) -> Exercise | None:
        """The exercise meant by `softmax` or `03_softmax`, or None; any number will do."""
        number, _, id = stem.partition("_")
        is_numbered = number.isascii() and number.isdigit()
        return self._by_id.get(stem) or (self._by_id.get(id) if is_numbered else None)

    def by_saved_file(self, name: str) -> Exercise | None:
        """The exercise of `03_softmax.py`, of `03_softmax (1).py`, `softmax-1.py` or `Softmax.PY`; or None."""
        stem, dot, ending = name.lower().rpartition(".")
        is_python = name.isascii() and (dot, ending) == (".", "py")
        return self.by_stem(_SAVED_AGAIN.sub("", stem)) if is_python else None

    def by_text(self, text: str, defined: frozenset[str]) -> tuple[tuple[Exercise, ...], bool]:
        """The exercises that a text may answer by the names that it defines; or the one that it names, and True."""
        named = self._by_first_line(text, defined)
        return ((named,), True) if named else (self._by_definitions(defined), False)

    def _by_first_line(self, text: str, defined: frozenset[str]) -> Exercise | None:
        """The exercise that the first line of a text names, in a comment or in a magic that writes a file; or None.

        Such as `# 03_softmax.py`, `# exercise: softmax` or `%%writefile exercises/03_softmax.py`. A comment with the id
        alone may be a heading: it counts only if one of the exercise's entry points is among the `defined` names.
        """
        line = re.split(r"[\r\n]", text.lstrip()[:400], maxsplit=1)[0]  # a longer line names none
        if line.startswith("#"):
            line = f"# {line.lstrip('#')}"
        *before, name = line.split() or [""]
        if [word.lower() for word in before] not in _BEFORE_NAME:
            return None
        name = name.strip("`'\":").replace("\\", "/").rpartition("/")[2]
        exercise = self.by_stem(name.removesuffix(".py"))
        if exercise and before == ["#"] and name == exercise.id and defined.isdisjoint(exercise.entry_points):
            return None
        return exercise

    def _by_definitions(self, defined: frozenset[str]) -> tuple[Exercise, ...]:
        """The exercises whose entry points are all defined: of these, those that ask for no fewer, if there are any."""
        known = {name for exercise in self.exercises for name in exercise.entry_points if name in defined}
        whole = tuple(exercise for exercise in self.exercises if known.issuperset(exercise.entry_points))
        return tuple(exercise for exercise in whole if known == set(exercise.entry_points)) or whole


def advice(candidates: Sequence[Exercise]) -> str:
    """What to do about a text that could answer several exercises, to follow its name."""
    ids = [exercise.id for exercise in candidates]
    listed = f"{', '.join(ids[:-1])} or {ids[-1]}"
    return f"could be {listed}; say which in its first line, like `# {candidates[0].file_name}`"
