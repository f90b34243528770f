"""Whether a file can leave a trace in the process that it runs in: then no other file may run there after it.

No wall: code that means to leave one can, and gains nothing by it, for what counts is judged elsewhere. An honest file
that is not plain (it sets a default of torch's, or needs some other module) merely gets a process for itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

MODULES = frozenset(
    (
        "__future__", "abc", "collections", "collections.abc", "copy", "dataclasses", "enum", "functools", "itertools",
        "math", "operator", "torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.parameter", "typing",
    )
)  # fmt: skip
"""What may be imported: nothing of it has a state but torch."""

BUILTINS_WITH_REACH = frozenset(
    (
        "__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "exit", "getattr", "globals", "help",
        "input", "locals", "open", "quit", "setattr", "vars",
    )
)  # fmt: skip

PARTS_WITH_REACH = frozenset(
    (
        "autograd", "backends", "builtins", "classes", "compile", "compiler", "cuda", "ctypes", "distributed",
        "dynamo", "export", "func", "fx", "hub", "importlib", "inspect", "io", "jit", "library", "load", "mps", "mtia",
        "multiprocessing", "onnx", "ops", "os", "overrides", "package", "platform", "profiler", "random", "save",
        "serialization", "share_memory_", "storage", "sys", "testing", "threading", "torch_version", "utils", "version",
        "warnings", "xpu",
    )
)  # fmt: skip
"""Of torch, what has a state of its own, or leads to modules that have one."""

BEGINNINGS_WITH_REACH = ("_", "enable_", "disable_", "import_", "register", "set_", "use_")
OWN_REGISTERS = frozenset(("register_buffer", "register_parameter"))
OWN_METHODS = frozenset(("__init__", "__post_init__", "__call__", "__len__", "__getitem__", "__iter__", "__repr__"))


def is_plain(tree: ast.Module) -> bool:
    """Whether all that a file does stays with its own names, objects and random numbers, as far as can be read."""
    nodes = list(ast.walk(tree))
    imported = frozenset(name for node in nodes for name in _imported_by(node))
    return all(_stays_inside(node, imported) for node in nodes)


def _imported_by(node: ast.AST) -> Iterable[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]


def _stays_inside(node: ast.AST, imported: frozenset[str]) -> bool:
    kind = type(node)
    if kind is ast.Name:
        return _is_tame_name(node)  # type: ignore[arg-type]
    if kind is ast.Attribute:
        return _is_tame_attribute(node)  # type: ignore[arg-type]
    if kind in _NEVER:
        return False
    look = _LOOKS.get(kind)
    return look is None or look(node, imported)


def _is_tame_name(node: ast.Name) -> bool:
    if isinstance(node.ctx, ast.Load):
        return node.id not in BUILTINS_WITH_REACH and (not node.id.startswith("__") or node.id == "__name__")
    return node.id != "self"


def _is_tame_attribute(node: ast.Attribute) -> bool:
    is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
    if not isinstance(node.ctx, ast.Load) and not is_own:
        return False
    name = node.attr
    if name == "__init__":
        return isinstance(node.ctx, ast.Load)
    if is_own and name.startswith("_"):
        return not name.startswith("__")
    return _is_tame_part(name)


def _is_tame_part(name: str) -> bool:
    if name in OWN_REGISTERS:
        return True
    return name not in PARTS_WITH_REACH and not name.startswith(BEGINNINGS_WITH_REACH) and "hook" not in name


def _is_tame_import(node: ast.AST, imported: frozenset[str]) -> bool:
    assert isinstance(node, ast.Import)
    return all(alias.name in MODULES for alias in node.names)


def _is_tame_import_from(node: ast.AST, imported: frozenset[str]) -> bool:
    assert isinstance(node, ast.ImportFrom)
    return not node.level and node.module in MODULES and all(_is_tame_imported(alias.name) for alias in node.names)


def _is_tame_imported(name: str) -> bool:
    return name == "annotations" or (name != "*" and _is_tame_part(name))


def _is_tame_item(node: ast.AST, imported: frozenset[str]) -> bool:
    assert isinstance(node, ast.Subscript)
    root: ast.expr = node
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    return isinstance(node.ctx, ast.Load) or (isinstance(root, ast.Name) and root.id not in imported)


def _is_tame_function(node: ast.AST, imported: frozenset[str]) -> bool:
    assert isinstance(node, ast.FunctionDef)
    return not node.name.startswith("__") or node.name in OWN_METHODS


def _is_tame_class(node: ast.AST, imported: frozenset[str]) -> bool:
    assert isinstance(node, ast.ClassDef)
    return not node.keywords


_NEVER = frozenset((ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith))
"""What is left in the middle ends at some other time, in somebody else's."""
_LOOKS = {
    ast.Import: _is_tame_import,
    ast.ImportFrom: _is_tame_import_from,
    ast.Subscript: _is_tame_item,
    ast.FunctionDef: _is_tame_function,
    ast.ClassDef: _is_tame_class,
}
