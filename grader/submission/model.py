"""A submission once it is read: sources by exercise, and what was wrong on the way."""

from __future__ import annotations

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
    """One sentence about a file that was not taken as it is, with the exercise where that is known."""

    file: str
    kind: ProblemKind
    message: str
    exercise: str | None = None


@dataclass(frozen=True)
class Submission:
    """Everything that was found under one name. An exercise without a source here is missing."""

    name: str
    sources: Mapping[str, SourceFile]
    problems: tuple[Problem, ...]


class SubmissionError(Exception):
    """The submission as a whole cannot be read; the text is one sentence for people."""


class UnreadableError(Exception):
    """One file cannot be read; the text continues a sentence that starts with its name."""


class RefusedError(Exception):
    """One file must not be read, say a link; the text continues a sentence that starts with its name."""
