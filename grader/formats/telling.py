"""The result of a check or an exercise as text for a learner, with control characters made safe.

Also writes formats with one JSON file for each learner.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from grader.classroom.page_names import stem_of
from grader.record import CheckResult, ExerciseResult, Record
from grader.render.safe_text import safe_block, safe_line
from grader.render.wording import (
    ISOLATION,
    MARKS,
    NOT_GRADED,
    change,
    counted,
    findings,
    not_run,
    score,
    ungraded,
    which_attempt,
)

from .export import ExportTerms, File
from .graded import Graded

MESSAGE_LINES = 30

NO_CHECKS = {
    "missing": "There is no file for this exercise.",
    "not_started": "This is still the file as it was given.",
    "error": NOT_GRADED,
}
"""Why an exercise has no results of checks."""


def is_unchecked(exercise: ExerciseResult) -> bool:
    """Whether nothing was checked: then all checks in the record are ones that did not run."""
    return not exercise.checks or exercise.status in ("missing", "not_started")


def why_no_checks(exercise: ExerciseResult) -> str:
    """Why nothing was checked."""
    return NO_CHECKS.get(exercise.status, "Nothing was checked.")


def told_of_check(check: CheckResult) -> str:
    """The check's message; or that it did not run, or that the grader failed."""
    if check.outcome == "skipped":
        return _block(check.message) or "Not run."
    if check.outcome == "error":
        return NOT_GRADED  # faults inside the grader are not shown to learners
    return _block(check.message)


def told_of_diagnosis(exercise: ExerciseResult) -> str:
    """The known mistakes found, one a line."""
    return "\n".join(f"Probably: {safe_line(each.message)}" for each in exercise.diagnosis)


def told_of_exercise(exercise: ExerciseResult) -> str:
    """The text about an exercise: what did not pass, and why."""
    if exercise.status == "error" or is_unchecked(exercise):
        return why_no_checks(exercise)
    failed = (
        f"{', '.join(safe_line(check.title) for check in finding.checks)}\n{_block(finding.message)}".strip()
        for finding in findings(exercise)
    )
    return joined(*failed, told_of_diagnosis(exercise), not_run(exercise))


def told_of_record(record: Record) -> str:
    """The total, how it was computed, and the problems of the submission."""
    course = f"{safe_line(record.course.title)} {safe_line(record.course.version)}"
    total = f"{score(record.counted_points)} of {score(record.counted_max_points)} points"
    lines = [f"{course}: {total}."] if record.complete else []
    if record.attempt:
        lines.append(f"{which_attempt(record).capitalize()}. {safe_line(record.attempt.reason)}")
    if record.is_adjusted:
        lines.append(f"Graded: {score(record.points)} of {score(record.max_points)} points.")
        lines += [f"{safe_line(each.reason)} ({change(each)})" for each in record.adjustments or ()]
    if not record.complete:
        names = ", ".join(safe_line(each.id) for each in record.exercises if each.status == "error")
        lines += [f"{course}: no mark. {ungraded(record)}", f"{MARKS['error'].word.capitalize()}: {names}."]
    lines.append(f"Isolation: {ISOLATION[record.isolation]}. Seed of the hidden inputs: {record.seed}.")
    if record.not_taken:
        lines.append(f"{counted(len(record.not_taken), 'file')} could not be taken:")
        lines += [f"- {safe_line(each.file)}: {safe_line(each.message)}" for each in record.not_taken]
    lines += [safe_line(each.message) for each in record.problems if each.kind == "renamed"]
    return "\n".join(lines)


def joined(*texts: str) -> str:
    """Join the non-empty texts as paragraphs."""
    return "\n\n".join(text for text in texts if text)


def _block(text: str) -> str:
    return "\n".join(safe_block(text, MESSAGE_LINES)) if text.strip() else ""


def files_each(
    graded: Graded, terms: ExportTerms, made: Callable[[Record, ExportTerms], dict[str, Any]]
) -> Iterator[File]:
    """A file for each learner, in class order."""
    for number, result in enumerate(graded, start=1):
        yield File(f"{number:04d}-{stem_of(result.record.submission)}.json", [as_json(made(result.record, terms))])


def as_json(value: dict[str, Any]) -> str:
    """A value as a JSON text file; equal values give the same bytes."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
