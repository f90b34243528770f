"""Makes the learner's stub from the reference solution by replacing the marked regions."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .course_error import CourseError

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
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def make_stub(solution_text: str, name: str = "") -> str:
    """The stub of a reference solution.

    Each SOLUTION region is replaced by the uncommented lines of the STUB region directly after it, or else by
    `raise NotImplementedError("<entry>: still to write")`, where <entry> is the function or class around it.
    name: the file, for errors. Raises CourseError when markers are missing, misspelt, nested or out of place.
    """
    solution = _Solution(_plain(solution_text) + "\n", name)  # a region may end without a newline
    solution.refuse_stray_markers()
    return _REGION.sub(solution.replacement, solution.text).removesuffix("\n")


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
    return _essence(text) == _essence(stub)


class _Solution:
    """A reference solution with its regions."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self._name = text, name

    def replacement(self, region: re.Match[str]) -> str:
        """What learners are given in place of a region."""
        if region["given"] is not None:
            return self._uncommented(region)
        if entry := self._entry(self._line(region.start())):
            return f'{region["indent"]}raise NotImplementedError("{entry}: still to write")\n'
        raise self._error(region.start(), "a SOLUTION region outside of functions and classes needs a STUB region")

    def refuse_stray_markers(self) -> None:
        """Raise CourseError for a marker that is part of no region, and where there is no region."""
        # the same lines, without the markers of regions
        left = _REGION.sub(lambda found: f"\n{found['written']}\n" + _framed(found["given"]), self.text)
        if stray := _MARKER.search(left):
            line = left.count("\n", 0, stray.start()) + 1
            raise CourseError(
                f"{self._place(line)}: this marker fits no other: each stands alone on its line, `# BEGIN SOLUTION` "
                "before `# END SOLUTION`, and right after that `# BEGIN STUB` before `# END STUB`"
            )
        if not _REGION.search(self.text):
            raise self._error(0, "there is no `# BEGIN SOLUTION`, so the stub would be the solution itself")

    def _uncommented(self, region: re.Match[str]) -> str:
        """The lines of a STUB region without their "# "."""
        code, position = "", region.start("given")
        for line in region["given"].splitlines(keepends=True):
            found = _GIVEN_LINE.fullmatch(line.rstrip("\n"))
            if not found and line.strip():
                raise self._error(position, "each line of a STUB region begins with `# `")
            code += (found[1] + found[2] if found and found[2] else "") + "\n"
            position += len(line)
        return code

    def _entry(self, line: int) -> str:
        """The names of the definitions around a line, outermost first: "MySelfAttention.forward"."""
        try:
            tree = ast.parse(self.text)
        except SyntaxError as error:
            raise CourseError(f"{self._place(error.lineno or 1)}: this is not Python: {error.msg}") from None
        around = [node for node in ast.walk(tree) if isinstance(node, _DEFINITIONS)]
        return ".".join(node.name for node in around if node.lineno < line <= (node.end_lineno or 0))

    def _line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def _place(self, line: int) -> str:
        return f"{self._name}:{line}" if self._name else f"line {line}"

    def _error(self, position: int, sentence: str) -> CourseError:
        return CourseError(f"{self._place(self._line(position))}: {sentence}")


def _framed(given: str | None) -> str:
    return "" if given is None else f"\n{given}\n"


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _essence(text: str) -> list[str]:
    lines = [line.rstrip(" \t") for line in _plain(text).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines
