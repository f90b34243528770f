"""Reads a cell's top-level statements with `ast`: what each binds, and which names it needs.

It decides nothing about a mark. Parsing can take time and memory that grow with the square of a text. So a long text is
not parsed: what it defines is read off the beginnings of its lines, as in a text with a syntax error.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .reading_time import look_at_clock

MAX_PARSED_KB = 32  # the worst texts of this length take half a second and 300 MB

StatementKind = Literal["definition", "import", "future", "assignment"]


@dataclass(frozen=True)
class Statement:
    """A top-level statement that binds names; these contain `*` for a star import."""

    kind: StatementKind
    text: str
    binds: frozenset[str]
    mentions: frozenset[str]
    """Names that must exist already."""
    end_line: int
    """Its last line in the text, counted from 1."""


@dataclass(frozen=True)
class PythonText:
    """A text with IPython's own lines as comments, the names that it defines, and its statements if it was parsed."""

    text: str
    defined: frozenset[str]
    statements: tuple[Statement, ...] = ()
    mentions: frozenset[str] = frozenset()
    """Names that its statements need, and those that bind nothing too."""


def read_python(text: str) -> PythonText:
    """Find the statements in a text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tree = _parsed(text)
    if tree is None:
        # only a text that is no Python can hold lines of IPython's own
        text = _without_ipython(text)
        tree = _parsed(text)
    if tree is None:
        return PythonText(text, frozenset(map(_begun, text.split("\n"))) - {""})
    lines = text.encode().split(b"\n")
    found = [each for node in tree.body if (each := _statement(node, lines))]
    defined = {name for each in found if each.kind == "definition" for name in each.binds}
    mentions = {name for node in tree.body for name in _mentions(node)}
    return PythonText(text, frozenset(defined), tuple(found), frozenset(mentions))


def _parsed(text: str) -> ast.Module | None:
    look_at_clock()
    if len(text.encode("utf-8", "replace")) > MAX_PARSED_KB * 1024:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _without_ipython(text: str) -> str:
    """The text with IPython's own lines as comments."""
    lines: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        bare = line.lstrip(" \t")
        indent = line[: len(line) - len(bare)]
        if goes_on:
            lines.append(f"# {line}")
        elif not _is_ipython(bare):
            lines.append(line)
        else:  # it may be the only line in the body of an `if`
            lines.append(f"{indent}pass  # {bare}" if indent else f"# {bare}")
        goes_on = lines[-1] != line and line.endswith("\\")
    return "\n".join(lines)


def _is_ipython(line: str) -> bool:
    """Whether a line is %magic, !command, ?help, help?, name = %magic or name = !command.

    `% b`, with a blank, and `!= b` may continue an expression of Python's.
    """
    target, _, value = line.partition("=")
    called = value.lstrip() if target.strip().isidentifier() else line
    is_called = called.startswith(("%", "!", "?")) and not called.startswith(("% ", "!="))
    return is_called or (line.rstrip().endswith("?") and len(line.split()) == 1 and not line.startswith("#"))


def _begun(line: str) -> str:
    """The name of the function or class that begins in this line; "" for any other line."""
    keyword, _, rest = line.removeprefix("async ").partition(" ")
    return rest.replace(":", "(").partition("(")[0].strip() if keyword in ("def", "class") else ""


def _statement(node: ast.stmt, lines: Sequence[bytes]) -> Statement | None:
    """The statement; None for one that is not put in front of an answer: a loop, a call."""
    kind: StatementKind
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            kind, binds, mentions = "definition", {node.name}, _mentions(node)
        case ast.ImportFrom(module="__future__"):
            kind, binds, mentions = "future", set(), set()
        case ast.Import() | ast.ImportFrom():
            names = {each.asname or each.name for each in node.names}
            kind, binds, mentions = "import", {name.partition(".")[0] for name in names}, set()
        case ast.Assign(targets=targets, value=value):
            kind, binds, mentions = "assignment", set().union(*map(_bound, targets)), _mentions(value)
        case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
            kind, binds, mentions = "assignment", _bound(target), _mentions(annotation) | _mentions(value)
        case _:
            return None
    return Statement(kind, _source(node, lines), frozenset(binds), frozenset(mentions), node.end_lineno or 0)


def _bound(tree: ast.AST) -> set[str]:
    """The names that a tree binds: variables, parameters."""
    return _names(tree)[1]


def _mentions(tree: ast.AST) -> set[str]:
    """The names that are read in a tree and not bound in it."""
    read, bound = _names(tree)
    return read - bound


def _names(tree: ast.AST) -> tuple[set[str], set[str]]:
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return read, bound


def _source(node: ast.stmt, lines: Sequence[bytes]) -> str:
    """A statement's own text, with its decorators."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    own = list(lines[first - 1 : node.end_lineno])
    own[-1] = own[-1][: node.end_col_offset]
    own[0] = own[0][node.col_offset :]
    return b"\n".join(own).decode() + "\n"
