"""The result of one learner's repository as GitHub Classroom's autograding takes it: one file a submission.

By classroom-resources/autograding-grading-reporter (README.md and src/): a step of the workflow sets an output to this
JSON in base64, and the reporter is given it as `<RUNNER>_RESULTS`. The fields are those that
classroom-resources/autograding-io-grader sets: version, status (pass, fail or error), max_score, and tests with name,
status, message, test_code, filename, line_no, duration (milliseconds) and score.

The reporter adds up the scores of the tests. Without max_score it reports no points: that is what becomes of a
submission that could not be graded in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grader.record import ExerciseResult, Record, Status
from grader.render.safe_text import safe_line

from .export import ExportTerms, File
from .graded import Graded
from .telling import as_json, files_each, told_of_exercise

VERSION = 1
MOST_BYTES = 90_000
"""Size of a whole result: the reporter takes it in base64 from an environment variable, which Linux limits to 128 KiB.
"""
_MESSAGE_LENGTHS = (1500, 400, 100, 0)
_STATUS: dict[Status, str] = {"passed": "pass", "error": "error"}


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """One result for each learner."""
    return files_each(graded, terms, runner_result)


def runner_result(record: Record, terms: ExportTerms) -> dict[str, Any]:
    """The result of one submission: one test for each exercise; no points if the grader itself failed."""
    for length in _MESSAGE_LENGTHS:
        result = _result(record, terms, length)
        if len(as_json(result).encode()) <= MOST_BYTES:
            break
    return result


def _result(record: Record, terms: ExportTerms, length: int) -> dict[str, Any]:
    """The result, with messages of at most `length` characters."""
    tests = [_test(exercise, terms, length, scored=record.complete) for exercise in record.exercises]
    statuses = {test["status"] for test in tests}
    status = "error" if "error" in statuses else "fail" if "fail" in statuses else "pass"
    points = {"max_score": record.counted_max_points} if record.complete else {}
    return {"version": VERSION, "status": status, **points, "tests": tests}


def _test(exercise: ExerciseResult, terms: ExportTerms, length: int, *, scored: bool) -> dict[str, Any]:
    status = _STATUS.get(exercise.status, "fail")
    message = told_of_exercise(exercise)
    shown = message if len(message) <= length else f"{message[:length]}..."
    return {
        "name": safe_line(terms.titles.get(exercise.id, exercise.id)),
        "status": status,
        "message": None if status == "pass" else shown,
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": round(exercise.seconds * 1000),
        **({"score": exercise.counted_points} if scored else {}),
    }
