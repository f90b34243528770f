"""The result for GitHub Classroom, read as its reporter reads it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from .conftest import exercise, not_graded, record

Export = Callable[..., dict[str, str]]

STATUS = {"enum": ["pass", "fail", "error"]}
RUNNER_RESULT = {
    "type": "object",
    "required": ["version", "status", "tests"],
    "properties": {
        "version": {"const": 1}, "status": STATUS, "max_score": {"type": "number"},
        "tests": {"type": "array", "items": {
            "type": "object",
            "required": ["name", "status", "message", "test_code", "filename", "line_no", "duration"],
            "properties": {
                "name": {"type": "string"}, "status": STATUS, "message": {"type": ["string", "null"]},
                "test_code": {"type": "string"}, "filename": {"type": "string"}, "line_no": {"type": "integer"},
                "duration": {"type": "number"}, "score": {"type": "number"},
            },
            "additionalProperties": False,
        }},
    },
    "additionalProperties": False,
}  # fmt: skip
"""The fields that classroom-resources/autograding-io-grader sets."""

MOST_OF_ONE_VARIABLE = 131_072
"""Bytes of one environment variable on Linux, its name included."""


@dataclass
class Report:
    """What classroom-resources/autograding-grading-reporter makes of a step's output (src/main.js, notify-classroom.js)."""

    total: float | None
    most: float
    failed: str | None
    passed: list[str]

    @classmethod
    def of(cls, encoded: str) -> Report:
        result: dict[str, Any] = json.loads(base64.b64decode(encoded))
        Draft202012Validator(RUNNER_RESULT).validate(result)
        most = result.get("max_score") or 0
        total = sum(test["score"] for test in result["tests"]) if most else None
        failed = {"fail": "Some tests failed.", "error": "Some tests errored."}.get(result["status"])
        return cls(total, most, failed, [test["name"] for test in result["tests"] if test["status"] == "pass"])


def encoded(out: Path, exported: Export) -> str:
    (text,) = exported(out, "github").values()
    return base64.b64encode(text.encode()).decode()


def test_points_are_added_up_by_the_reporter(class_of: Callable[..., Path], exported: Export) -> None:
    report = Report.of(encoded(class_of(record("ada")), exported))
    assert (report.total, report.most, report.failed) == (5, 12, "Some tests failed.")
    assert report.passed == ["Softmax by hand"]


def test_all_passed_is_a_green_run(class_of: Callable[..., Path], exported: Export) -> None:
    report = Report.of(encoded(class_of(record("ada", exercise("softmax"))), exported))
    assert (report.total, report.most, report.failed) == (4, 4, None)


def test_where_the_grader_failed_no_points_are_reported(class_of: Callable[..., Path], exported: Export) -> None:
    report = Report.of(encoded(class_of(not_graded("ada")), exported))
    assert (report.total, report.most, report.failed) == (None, 0, "Some tests errored.")


def test_long_messages_never_burst_the_reporters_variable(class_of: Callable[..., Path], exported: Export) -> None:
    many = [exercise(f"exercise_{number}", 0.0, message=f"{number}" + "林" * 2000) for number in range(60)]
    variable = encoded(class_of(record("ada", *many)), exported)
    assert len(f"KATA_RESULTS={variable}") < MOST_OF_ONE_VARIABLE
    assert Report.of(variable).most == 240
