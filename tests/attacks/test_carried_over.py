"""What one file does to its process reaches no other file: not the same learner's next one, nor a classmate's same one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.record import Record
from grader.sandbox.doctor import strongest_level
from tests.cases import rows, table

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
IDS = ("soft_lookup", "dot_scores")
FULL = {id: COURSE.exercise(id).points for id in IDS}
RIGHT = {id: COURSE.solution_path(COURSE.exercise(id)).read_bytes() for id in IDS}

TABLES = table(__file__, "carried_over.yml")
ZEROS = b"import torch\n\n\ndef dot_scores(query, inputs):\n    return inputs.new_zeros(inputs.shape[0])\n"


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    assert strongest_level() == "full", "these tests need a machine that can isolate: see `kata doctor`"
    judge = Judge(COURSE, "full", 7, IDS)
    yield judge
    judge.close()


def graded(judge: Judge, **learners: dict[str, bytes]) -> dict[str, dict[str, float]]:
    """Points of some learners by name and exercise."""
    records: list[Record] = []
    submissions = [
        Submission(name, {id: SourceFile(id, f"{id}.py", content) for id, content in files.items()}, ())
        for name, files in learners.items()
    ]
    judge.grade(submissions, records.append)
    return {record.submission: {each.id: each.points for each in record.exercises} for record in records}


@rows(TABLES["exchange"], "exchange")
@rows(TABLES["reach"], "reach")
def test_no_file_helps_a_later_one_or_a_classmates(judge: Judge, reach: str, exchange: str) -> None:
    helper = RIGHT["soft_lookup"] + (reach + "\n" + exchange).encode()
    points = graded(
        judge,
        before={"dot_scores": ZEROS},
        mallory={"soft_lookup": helper, "dot_scores": ZEROS},
        accomplice={"dot_scores": ZEROS},
        honest=RIGHT,
    )
    assert points["honest"] == FULL
    assert points["mallory"]["soft_lookup"] <= FULL["soft_lookup"]
    assert points["mallory"]["dot_scores"] == points["accomplice"]["dot_scores"] == points["before"]["dot_scores"]
    assert points["before"]["dot_scores"] < FULL["dot_scores"] / 2


@rows(TABLES["leave behind"], "harm")
def test_no_file_harms_a_later_one(judge: Judge, harm: str) -> None:
    careless = {**RIGHT, "soft_lookup": harm.encode() + RIGHT["soft_lookup"]}
    points = graded(judge, careless=careless, honest=RIGHT)
    assert points["careless"]["dot_scores"] == points["honest"]["dot_scores"] == FULL["dot_scores"]


def test_the_very_same_file_is_judged_anew_for_everybody(judge: Judge) -> None:
    once_right = {"dot_scores": TABLES["once right"].encode()}
    points = graded(judge, first=once_right, second=once_right, third=once_right)
    assert points["first"] == points["second"] == points["third"]
    assert points["first"]["dot_scores"] < FULL["dot_scores"]
