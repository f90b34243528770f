"""What docs/security.md says isn't defended: how a right number was come by. These pass, and the page has to say so.

A check of the way (never the whole matrix, the library's own attention) has only the word of the process that the learner's
code runs in. The numbers themselves are compared with the reference's all the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import load_course
from grader.judge.grading import Judge
from grader.results import Record
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS
from grader.submission import SourceFile, Submission

ROOT = Path(__file__).parents[2]
COURSE = load_course(ROOT / "course.yml")

WHOLE_MATRIX = """
import torch


def tiled_attention(query, key, value, block_size):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    return weights @ value / weights.sum(-1, keepdim=True)
"""
OBSERVER = """
import sys

observer = sys.modules["inside.observing"].Observer
observer.seen = lambda self: {"largest": 0, "functions": [], "printed": 0}
"""
FORGERIES = {"honest": "", "forged": OBSERVER}


@pytest.fixture(scope="module")
def records() -> dict[str, Record]:
    level = strongest_level()
    if level not in GRADING_LEVELS:
        pytest.skip("this machine cannot isolate submissions")
    taken: dict[str, Record] = {}
    judge = Judge(COURSE, level, 20_261_120, ["tiled_attention"])
    submissions = [
        Submission(
            name, {"tiled_attention": SourceFile("tiled_attention", "05.py", (WHOLE_MATRIX + forgery).encode())}, ()
        )
        for name, forgery in FORGERIES.items()
    ]
    try:
        judge.grade(submissions, lambda record: taken.update({record.submission: record}))
    finally:
        judge.close()
    return taken


def test_honest_whole_matrix_is_seen(records: dict[str, Record]) -> None:
    (exercise,) = records["honest"].exercises
    assert exercise.status == "failed"
    assert "or more was made" in " ".join(check.message for check in exercise.checks).replace("  ", " ")


def test_forged_observation_is_believed(records: dict[str, Record]) -> None:
    (exercise,) = records["forged"].exercises
    assert exercise.status == "passed"
    assert "How a number was come by" in (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
