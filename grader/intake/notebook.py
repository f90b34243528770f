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
from typing import Any, NamedTuple

from grader.course import CourseError, Exercise
from grader.course.stubs import same_as_stub, stub_of
from grader.files import UnreadableError

from .names import ExerciseNames
from .walk import MB, look_at_clock

NOTEBOOK_MB = 8
MAX_CELLS = 2000
MAX_CODE_KB = 512  # all code cells together; outputs with pictures make a notebook large, code does not
MAX_PARSED_KB = 32  # the worst texts of this length take half a second and 300 MB

_OTHER_LANGUAGE = re.compile(r"\s*%%(?!(?:time|timeit|capture|prun|kata)\b)")
"""The beginning of a cell that is not run as Python: any other cell magic."""
# A constant may be made of these; functions that access the outside would find nothing in the sandbox.
_ALWAYS_THERE = {*dir(builtins)} - {"open", "input", "exec", "eval", "__import__"}

_BEGUN = re.compile(r"^(?:async )?(?:def|class) ([^\s(:]+)", re.MULTILINE)
_IPYTHON = re.compile(r"^([ \t]*)((?:[^\W\d]\w*[ \t]*=[ \t]*)?[%!?](?![ =])(?:\\\n|.)*|[^\s#]+\?[ \t]*)$", re.MULTILINE)
"""Lines of IPython's own: %magic, !command, ?help, help?, name = %magic; `% b` and `!= b` may go on an expression."""


# --- cells ------------------------------------------------------------------------------------------------------------

CellClaim = tuple[int, Sequence[Exercise], bytes]
"""A cell's number, the exercise that it answers, or the several that it could answer, and the source made of it."""


class _Cell(NamedTuple):
    """A cell with code that is no test. number: among all cells, from 1. answers: the exercises that it could answer.

    is_named: it says itself which exercise it answers. is_python: it is not in another language.
    """

    number: int
    python: PythonText
    answers: Sequence[Exercise]
    is_named: bool
    is_python: bool


def read_notebook(content: bytes, names: ExerciseNames) -> list[CellClaim]:
    """The answers in a notebook of format 4, and the cells that could answer several exercises.

    Raises UnreadableError: too large, damaged, or no notebook.
    """
    cells = _code_cells(content, names)
    # if one cell is named for an exercise, others that define the same functions are drafts
    settled = {cell.answers[0].id for cell in cells if cell.is_named}
    found: defaultdict[str, dict[str, _Cell]] = defaultdict(dict)  # by exercise and text: of equal ones the first
    unclear: list[CellClaim] = []
    for cell in cells:
        if cell.is_named or (len(cell.answers) == 1 and cell.answers[0].id not in settled):
            found[cell.answers[0].id].setdefault(cell.python.text, cell)
        elif not settled.issuperset(each.id for each in cell.answers):
            unclear.append((cell.number, cell.answers, b""))
    statements = _reusable(cell for cell in cells if cell.is_python)
    claims: list[CellClaim] = []
    for exercise in names.exercises:
        different = found[exercise.id]
        for text, cell in different.items():
            look_at_clock()
            # several answers to one exercise do not count, so they need not run
            if len(different) == 1 and not _is_as_given(text, exercise, names):
                text = _with_what_it_needs(cell, statements)
            claims.append((cell.number, [exercise], text.encode("utf-8", "surrogatepass")))
    return claims + unclear


def _is_as_given(text: str, exercise: Exercise, names: ExerciseNames) -> bool:
    """Whether `text` is still the exercise's stub; False where the course cannot make stubs."""
    with suppress(OSError, UnicodeDecodeError, CourseError):
        return same_as_stub(text.encode("utf-8", "surrogatepass"), stub_of(names.course, exercise))
    return False


def cells_in(content: bytes) -> list[Mapping[str, Any]]:
    """The cells of a notebook of format 4. Raises UnreadableError: too large, damaged, or no notebook."""
    if len(content) > NOTEBOOK_MB * MB:
        raise UnreadableError(f"is larger than {NOTEBOOK_MB} MB; clear its outputs and save it again")
    try:
        # numbers are dropped: none are needed, and a huge one would take long to convert
        notebook = json.loads(content.decode("utf-8-sig"), parse_int=lambda _: None, parse_float=lambda _: None)
    except (ValueError, RecursionError):
        notebook = None
    cells = _mapping(notebook).get("cells")
    if not isinstance(cells, list):
        raise UnreadableError("is damaged or not a notebook; open it in Jupyter and save it again")
    if len(cells) > MAX_CELLS:
        raise UnreadableError(f"holds more than {MAX_CELLS} cells; hand in the answers alone")
    return [_mapping(cell) for cell in cells]


def _code_cells(content: bytes, names: ExerciseNames) -> list[_Cell]:
    """The cells with code, without the tests."""
    found: list[_Cell] = []
    characters = 0
    for number, cell in enumerate(cells_in(content), start=1):
        source, marks = cell.get("source"), _mapping(_mapping(cell.get("metadata")).get("nbgrader"))
        id, is_solution = marks.get("grade_id"), marks.get("solution") is True
        if cell.get("cell_type") != "code" or (marks.get("grade") is True and not is_solution):
            continue
        parts: list[Any] = source if isinstance(source, list) else [source]
        if not all(isinstance(part, str) for part in parts):
            raise UnreadableError(f"is damaged (cell {number} has no text); open it in Jupyter and save it again")
        text = "".join(parts)
        characters += len(text)
        if characters > MAX_CODE_KB * 1024:
            raise UnreadableError(f"holds more than {MAX_CODE_KB} kB of code; hand in the answers alone")
        python = read_python(text)
        by_id = names.by_stem(id.replace("-", "_")) if isinstance(id, str) else None
        answers, is_named = ((by_id,), True) if by_id else names.by_text(text, python.defined)
        is_python, is_given = not _OTHER_LANGUAGE.match(text), marks.get("locked") is True and not is_solution
        may_answer = is_named or (is_python and not is_given)
        found.append(_Cell(number, python, answers if may_answer else (), is_named, is_python))
    return found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


# --- what an answer needs of earlier cells ----------------------------------------------------------------------------


class _Statement(NamedTuple):
    """A statement that may be put before an answer, with its cell's number. needs: names that must exist already.

    binds: names, among them `*` for a star import, and `__future__` for an import from there.
    """

    number: int
    text: str
    binds: Set[str]
    needs: Set[str]


def _reusable(cells: Iterable[_Cell]) -> list[_Statement]:
    """What may be put before answers: imports, definitions, and constants that use nothing but what is imported."""
    found: list[_Statement] = []
    available = set(_ALWAYS_THERE)
    for cell in cells:
        lines = cell.python.text.encode("utf-8", "replace").split(b"\n")
        for node in cell.python.statements:
            binds, needs = _binds(node), _names(node)[0]
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                needs |= _names(node.value)[0]  # also of what it binds itself: `x = x + 1`
                if not available.issuperset(needs):
                    continue
            if not isinstance(node, _DEFINITIONS):
                available |= binds
            if binds:
                found.append(_Statement(cell.number, _text_of(node, lines), binds, needs))
    return found


def _text_of(node: ast.stmt, lines: Sequence[bytes]) -> str:
    """A statement as it stands in these lines; without what else stands there, such as a comment."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    own = list(lines[first - 1 : node.end_lineno])
    own[-1] = own[-1][: node.end_col_offset]
    own[0] = own[0][node.col_offset :]
    return b"\n".join(own).decode()


def _with_what_it_needs(cell: _Cell, statements: Iterable[_Statement]) -> str:
    """The cell as a file of its own: before it what it needs of earlier cells, and what that needs in turn."""
    earlier = [each for each in statements if each.number < cell.number]
    binding: defaultdict[str, list[_Statement]] = defaultdict(list)
    for each in earlier:
        for name in each.binds:
            binding[name].append(each)
    own = {name for node in cell.python.statements for name in _binds(node)}
    mentioned = {name for node in cell.python.statements for name in _names(node)[0]}
    wanted = set[str]()
    waiting = (mentioned - own) | {"*", "__future__"}  # a star import may provide any of the names
    while waiting:
        look_at_clock()
        wanted |= waiting
        met = {id(each): each for name in waiting for each in binding[name]}
        waiting = set[str]().union(*(each.needs for each in met.values())) - wanted
    needed = [each for each in earlier if not wanted.isdisjoint(each.binds)]
    # in a file, imports from __future__ must come first, and its own are among its first lines
    needed.sort(key=lambda each: "__future__" not in each.binds)
    own_futures = [node.end_lineno or 0 for node in cell.python.statements if "__future__" in _binds(node)]
    lines, place = cell.python.text.split("\n"), max(own_futures, default=0)
    return "\n".join([*lines[:place], *(each.text for each in needed), *lines[place:]])


# --- Python -----------------------------------------------------------------------------------------------------------

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class PythonText(NamedTuple):
    """A text with IPython's own lines as comments, the names that it defines, and its statements if it was parsed."""

    text: str
    defined: frozenset[str]
    statements: Sequence[ast.stmt] = ()


def read_python(text: str) -> PythonText:
    """Find the statements in a text. This decides nothing about a mark."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (tree := _parsed(text)) is None:  # only a text that is no Python can hold lines of IPython's own
        text = _IPYTHON.sub(_commented_out, text)
        tree = _parsed(text)
    if tree is None:
        return PythonText(text, frozenset(_BEGUN.findall(text)))
    return PythonText(text, frozenset(node.name for node in tree.body if isinstance(node, _DEFINITIONS)), tree.body)


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


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement binds that may be put before an answer; none for another one: a loop, a call."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.ImportFrom(module="__future__"):
            return {"__future__"}
        case ast.Import() | ast.ImportFrom():
            return {(each.asname or each.name).partition(".")[0] for each in node.names}
        case ast.Assign():
            return set[str]().union(*(_names(each)[1] for each in node.targets))
        case ast.AnnAssign(value=ast.expr()):
            return _names(node.target)[1]
    return set()


def _names(tree: ast.AST) -> tuple[set[str], set[str]]:
    """The names that are read in a tree and not bound in it, and those that it binds: variables, parameters."""
    nodes = list(ast.walk(tree))
    found = [each for each in nodes if isinstance(each, ast.Name)]
    bound = {each.arg for each in nodes if isinstance(each, ast.arg)}
    bound |= {each.id for each in found if not isinstance(each.ctx, ast.Load)}
    return {each.id for each in found} - bound, bound
