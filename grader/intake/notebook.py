"""Reads a notebook's cells, and makes source files of those that answer an exercise.

In the sandbox a cell's answer runs on its own, but in the notebook it could use what earlier cells defined. So what it
needs of them is put in front of it: imports, functions, classes, and constants made from libraries alone. A constant
computed with the learner's own functions is left out: one unfinished exercise must not break the next. Nothing is put
in front of an unchanged stub.

Cells are read with `ast`. Parsing can take time and memory that grow with the square of a text, so a long text is not
parsed: what it defines is read off the beginnings of its lines, as in a text with a syntax error.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from grader.course import CourseError, Exercise
from grader.course.stubs import same_as_stub, stub_of

from .names import ExerciseNames, advice
from .walk import UnreadableError, look_at_clock

NOTEBOOK_MB = 8
MAX_CELLS = 2000
MAX_CODE_KB = 512  # all code cells together; outputs with pictures make a notebook large, code does not
MAX_PARSED_KB = 32  # the worst texts of this length take half a second and 300 MB

# Cells that begin with any other cell magic are written in another language.
_PYTHON_MAGICS = {"%%time", "%%timeit", "%%capture", "%%prun", "%%kata"}
# A constant may be made of these; functions that access the outside would find nothing in the sandbox.
_ALWAYS_THERE = {*dir(builtins)} - {"open", "input", "exec", "eval", "__import__"}

_BEGUN = re.compile(r"^(?:async )?(?:def|class) ([^\s(:]+)", re.MULTILINE)
_IPYTHON = re.compile(r"^([ \t]*)((?:[^\W\d]\w*[ \t]*=[ \t]*)?[%!?](?![ =])(?:\\\n|.)*|[^\s#]+\?[ \t]*)$", re.MULTILINE)
"""Lines of IPython's own: %magic, !command, ?help, help?, name = %magic; `% b` and `!= b` may go on an expression."""

StatementKind = Literal["definition", "import", "future", "assignment"]


@dataclass(frozen=True)
class Statement:
    """A top-level statement that binds names; these contain `*` for a star import.

    mentions: names that must exist already. end_line: its last line in the text, counted from 1.
    """

    kind: StatementKind
    text: str
    binds: Set[str]
    mentions: Set[str]
    end_line: int


@dataclass(frozen=True)
class PythonText:
    """A text with IPython's own lines as comments, the names that it defines, and its statements if it was parsed.

    mentions: names that its statements need, and those that bind nothing too.
    """

    text: str
    defined: frozenset[str]
    statements: tuple[Statement, ...] = ()
    mentions: Set[str] = frozenset()


@dataclass(frozen=True)
class _CodeCell:
    """A cell with code; its number counts from 1 over all cells. nbgrader: what nbgrader says of it."""

    number: int
    text: str
    nbgrader: Mapping[str, Any]

    def is_marked(self, mark: str) -> bool:
        """Whether it is a test (`grade`), or the course's (`locked`), rather than a learner's to fill in."""
        return self.nbgrader.get(mark) is True and self.nbgrader.get("solution") is not True

    @cached_property
    def python(self) -> PythonText:
        return read_python(self.text)

    @property
    def is_python(self) -> bool:
        first = self.text.split(maxsplit=1)
        return not first or not first[0].startswith("%%") or first[0] in _PYTHON_MAGICS

    def named(self, names: ExerciseNames) -> Exercise | None:
        """The exercise that its metadata or its first line names."""
        id = self.nbgrader.get("grade_id")
        by_id = names.by_stem(id.replace("-", "_")) if isinstance(id, str) else None
        return by_id or names.by_first_line(self.text, self.python.defined)


CellAnswer = tuple[Exercise, int, bytes]
"""The exercise that a cell answers, the cell's number, and the source made of it."""


def read_notebook(content: bytes, names: ExerciseNames) -> tuple[list[CellAnswer], list[tuple[int, str]]]:
    """The answers in a notebook of format 4, and the numbers of ambiguous cells, each with advice.

    Raises UnreadableError: too large, damaged, or no notebook.
    """
    cells = _code_cells(content)
    claims, unclear = _claims(cells, names)
    earlier = _Earlier(cell for cell in cells if cell.is_python)
    answers: list[CellAnswer] = []
    for exercise in names.exercises:
        different = {cell.text: cell for cell in reversed(claims[exercise.id])}
        for cell in reversed(different.values()):
            look_at_clock()
            # several answers to one exercise do not count, so they need not run
            is_to_run = len(different) == 1 and not _is_as_given(cell.text, exercise, names)
            source = earlier.put_before(cell) if is_to_run else cell.text
            answers.append((exercise, cell.number, source.encode("utf-8", "surrogatepass")))
    return answers, unclear


def _is_as_given(text: str, exercise: Exercise, names: ExerciseNames) -> bool:
    """Whether `text` is still the exercise's stub; False where the course cannot make stubs."""
    with suppress(OSError, UnicodeDecodeError, CourseError):
        return same_as_stub(text.encode("utf-8", "surrogatepass"), stub_of(names.course, exercise))
    return False


def cells_in(content: bytes) -> list[Mapping[str, Any]]:
    """The cells of a notebook of format 4. Raises UnreadableError: too large, damaged, or no notebook."""
    if len(content) > NOTEBOOK_MB * 1024 * 1024:
        raise UnreadableError(f"is larger than {NOTEBOOK_MB} MB; clear its outputs and save it again")
    try:
        # numbers are dropped: none are needed, and a huge one would take long to convert
        notebook = json.loads(content.decode("utf-8-sig"), parse_int=lambda _: None, parse_float=lambda _: None)
    except (ValueError, RecursionError):
        raise UnreadableError("is damaged or not a notebook; open it in Jupyter and save it again") from None
    listed = _mapping(notebook).get("cells")
    if not isinstance(listed, list):
        raise UnreadableError("is not a notebook (it has no cells); open it in Jupyter and save it again")
    if len(listed) > MAX_CELLS:
        raise UnreadableError(f"holds more than {MAX_CELLS} cells; hand in the answers alone")
    return [_mapping(cell) for cell in listed]


def _code_cells(content: bytes) -> list[_CodeCell]:
    found: list[_CodeCell] = []
    for number, cell in enumerate(cells_in(content), start=1):
        if cell.get("cell_type") == "code":
            source = cell.get("source")
            parts: list[Any] = source if isinstance(source, list) else [source]
            if not all(isinstance(part, str) for part in parts):
                raise UnreadableError(f"is damaged (cell {number} has no text); open it in Jupyter and save it again")
            nbgrader = _mapping(_mapping(cell.get("metadata")).get("nbgrader"))
            found.append(_CodeCell(number, _with_plain_ends("".join(parts)), nbgrader))
    answers = [cell for cell in found if not cell.is_marked("grade")]
    if sum(len(cell.text) for cell in answers) > MAX_CODE_KB * 1024:
        raise UnreadableError(f"holds more than {MAX_CODE_KB} kB of code; hand in the answers alone")
    return answers


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _with_plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _claims(
    cells: Iterable[_CodeCell], names: ExerciseNames
) -> tuple[defaultdict[str, list[_CodeCell]], list[tuple[int, str]]]:
    """The cells by the exercise that they answer, and those that could answer several."""
    claims: defaultdict[str, list[_CodeCell]] = defaultdict(list)
    unnamed: list[_CodeCell] = []
    for cell in cells:
        look_at_clock()
        if exercise := cell.named(names):
            claims[exercise.id].append(cell)
        elif cell.is_python and not cell.is_marked("locked"):
            unnamed.append(cell)
    # if one cell is named for an exercise, others that define the same functions are drafts
    settled = frozenset(claims)
    unclear: list[tuple[int, str]] = []
    for cell in unnamed:
        candidates = names.by_definitions(cell.python.defined)
        if len(candidates) == 1 and candidates[0].id not in settled:
            claims[candidates[0].id].append(cell)
        elif not settled.issuperset(each.id for each in candidates):
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
        futures = [each.text for number, each in self._entries if each.kind == "future" and number < cell.number]
        # these must come first in a file, so its own stay above what is put before the rest
        own_futures = max((each.end_line for each in cell.python.statements if each.kind == "future"), default=0)
        lines = cell.python.text.split("\n")
        head = [f"{line}\n" for line in lines[:own_futures]]
        return "".join([*dict.fromkeys(futures), *head, *self._needed_by(cell), "\n".join(lines[own_futures:])])

    def _needed_by(self, cell: _CodeCell) -> list[str]:
        """Statements of earlier cells that bind what the cell mentions, and what these mention in turn."""
        own = {name for each in cell.python.statements for name in each.binds}
        waiting = (cell.python.mentions - own) | {"*"}  # a star import may provide any of the mentioned names
        wanted: set[int] = set()
        seen: set[str] = set()
        while waiting:
            seen |= waiting
            places = {place for name in waiting for place in self._binders.get(name, ())} - wanted
            found = {place for place in places if self._entries[place][0] < cell.number}
            wanted |= found
            waiting = {name for place in found for name in self._entries[place][1].mentions} - seen
        return [self._entries[place][1].text for place in sorted(wanted)]


def read_python(text: str) -> PythonText:
    """Find the statements in a text. This decides nothing about a mark."""
    text = _with_plain_ends(text)
    if (tree := _parsed(text)) is None:  # only a text that is no Python can hold lines of IPython's own
        text = _IPYTHON.sub(_commented_out, text)
        tree = _parsed(text)
    if tree is None:
        return PythonText(text, frozenset(_BEGUN.findall(text)))
    lines = text.encode().split(b"\n")
    found = [each for node in tree.body if (each := _statement(node, lines))]
    defined = {name for each in found if each.kind == "definition" for name in each.binds}
    mentions = {name for node in tree.body for name in _names(node)[0]}
    return PythonText(text, frozenset(defined), tuple(found), mentions)


def _commented_out(line: re.Match[str]) -> str:
    indent, own = line.groups()
    pass_first = "pass  " if indent else ""  # it may be the only line in the body of an `if`
    return f"{indent}{pass_first}# " + own.replace("\n", "\n# ")


def _parsed(text: str) -> ast.Module | None:
    look_at_clock()
    if len(text.encode("utf-8", "replace")) > MAX_PARSED_KB * 1024:
        return None
    with warnings.catch_warnings(), suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")
        return ast.parse(text)
    return None


def _statement(node: ast.stmt, lines: Sequence[bytes]) -> Statement | None:
    """The statement; None for one that is not put in front of an answer: a loop, a call."""
    kind: StatementKind
    mentions, binds = _names(node)
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            kind, binds = "definition", {node.name}
        case ast.ImportFrom(module="__future__"):
            kind = "future"
        case ast.Import() | ast.ImportFrom():
            kind, binds = "import", {(each.asname or each.name).partition(".")[0] for each in node.names}
        case ast.Assign(targets=targets, value=value):
            kind, binds, mentions = "assignment", set().union(*(_names(each)[1] for each in targets)), _names(value)[0]
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            kind, binds, mentions = "assignment", _names(target)[1], mentions | _names(value)[0]
        case _:
            return None
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    own = list(lines[first - 1 : node.end_lineno])
    own[-1] = own[-1][: node.end_col_offset]
    own[0] = own[0][node.col_offset :]
    return Statement(kind, b"\n".join(own).decode() + "\n", binds, mentions, node.end_lineno or 0)


def _names(tree: ast.AST) -> tuple[set[str], set[str]]:
    """The names that are read in a tree and not bound in it, and those that it binds: variables, parameters."""
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return read - bound, bound
