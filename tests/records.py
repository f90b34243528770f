"""Checks, exercises and records for tests: sound ones, but for what a test changes."""

from __future__ import annotations

from typing import Any

from grader.record import CheckResult, CourseStamp, ExerciseResult, Record

COURSE = CourseStamp(title="Attention Kata", version="0.1.0")


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
    return Record.of(
        **{"submission": "ada", "isolation": "full", "seed": 7, "course": COURSE, **changes, "exercises": exercises}
    )
