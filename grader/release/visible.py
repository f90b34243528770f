"""Cuts a file of checks down to the visible checks and the definitions that they use."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grader.errors import KataError
from grader.judge.authoring import Case

HEAD = "# The checks of this exercise that you may see, cut from the course's file by `kata release`."

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Import = ast.Import | ast.ImportFrom

CALLED_BY_OTHERS = frozenset(dir(Case))
"""Methods that may be called although the file of checks does not mention them."""


def visible_part(source: str, name: str) -> str:
    """The visible checks with the imports, constants, functions and methods that they use.

    Comments between these are dropped, as they may mention hidden checks. `name` is the file's name for messages.
    Raises KataError for a file that can't be cut, or without visible checks.
    """
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        raise KataError(f"{name}: the checks are not valid Python (line {error.lineno})") from None
    _refuse_what_cannot_be_cut(body, name)
    shown = [node for node in body if isinstance(node, Definition) and _is_visible_check(node)]
    if not shown:
        raise KataError(f"{name}: there is no visible check, so learners would have nothing to try")
    kept = _KeptCode()
    for node in shown:
        kept.add(node)
    kept.grow([node for node in body if not (isinstance(node, Definition) and _is_check(node))])
    lines = source.splitlines()
    imports = [_import_of(node, kept.names) for node in body if isinstance(node, Import)]
    blocks = [_text_of(node, kept, lines) for node in body if node in kept.nodes]
    return "\n\n\n".join(["\n".join([HEAD, "", *filter(None, imports)]), *blocks]) + "\n"


class _KeptCode:
    """The statements and methods to keep, and all names used in them."""

    def __init__(self) -> None:
        self.nodes: set[ast.AST] = set()
        self.names: set[str] = set()

    def add(self, node: ast.stmt) -> None:
        """Keep a statement; of a class only its head and fields, since methods are decided one by one."""
        self.nodes.add(node)
        parts: list[ast.AST] = [node]
        if isinstance(node, ast.ClassDef):
            fields = [each for each in node.body if not isinstance(each, Function)]
            parts = [*node.bases, *(word.value for word in node.keywords), *node.decorator_list, *fields]
        self.names.update(name for part in parts for name in _names_in(part))

    def grow(self, others: Sequence[ast.stmt]) -> None:
        """Add the definitions of all names used in kept statements, until nothing changes."""
        is_growing = True
        while is_growing:
            found = [node for node in others if node not in self.nodes and not self.names.isdisjoint(_bound_by(node))]
            classes = [node for node in [*others, *found] if isinstance(node, ast.ClassDef) and node in self.nodes]
            found += [each for node in classes for each in _methods_of(node) if self._is_due(each)]
            for node in found:
                self.add(node)
            is_growing = bool(found)

    def _is_due(self, method: Function) -> bool:
        name = method.name
        is_special = name.startswith("__") and name.endswith("__")
        return method not in self.nodes and (is_special or name in CALLED_BY_OTHERS or name in self.names)


def _text_of(node: ast.stmt, kept: _KeptCode, lines: Sequence[str]) -> str:
    gone = {
        number
        for method in (_methods_of(node) if isinstance(node, ast.ClassDef) else ())
        if method not in kept.nodes
        for number in range(_first_line(method), (method.end_lineno or method.lineno) + 1)
    }
    numbers = range(_first_line(node), (node.end_lineno or node.lineno) + 1)
    text = "\n".join(lines[number - 1] for number in numbers if number not in gone)
    while "\n\n\n" in text and gone:  # blank lines left by removed methods
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip()


def _refuse_what_cannot_be_cut(body: Sequence[ast.stmt], name: str) -> None:
    last_line = 0
    for node in body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_text and not isinstance(node, (Import, ast.Assign, ast.AnnAssign, Definition)):
            raise KataError(
                f"{name}, line {node.lineno}: only imports, constants, functions and classes can be taken apart here"
            )
        if _first_line(node) <= last_line:
            raise KataError(f"{name}, line {node.lineno}: two statements on one line cannot be taken apart")
        last_line = node.end_lineno or node.lineno


def _is_check(node: Definition) -> bool:
    return node.name.startswith(("test", "Test"))


def _is_visible_check(node: Definition) -> bool:
    return _is_check(node) and any(
        word.arg == "visible" and isinstance(word.value, ast.Constant) and word.value.value is True
        for mark in node.decorator_list
        if isinstance(mark, ast.Call)
        for word in mark.keywords
    )


def _methods_of(node: ast.ClassDef) -> list[Function]:
    return [each for each in node.body if isinstance(each, Function)]


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, Definition) else []
    return min([node.lineno, *(each.lineno for each in decorators)])


def _names_in(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.arg):
            yield each.arg  # it may be the name of a fixture


def _bound_by(node: ast.stmt) -> Iterator[str]:
    """The names that a statement defines; imports are handled separately."""
    if isinstance(node, Definition):
        yield node.name
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _names_in(target)
    elif isinstance(node, ast.AnnAssign):
        yield from _names_in(node.target)


def _import_of(node: Import, names: set[str]) -> str:
    """The import reduced to the names that are used, or ""."""
    is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    used = [each for each in node.names if is_future or (each.asname or each.name).partition(".")[0] in names]
    if not used:
        return ""
    if isinstance(node, ast.ImportFrom):
        return ast.unparse(ast.ImportFrom(module=node.module, names=used, level=node.level))
    return ast.unparse(ast.Import(names=used))
