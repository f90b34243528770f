"""Reads a notebook's cells, and makes source files of those that answer an exercise.

In the sandbox a cell's answer runs on its own, but in the notebook it could use what earlier cells defined. So what it
needs of them is put in front of it: imports, functions, classes, and constants made from libraries alone. A constant
computed with the learner's own functions is left out: one unfinished exercise must not break the next. Nothing is put
in front of an unchanged stub.
"""

from __future__ import annotations

import builtins
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.course import Exercise

from .names import ExerciseNames, advice
from .reading_time import look_at_clock
from .statements import PythonText, Statement, read_python
from .submission import UnreadableError

NOTEBOOK_MB = 8
MAX_CELLS = 2000
MAX_CODE_KB = 512  # all code cells together; outputs with pictures make a notebook large, code does not

# Cells that begin with any other cell magic are written in another language.
_PYTHON_MAGICS = {"%%time", "%%timeit", "%%capture", "%%prun", "%%kata"}
# A constant may be made of these; functions that access the outside would find nothing in the sandbox.
_ALWAYS_THERE = {*dir(builtins)} - {"open", "input", "exec", "eval", "__import__"}


@dataclass(frozen=True)
class CellAnswer:
    """A cell that answers an exercise, its number counted from 1 over all cells, and the source made of it."""

    exercise: Exercise
    number: int
    content: bytes


@dataclass(frozen=True)
class NotebookAnswers:
    """All answers in a notebook, and the ambiguous cells, each with advice."""

    answers: Sequence[CellAnswer]
    unclear: Sequence[tuple[int, str]]


class _CodeCell:
    def __init__(self, number: int, text: str, metadata: Mapping[str, Any]) -> None:
        nbgrader = _mapping(metadata.get("nbgrader"))
        is_solution = nbgrader.get("solution") is True
        self.number = number
        self.is_test = nbgrader.get("grade") is True and not is_solution
        self.is_given = nbgrader.get("locked") is True and not is_solution  # of the course's: learners do not edit it
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.grade_id = nbgrader.get("grade_id")

    @cached_property
    def python(self) -> PythonText:
        return read_python(self.text)

    @property
    def is_python(self) -> bool:
        first = self.text.split(maxsplit=1)
        return not first or not first[0].startswith("%%") or first[0] in _PYTHON_MAGICS

    def named(self, names: ExerciseNames) -> Exercise | None:
        """The exercise that its metadata or its first line names."""
        by_id = names.by_id(self.grade_id.replace("-", "_")) if isinstance(self.grade_id, str) else None
        return by_id or names.by_first_line(self.text, self.python.defined)


def read_notebook(content: bytes, names: ExerciseNames) -> NotebookAnswers:
    """Return the answers in a notebook of format 4. Raises UnreadableError: too large, damaged, or no notebook."""
    cells = [cell for cell in _code_cells(_notebook(content)) if not cell.is_test]
    if sum(len(cell.text) for cell in cells) > MAX_CODE_KB * 1024:
        raise UnreadableError(f"holds more than {MAX_CODE_KB} kB of code; hand in the answers alone")
    claims, unclear = _claims(cells, names)
    earlier = _Earlier(cell for cell in cells if cell.is_python)
    answers: list[CellAnswer] = []
    for exercise in names.exercises:
        different: dict[str, _CodeCell] = {}
        for cell in claims[exercise.id]:
            different.setdefault(cell.text, cell)
        for cell in different.values():
            look_at_clock()
            # several answers to one exercise do not count, so they need not run
            is_whole = len(different) > 1 or names.is_as_given(exercise, cell.text)
            source = cell.text if is_whole else earlier.put_before(cell)
            answers.append(CellAnswer(exercise, cell.number, source.encode("utf-8", "surrogatepass")))
    return NotebookAnswers(answers, unclear)


def _notebook(content: bytes) -> Mapping[str, Any]:
    if len(content) > NOTEBOOK_MB * 1024 * 1024:
        raise UnreadableError(f"is larger than {NOTEBOOK_MB} MB; clear its outputs and save it again")
    try:
        # numbers are dropped: none are needed, and a huge one would take long to convert
        notebook = json.loads(content.decode("utf-8-sig"), parse_int=lambda _: None, parse_float=lambda _: None)
    except (ValueError, RecursionError):
        raise UnreadableError("is damaged or not a notebook; open it in Jupyter and save it again") from None
    if not isinstance(notebook, dict):
        raise UnreadableError("is not a notebook; open it in Jupyter and save it again")
    return notebook


def _code_cells(notebook: Mapping[str, Any]) -> list[_CodeCell]:
    listed = notebook.get("cells")
    if not isinstance(listed, list):
        raise UnreadableError("is not a notebook (it has no cells); open it in Jupyter and save it again")
    if len(listed) > MAX_CELLS:
        raise UnreadableError(f"holds more than {MAX_CELLS} cells; hand in the answers alone")
    found: list[_CodeCell] = []
    for number, cell in enumerate(map(_mapping, listed), start=1):
        if cell.get("cell_type") == "code":
            source = cell.get("source")
            parts: list[Any] = source if isinstance(source, list) else [source]
            if not all(isinstance(part, str) for part in parts):
                raise UnreadableError(f"is damaged (cell {number} has no text); open it in Jupyter and save it again")
            found.append(_CodeCell(number, "".join(parts), _mapping(cell.get("metadata"))))
    return found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


_Claims = defaultdict[str, list[_CodeCell]]


def _claims(cells: Iterable[_CodeCell], names: ExerciseNames) -> tuple[_Claims, list[tuple[int, str]]]:
    """The cells by the exercise that they answer, and those that could answer several."""
    claims: _Claims = defaultdict(list)
    unnamed: list[_CodeCell] = []
    for cell in cells:
        look_at_clock()
        if exercise := cell.named(names):
            claims[exercise.id].append(cell)
        elif cell.is_python and not cell.is_given:
            unnamed.append(cell)
    # if one cell is named for an exercise, others that define the same functions are drafts
    settled = frozenset(claims)
    unclear: list[tuple[int, str]] = []
    for cell in unnamed:
        candidates = names.by_definitions(cell.python.defined)
        if settled.issuperset(exercise.id for exercise in candidates):
            continue
        if len(candidates) == 1:
            claims[candidates[0].id].append(cell)
        else:
            unclear.append((cell.number, advice(candidates)))
    return claims, unclear


class _Earlier:
    """What may be put before an answer: definitions, imports and constants of all cells, in order."""

    def __init__(self, cells: Iterable[_CodeCell]) -> None:
        self._entries: list[tuple[int, Statement]] = []
        self._binders: defaultdict[str, list[int]] = defaultdict(list)
        available = set(_ALWAYS_THERE)
        for number, each in ((cell.number, each) for cell in cells for each in cell.python.statements):
            # a constant may use only what comes before it
            if each.kind == "assignment" and not available.issuperset(each.mentions):
                continue
            if each.kind != "definition":
                available |= each.binds
            for name in each.binds:
                self._binders[name].append(len(self._entries))
            self._entries.append((number, each))

    def put_before(self, cell: _CodeCell) -> str:
        """The cell as a file of its own: what it needs from earlier cells, then the cell."""
        support = [each.text for each in self._needed_by(cell)]
        futures = [each.text for number, each in self._entries if each.kind == "future" and number < cell.number]
        # these must come first in a file, so its own stay above what is put before the rest
        own_futures = max((each.end_line for each in cell.python.statements if each.kind == "future"), default=0)
        lines = cell.python.text.split("\n")
        head = [f"{line}\n" for line in lines[:own_futures]] if support else []
        return "".join([*dict.fromkeys(futures), *head, *support, "\n".join(lines[len(head) :])])

    def _needed_by(self, cell: _CodeCell) -> list[Statement]:
        """Statements of earlier cells that bind what the cell mentions, and what these mention in turn."""
        waiting = cell.python.mentions - {name for each in cell.python.statements for name in each.binds}
        waiting |= {"*"}  # a star import may provide any of the mentioned names
        wanted: set[int] = set()
        seen: set[str] = set()
        while waiting:
            seen |= waiting
            places = {place for name in waiting for place in self._binders.get(name, ())} - wanted
            found = {place for place in places if self._entries[place][0] < cell.number}
            wanted |= found
            waiting = frozenset(name for place in found for name in self._entries[place][1].mentions) - seen
        return [self._entries[place][1] for place in sorted(wanted)]
