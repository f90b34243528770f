"""results.json, held to Gradescope's "Autograder Specifications"."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from .conftest import HOSTILE_NAMES, adjusted, exercise, not_graded, record

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


def test_what_is_printed_stays_with_the_instructors(class_of: Callable[..., Path], exported: Export) -> None:
    (result,) = results(class_of(record("ada")), exported)
    assert "stdout_visibility" not in result  # hidden unless asked for


def test_where_the_grader_failed_there_is_no_score_anywhere(class_of: Callable[..., Path], exported: Export) -> None:
    (result,) = results(class_of(not_graded("ada")), exported)
    Draft202012Validator(SPECIFICATION).validate(result)
    assert not Draft202012Validator(GRADED).is_valid(result)  # no grade is what Gradescope is to make of it
    assert "no mark" in result["output"] and "causal_mask" in result["output"]
    assert "ZeroDivision" not in json.dumps(result)


def test_control_characters_of_a_learner_are_spelt_out(class_of: Callable[..., Path], exported: Export) -> None:
    (result,) = results(class_of(record("ada", exercise("softmax", 0.0, message="\x1b[31mred\u202e"))), exported)
    assert result["tests"][0]["output"].startswith("\\x1b[31mred\\u202e")


def test_a_file_a_learner_whatever_the_name(class_of: Callable[..., Path], exported: Export) -> None:
    files = exported(class_of(*map(record, [*HOSTILE_NAMES.values(), "../../etc/passwd", "a" * 300])), "gradescope")
    assert len(files) == len(HOSTILE_NAMES) + 2
    assert all(Path(name).name == name and len(name.encode()) < 255 for name in files)
    for text in files.values():
        Draft202012Validator(GRADED).validate(json.loads(text))


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
