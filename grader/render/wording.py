"""Words, signs and numbers shared by all reports, so that they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.errors import printable
from grader.record import Adjustment, Isolation, Record, Status

Units = Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class Mark:
    """How a status is displayed: never by colour alone."""

    word: str
    sign: str
    ascii_sign: str


MARKS: Mapping[Status, Mark] = {
    "passed": Mark("passed", "✓", "+"),
    "failed": Mark("failed", "✗", "x"),
    "partly": Mark("in part", "~", "~"),
    "not_started": Mark("not started", "○", "o"),
    "missing": Mark("missing", "·", "-"),
    "error": Mark("not graded", "!", "!"),
}

IN_CLASSES: Mapping[Status, Mark] = {status: mark for status, mark in MARKS.items() if status != "partly"}
"""A class is graded with all checks, so nothing is partly checked."""

CHECKED: tuple[Status, ...] = ("passed", "failed", "partly", "error")
"""Statuses of an exercise whose checks ran."""

NOT_GRADED = "The grader itself failed here. That is no fault of the submission, and it is not a zero."

HOW_TO_ASK = (
    "If a lost point seems wrong to you, ask whoever teaches the course, and name the exercise and the sentence of the "
    "check: exactly this check can be run again with your file."
)
"""Shown on every page on which a learner may have lost points."""

ISOLATION: Mapping[Isolation, str] = {
    "full": "full",
    "reduced": "reduced (no namespaces; chosen by whoever graded)",
    "process": "process (for practice; no wall, so not a grade)",
    "none": "none (for practice; no wall, so not a grade)",
}


def ungraded(record: Record) -> str:
    """The warning that the record's points are not a mark, or ""."""
    count = sum(exercise.status == "error" for exercise in record.exercises)
    return f"{counted(count, 'exercise')} could not be graded, so these points are not a mark." if count else ""


def passed_count(record: Record) -> int:
    """How many exercises passed."""
    return sum(exercise.status == "passed" for exercise in record.exercises)


def score(value: float) -> str:
    """Points as people write them: 4, 61.5, 0.25."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def out_of(points: float, max_points: float) -> str:
    """Points and their maximum: 1.5 / 4."""
    return f"{score(points)} / {score(max_points)}"


def change(adjustment: Adjustment) -> str:
    """An adjustment's effect on the points: -2.5, 0."""
    return score(adjustment.points)


def counted(count: int, noun: str) -> str:
    """A number with its noun, singular or plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_few(names: Sequence[str], most: int = 20) -> str:
    """The names, or of many the first and how many more there are; between semicolons where a name has a comma."""
    listed = [printable(name) for name in names[:most]]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ("; " if any("," in name for name in listed) else ", ").join(listed) + more


def share(points: float, max_points: float) -> float:
    """Points divided by the maximum, at most 1; 0 when the maximum is 0."""
    return min(points / max_points, 1.0) if max_points > 0 else 0.0
