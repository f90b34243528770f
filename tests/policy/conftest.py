"""A course of two units, Parts (share, split) and More (extra), and records of it; nothing is graded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.course import Course, load_course
from grader.record import CheckResult, CourseStamp, ExerciseResult, Record

UNITS = {"01_parts": ("Parts", ["share", "split"]), "02_more": ("More", ["extra"])}


@pytest.fixture(scope="session")
def make_course_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Course]:
    """A course with this policy: `make_course_of({"exempt": ["split"]}, extra_credit=True)`."""

    def make(policy: Any, *, extra_credit: bool = False) -> Course:
        path: Path = tmp_path_factory.mktemp("course") / "course.yml"
        units: list[dict[str, Any]] = [
            {"folder": folder, "title": title, "exercises": [_exercise(at, id) for at, id in enumerate(ids, start=1)]}
            for folder, (title, ids) in UNITS.items()
        ]
        units[1]["extra_credit"] = extra_credit
        documents = {"sums": {"title": "Sums", "author": "someone", "language": "English"}}
        about = {"title": "Tiny", "version": "1", "documents": documents, "policy": policy, "units": units}
        path.write_text(yaml.safe_dump(about, sort_keys=False), "utf-8")
        return load_course(path)

    return make


def _exercise(number: int, id: str) -> dict[str, Any]:
    where = {"document": "sums", "step": "the first one"}
    hints = ["What?", "Divide.", "Sum first."]
    task = {"kind": "implement", "title": "Parts of a whole", "points": 100, "entry_points": ["share"], "hints": hints}
    return {"id": id, "number": number, **task, **where}


@pytest.fixture(scope="session")
def make_record_of() -> Callable[..., Record]:
    """A record in which each exercise has these points of 100."""

    def make(**points: float) -> Record:
        return Record.of(
            submission="ada",
            isolation="full",
            seed=1,
            course=CourseStamp(title="Tiny", version="1"),
            exercises=[_result(id, earned) for id, earned in points.items()],
        )

    return make


def _result(id: str, points: float) -> ExerciseResult:
    halves = (("test_a", points, points), ("test_b", 0.0, 100.0 - points))
    checks = tuple(
        CheckResult(
            name=name,
            title=f"{name} holds.",
            outcome="passed" if earned or not worth else "failed",
            points=earned,
            max_points=worth,
            visible=False,
            message="",
        )
        for name, earned, worth in halves
    )
    return ExerciseResult(
        id=id,
        status="passed" if all(check.outcome == "passed" for check in checks) else "failed",
        points=points,
        max_points=100.0,
        checks=checks,
        diagnosis=(),
        seconds=0.0,
    )
