"""What a file's name means: which exercise it answers, whether it counts at all, and how to show it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from grader.course import Course, Exercise
from grader.course.stubs import StubError, make_stub, same_as_stub

from .loose_names import exercise_meant

SHOWN_CHARACTERS = 120  # a longer name is shortened in the middle

FileKind = Literal["exercise", "notebook", "zip", "tar", "packed", "unknown"]

_TARS = (".tar.gz", ".tgz", ".tar")
_OTHERWISE_PACKED = (".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")

# Skipped silently with everything in them, like hidden names: tools leave them behind.
_LEFT_BY_TOOLS = frozenset({"__pycache__", "__MACOSX", "site-packages", "node_modules", "Thumbs.db", "desktop.ini"})
_COURSE_FURNITURE = frozenset({"README.md", "glossary.md", "course.yml", "timestamp.txt"})
_PICTURES = (".svg", ".png")  # used by the lessons

COURSE_FILE = "course.yml"
COURSE_WORK = "exercises"
"""The folder of the learner's work in a whole copy of the course, which also contains solutions and checks."""
REVIEWS = "review"
"""The folder beside the learner's work with exercises written again for practice. It is never handed in."""


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
    """Return whether a file or folder of this name is skipped silently: hidden, a tool's, the course's own."""
    return name.startswith(".") or name.endswith(_PICTURES) or name in _LEFT_BY_TOOLS | _COURSE_FURNITURE


def is_course(names: Collection[str]) -> bool:
    """Return whether a folder with these entries is a copy of the course, or a learner's workspace with reviews."""
    return COURSE_WORK in names and (COURSE_FILE in names or REVIEWS in names)


def kind_of_file(name: str) -> FileKind:
    """Return by the extension what a file may be; an `exercise` must still have a name that the course knows.

    A `tar` may be packed by gzip; `packed` is any other packed format, none of which is read.
    """
    lowered = name.lower()
    if lowered.endswith(".ipynb"):
        return "notebook"
    if lowered.endswith(".zip"):
        return "zip"
    if lowered.endswith(_TARS):
        return "tar"
    if lowered.endswith(_OTHERWISE_PACKED):
        return "packed"
    return "exercise" if lowered.endswith(".py") else "unknown"


def stem_of(name: str) -> str:
    """The name of a file without its extension, of a packed folder without both."""
    lowered = name.lower()
    ending = next((each for each in (*_TARS, *_OTHERWISE_PACKED) if lowered.endswith(each)), None)
    stem = name[: -len(ending)] if ending else Path(name).stem
    return stem or name


class ExerciseNames:
    """Finds the course's exercises by the names in learners' files and cells."""

    def __init__(self, course: Course) -> None:
        self.exercises: tuple[Exercise, ...] = course.exercises
        self._by_id = {exercise.id: exercise for exercise in self.exercises}
        self._course = course
        self._stubs: dict[str, str | None] = {}

    def by_id(self, id: str) -> Exercise | None:
        """Return the exercise with exactly this id, or None."""
        return self._by_id.get(id)

    def by_stem(self, stem: str) -> Exercise | None:
        """Return the exercise meant by `softmax` or `03_softmax`, or None; any number will do."""
        number, _, id = stem.partition("_")
        is_numbered = number.isascii() and number.isdigit()
        return self._by_id.get(stem) or (self._by_id.get(id) if is_numbered else None)

    def by_file(self, name: str) -> Exercise | None:
        """Return the exercise that a file called `softmax.py` or `03_softmax.py` answers, or None."""
        return self.by_stem(name[: -len(".py")]) if name.endswith(".py") else None

    def by_loose_file(self, name: str) -> Exercise | None:
        """Return the exercise that an almost exact file name must mean, or None."""
        id = exercise_meant(name, self._by_id)
        return self._by_id[id] if id else None

    def is_as_given(self, exercise: Exercise, text: str) -> bool:
        """Return whether `text` is still the exercise's stub; False where the course cannot make stubs."""
        if exercise.id not in self._stubs:
            self._stubs[exercise.id] = _stub_at(self._course.solution_path(exercise))
        stub = self._stubs[exercise.id]
        return stub is not None and same_as_stub(text.encode("utf-8", "surrogatepass"), stub)

    def nearest_file(self, name: str) -> str | None:
        """Return the file name of the exercise that a misspelt name may mean, or None."""
        words = re.sub(r"^[0-9]+[_ -]*|\.\w+$", "", name[:SHOWN_CHARACTERS].lower())
        near = get_close_matches(re.sub(r"[^a-z_]+", "_", words).strip("_"), self._by_id, n=1, cutoff=0.75)
        return self._by_id[near[0]].file_name if near else None


def _stub_at(solution: Path) -> str | None:
    try:
        return make_stub(solution.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, StubError):
        return None
