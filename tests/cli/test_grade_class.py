"""`kata grade-class`: one record a learner, whatever the submissions are and however many judges work."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.record import Record, without_timings

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    """A course with a class in it, two unreadable submissions among the good ones."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")
    for name, source in {"amira": RIGHT, "bo": WRONG, "wei": RIGHT}.items():
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "share.py").write_text(source)
    (root / "class" / "dan.zip").write_bytes(b"not a zip")
    (root / "class" / "eve.ipynb").write_text("{ no notebook")
    (root / "class" / "xia.py").write_text(WRONG)
    (root / "class" / "notes.txt").write_text("no submission")
    return root


@pytest.fixture(scope="module")
def graded(course: Path, cold_kata: Run) -> subprocess.CompletedProcess[str]:
    """The class graded by one judge, and from the start by two."""
    terms = ["class", "--out", "out", "--isolation", "best", "--seed", 5]
    first = cold_kata("grade-class", *terms, "--jobs", 1, cwd=course)
    assert first.returncode == 0, first.stderr
    (course / "out" / "results.jsonl").rename(course / "by-one.jsonl")
    return cold_kata("grade-class", *terms, "--jobs", 2, "--html", "--anew", cwd=course)


def records(results: Path) -> list[Record]:
    return [Record.from_json(line) for line in results.read_text("utf-8").splitlines()]


def test_batch_goes_on_past_what_cannot_be_read(graded: subprocess.CompletedProcess[str], course: Path) -> None:
    assert graded.returncode == 0, graded.stderr
    points = {record.submission: record.points for record in records(course / "out" / "results.jsonl")}
    assert points == {"amira": 4, "bo": 1, "dan": 0, "eve": 0, "wei": 4, "xia": 1}


@pytest.mark.parametrize(("name", "said"), [("dan", "not a zip"), ("eve", "not a notebook")])
def test_unreadable_submission_gets_a_record_that_says_why(
    name: str, said: str, graded: subprocess.CompletedProcess[str], course: Path
) -> None:
    record = next(each for each in records(course / "out" / "results.jsonl") if each.submission == name)
    (problem,) = record.problems
    assert problem.kind == "unreadable" and said in problem.message
    assert [exercise.status for exercise in record.exercises] == ["missing"]


def test_one_judge_and_two_give_the_same(graded: subprocess.CompletedProcess[str], course: Path) -> None:
    now, before = records(course / "out" / "results.jsonl"), records(course / "by-one.jsonl")
    assert [without_timings(record).to_json() for record in now] == [without_timings(r).to_json() for r in before]


def test_table_names_every_learner_the_records_and_the_page(
    graded: subprocess.CompletedProcess[str], course: Path
) -> None:
    for word in ("amira", "bo", "dan", "eve", "xia", "out/results.jsonl", "out/class.html"):
        assert word in graded.stdout
    assert len(list((course / "out").glob("learner-*.html"))) == 6
