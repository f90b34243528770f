"""The result of one learner's repository as GitHub Classroom's autograding takes it: one file a submission.

By classroom-resources/autograding-grading-reporter (README.md and src/): a step of the workflow sets an output to this
JSON in base64, and the reporter is given it as `<RUNNER>_RESULTS`. The fields are those that
classroom-resources/autograding-io-grader sets: version, status (pass, fail or error), max_score, and tests with name,
status, message, test_code, filename, line_no, duration (milliseconds) and score.

The reporter adds up the scores of the tests. Without max_score it reports no points: that is what becomes of a
submission that could not be graded in full.
"""

from __future__ import annotations

from typing import Any

from grader.record import ExerciseResult, Record, Status
from grader.render.verdict import ExerciseVerdict, verdict_on

from .results_table import ResultsTable
from .shared_text import MESSAGE_LINES, as_json, paragraphs, probably

VERSION = 1
MOST_BYTES = 90_000
"""Size of a whole result: the reporter takes it in base64 from an environment variable, which Linux limits to 128 KiB.
"""
_MESSAGE_LENGTHS = (1500, 400, 100, 0)
_STATUS: dict[Status, str] = {"passed": "pass", "error": "error"}


def result(record: Record, table: ResultsTable) -> dict[str, Any]:
    """The result of one submission: one test for each exercise; no points if the grader itself failed."""
    titles = table.titles
    for length in _MESSAGE_LENGTHS:
        tests = [_test(each, titles.get(each.id, ""), length, scored=record.complete) for each in record.exercises]
        statuses = {test["status"] for test in tests}
        status = "error" if "error" in statuses else "fail" if "fail" in statuses else "pass"
        points = {"max_score": record.counted_max_points} if record.complete else {}
        result = {"version": VERSION, "status": status, **points, "tests": tests}
        if len(as_json(result).encode()) <= MOST_BYTES:
            break
    return result


def _test(exercise: ExerciseResult, title: str, length: int, *, scored: bool) -> dict[str, Any]:
    """The test of one exercise, with a message of at most `length` characters."""
    status = _STATUS.get(exercise.status, "fail")
    verdict = verdict_on(exercise, title=title, lines=MESSAGE_LINES)
    message = _message(verdict)
    shown = message if len(message) <= length else f"{message[:length]}..."
    return {
        "name": verdict.title,
        "status": status,
        "message": None if status == "pass" else shown,
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": round(exercise.seconds * 1000),
        **({"score": exercise.counted_points} if scored else {}),
    }


def _message(verdict: ExerciseVerdict) -> str:
    """What did not pass, and why."""
    if verdict.note:
        return verdict.note
    failures = (
        f"{', '.join(check.title for check in each.checks)}\n{each.message}".strip() for each in verdict.failures
    )
    return paragraphs(*failures, probably(verdict.probably), verdict.remark)
