"""What a file's name means: which exercise it answers, whether it counts at all, and how to show it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from grader.course import Course, CourseError, Exercise
from grader.course.stubs import same_as_stub, stub_of

SHOWN_CHARACTERS = 120  # a longer name is shortened in the middle

FileKind = Literal["exercise", "notebook", "zip", "packed", "unknown"]
_KINDS: dict[str, FileKind] = {".py": "exercise", ".ipynb": "notebook", ".zip": "zip"}
_KINDS |= dict.fromkeys((".tar", ".tgz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar"), "packed")

# Skipped silently with everything in them, like hidden names: tools leave them behind, or they are the course's own.
_LEFT_BY_TOOLS = {"__pycache__", "__MACOSX", "site-packages", "node_modules", "Thumbs.db", "desktop.ini"}
_OF_THE_COURSE = {"README.md", "glossary.md", "course.yml", "timestamp.txt"}
_PICTURES = (".svg", ".png")

COURSE_FILE = "course.yml"
COURSE_WORK = "exercises"
"""The folder of the learner's work in a whole copy of the course, which also contains solutions and checks."""
REVIEWS = "review"
"""The folder beside the learner's work with exercises written again for practice. It is never handed in."""

CASE = "_case"
"""Ending of the name of a script that `kata check --script` writes beside an exercise's file."""

_NAMING_MAGICS = ("%%kata", "%%file", "%%writefile")
_LONGEST_LINE = 400  # characters of a first line that names an exercise

_SAVED_AGAIN = re.compile(r"(?: ?\(\d{1,3}\)|-\d{1,3})$")
"""What a browser (` (1)`) or Canvas (`-1`) puts behind the name of a file that is there already."""


def printable(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """Return `text` safe to print: no control characters or surrogates, at most `limit` characters."""
    if len(text) > limit:
        head = limit // 2
        text = f"{text[:head]}…{text[len(text) - (limit - head - 1) :]}"
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


SPELT_OUT = 20
"""Names that a sentence lists."""


def first_few(names: Sequence[str], most: int = SPELT_OUT, *, shown: Callable[[str], str] = printable) -> str:
    """The names, or of many the first and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(shown, names[:most])) + more


def is_passed_over(name: str) -> bool:
    """Whether a file or folder of this name is skipped silently: hidden, a tool's, the course's own."""
    return name.startswith(".") or name.endswith(_PICTURES) or name in _LEFT_BY_TOOLS | _OF_THE_COURSE


def is_course(names: Collection[str]) -> bool:
    """Whether a folder with these entries is a copy of the course, or a learner's workspace with reviews."""
    return COURSE_WORK in names and (COURSE_FILE in names or REVIEWS in names)


def kind_of_file(name: str) -> FileKind:
    """What a file may be by its ending; an `exercise` must still have a name that the course knows."""
    return _KINDS.get(Path(name).suffix.lower(), "unknown")


def stem_of(name: str) -> str:
    """The name of a file without its ending, or both endings of a packed folder (`.tar.gz`)."""
    path = Path(name)
    return (Path(path.stem).stem if path.stem.lower().endswith(".tar") else path.stem) or name


def own_name(path: Path) -> str:
    """What a submission at this path is called: `.` by its folder's name."""
    return path.name if path.name not in ("", "..") else Path(os.path.abspath(path)).name or "submission"


class ExerciseNames:
    """Finds the course's exercises by the names in learners' files and cells."""

    def __init__(self, course: Course) -> None:
        self.exercises: tuple[Exercise, ...] = course.exercises
        self._by_id = {exercise.id: exercise for exercise in self.exercises}
        self._course = course

    def by_id(self, id: str) -> Exercise | None:
        """The exercise with exactly this id, or None."""
        return self._by_id.get(id)

    def by_stem(self, stem: str) -> Exercise | None:
        """The exercise meant by `softmax` or `03_softmax`, or None; any number will do."""
        number, _, id = stem.partition("_")
        is_numbered = number.isascii() and number.isdigit()
        return self._by_id.get(stem) or (self._by_id.get(id) if is_numbered else None)

    def by_file(self, name: str) -> Exercise | None:
        """The exercise that a file called `softmax.py` or `03_softmax.py` answers, or None."""
        return self.by_stem(name.removesuffix(".py")) if name.endswith(".py") else None

    def is_case(self, name: str) -> bool:
        """Whether `kata check --script` wrote this file: `03_softmax_case.py`, or its numbers, `.pt`."""
        stem, _, ending = name.rpartition(".")
        is_answer = self.by_stem(stem) is not None  # of an exercise whose id ends like this
        is_named = ending in ("py", "pt") and stem.endswith(CASE)
        return is_named and not is_answer and self.by_stem(stem.removesuffix(CASE)) is not None

    def by_saved_file(self, name: str) -> Exercise | None:
        """The exercise of `03_softmax (1).py`, `softmax-1.py` or `Softmax.PY`: saved again, or in other letters."""
        lowered = name.lower()
        if not (name.isascii() and lowered.endswith(".py")):
            return None
        return self.by_stem(_SAVED_AGAIN.sub("", lowered.removesuffix(".py")))

    def nearest_file(self, name: str) -> str | None:
        """The file name of the exercise that a name like `sofmax.py` or `Softmax_final.txt` may mean, or None."""
        name = name[:SHOWN_CHARACTERS].lower()
        said = re.sub(r"[^a-z]+", "_", name.rpartition(".")[0] or name)
        inside = [id for id in self._by_id if id.replace("_", "") in said.replace("_", "")]
        near = sorted(inside, key=len)[-1:] or get_close_matches(said.strip("_"), self._by_id, n=1, cutoff=0.75)
        return self._by_id[near[0]].file_name if near else None

    def by_first_line(self, text: str, defined: frozenset[str]) -> Exercise | None:
        """The exercise that the first line of a text names, in a comment or in a magic that writes a file; or None.

        A comment with the id alone may be a heading: it counts only above one of the exercise's entry points.

        Args:
            text: for example `# 03_softmax.py`, `# exercise: softmax` or `%%writefile exercises/03_softmax.py`.
            defined: the functions and classes that it defines.
        """
        line = text.lstrip()[:_LONGEST_LINE].partition("\n")[0].rstrip()
        magic, _, written = line.partition(" ")
        if not line.startswith("#") and magic not in _NAMING_MAGICS:
            return None
        said = line.lstrip("#") if line.startswith("#") else written.strip().removeprefix("-a ")
        before, colon, after = said.partition(":")
        is_labelled = bool(colon) and before.strip().lower() == "exercise"
        words = (after if is_labelled else said).split()
        name = words[0].strip("`'\":").replace("\\", "/").rpartition("/")[2] if len(words) == 1 else ""
        exercise = self.by_file(name) or self.by_stem(name)
        if exercise is None or name != exercise.id or is_labelled or magic == "%%kata":
            return exercise
        return None if defined.isdisjoint(exercise.entry_points) else exercise

    def by_definitions(self, defined: frozenset[str]) -> tuple[Exercise, ...]:
        """The exercises whose entry points are all defined: of these, those that ask for no fewer, if there are any."""
        known = {name for exercise in self.exercises for name in exercise.entry_points if name in defined}
        whole = tuple(exercise for exercise in self.exercises if known.issuperset(exercise.entry_points))
        return tuple(exercise for exercise in whole if known == set(exercise.entry_points)) or whole

    def is_as_given(self, exercise: Exercise, text: str) -> bool:
        """Whether `text` is still the exercise's stub; False where the course cannot make stubs."""
        try:
            stub = stub_of(self._course, exercise)
        except (OSError, UnicodeDecodeError, CourseError):
            return False
        return same_as_stub(text.encode("utf-8", "surrogatepass"), stub)


def advice(candidates: Sequence[Exercise]) -> str:
    """What to do about a text that could answer several exercises, to follow its name."""
    ids = [exercise.id for exercise in candidates]
    listed = f"{', '.join(ids[:-1])} or {ids[-1]}"
    return f"could be {listed}; say which in its first line, like `# {candidates[0].file_name}`"
