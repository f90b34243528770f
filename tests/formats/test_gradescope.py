"""results.json, held to Gradescope's "Autograder Specifications"."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.record import Problem

from .conftest import HOSTILE_NAMES, exercise, not_graded, record

Export = Callable[..., dict[str, str]]

NUMBER = {"type": "number"}
TEXT = {"type": "string"}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": NUMBER, "max_score": NUMBER, "status": {"enum": ["passed", "failed"]}, "name": TEXT,
        "name_format": FORMAT, "number": TEXT, "output": TEXT, "output_format": FORMAT,
        "tags": {"type": "array", "items": TEXT}, "visibility": VISIBILITY, "extra_data": {"type": "object"},
    },
}  # fmt: skip
SPECIFICATION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": NUMBER, "execution_time": NUMBER, "output": TEXT, "output_format": FORMAT,
        "test_output_format": FORMAT, "test_name_format": FORMAT, "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY, "extra_data": {"type": "object"}, "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array"},
    },
}  # fmt: skip
GRADED = {**SPECIFICATION, "anyOf": [
    {"required": ["score"]},
    {"required": ["tests"], "properties": {"tests": {"minItems": 1, "items": {"required": ["score"]}}}},
]}  # fmt: skip
"""A score is "optional, but required if not on each test case", and the other way round."""


def results(out: Path, exported: Export) -> list[dict[str, Any]]:
    return [json.loads(text) for text in exported(out, "gradescope").values()]


def test_scores_are_the_points(class_of: Callable[..., Path], exported: Export) -> None:
    (result,) = results(class_of(record("ada")), exported)
    Draft202012Validator(GRADED).validate(result)
    assert result["score"] == 5 == sum(test["score"] for test in result["tests"])
    assert sum(test["max_score"] for test in result["tests"]) == 12
    assert [(test["number"], test["status"], test["score"]) for test in result["tests"]] == [
        ("1.1", "passed", 1), ("1.2", "passed", 3), ("2.1", "passed", 1), ("2.2", "failed", 0), ("3", "failed", 0)
    ]  # fmt: skip


def test_what_failed_is_told_to_the_learner(class_of: Callable[..., Path], exported: Export) -> None:
    (result,) = results(class_of(record("ada")), exported)
    failed, missing = (test for test in result["tests"] if test["status"] == "failed")
    assert failed["name"] == "Causal mask: It does what test_rows asks."
    assert failed["output"] == "The rows differ.\n\nProbably: You divided by one sum."
    assert missing["output"] == "There is no file for this exercise."
    assert {test["visibility"] for test in result["tests"]} == {"visible"}


def test_what_is_printed_stays_with_the_instructors(class_of: Callable[..., Path], exported: Export) -> None:
    (result,) = results(class_of(record("ada")), exported)
    assert "stdout_visibility" not in result  # hidden unless asked for


def test_where_the_grader_failed_there_is_no_score_anywhere(class_of: Callable[..., Path], exported: Export) -> None:
    (result,) = results(class_of(not_graded("ada")), exported)
    Draft202012Validator(SPECIFICATION).validate(result)
    assert not Draft202012Validator(GRADED).is_valid(result)  # no grade is what Gradescope is to make of it
    assert "no mark" in result["output"] and "causal_mask" in result["output"]
    assert "ZeroDivision" not in json.dumps(result)


def test_files_that_could_not_be_taken_are_named(class_of: Callable[..., Path], exported: Export) -> None:
    problem = Problem(file="a\x1b[2J.py", kind="unreadable", message="It is not text.")
    (result,) = results(class_of(record("ada", problems=[problem])), exported)
    assert "a\\x1b[2J.py: It is not text." in result["output"]


def test_control_characters_of_a_learner_are_spelt_out(class_of: Callable[..., Path], exported: Export) -> None:
    (result,) = results(class_of(record("ada", exercise("softmax", 0.0, message="\x1b[31mred\u202e"))), exported)
    assert result["tests"][0]["output"].startswith("\\x1b[31mred\\u202e")


def test_a_file_a_learner_whatever_the_name(class_of: Callable[..., Path], exported: Export) -> None:
    files = exported(class_of(*map(record, [*HOSTILE_NAMES.values(), "../../etc/passwd", "a" * 300])), "gradescope")
    assert len(files) == len(HOSTILE_NAMES) + 2
    assert all(Path(name).name == name and len(name.encode()) < 255 for name in files)
    for text in files.values():
        Draft202012Validator(GRADED).validate(json.loads(text))


@pytest.mark.parametrize("status", ["missing", "not_started"])
def test_unchecked_exercise_is_one_test_of_no_points(
    status: str, class_of: Callable[..., Path], exported: Export
) -> None:
    (result,) = results(class_of(record("ada", exercise("softmax", 0.0, status))), exported)  # type: ignore[arg-type]
    (test,) = result["tests"]
    assert (test["score"], test["max_score"], test["status"]) == (0, 4, "failed")
