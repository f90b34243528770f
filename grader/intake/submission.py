"""A submission that has been read: sources by exercise, and problems; and which bytes are a source.

A source is UTF-8 text of a sensible size; its Python is not looked at.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from grader.errors import KataError

ProblemKind = Literal["duplicate", "unknown", "unreadable", "refused", "renamed"]


@dataclass(frozen=True)
class SourceFile:
    """One exercise's source, as the learner wrote it; `name` says where it was found."""

    exercise: str
    name: str
    content: bytes


@dataclass(frozen=True)
class FileProblem:
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
    problems: tuple[FileProblem, ...]


class SubmissionError(KataError):
    """The submission as a whole cannot be read."""


class SlowDiskError(SubmissionError):
    """The machine was too slow to read the submission; not the learner's fault."""


class UnreadableError(Exception):
    """One file cannot be read, or must not be, as a link; the text continues a sentence that starts with its name."""

    def __init__(self, reason: str, kind: ProblemKind = "unreadable") -> None:
        super().__init__(reason)
        self.kind = kind


_LINE_END = re.compile(rb"\r\n|\r|\n")
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""PEP 263: a comment in the first line, or in the second if the first has no code."""


def source_in(content: bytes, limit_kb: int) -> bytes:
    """The source that a file holds: its bytes without a byte order mark. Raises UnreadableError if it is none."""
    if len(content) > limit_kb * 1024:
        raise UnreadableError(f"is larger than {limit_kb} kB; hand in the source alone")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableError("is saved as UTF-16; save it as UTF-8")
    if b"\0" in content:
        raise UnreadableError("contains a NUL character; save it again as plain text in UTF-8")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(content[: error.start])) + 1
        raise UnreadableError(f"is not UTF-8 (line {line}); save it as UTF-8") from None
    content = content.removeprefix(codecs.BOM_UTF8)
    coding = _declared_coding(content)
    if re.match(r"utf-?8(-|$)", coding.lower().replace("_", "-")) is None:
        raise UnreadableError(f"declares the coding {coding[:40]}; save it as UTF-8 and take that comment out")
    return content


def _declared_coding(content: bytes) -> str:
    for line in _LINE_END.split(content, maxsplit=2)[:2]:
        if found := _CODING.match(line):
            return found[1].decode("ascii", "replace")
        if not line.lstrip(b" \t\f").startswith(b"#") and line.strip():
            break
    return "utf-8"
