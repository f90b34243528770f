"""A small class with difficult names, as `kata grade-class` leaves it, and a way to export it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import final_points
from grader.classroom.class_folder import SubmissionFiles
from grader.classroom.class_list import ClassList
from grader.classroom.final_points import HandIn
from grader.classroom.grading_terms import Run
from grader.classroom.platforms import read_entry
from grader.classroom.roster import Learner
from grader.classroom.store import writing
from grader.course import Course, Exercise, Unit
from grader.files import table as csv_table
from grader.formats.export import write_export
from grader.formats.results_table import ExportOptions, results_table
from grader.intake import Submission
from grader.record import CheckResult, Diagnosis, ExerciseResult, Problem, Record, Status, totals
from tests import records
from tests.cases import table

WHEN = datetime(2026, 9, 21, 14, 13, 20, tzinfo=timezone.utc)
"""When every class of these tests was graded."""

TITLES = {"softmax": "Softmax by hand", "causal_mask": "Causal mask", "kv_cache": "A cache, kept"}
UNITS = [
    ("01_soft_lookup", "1. Soft lookup", ["softmax"]),
    ("03_masks", "3. Masks; dropout", ["causal_mask", "kv_cache"]),
]

CASES: dict[str, dict[str, Any]] = table(__file__, "cases.yml")
HOSTILE_NAMES: dict[str, str] = CASES["names"]


def check(name: str, points: float, worth: float, **changes: Any) -> CheckResult:
    told = {"outcome": "passed" if points else "failed", "visible": name == "test_example", **changes}
    return records.check(name=name, title=f"It does what {name} asks.", points=points, max_points=worth, **told)


def exercise(
    id: str, points: float = 4.0, status: Status | None = None, message: str = "The rows differ."
) -> ExerciseResult:
    """An exercise of 4 points with two checks, one of them for 1 point; without checks where nothing was checked."""
    status = status or ("passed" if points == 4 else "failed")
    if status not in ("passed", "failed"):
        return records.exercise(id=id, status=status, max_points=4.0)
    parts = (("test_example", min(points, 1.0), 1.0), ("test_rows", max(points - 1, 0.0), 3.0))
    checks = [check(name, gained, worth, message="" if gained else message) for name, gained, worth in parts]
    named = (Diagnosis(mistake="whole-sum", message="You divided by one sum."),) if status == "failed" else ()
    return records.exercise(*checks, id=id, status=status, diagnosis=named)


def record(name: str, *exercises: ExerciseResult, problems: Iterable[Problem] = ()) -> Record:
    whole = exercises or (exercise("softmax"), exercise("causal_mask", 1.0), exercise("kv_cache", 0, "missing"))
    return records.record(*whole, submission=name, problems=tuple(problems))


BROKEN_CHECK = check("test_rows", 0, 3.0, outcome="error", message="ZeroDivisionError in the hidden check")
BROKEN = exercise("causal_mask").model_copy(
    update={"status": "error", "points": 1.0, "checks": (check("test_example", 1.0, 1.0), BROKEN_CHECK)}
)
"""An exercise at which the grader itself failed, after one check that passed."""


def not_graded(name: str) -> Record:
    return record(name, exercise("softmax"), BROKEN, exercise("kv_cache", 0, "missing"))


def adjusted(name: str, *exempt: str) -> Record:
    """The usual record of 5 of 12 points after a policy, without these exercises."""
    return final_points.adjusted(record(name), course_of(), HandIn(exempt=exempt))


ROSTER_TITLES = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Email")


def known_as(name: str, **known: str) -> Learner:
    """Somebody as a roster that Canvas exported calls them."""
    return Learner("", name, canvas_id=known.get("own_id", ""), **known)


def enrolled(id: str, person: Learner) -> Learner:
    """The learner of that roster who has this id."""
    cells = (person.name, person.own_id, person.sis_id, person.login, "", person.email)
    return replace(person, id=id, roster_row=csv_table([ROSTER_TITLES, cells]))


@pytest.fixture
def class_of(tmp_path: Path, make_course: Callable[..., Path]) -> Callable[..., Path]:
    """Writes a class into a folder as `kata grade-class` does."""
    course = make_course(tmp_path / "course", "01_parts/01_share") / "course.yml"

    def write(*graded: Record, learners: Sequence[Learner] = ()) -> Path:
        return write_class(tmp_path / "out", course, graded, learners)

    return write


def unadjusted(record: Record) -> Record:
    """The record as it was graded, without final points."""
    none = {"final_points": None, "final_max_points": None, "uncounted": False}
    exercises = tuple(each.model_copy(update=none) for each in record.exercises)
    return record.model_copy(update={**totals(exercises), "adjustments": None, "exercises": exercises})


def write_class(out: Path, course: Path, results: Sequence[Record], learners: Sequence[Learner] = ()) -> Path:
    """A graded class; of learners who are not given only the record's name is known."""
    how = {"level": "full", "seed": 7, "begun": WHEN}
    run = Run(course=course, stamp=records.COURSE, exercises=(), kits={}, programs="", **how)
    listed = {each.id for each in learners}
    exempt = {each.submission: [part.id for part in each.exercises if part.uncounted] for each in results}
    graded = {each.submission: unadjusted(each) for each in results}
    known = {name: Learner(name, name, in_roster=False, hand_in=HandIn(exempt=tuple(exempt[name]))) for name in graded}
    known = {each.id: each for each in learners} | {id: each for id, each in known.items() if id not in listed}
    with writing(out) as store:
        work = tuple(SubmissionFiles(id, read_entry("plain", id), (id,)) for id in graded)
        run = store.begin(run, ClassList(tuple(known.values()), work, (), (), (), "plain"))
        for each in graded.values():
            store.add(run, Submission(each.submission, {}, each.problems), {each.submission: each.exercises})
    (out / ".lock").unlink()
    return out


@pytest.fixture
def said() -> list[str]:
    """What an export told whoever exported."""
    return []


def course_of(titles: Mapping[str, str] = TITLES, *more: str, on_top: bool = False) -> Course:
    """A course with the exercises of these tests, and with more in a unit of their own, which may be extra credit."""
    units = []
    for folder, title, ids in [*UNITS, *([("06_beyond", "Beyond", more)] if more else [])]:
        exercises = [Exercise.model_construct(id=id, unit=folder, title=titles.get(id, id), points=4.0) for id in ids]
        extra = on_top and folder == "06_beyond"
        units.append(Unit.model_construct(folder=folder, title=title, exercises=tuple(exercises), extra_credit=extra))
    return Course.model_construct(units=tuple(units))


@pytest.fixture
def exported(class_of: Callable[..., Path], said: list[str], tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Exports a class of these records, and gives the files of the format by their names."""

    def export(format: str, *graded: Record, learners: Sequence[Learner] = (), **options: Any) -> dict[str, str]:
        for folder in ("exported", "out"):
            shutil.rmtree(tmp_path / folder, ignore_errors=True)
        how = {"course": course_of(options.pop("titles", TITLES)), "say": said.append, **options}
        to = tmp_path / "exported"
        to.mkdir()
        with results_table(class_of(*graded, learners=learners), ExportOptions(**how)) as table:
            write_export(table, format, to)
        return {path.name: path.read_bytes().decode(errors="replace") for path in sorted(to.iterdir())}

    return export
