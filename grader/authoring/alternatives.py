"""Right answers that are written differently, as files: an author's definitions or edits, put into the reference."""

from __future__ import annotations

import ast
import re

from grader.course import Course, Exercise
from grader.judge.bank import edited, written_alternatives
from grader.judge.faults import GraderBroken, place

MARKERS = ("# BEGIN SOLUTION", "# END SOLUTION")


def load_alternatives(course: Course, exercise: Exercise) -> dict[str, str]:
    """The sources of an exercise's alternatives by id. Raises GraderBroken when one cannot be used as written."""
    begun_from = course.stub_path if exercise.kind == "debug" else course.solution_path
    begun, where = begun_from(exercise).read_text("utf-8"), place(course.alternatives_path(exercise))
    found = {}
    for id, written in written_alternatives(course, exercise).items():
        whose = f"{where}: {id!r}"
        found[id] = defined_anew(begun, written, whose) if isinstance(written, str) else edited(begun, written, whose)
    return found


def defined_anew(reference: str, text: str, whose: str) -> str:
    """The reference with the definitions of `text` behind it, in place of its own of the same name.

    A class without `__init__` inherits from the reference's. Raises GraderBroken, which begins with `whose`, when
    `text` defines nothing anew.
    """
    try:
        new = {_name(node): node for node in ast.parse(text).body}
    except SyntaxError as error:
        raise GraderBroken(f"{whose}: {error.msg} in line {error.lineno} of its definitions") from None
    lines = [line for line in reference.splitlines() if line.strip() not in MARKERS]
    old = [node for node in ast.parse("\n".join(lines)).body if _name(node)]
    if not any(_name(node) in new for node in old):
        names = ", ".join(map(_name, old))
        raise GraderBroken(f"{whose}: define at least one of {names} anew, or write a list of edits")
    behind = text.splitlines()
    for node in reversed(old):
        other = new.get(_name(node))
        inherits = isinstance(other, ast.ClassDef) and "__init__" not in map(_name, other.body)
        if other is not None and inherits and isinstance(node, ast.ClassDef):
            behind[other.lineno - 1] = f"class {node.name}({node.name}):"
        elif other is not None:
            begin = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
            del lines[begin - 1 : node.end_lineno]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join([*lines, "", "", *behind])) + "\n"


def _name(node: ast.stmt) -> str:
    """What a statement defines: a function, a class, or a name that it assigns; "" for any other."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else []
    return next((target.id for target in targets if isinstance(target, ast.Name)), "")
