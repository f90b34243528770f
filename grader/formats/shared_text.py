"""What several formats share: JSON, CSV columns that can be told apart, a record's total in words, a test a check."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from grader.errors import KataError
from grader.record import Outcome, Record
from grader.render.safe_text import safe_line
from grader.render.verdict import CheckVerdict, ExerciseVerdict
from grader.render.wording import ISOLATION, MARKS, change, counted, score, ungraded

MESSAGE_LINES = 30
"""The most lines of one check's message in an export."""


def as_json(value: dict[str, Any]) -> str:
    """A value as a JSON text file; equal values give the same bytes."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def demand_different(names: Sequence[str], what: str) -> None:
    """Raise KataError if a name occurs twice."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise KataError(f"Two {what} are called {twice[0]!r}; the marks could not be told apart.")


def paragraphs(*texts: str) -> str:
    """The texts that are not empty, with an empty line between them."""
    return "\n\n".join(text for text in texts if text)


def probably(mistakes: tuple[str, ...]) -> str:
    """The known mistakes that were found, one a line."""
    return "\n".join(f"Probably: {each}" for each in mistakes)


def tests_of(verdict: ExerciseVerdict) -> list[CheckVerdict]:
    """A test for each check, the first failed one with the known mistakes; one where no checks ran, with the reason."""
    if not verdict.is_checked:
        outcome: Outcome = "error" if verdict.status == "error" else "skipped"
        return [CheckVerdict(verdict.id, verdict.title, outcome, verdict.status, 0.0, verdict.max_points, verdict.note)]
    tests = list(verdict.checks)
    failed = next((place for place, each in enumerate(tests) if each.outcome == "failed"), None)
    if failed is not None:
        named = paragraphs(tests[failed].message, probably(verdict.probably))
        tests[failed] = replace(tests[failed], message=named)
    return tests


def text_of_record(record: Record) -> str:
    """The total, how it was computed and what could not be taken, for a learner; control characters are made safe."""
    return "\n".join(_lines(record))


def _lines(record: Record) -> Iterator[str]:
    course = f"{safe_line(record.course.title)} {safe_line(record.course.version)}"
    if record.complete:
        yield f"{course}: {score(record.counted_points)} of {score(record.counted_max_points)} points."
    if record.is_adjusted:
        yield f"Graded: {score(record.points)} of {score(record.max_points)} points."
        yield from (f"{safe_line(each.reason)} ({change(each)})" for each in record.adjustments or ())
    if not record.complete:
        names = ", ".join(safe_line(each.id) for each in record.exercises if each.status == "error")
        yield f"{course}: no mark. {ungraded(record)}"
        yield f"{MARKS['error'].word.capitalize()}: {names}."
    yield f"Isolation: {ISOLATION[record.isolation]}. Seed of the hidden inputs: {record.seed}."
    if record.not_taken:
        yield f"{counted(len(record.not_taken), 'file')} could not be taken:"
        yield from (f"- {safe_line(each.file)}: {safe_line(each.message)}" for each in record.not_taken)
    yield from (safe_line(each.message) for each in record.problems if each.kind == "renamed")
