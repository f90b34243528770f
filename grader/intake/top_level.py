"""Finds the top-level statements of a cell without parsing it: what each binds, and which names it mentions.

It decides nothing about a mark. It distinguishes a `def` from one quoted in a docstring, and takes time in proportion
to the text, whatever the text is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from .reading_time import look_at_clock

StatementKind = Literal["definition", "import", "future", "assignment", "other"]

_WORD = r"[^\W\d]\w*"
_LONG = r"{0}(?:\\.|[^\\{1}]|{1}(?!{1}{1}))*(?:{0})?"
_SHORT = r"{0}(?:\\.|[^{0}\\\n])*{0}?"
_STRINGS = (_LONG.format("'''", "'"), _LONG.format('"""', '"'), _SHORT.format("'"), _SHORT.format('"'))
_STRING_OR_COMMENT = re.compile(
    rf"(?P<f>\b(?:f|rf|fr))?(?:{'|'.join(_STRINGS)})|\#[^\n]*|\\\n", re.IGNORECASE | re.DOTALL
)
# IPython's own syntax: %magic, !command, ?help, help?, name = !command. `% b` with a blank is Python's remainder.
_MAGIC = re.compile(
    r"[ \t]*(?=\S)(?:%{1,2}[^\W\d]|!|\?|[\w.%*]+\?{1,2}[ \t]*(?:\n|\Z)|\w[\w, ]*=[ \t]*(?:![^=]|%[^\W\d]))"
)
_DECORATORS = re.compile(r"\A(?:@[^\n]*\s*)+")
_DEFINITION = re.compile(rf"(?:async[ \t]+def|def|class)[ \t]+({_WORD})[ \t]*[(:\[]")
_IMPORT = re.compile(r"(?:import|from)[ \t]+[^;]*")
_IMPORTED = re.compile(r"\A(?:from\b.*?\bimport\b|import\b)", re.DOTALL)
_ASSIGNMENT = re.compile(rf"({_WORD}(?:[ \t]*,[ \t]*{_WORD})*)[ \t]*(?::[^=\n]*)?=(?!=)")
# A name that must exist already: not an attribute, not a target, not the name of a keyword argument.
_MENTION = re.compile(rf"(?<![\w.]){_WORD}\b(?![ \t]*=(?!=))")
# Names that a statement binds for itself: loop variables, parameters, targets.
_BOUND = re.compile(
    rf"\bfor\b([^:]{{1,80}}?)\bin\b|\blambda\b([^:\n]{{0,80}}):|^[ \t]+({_WORD}(?:[ \t]*,[ \t]*{_WORD})*)[ \t]*=(?!=)",
    re.MULTILINE,
)
_PARAMETERS = re.compile(rf"\bdef[ \t]+{_WORD}[ \t]*\(([^)]{{0,2000}})")
_PARAMETER = re.compile(rf"(?:\A|[,*])\s*({_WORD})")


@dataclass(frozen=True)
class Statement:
    """A top-level statement with what follows it up to the next. `binds` contains `*` for a star import."""

    kind: StatementKind
    text: str
    support: str
    """What other cells get of it."""
    binds: frozenset[str]
    mentions: frozenset[str]


@dataclass(frozen=True)
class PythonText:
    """A text with IPython's own lines as comments, in parts: what is before the first statement, and the statements."""

    before: str
    statements: tuple[Statement, ...]

    @property
    def defined(self) -> frozenset[str]:
        """The names of its functions and classes."""
        return frozenset().union(*(each.binds for each in self.statements if each.kind == "definition"))

    def text(self, *, futures: bool = True) -> str:
        """The whole text, without imports from `__future__` if these are not wanted."""
        kept = (each.text for each in self.statements if futures or each.kind != "future")
        return "".join([self.before, *kept])


def read_python(text: str) -> PythonText:
    """Find the statements in `text`, whose lines end with a line feed."""
    code = _STRING_OR_COMMENT.sub(_blank, text)
    lines: list[tuple[str, str]] = []  # each as it is, and its code alone
    starts: list[int] = []
    position, depth, is_decorated = 0, 0, False
    for line in code.split("\n"):
        look_at_clock()
        written = text[position : position + len(line) + 1]
        position += len(written)
        if not depth and _MAGIC.match(written):
            written, line = _as_comment(written), ""
        elif not depth and line[:1].strip():
            starts += [] if is_decorated else [len(lines)]
            is_decorated = line.startswith("@")
        depth = max(depth + sum(map(line.count, "([{")) - sum(map(line.count, ")]}")), 0)
        lines.append((written, line + (" " if depth else "\n")))
    parts = [lines[start:end] for start, end in pairwise([*starts, len(lines)])]
    before = "".join(written for written, _ in lines[: starts[0] if starts else None])
    return PythonText(before, tuple(_statement(*map("".join, zip(*part, strict=True))) for part in parts))


def _blank(found: re.Match[str]) -> str:
    """As many blanks; a string's first character stays, and all of an f-string, since it mentions names."""
    if found["f"]:
        return found[0].replace("\n", " ")
    return (found[0][0] if found[0][0] in "'\"" else " ") + " " * (len(found[0]) - 1)


def _as_comment(magic: str) -> str:
    bare = magic.lstrip(" \t")
    indent = magic[: len(magic) - len(bare)]
    comment = re.sub(r"^(?=.)", "# ", bare, flags=re.MULTILINE)
    # it may be the only line in the body of an `if`
    return f"{indent}pass  {comment}" if indent else comment


def _statement(text: str, code: str) -> Statement:
    head, support = _DECORATORS.sub("", code), text.rstrip() + "\n"
    listed = " ".join(part for parts in _BOUND.findall(code) for part in parts)
    parameters = [name for header in _PARAMETERS.findall(code) for name in _PARAMETER.findall(header)]
    own = {*re.findall(_WORD, listed), *parameters}
    mentions = frozenset(_MENTION.findall(code)) - own
    if found := _DEFINITION.match(head):
        return Statement("definition", text, support, frozenset({found[1]}), mentions)
    if found := _IMPORT.match(head):
        support = " ".join(found[0].split()) + "\n"  # on one line, without comments or what follows a semicolon
        is_future = found[0].split()[1:2] == ["__future__"]
        names = frozenset() if is_future else _imported_names(found[0])
        return Statement("future" if is_future else "import", text, support, names, frozenset())
    if found := _ASSIGNMENT.match(head):
        targets = frozenset(name.strip() for name in found[1].split(","))
        # a type annotation of the target is included
        return Statement("assignment", text, support, targets, frozenset(_MENTION.findall(head, found.end(1))) - own)
    return Statement("other", text, support, frozenset(), mentions)


def _imported_names(code: str) -> frozenset[str]:
    listed = _IMPORTED.sub("", code).replace("(", " ").replace(")", " ")
    names = (part.split()[-1] for part in listed.split(",") if part.split())
    return frozenset(name if code.startswith("from") else name.partition(".")[0] for name in names)
