"""A stub for a review with other variable names in its formulas; names that the course's contract fixes stay.

A learner who knows the formula can write it whatever queries, keys and values are called. One of the course's documents
lists four ways to name them; a review uses another one than the stub, in formulas and shapes of the docstring.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import zlib
from dataclasses import dataclass

from grader.course import Exercise
from grader.course.stubs import same_as_stub

Names = tuple[str, str, str]

HABITS: tuple[Names, ...] = (
    ("q", "k", "v"),
    ("query", "key", "value"),
    ("linear_q", "linear_k", "linear_v"),
    ("q_proj", "k_proj", "v_proj"),
)
"""The four ways to name them in "Day5: self attention 實作"."""

WRITTEN: tuple[Names, ...] = (("queries", "keys", "values"), ("query", "key", "value"), ("q", "k", "v"))
"""The names that stubs use. The other ways are names of layers there, which the contract fixes."""

LONGEST_LINE = 140
"""A variation with longer lines is left out, as it would be hard to read."""

_ENGLISH = frozenset({"query", "key", "value"})
_GAP = re.compile(r"( {2,})")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Variation:
    """A stub in which `names` replace `former`. Both are empty when there is nothing to replace."""

    text: str
    former: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def varied_stub(exercise: Exercise, stub: str, number: int) -> Variation:
    """The stub for an exercise's review with this number; each number gives a fixed one, the next number another."""
    variations = _variations(exercise, stub)
    if not variations:
        return Variation(stub)
    return variations[(zlib.crc32(exercise.id.encode()) + number) % len(variations)]


def is_as_given(exercise: Exercise, source: bytes, stub: str) -> bool:
    """Whether a file is the stub or one of its variations, unchanged."""
    texts = [stub, *(each.text for each in _variations(exercise, stub))]
    return any(same_as_stub(source, text) for text in texts)


def _variations(exercise: Exercise, stub: str) -> list[Variation]:
    """All variations. A debug task has none: its repair is compared with the file as it was given."""
    docstring = _docstring_lines(stub)
    if exercise.kind == "debug" or docstring is None:
        return []
    lines = stub.split("\n")
    begin, end = docstring
    taken = _names_in_code(stub)
    for former in WRITTEN:
        if taken.isdisjoint(former) and _is_named(lines[begin:end], former):
            words = set(_WORD.findall("\n".join(lines[begin:end]))) - _ENGLISH
            free = [names for names in HABITS if names != former and (taken | words).isdisjoint(names)]
            texts = ((_renamed(lines, begin, end, former, names), names) for names in free)
            return [Variation(text, former, names) for text, names in texts if _is_readable(text)]
    return []


def _is_readable(text: str) -> bool:
    return all(len(line) <= LONGEST_LINE for line in text.split("\n"))


def _docstring_lines(stub: str) -> tuple[int, int] | None:
    """First and last line of the module's docstring; None if there is none."""
    try:
        body = ast.parse(stub).body
    except SyntaxError:
        return None
    if not body or not isinstance(body[0], ast.Expr) or not isinstance(body[0].value, ast.Constant):
        return None
    if not isinstance(body[0].value.value, str):
        return None
    return body[0].lineno - 1, body[0].end_lineno or body[0].lineno


def _names_in_code(stub: str) -> set[str]:
    """All names in the code: entry points, parameters and others."""
    tokens = tokenize.generate_tokens(io.StringIO(stub).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME}


def _is_named(lines: list[str], names: Names) -> bool:
    """Whether formulas and shapes use all three names."""
    text = "\n".join(part for line in lines for part, is_name in _parts(line, names) if is_name)
    return all(_pattern((name,)).search(text) for name in names)


def _parts(line: str, names: Names) -> list[tuple[str, bool]]:
    """A line split at its gaps (included); each part with whether it is a formula or a name.

    In an indented line these are the first part, parts with a `=`, and parts that list the three names. Examples
    (`>>>`) are not changed.
    """
    if not line.startswith("    ") or line.lstrip().startswith((">>>", "...")):
        return [(line, False)]
    indent = len(line) - len(line.lstrip(" "))
    parts = _GAP.split(line[indent:])
    told = ", ".join(names)
    return [
        (line[:indent], False),
        *((part, number == 0 or "=" in part or told in part) for number, part in enumerate(parts)),
    ]


def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Whole names, also before a superscript: `keyᵀ`."""
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(names)})(?![A-Za-z0-9_])")


def _renamed(lines: list[str], begin: int, end: int, former: Names, names: Names) -> str:
    renamed = list(lines)
    start = begin
    for index in range(begin, end + 1):
        if index == end or not lines[index].strip():
            renamed[start:index] = _renamed_block(lines[start:index], former, names)
            start = index + 1
    return "\n".join(renamed)


def _renamed_block(lines: list[str], former: Names, names: Names) -> list[str]:
    """Rename in a block of lines; columns stay aligned."""
    new = dict(zip(former, names, strict=True))
    pattern = _pattern(former)
    rows = [
        [
            (pattern.sub(lambda found: new[found[0]], part) if is_name else part, part)
            for part, is_name in _parts(line, former)
        ]
        for line in lines
    ]
    # align rows of one name and its shape only: a remark after a formula need not be aligned
    tables = [row for row in rows if len(row) > 3 and "=" not in row[1][1] and not row[3][1].startswith("=")]
    lacking = max((len(row[1][0]) - len(row[1][1]) - (len(row[2][1]) - 2) for row in tables), default=0)
    shift = max(lacking, 0)
    return [_aligned(row, shift if row in tables else 0) for row in rows]


def _aligned(row: list[tuple[str, str]], shift: int) -> str:
    """The new text of a row; gaps absorb the change in length of the part before them."""
    text = ""
    grown = -shift
    for new, old in row:
        if _GAP.fullmatch(old) and text:
            text += " " * max(2, len(old) - grown) if not text.endswith(",") else old
            grown = 0
        else:
            text += new
            grown += len(new) - len(old)
    return text
