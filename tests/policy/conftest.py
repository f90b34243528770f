"""A course of two units, the second extra credit, and records of it; nothing is graded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.record import CheckResult, CourseStamp, ExerciseResult, Record

UNITS = """\
title: Tiny
version: "1"
documents:
  sums: {title: Sums, author: someone, language: English}
units:
  - folder: 01_parts
    title: Parts
    exercises:
      - &share {id: share}
      - &split {id: split}
  - folder: 02_more
    title: More
    exercises:
      - &extra {id: extra}
"""
EXERCISE = """\
        kind: implement
        title: Parts of a whole
        points: 100
        document: sums
        step: the first one
        entry_points: [share]
        hints: [What?, Divide., Sum first.]
"""


def course_text(policy: str = "", *, extra_credit: bool = False) -> str:
    """A course.yml with these lines in its policy, if any."""
    text = UNITS
    for number, id in ((1, "share"), (2, "split"), (1, "extra")):
        text = text.replace(f"      - &{id} {{id: {id}}}\n", f"      - id: {id}\n        number: {number}\n{EXERCISE}")
    if extra_credit:
        text = text.replace("    title: More\n", "    title: More\n    extra_credit: true\n")
    lines = "".join(f"  {line}\n" for line in policy.splitlines())
    return text.replace("units:\n", f"policy:\n{lines}units:\n", 1) if lines else text


@pytest.fixture(scope="session")
def make_course_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Course]:
    """A course with this policy: `make_course_of("due: ...", extra_credit=True)`."""

    def make(policy: str = "", *, extra_credit: bool = False) -> Course:
        path: Path = tmp_path_factory.mktemp("course") / "course.yml"
        path.write_text(course_text(policy, extra_credit=extra_credit), "utf-8")
        return load_course(path)

    return make


def record_of(name: str = "ada", **points: float) -> Record:
    """A record in which each exercise has these points of 100."""
    return Record.of(
        submission=name,
        isolation="full",
        seed=1,
        course=CourseStamp(title="Tiny", version="1"),
        exercises=[_result(id, earned) for id, earned in points.items()],
    )


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
    is_passed = all(check.outcome == "passed" for check in checks)
    return ExerciseResult(
        id=id,
        status="passed" if is_passed else "failed",
        points=points,
        max_points=100.0,
        checks=checks,
        diagnosis=(),
        seconds=0.0,
    )


@pytest.fixture(scope="session")
def make_record_of() -> Callable[..., Record]:
    """`record_of`."""
    return record_of
