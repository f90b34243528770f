"""results.json, held to Gradescope's "Autograder Specifications"."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.record import Adjustment, Problem, Record

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


def adjusted(name: str, *uncounted: str) -> Record:
    """The usual record of 5 of 12 points after a policy, without these exercises."""
    parts = [
        each.model_copy(
            update={
                "final_points": 0.0 if each.id in uncounted else each.points,
                "final_max_points": 0.0 if each.id in uncounted else each.max_points,
                "uncounted": each.id in uncounted,
            }
        )
        for each in record(name).exercises
    ]
    less = math.fsum(each.points for each in parts if each.uncounted)
    return Record(
        **{
            **dict(record(name)),
            "exercises": tuple(parts),
            "final_points": math.fsum(each.counted_points for each in parts),
            "final_max_points": math.fsum(each.counted_max_points for each in parts),
            "adjustments": (Adjustment(unit="1", points=-less, reason="It is exempt."),),
        }
    )


def test_what_does_not_count_for_one_learner_leaves_the_rest_in_proportion(
    class_of: Callable[..., Path], exported: Export
) -> None:
    ada, bo = results(class_of(adjusted("ada", "kv_cache"), adjusted("bo")), exported)
    for result in (ada, bo):
        Draft202012Validator(GRADED).validate(result)
    assert (ada["score"], bo["score"]) == (7.5, 5)  # 5 of 8 points are 7.5 of 12
    assert "In proportion, 5 of 8 points are 7.5 of 12." in ada["output"]
    assert [("score" in test, "max_score" in test) for test in ada["tests"]][-1] == (False, False)
    assert ada["tests"][-1]["name"] == "A cache, kept (does not count)"


def test_what_counts_for_nobody_changes_nobodys_share(class_of: Callable[..., Path], exported: Export) -> None:
    (ada,) = results(class_of(adjusted("ada", "kv_cache")), exported)
    assert ada["score"] == 5 and "In proportion" not in ada["output"]


def test_where_nothing_counts_there_is_no_score(class_of: Callable[..., Path], exported: Export) -> None:
    everything = ("softmax", "causal_mask", "kv_cache")
    ada, _ = results(class_of(adjusted("ada", *everything), adjusted("bo")), exported)
    Draft202012Validator(SPECIFICATION).validate(ada)
    assert not Draft202012Validator(GRADED).is_valid(ada)
    assert "Nothing of it counts for you, so there is no grade." in ada["output"]
