"""Right answers that are written differently: they keep the checks fair, and `kata solution` shows them.

`ALTERNATIVES` in an exercise's `alternatives.py` gives each an id, and what it writes otherwise than the reference:
definitions, or edits. Those of a debug task start from the file that learners are given.
"""

from __future__ import annotations

import ast
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.course import Course, Exercise

from .authored import fault, place, told
from .edits import edited
from .faults import BankError

IMPORTS = (ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MARKERS = ("# BEGIN SOLUTION", "# END SOLUTION")


def load_alternatives(course: Course, exercise: Exercise) -> dict[str, str]:
    """The sources of an exercise's alternatives by id; none where the course has none.

    Raises BankError when they cannot be used as written.
    """
    path = course.alternatives_path(exercise)
    if not path.is_file():
        return {}
    begun_from = course.stub_path if exercise.kind == "debug" else course.solution_path
    text = begun_from(exercise).read_text(encoding="utf-8")
    return {
        id: (defined_anew if isinstance(written, str) else edited)(text, written, f"{place(path)}: {id!r}")
        for id, written in _listed(path).items()
    }


def _listed(path: Path) -> dict[str, Any]:
    try:
        listed = runpy.run_path(str(path)).get("ALTERNATIVES")
    except Exception as error:
        raise BankError(fault(error, path)) from None
    if not isinstance(listed, dict) or not all(isinstance(each, (str, list)) for each in listed.values()):
        raise BankError(f"{place(path)}: ALTERNATIVES must be a dict of ids, each with definitions or a list of edits")
    return listed


def defined_anew(reference: str, text: str, whose: str) -> str:
    """The reference, less its docstring, with the definitions of `text` in place of those of the same name.

    A class without `__init__` keeps the reference's methods that it does not write. What else stands in front of a
    definition comes along with it. Raises BankError, which begins with `whose`, when `text` defines nothing anew.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise BankError(f"{whose}: {told(error)} in line {error.lineno} of its definitions. Mend that line") from None
    reference = "\n".join(line for line in reference.splitlines() if line.strip() not in MARKERS)
    old = list(_statements(reference, ast.parse(reference)))
    named = {_name(node): node for node, _ in old if _name(node)}
    imports, ahead, anew = list[str](), list[str](), dict[str, str]()
    for node, passage in _statements(text, tree):
        if isinstance(node, IMPORTS):
            imports.append(passage)
        elif _name(node) in named:
            anew[_name(node)] = "\n\n\n".join([*ahead, _completed(node, passage, named[_name(node)], reference)])
            ahead = []
        else:
            ahead.append(passage)
    if not anew:
        raise BankError(f"{whose}: define at least one of {', '.join(named)} anew, or write a list of edits")
    imports += [passage for node, passage in old if isinstance(node, IMPORTS)]
    imports.sort(key=lambda passage: passage.split()[1])  # by module: math, then torch, then torch.nn.functional
    others = [anew.get(_name(node), passage) for node, passage in old if not isinstance(node, IMPORTS)]
    return "\n\n\n".join(["\n".join(imports), *others, *ahead]).strip() + "\n"


def _completed(node: ast.stmt, passage: str, old: ast.stmt, reference: str) -> str:
    """A definition; a class without `__init__` begins with those of the old one's methods that it does not write."""
    if not (isinstance(node, ast.ClassDef) and isinstance(old, ast.ClassDef)):
        return passage
    written = {each.name for each in node.body if isinstance(each, FUNCTIONS)}
    if "__init__" in written:
        return passage
    methods = [(each, text) for each, text in _statements(reference, old) if isinstance(each, FUNCTIONS)]
    kept = [text for each, text in methods if each.name not in written]
    lines, first = passage.splitlines(), node.body[0]
    head_end = first.end_lineno if _is_docstring(first) else node.lineno
    cut = len(lines) - ((node.end_lineno or 0) - (head_end or 0))
    gap = [""] if _is_docstring(first) else []
    return "\n".join([*lines[:cut], *gap, "\n\n".join([*kept, "\n".join(lines[cut:]).strip("\n")])])


def _statements(source: str, tree: ast.Module | ast.ClassDef) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement of a module or class, its docstring aside, as it is written, with the comments in front of it."""
    lines, begin = source.splitlines(), getattr(tree, "lineno", 0)
    for node in tree.body:
        end = node.end_lineno or begin
        if node is not tree.body[0] or not _is_docstring(node):
            yield node, "\n".join(lines[begin:end]).strip("\n")
        begin = end


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _name(node: ast.stmt) -> str:
    """What a statement defines: a function, a class, or a name that it assigns; "" for any other."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else []
    return next((target.id for target in targets if isinstance(target, ast.Name)), "")
