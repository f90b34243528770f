"""What the course knows of wrong and of other right answers, each written as an edit of the reference.

Known mistakes prove the checks, and tell learners what they probably did. Alternatives are right answers written
differently: they keep the checks fair, and `kata solution` shows them.
"""

from __future__ import annotations

import ast
import runpy
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

from grader.course import Course, Exercise
from grader.course.model import FAMILIES

from .faults import GraderBroken, place, place_of

Edit = tuple[str, str]


def edited(text: str, edits: Sequence[Edit], whose: str, *, everywhere: bool = False) -> str:
    """Apply edits one after another; each passage occurs exactly once, or at least once with `everywhere`.

    Raises GraderBroken, which begins with `whose`, when a passage does not fit.
    """
    for old, new in edits:
        count = text.count(old)
        if count == 0 or (count > 1 and not everywhere):
            remedy = "take more of the line, or set everywhere=True" if count else "copy it from there"
            raise GraderBroken(f"{whose}: {old!r} occurs {count} times in the reference: {remedy}")
        text = text.replace(old, new)
    return text


@dataclass(frozen=True)
class Mistake:
    """One wrong answer, as an edit of the reference solution or as a whole file of its own.

    `edits`: (text of the reference, what stands there instead) pairs; each text must occur exactly once, unless
    `everywhere`. `message`: what the learner probably did and what to look at.
    `caught_by`: the check that must fail, if it is not the exercise's first main check.
    `same_as`: another mistake that gives the same numbers on every legal input, so that either name is right.
    `where`: the bank's file, and the line where the id stands if it stands there; for its author.
    """

    id: str
    message: str
    caught_by: str = ""
    edits: Sequence[Edit] = ()
    source: str = ""
    same_as: str = ""
    everywhere: bool = False
    where: str = field(default="", repr=False, compare=False)

    def source_from(self, reference: str, done: Sequence[Edit] = ()) -> str:
        """The wrong answer as source code; `done` edits are made already. Raises GraderBroken when one does not fit."""
        whose, edits = f"{self.where}: {self.id!r}", [edit for edit in self.edits if edit not in done]
        text = self.source or edited(reference, edits, whose, everywhere=self.everywhere)
        if text == reference:
            raise GraderBroken(f"{whose} changes nothing: its edits put there what stood there")
        return text


def both_from(one: Mistake, other: Mistake, reference: str) -> str | None:
    """The wrong answer with both mistakes, or None if their edits are incompatible.

    An edit that both make is made once: two mistakes in a part that each of them has to write out first.
    """
    for first, second in ((one, other), (other, one)):
        try:
            text = second.source_from(first.source_from(reference), done=first.edits)
            ast.parse(text)  # edits that fit one by one may still break the syntax together
        except (GraderBroken, SyntaxError):
            continue
        if text not in (reference, one.source_from(reference), other.source_from(reference)):
            return text
    return None


def load_bank(path: Path) -> tuple[Mistake, ...]:
    """Read MISTAKES from an exercise's bank. Raises GraderBroken when it is missing or cannot be used as written."""
    if not path.is_file():
        raise GraderBroken(f"{place(path)}: there is no bank of mistakes")
    mistakes = names_in(path).get("MISTAKES")
    if not isinstance(mistakes, list) or not all(isinstance(mistake, Mistake) for mistake in mistakes):
        raise GraderBroken(f"{place(path)}: MISTAKES must be a list of Mistake")
    lines = path.read_text(encoding="utf-8").splitlines()
    known: dict[str, Mistake] = {}
    for mistake in mistakes:
        id = mistake.id
        stands = [number for number, line in enumerate(lines, 1) if f'"{id}"' in line or f"'{id}'" in line] or [0]
        if id in known:
            raise GraderBroken(f"{place(path, stands[-1])}: {id!r} is the id of two mistakes: rename one")
        known[id] = replace(mistake, where=place(path, stands[0]))
    return tuple(known.values())


def written_alternatives(course: Course, exercise: Exercise) -> dict[str, str | list[Edit]]:
    """An exercise's alternatives by id, as their author wrote them; none where the course has none.

    Each is a text of definitions, or a list of edits. Raises GraderBroken when they cannot be used as written.
    """
    path = course.alternatives_path(exercise)
    if not path.is_file():
        return {}
    listed = names_in(path).get("ALTERNATIVES")
    if not isinstance(listed, dict) or not all(isinstance(each, (str, list)) for each in listed.values()):
        raise GraderBroken(f"{place(path)}: ALTERNATIVES must be a dict of definitions or lists of edits, by id")
    return listed


def names_in(path: Path) -> dict[str, Any]:
    """Run a file of a kit (trusted, part of the course), and return the names that it defines.

    In it `from families import NAME` finds the files of its own course. Raises GraderBroken, with the line, when it
    cannot be run.
    """
    kits, writes_nothing = str(path.parents[2]), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, kits)
    invalidate_caches()
    try:
        return runpy.run_path(str(path))
    except Exception as error:
        words = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
        told = f"{type(error).__name__}: {words}".rstrip(": ")
        raise GraderBroken(f"{place_of(error, path)}: {told}. Mend the file") from None
    finally:
        sys.path.remove(kits)
        sys.dont_write_bytecode = writes_nothing
        for name in [name for name in sys.modules if name.partition(".")[0] == FAMILIES]:
            del sys.modules[name]  # another course has others
