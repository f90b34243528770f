"""A time belongs to an attempt: no decoy takes it from another, and nobody hands in without a bound."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.classroom.members import Learner
from grader.classroom.times import Row, attempt_times
from grader.policy.rules import EVERY_UNIT
from grader.record import Record

Run = Callable[..., "subprocess.CompletedProcess[str]"]
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
POLICY = """\
policy:
  due: {01_parts: 2026-03-01 12:00Z}
  late_percent_per_day: 50
  attempts: RULE
"""
TERMS = ["--isolation", "best", "--seed", 5, "--jobs", 1]
ALL = 4.0


def with_policy(root: Path, place: Path, policy: str) -> Path:
    course = Path(shutil.copytree(root, place / "course"))
    with (course / "course.yml").open("a") as file:
        file.write(policy)
    return course


def final(out: Path) -> dict[str, float | None]:
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record.final_points for record in map(Record.from_json, lines)}


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["last", "best"])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param("eve,,2026-03-09 12:00Z\n", id="a time of the learner"),
        pytest.param("eve,2_decoy,2026-03-09 12:00Z\n", id="a time of the decoy alone"),
        pytest.param("eve,1,2026-03-09 12:00Z\n", id="a time of an attempt that is called otherwise"),
        pytest.param("eve,1_real,2026-03-09 12:00Z\neve,2_decoy,2026-03-01 09:00Z\n", id="a time of each"),
    ],
)
def test_late_attempt_is_late_whatever_lies_beside_it(
    rule: str, rows: str, course_root: Path, kata: Run, tmp_path: Path
) -> None:
    course = with_policy(course_root, tmp_path, POLICY.replace("RULE", rule))
    for name, content in (("eve/1_real", RIGHT), ("ada/1", RIGHT), ("bo/1", WRONG), ("bo/2", RIGHT)):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "share.py").write_text(content)
    (tmp_path / "class" / "eve" / "2_decoy").mkdir()
    honest = "ada,1,2026-03-01 09:00Z\nbo,1,2026-02-27 09:00Z\nbo,2,2026-03-01 11:00Z\n"
    (tmp_path / "times.csv").write_text(f"learner,attempt,time\n{honest}{rows}")
    done = kata(
        *("grade-class", "class", "--attempts", "--out", "out", "--handed-in", "times.csv", *TERMS, "--course", course),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert final(tmp_path / "out") == {"ada": ALL, "bo": ALL, "eve": 0.0}
    if "1_real" not in rows:
        assert "No time of their own" in done.stderr and "eve/1_real" in done.stderr


@pytest.mark.thorough
def test_attempts_have_a_bound_and_the_last_ones_are_graded(course_root: Path, kata: Run, tmp_path: Path) -> None:
    course = with_policy(course_root, tmp_path, "policy:\n  attempts: best\n  attempts_at_most: 2\n")
    tries = [("eve/1", RIGHT), ("eve/2", WRONG), ("eve/10", WRONG), ("ada/1", RIGHT), ("ada/2", WRONG)]
    for name, content in tries:
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "share.py").write_text(content)
    command = ["grade-class", "class", "--attempts", "--out", "out", *TERMS, "--course", course]
    done = kata(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "out" / "attempts" / "results.jsonl").read_text("utf-8").splitlines()
    assert [Record.from_json(line).submission for line in lines] == ["ada/1", "ada/2", "eve/2", "eve/10"]
    records = [Record.from_json(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    assert [(record.submission, record.points) for record in records] == [("ada", ALL), ("eve", 1.0)]
    assert "More than 2 attempts (attempts_at_most), so not graded: eve/1." in done.stderr
    with (tmp_path / "out" / "not_graded.csv").open(newline="") as rows:
        assert [row["file"] for row in csv.DictReader(rows)] == ["eve/1"]

    (tmp_path / "times.csv").write_text(
        "learner,attempt,time\neve,10,2026-03-01 09:00Z\neve,1,2026-03-02 09:00Z\neve,2,2026-03-03 09:00Z\n"
    )
    done = kata(*command, "--resume", "--handed-in", "times.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    records = [Record.from_json(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    assert [(record.submission, record.points) for record in records] == [("ada", ALL), ("eve", ALL)]
    assert "so not graded: eve/10." in done.stderr, "the times tell which are the last"


def at(hour: int) -> datetime:
    return datetime(2026, 3, 1, hour, tzinfo=timezone.utc)


EVE = Learner(name="eve", shown="Eve")


@pytest.mark.parametrize(
    ("rows", "times"),
    [
        pytest.param([("1", "*", 9), ("2", "*", 11)], {"1": 9, "2": 11}, id="each its own"),
        pytest.param([("", "*", 9), ("2", "*", 11)], {"1": 9, "2": 11}, id="one that says no attempt, for the others"),
        pytest.param([("2", "*", 11)], {"1": 11, "2": 11}, id="the latest, for the others"),
        pytest.param([("other", "*", 11)], {"1": 11, "2": 11}, id="one of an attempt that is not there"),
        pytest.param([("1", "*", 9), ("other", "*", 11)], {"1": 9, "2": 11}, id="one there, one not"),
        pytest.param([], {"1": None, "2": None}, id="nothing known"),
    ],
)
def test_attempt_has_its_own_time_or_the_latest(rows: list[tuple[str, str, int]], times: dict[str, int | None]) -> None:
    told = [Row("eve", unit, at(hour), attempt) for attempt, unit, hour in rows]
    found = attempt_times(told, [EVE], {"eve": ["1", "2"]}).at
    known = {name: found.get(f"eve/{name}", {}).get(EVERY_UNIT) for name in times}
    assert known == {name: hour if hour is None else at(hour) for name, hour in times.items()}


def test_unit_without_a_time_of_the_attempts_own_has_the_learners_latest() -> None:
    told = [Row("eve", "a", at(9), "1"), Row("eve", "a", at(10), "2"), Row("eve", "b", at(11), "2")]
    found = attempt_times(told, [EVE], {"eve": ["1", "2"]}).at
    assert found == {"eve/1": {"a": at(9), "b": at(11)}, "eve/2": {"a": at(10), "b": at(11)}}


EARLY, LATE = datetime(2026, 2, 1, tzinfo=timezone.utc), datetime(2026, 3, 9, tzinfo=timezone.utc)


@pytest.mark.parametrize("late_first", [False, True])
@pytest.mark.parametrize(("early", "late"), [("A", "a"), ("a", "A"), ("Straße", "STRASSE")])
def test_late_attempt_does_not_take_the_time_of_its_twin_in_another_case(
    early: str, late: str, late_first: bool
) -> None:
    rows = [Row("eve", EVERY_UNIT, EARLY, early), Row("eve", EVERY_UNIT, LATE, late), Row("ada", EVERY_UNIT, EARLY)]
    learners = [Learner(name=name, shown=name) for name in ("eve", "ada")]
    known = attempt_times(rows[::-1] if late_first else rows, learners, {"eve": [early, late], "ada": ["1"]})
    assert known.at[f"eve/{early}"] == {EVERY_UNIT: EARLY} and known.at[f"eve/{late}"] == {EVERY_UNIT: LATE}
    assert known.at["ada/1"] == {EVERY_UNIT: EARLY} and not known.odd


@pytest.mark.parametrize("rows", [("2.zip", "2.tar.gz"), ("2.tar.gz", "2.zip"), ("2", "2.zip")])
def test_of_several_times_of_one_attempt_the_latest_counts(rows: tuple[str, str]) -> None:
    told = [Row("eve", EVERY_UNIT, moment, each) for each, moment in zip(rows, (EARLY, LATE), strict=True)]
    known = attempt_times(told, [Learner(name="eve", shown="eve")], {"eve": ["2"]})
    assert known.at["eve/2"] == {EVERY_UNIT: LATE}
