"""Makes the learner's stub from the reference solution by removing the marked regions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.course import Course, Exercise

_MARKER = re.compile(r"[ \t]*# (BEGIN|END) (SOLUTION|STUB)[ \t]*")
# Anything that looks like a misspelt marker: ignoring one could hand the solution to the learner.
_NEAR_MARKER = re.compile(r"#.*\b(BEGIN|END)[ _-]*(SOLUTION|STUB)", re.IGNORECASE)
_DEFINITION = re.compile(r"[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)")
_STUB_LINE = re.compile(r"([ \t]*)#(?: (.*))?")


class StubError(Exception):
    """The solution's markers do not match; `line` says where."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"line {line}: {sentence}")
        self.line = line


@dataclass(frozen=True)
class _Region:
    """The lines from a BEGIN marker to its END marker, both included, counted from 0."""

    kind: str
    begin: int
    end: int


def make_stub(solution_text: str) -> str:
    """The stub of a reference solution.

    Each SOLUTION region is replaced by the uncommented lines of the STUB region directly after it, or else by
    `raise NotImplementedError("<entry>: still to write")`, where <entry> is the function or class around it.
    Raises StubError when markers are missing, misspelt, nested or out of place.
    """
    lines = _plain(solution_text).split("\n")
    regions = _regions(lines)
    stub: list[str] = []
    position = 0
    for before, region, after in zip([None, *regions], regions, [*regions[1:], None], strict=False):
        stub.extend(lines[position : region.begin])
        position = region.end + 1
        if region.kind == "STUB":
            if not _is_pair(before, region):
                raise StubError(region.begin + 1, "a STUB region must directly follow a SOLUTION region")
            stub.extend(_uncommented(lines, region))
        elif not _is_pair(region, after):
            stub.append(_still_to_write(lines, region))
    stub.extend(lines[position:])
    return "\n".join(stub)


def stub_of(course: Course, exercise: Exercise) -> str:
    """The file that learners are given. Raises StubError as `make_stub`."""
    if course.is_bundle:
        return course.given_path(exercise).read_text(encoding="utf-8")
    return make_stub(course.solution_path(exercise).read_text(encoding="utf-8"))


def same_as_stub(source: bytes, stub: str) -> bool:
    """Whether the source is the unchanged stub, apart from a BOM, line endings and trailing whitespace."""
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return _essence(text) == _essence(stub)


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _essence(text: str) -> list[str]:
    lines = [line.rstrip(" \t") for line in _plain(text).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _regions(lines: Sequence[str]) -> list[_Region]:
    """All regions in order. Raises StubError when they are malformed, or when none is a SOLUTION."""
    regions: list[_Region] = []
    opened: tuple[str, int] | None = None  # kind and line of the BEGIN that is still open
    for index, line in enumerate(lines):
        marker = _marker(line, index)
        if marker is None:
            continue
        edge, kind = marker
        if edge == "BEGIN":
            if opened:
                raise StubError(index + 1, f"BEGIN {kind} inside the {opened[0]} region of line {opened[1] + 1}")
            opened = (kind, index)
        elif opened is None or opened[0] != kind:
            raise StubError(index + 1, f"END {kind} without its BEGIN {kind}")
        else:
            regions.append(_Region(kind, opened[1], index))
            opened = None
    if opened:
        raise StubError(opened[1] + 1, f"BEGIN {opened[0]} without its END {opened[0]}")
    if not any(region.kind == "SOLUTION" for region in regions):
        raise StubError(1, "there is no `# BEGIN SOLUTION`, so the stub would be the solution itself")
    return regions


def _marker(line: str, index: int) -> tuple[str, str] | None:
    if found := _MARKER.fullmatch(line):
        return found[1], found[2]
    if _NEAR_MARKER.search(line):
        raise StubError(index + 1, "a marker stands alone on its line, written like `# BEGIN SOLUTION`")
    return None


def _is_pair(solution: _Region | None, stub: _Region | None) -> bool:
    """Whether `stub` is the STUB region that replaces the SOLUTION region before it."""
    if solution is None or stub is None:
        return False
    return solution.kind == "SOLUTION" and stub.kind == "STUB" and stub.begin == solution.end + 1


def _uncommented(lines: Sequence[str], region: _Region) -> list[str]:
    """The lines of a STUB region without their "# "."""
    code: list[str] = []
    for index in range(region.begin + 1, region.end):
        line = lines[index]
        found = _STUB_LINE.fullmatch(line)
        if found and found[2]:
            code.append(found[1] + found[2])
        elif found or not line.strip():
            code.append("")
        else:
            raise StubError(index + 1, "each line of a STUB region begins with `# `")
    return code


def _still_to_write(lines: Sequence[str], region: _Region) -> str:
    entry = _entry(lines, region.begin)
    if not entry:
        sentence = "a SOLUTION region outside all functions and classes needs a STUB region after it"
        raise StubError(region.begin + 1, sentence)
    marker = lines[region.begin]
    indentation = marker[: len(marker) - len(marker.lstrip())]
    return f'{indentation}raise NotImplementedError("{entry}: still to write")'


def _entry(lines: Sequence[str], index: int) -> str:
    """The names of the definitions around a line, outermost first: "MySelfAttention.forward"."""
    names: list[str] = []
    depth = _depth(lines[index])
    for line in reversed(lines[:index]):
        code = line.strip()
        # blank lines, comments and the closing bracket of a long signature may be indented less than their block
        if not code or code[0] in "#)]}" or _depth(line) >= depth:
            continue
        depth = _depth(line)
        if found := _DEFINITION.match(line):
            names.insert(0, found[1])
    return ".".join(names)


def _depth(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())
