"""Checks, exercises and records for tests: sound ones, but for what a test changes; and those of a class, in short."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.record import CheckResult, CourseStamp, ExerciseResult, Record, totals

COURSE = CourseStamp(title="Attention Kata", version="0.1.0")
LETTERS = {"passed": "p", "failed": "F", "error": "E", "skipped": "s"}


def check(**changes: Any) -> CheckResult:
    """A check for 1 point that passed."""
    sound = {"name": "test_it", "title": "It works.", "outcome": "passed", "visible": False, "message": ""}
    whole = {**sound, "max_points": 1.0, **changes}
    return CheckResult(**{"points": whole["max_points"] if whole["outcome"] == "passed" else 0.0, **whole})


def exercise(*checks: CheckResult, **changes: Any) -> ExerciseResult:
    """An exercise that was passed, with the points of these checks."""
    worth = {name: sum(getattr(each, name) for each in checks) for name in ("points", "max_points")}
    sound = {"id": "softmax", "status": "passed", "diagnosis": (), "seconds": 0.25, "checks": checks, **worth}
    return ExerciseResult(**{**sound, **changes})


def record(*exercises: ExerciseResult, **changes: Any) -> Record:
    """A record of these exercises."""
    sound = {"version": 1, "submission": "ada", "isolation": "full", "seed": 7, "course": COURSE, "problems": ()}
    return Record(**{**sound, **totals(exercises), **changes, "exercises": exercises})


def records_in(out: Path) -> list[dict[str, Any]]:
    """The records of a graded class, in the order of its learners."""
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return sorted(map(json.loads, lines), key=lambda record: record["submission"])


def row_of(exercise: Mapping[str, Any], *names: str) -> list[str]:
    """What became of one exercise: status, points, how each check ended, the mistakes named."""
    outcomes = "".join(LETTERS[check["outcome"]] for check in exercise["checks"])
    named = " ".join(diagnosis["mistake"] for diagnosis in exercise["diagnosis"])
    return [*names, exercise["status"], f"{exercise['points']:g}", outcomes, named]


def without_timings(record: Record) -> Record:
    """The same record with all times set to 0, for comparing two runs."""
    exercises = tuple(exercise.model_copy(update={"seconds": 0.0}) for exercise in record.exercises)
    return record.model_copy(update={"exercises": exercises})
