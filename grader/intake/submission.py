"""A submission that has been read: sources by exercise, and problems; and the test whether bytes are a source.

A source is UTF-8 text of a sensible size; its Python is not looked at.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ProblemKind = Literal["duplicate", "unknown", "unreadable", "refused", "renamed"]


@dataclass(frozen=True)
class SourceFile:
    """One exercise's source, as the learner wrote it; `name` says where it was found."""

    exercise: str
    name: str
    content: bytes


@dataclass(frozen=True)
class Problem:
    """One sentence about a file that was not taken as it is, with the exercise if that is known."""

    file: str
    kind: ProblemKind
    message: str
    exercise: str | None = None


@dataclass(frozen=True)
class Submission:
    """Everything found under one name. An exercise without a source here is missing."""

    name: str
    sources: Mapping[str, SourceFile]
    problems: tuple[Problem, ...]


class SubmissionError(Exception):
    """The submission as a whole cannot be read; the text is one sentence for people."""


class UnreadableError(Exception):
    """One file cannot be read; the text continues a sentence that starts with its name."""


class RefusedError(Exception):
    """One file must not be read, such as a link; the text continues a sentence that starts with its name."""


_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE_END = re.compile(rb"\r\n|\r|\n")
# PEP 263: a comment in the first line, or in the second if the first has no code
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_NO_CODE = re.compile(rb"[ \t\f]*(?:#|\Z)")


def without_bom(content: bytes) -> bytes:
    """Return `content` without the byte order mark that some editors put in front of UTF-8."""
    return content.removeprefix(codecs.BOM_UTF8)


def fault(content: bytes, limit_kb: int) -> str | None:
    """Return why `content` is not a source, to follow the file's name in a sentence, or None if it is."""
    if len(content) > limit_kb * 1024:
        return f"is larger than {limit_kb} kB; hand in the source alone"
    if content.startswith(_UTF16):
        return "is saved as UTF-16; save it as UTF-8"
    if b"\0" in content:
        return "contains a NUL character; save it again as plain text in UTF-8"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(content[: error.start])) + 1
        return f"is not UTF-8 (line {line}); save it as UTF-8"
    coding = _declared_coding(content)
    if coding is not None and not _is_utf8(coding):
        return f"declares the coding {coding[:40]}; save it as UTF-8 and take that comment out"
    return None


def _declared_coding(content: bytes) -> str | None:
    first, *rest = _LINE_END.split(without_bom(content), maxsplit=2)
    candidates = [first, *rest[:1]] if _NO_CODE.match(first) else [first]
    for line in candidates:
        if found := _COOKIE.match(line):
            return found[1].decode("ascii", "replace")
    return None


def _is_utf8(coding: str) -> bool:
    normal = coding.lower().replace("_", "-")
    return normal in ("utf-8", "utf8") or normal.startswith("utf-8-")
