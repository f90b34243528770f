"""Mutation testing: makes small slips in a reference, one at a time. A mutant that passes shows a gap in the checks."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"

OTHER_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
OTHER_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
HALF, TWICE = 0.5, 2
EITHER_WAY_ROUND = {"transpose", "swapaxes"}
"""Calls whose first two arguments are interchangeable."""


@dataclass(frozen=True)
class Mutant:
    """A reference with one slip. `line` counts from 1; `was` and `now` are that line before and after."""

    operator: str
    line: int
    was: str
    now: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """Every mutant of the parts of a reference that learners write, ordered by line, without duplicates.

    Raises SyntaxError for invalid source.
    """
    lines = _written_by_learners(source)
    found: dict[str, Mutant] = {}
    for operator, node, text in _Slips(ast.parse(source), lines).all():
        changed = _spliced(source, node, text)
        if changed != source and changed not in found and _compiles(changed):
            line = node.lineno
            now = " ⏎ ".join(part.strip() for part in _changed_lines(source, changed, node))
            found[changed] = Mutant(operator, line, source.splitlines()[line - 1].strip(), now, changed)
    return sorted(found.values(), key=lambda mutant: mutant.line)


def _written_by_learners(source: str) -> set[int]:
    lines, is_inside = set(), False
    for number, line in enumerate(source.splitlines(), start=1):
        if line.strip() == END:
            is_inside = False
        if is_inside:
            lines.add(number)
        if line.strip() == BEGIN:
            is_inside = True
    return lines


def _compiles(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `x is 0` warns, but is a good mutant
        try:
            compile(source, "mutant", "exec")
        except SyntaxError:
            return False
    return True


def _spliced(source: str, node: ast.expr | ast.stmt, text: str) -> str:
    """The source with the text of one node replaced."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = source.encode()
    return (whole[:start] + text.encode() + whole[end:]).decode()


def _changed_lines(source: str, changed: str, node: ast.expr | ast.stmt) -> list[str]:
    end = node.end_lineno or node.lineno
    more = len(changed.splitlines()) - len(source.splitlines())
    return changed.splitlines()[node.lineno - 1 : end + more]


Slip = tuple[str, ast.expr | ast.stmt, str]


class _Slips:
    """Walks a module and yields replacements for each part: operator, node, text.

    A compound expression is put in brackets, so that it stays one expression in any context.
    """

    def __init__(self, tree: ast.Module, lines: set[int]) -> None:
        self._tree = tree
        self._lines = lines

    def all(self) -> Iterator[Slip]:
        for scope in ast.walk(self._tree):
            if isinstance(scope, ast.ClassDef):
                yield from self._attributes(scope)
            if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from self._names(scope)
        yield from self._nodes(self._tree)

    def _nodes(self, node: ast.AST) -> Iterator[Slip]:
        for child in _worth_changing(node):
            if getattr(child, "lineno", 0) in self._lines:
                if isinstance(child, ast.stmt):
                    yield from _statement(child)
                elif isinstance(child, ast.expr):
                    yield from _expression(child)
            yield from self._nodes(child)

    def _names(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Slip]:
        """Replace a variable by its neighbours in order of definition."""
        names = list(
            dict.fromkeys(
                [arg.arg for arg in _arguments(function) if arg.arg != "self"]
                + [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            )
        )
        for node in _used(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
                for other in _neighbours(names, node.id):
                    if node.lineno in self._lines:
                        yield "another variable", node, other

    def _attributes(self, scope: ast.ClassDef) -> Iterator[Slip]:
        """Replace an attribute of the module by its neighbours in order of definition."""
        made = [n for n in ast.walk(scope) if _is_own_attribute(n) and isinstance(n.ctx, ast.Store)]  # type: ignore[attr-defined]
        names = list(dict.fromkeys(n.attr for n in made))  # type: ignore[attr-defined]
        for node in _used(scope):
            if _is_own_attribute(node) and isinstance(node.ctx, ast.Load) and node.attr in names:  # type: ignore[attr-defined]
                for other in _neighbours(names, node.attr):  # type: ignore[attr-defined]
                    if node.lineno in self._lines:  # type: ignore[attr-defined]
                        yield "another attribute", node, f"self.{other}"  # type: ignore[misc]


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    every = function.args
    return [*every.posonlyargs, *every.args, *every.kwonlyargs]


def _neighbours(names: Sequence[str], name: str) -> list[str]:
    place = names.index(name)
    return list(dict.fromkeys(other for other in (names[place - 1], names[(place + 1) % len(names)]) if other != name))


def _is_own_attribute(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _used(node: ast.AST) -> Iterator[ast.AST]:
    for child in _worth_changing(node):
        yield child
        yield from _used(child)


def _worth_changing(node: ast.AST) -> Iterator[ast.AST]:
    """The children, except those that no check can observe: type hints, docstrings, error messages."""
    if isinstance(node, ast.Raise):
        return
    if isinstance(node, ast.Assert):
        yield node.test
        return
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from (default for default in [*node.args.defaults, *node.args.kw_defaults] if default is not None)
        yield from node.decorator_list
        yield from (statement for statement in node.body if not _is_docstring(statement))
        return
    if isinstance(node, ast.arg):
        return
    if isinstance(node, ast.AnnAssign):
        yield node.target
        if node.value is not None:
            yield node.value
        return
    yield from (child for child in ast.iter_child_nodes(node) if not _is_docstring(child))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _statement(node: ast.stmt) -> Iterator[Slip]:
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Assert, ast.Raise, ast.Delete)):
        yield "left out", node, "pass"
    if isinstance(node, ast.AugAssign):
        for other in OTHER_OPERATORS.get(type(node.op), ()):
            yield "another operator", node, ast.unparse(ast.AugAssign(node.target, other(), node.value))
        yield "assigned instead", node, f"{ast.unparse(node.target)} = {ast.unparse(node.value)}"
    if isinstance(node, (ast.If, ast.While)):
        yield "never", node.test, "False"
        if isinstance(node, ast.If):
            yield "always", node.test, "True"
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
        turned = [*node.value.elts[1:], node.value.elts[0]]
        yield "another order", node.value, ", ".join(map(ast.unparse, turned))
    if isinstance(node, (ast.Break, ast.Continue)):
        yield "left out", node, "pass"


def _expression(node: ast.expr) -> Iterator[Slip]:
    if isinstance(node, ast.BinOp):
        yield from _binary(node)
    elif isinstance(node, ast.UnaryOp):
        yield "sign or not left out", node, f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "another operator", node, f"({ast.unparse(ast.BoolOp(other, node.values))})"
        for value in node.values:
            yield "one side only", node, f"({ast.unparse(value)})"
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for op in OTHER_COMPARISONS.get(type(node.ops[0]), ()):
            yield "another comparison", node, f"({ast.unparse(ast.Compare(node.left, [op()], node.comparators))})"
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Call):
        yield from _call(node)
    elif isinstance(node, ast.IfExp):
        yield "one side only", node, f"({ast.unparse(node.body)})"
        yield "one side only", node, f"({ast.unparse(node.orelse)})"
    elif isinstance(node, ast.Subscript):
        yield from _subscript(node)
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
        for first in range(len(node.elts) - 1):
            turned = list(node.elts)
            turned[first], turned[first + 1] = turned[first + 1], turned[first]
            yield "another order", node, f"({', '.join(map(ast.unparse, turned))})"


def _binary(node: ast.BinOp) -> Iterator[Slip]:
    for other in OTHER_OPERATORS.get(type(node.op), ()):
        yield "another operator", node, f"({ast.unparse(ast.BinOp(node.left, other(), node.right))})"
    yield "one side only", node, f"({ast.unparse(node.left)})"
    yield "one side only", node, f"({ast.unparse(node.right)})"
    if isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)):
        yield "sides swapped", node, f"({ast.unparse(ast.BinOp(node.right, node.op, node.left))})"


def _constant(node: ast.Constant) -> Iterator[Slip]:
    value = node.value
    if isinstance(value, bool):
        yield "another constant", node, str(not value)
    elif isinstance(value, int):
        yield "another constant", node, str(value + 1)
        yield "another constant", node, f"({value - 1})" if value < 1 else str(value - 1)
    elif isinstance(value, float):
        yield "another constant", node, repr(value * HALF if value else 1.0)
        yield "another constant", node, repr(value * TWICE if value else -1.0)
    elif isinstance(value, str):
        yield "another constant", node, repr(value + "_")
    elif value is None:
        yield "another constant", node, "0"


def _call(node: ast.Call) -> Iterator[Slip]:
    if isinstance(node.func, ast.Attribute):
        yield "call left out", node, f"({ast.unparse(node.func.value)})"
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield "call left out", node, f"({ast.unparse(node.args[0])})"
    for keyword in node.keywords:
        others = [other for other in node.keywords if other is not keyword]
        yield "argument left out", node, ast.unparse(ast.Call(node.func, node.args, others))
    for last in range(1, len(node.args)):
        shorter = [*node.args[:last], *node.args[last + 1 :]]
        yield "argument left out", node, ast.unparse(ast.Call(node.func, shorter, node.keywords))
        if isinstance(node.func, ast.Attribute) and node.func.attr in EITHER_WAY_ROUND and last == 1:
            continue
        swapped = [*node.args[: last - 1], node.args[last], node.args[last - 1], *node.args[last + 1 :]]
        yield "arguments swapped", node, ast.unparse(ast.Call(node.func, swapped, node.keywords))


def _subscript(node: ast.Subscript) -> Iterator[Slip]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    yield "index left out", node, f"({ast.unparse(node.value)})"
    for place, part in enumerate(parts):
        for other in _slices(part):
            written = [ast.unparse(each) for each in parts]
            written[place] = other
            yield "another slice", node, f"{ast.unparse(node.value)}[{', '.join(written)}]"


def _slices(part: ast.expr) -> Iterator[str]:
    if isinstance(part, ast.Slice):
        lower, upper = (ast.unparse(end) if end else "" for end in (part.lower, part.upper))
        if lower:
            yield f":{upper}"
        if upper:
            yield f"{lower}:"
