"""Makes the learner's stub from the reference solution by replacing the marked regions."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .model import CourseError

if TYPE_CHECKING:
    from grader.course import Course, Exercise

_REGION = re.compile(
    r"^(?P<indent>[ \t]*)# BEGIN SOLUTION[ \t]*\n(?P<written>(?:.*\n)*?)[ \t]*# END SOLUTION[ \t]*\n"
    r"(?:[ \t]*# BEGIN STUB[ \t]*\n(?P<given>(?:.*\n)*?)[ \t]*# END STUB[ \t]*\n)?",
    re.MULTILINE,
)
# Anything that looks like a marker: passing over a misspelt one could hand the solution to the learner.
_MARKER = re.compile(r"#.*\b(?:BEGIN|END)[ _-]*(?:SOLUTION|STUB)", re.IGNORECASE)
_GIVEN_LINE = re.compile(r"([ \t]*)#(?: (.*))?")


def make_stub(solution_text: str, name: str = "") -> str:
    """The stub of a reference solution.

    Each SOLUTION region is replaced by the uncommented lines of the STUB region directly after it, or else by
    `raise NotImplementedError("<entry>: still to write")`, where <entry> is the function or class around it.
    name: the file, for errors. Raises CourseError when markers are missing, misspelt, nested or out of place.
    """
    text = _plain(solution_text) + "\n"  # a region may end without a newline

    def line(position: int) -> int:
        return text.count("\n", 0, position) + 1

    def error(line: int, sentence: str) -> CourseError:
        return CourseError(f"{f'{name}:{line}' if name else f'line {line}'}: {sentence}")

    def replacement(region: re.Match[str]) -> str:
        if region["given"] is None:
            try:
                entry = _definitions_around(text, line(region.start()))
            except SyntaxError as fault:
                raise error(fault.lineno or 1, f"this is not Python: {fault.msg}") from None
            if not entry:
                sentence = "a SOLUTION region outside of functions and classes needs a STUB region"
                raise error(line(region.start()), sentence)
            return f'{region["indent"]}raise NotImplementedError("{entry}: still to write")\n'
        code = ""
        for number, given in enumerate(region["given"].splitlines(), start=line(region.start("given"))):
            found = _GIVEN_LINE.fullmatch(given)
            if not found and given.strip():
                raise error(number, "each line of a STUB region begins with `# `")
            code += (found[1] + found[2] if found and found[2] else "") + "\n"
        return code

    # the same lines, without the markers of regions
    left = _REGION.sub(lambda found: "".join(f"\n{part}\n" for part in found.groups()[1:] if part is not None), text)
    if stray := _MARKER.search(left):
        raise error(
            left.count("\n", 0, stray.start()) + 1,
            "this marker fits no other: each stands alone on its line, `# BEGIN SOLUTION` before `# END SOLUTION`, "
            "and right after that `# BEGIN STUB` before `# END STUB`",
        )
    if not _REGION.search(text):
        raise error(1, "there is no `# BEGIN SOLUTION`, so the stub would be the solution itself")
    return _REGION.sub(replacement, text).removesuffix("\n")


def stub_of(course: Course, exercise: Exercise) -> str:
    """The file that learners are given. Raises CourseError as `make_stub`, and OSError."""
    if not course.has_answers:
        return course.stub_path(exercise).read_text(encoding="utf-8")
    solution = course.solution_path(exercise)
    return make_stub(solution.read_text(encoding="utf-8"), solution.name)


def same_as_stub(source: bytes, stub: str) -> bool:
    """Whether the source is the unchanged stub, apart from a BOM, line endings and trailing whitespace."""
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    mine, given = ("\n".join(line.rstrip(" \t") for line in _plain(each).split("\n")) for each in (text, stub))
    return mine.rstrip("\n") == given.rstrip("\n")


def _definitions_around(text: str, line: int) -> str:
    """The names of the definitions around a line, outermost first: "MySelfAttention.forward". Raises SyntaxError."""
    names = []
    node: ast.AST | None = ast.parse(text)
    while node:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(node.name)
        parts = [each for each in ast.iter_child_nodes(node) if isinstance(each, (ast.stmt, ast.excepthandler))]
        node = next((each for each in parts if each.lineno < line <= (each.end_lineno or 0)), None)
    return ".".join(names)


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
