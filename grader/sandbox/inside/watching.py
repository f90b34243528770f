"""Watches what a learner's code calls: what an exercise forbids, and what it does on its way to an answer.

Forbidden library calls are found in the source before it runs, and among torch operators while it runs. That is no
security boundary: code that wants to hide a call can. It is feedback for honest learners; what is not listed is
allowed.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

NONE: frozenset[str] = frozenset()


class ForbiddenOperator(Exception):
    """Raised within a learner's call when it reaches an operator that the exercise forbids."""


class _Mode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # or torch would import its compiler, half a second, only to skip this mode


class OperatorWatch(_Mode):
    """Refuses the named operators ("aten::_softmax"), and remembers the first in case the learner catches the error."""

    def __init__(self, operators: Iterable[str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operators = frozenset(operators)
        self.seen: str | None = None

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name = func.name().partition(".")[0]
        if name in self.operators:
            self.seen = self.seen or name
            raise ForbiddenOperator(name)
        return func(*args, **(kwargs or {}))


def forbidden_uses(
    tree: ast.Module, source: str, calls: Iterable[str], entry_points: Iterable[str]
) -> list[tuple[str, int]]:
    """Find library calls by name in the code that the entry points reach: (name, line) each, sorted by line.

    A learner's own function of the same name is not a use, nor is anything under `if __name__ == "__main__":` or in
    code that the entry points do not reach.
    """
    names = frozenset(calls)
    if not _could_use(source, names):
        return []
    suspects = [part for part in _reachable(tree, entry_points) if _library_name(part, names)]
    if not suspects:
        return []
    own, imported = _own_attributes(tree), _imported_names(tree)
    found = {
        (name, getattr(part, "lineno", 0)) for part in suspects if (name := _library_name(part, names, own, imported))
    }
    return sorted(found, key=lambda use: (use[1], use[0]))


def _could_use(source: str, names: Iterable[str]) -> bool:
    """Quick test before the tree is searched. Yes for non-ASCII source, whose letters may normalise to a name."""
    return not source.isascii() or "getattr" in source or any(name in source for name in names)


def _own_attributes(tree: ast.Module) -> frozenset[str]:
    """Names that the file's classes define themselves: methods, and attributes assigned through self."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    methods = {part.name for node in classes for part in node.body if isinstance(part, functions)}
    assigned = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _root_name(node) == "self"
    }
    return frozenset(methods | assigned)


def _imported_names(tree: ast.Module) -> frozenset[str]:
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return frozenset(name for node in imports for name in _defined_by(node))


def _reachable(tree: ast.Module, entry_points: Iterable[str]) -> list[ast.AST]:
    """All nodes of the top-level statements that define the entry points or names used by these, transitively."""
    defines: dict[str, list[ast.stmt]] = {}
    for statement in _top_level(tree.body):
        for name in _defined_by(statement):
            defines.setdefault(name, []).append(statement)
    reached: list[ast.AST] = []
    done: set[int] = set()
    seen: set[str] = set()
    waiting = list(entry_points)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for statement in defines.get(name, []):
            if id(statement) not in done:
                done.add(id(statement))
                parts = list(ast.walk(statement))
                reached += parts
                waiting.extend(part.id for part in parts if isinstance(part, ast.Name))
    return reached


def _top_level(body: Sequence[ast.stmt]) -> Iterable[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.If) and not _is_main_guard(statement):
            yield from _top_level([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.Try):
            yield from _top_level([*statement.body, *statement.orelse, *statement.finalbody])
            for handler in statement.handlers:
                yield from _top_level(handler.body)
        elif not isinstance(statement, ast.If):
            yield statement


def _is_main_guard(statement: ast.If) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(statement.test))


def _defined_by(statement: ast.stmt) -> Iterable[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _library_name(
    node: ast.AST, names: frozenset[str], own: frozenset[str] = NONE, imported: frozenset[str] = NONE
) -> str | None:
    if isinstance(node, ast.Attribute) and node.attr in names and isinstance(node.ctx, ast.Load):
        is_own = node.attr in own and _root_name(node) not in imported
        return None if is_own else node.attr
    if isinstance(node, ast.ImportFrom):
        return next((alias.name for alias in node.names if alias.name in names), None)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
        texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        return next((text for text in texts if text in names), None)
    return None


def _root_name(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


# --- what is seen on the way ------------------------------------------------------------------------------------------


class _Sizes(_Mode):
    """Records the element count of the largest tensor that an operator returns, whatever its layout."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.largest = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for value in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(value, torch.Tensor):
                self.largest = max(self.largest, _numbers_held(value))
        return result


def _numbers_held(tensor: torch.Tensor) -> int:
    """The number of elements stored: along an expanded axis (stride 0) there is only one."""
    if tensor.layout != torch.strided:
        return tensor.numel()
    held = (size for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if stride or not size)
    return math.prod(held)


class _Functions(TorchFunctionMode):
    """Records the names of torch functions that are called directly."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        self.names.add(str(getattr(func, "__name__", "")))
        return func(*args, **(kwargs or {}))


class Observer(io.StringIO):
    """Observes a case while it runs. What is printed is counted, and dropped."""

    def __init__(self) -> None:
        super().__init__()
        self._sizes, self._functions = _Sizes(), _Functions()
        self._printed = 0

    def write(self, text: str) -> int:
        """Count a text that is printed."""
        self._printed += len(text)
        return len(text)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Observe the code in the `with` block."""
        with contextlib.redirect_stdout(self), self._functions, self._sizes:
            yield

    def seen(self) -> dict[str, Any]:
        """The largest element count, the functions called, the number of characters printed."""
        names = sorted(self._functions.names)[:200]
        return {"largest": self._sizes.largest, "functions": names, "printed": self._printed}
