"""What one file does to its process reaches no other file: not the same learner's next one, nor a classmate's same one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.record import Record
from grader.sandbox.doctor import strongest_level

ROOT = Path(__file__).parents[2]
IDS = ("soft_lookup", "dot_scores")

REACH = {
    "attrgetter": 'import dataclasses, operator\nmodules = operator.attrgetter("sys.modules")(dataclasses)\n',
    "match": "import dataclasses\nmatch dataclasses:\n    case object(sys=found):\n        modules = found.modules\n",
    "methodcaller": (
        "import dataclasses, operator\n"
        'modules = operator.methodcaller("__getattribute__", "sys")(dataclasses).modules\n'
    ),
    "get_type_hints": (
        "import dataclasses, typing\n\nclass Named:\n    found: 'dataclasses.sys.modules'\n\n"
        "Named.__annotations__ = {'found': 'None'}\nmodules = typing.get_type_hints.__globals__['sys'].modules\n"
    ),
    "a thing called self": "import dataclasses as self\nmodules = self.sys.modules\n",
    "plainly": "import sys\nmodules = sys.modules\n",
}

EXCHANGES_RUN_QUESTION = """
host = modules["inside.host"]
honest = host.run_question


def forged(question, namespace, *others, **named):
    replies = honest(question, namespace, *others, **named)
    for reply in replies:
        for number, value in reply["answers"].items():
            host.learned = getattr(host, "learned", [])
            host.learned.append(value)
    return replies


host.run_question = forged
"""

EXCHANGES_A_STEP = """
host = modules["inside.host"]
call = host.STEPS["call"]
host.STEPS["call"] = lambda step, slots, namespace: (
    slots[1] @ slots[2] if len(slots) > 2 and getattr(slots.get(2), "ndim", 0) == 1 else call(step, slots, namespace)
)
import torch
torch.zeros = lambda *sizes, **named: (_ for _ in ()).throw(ValueError("taken away"))
"""

EXCHANGES = {"run_question": EXCHANGES_RUN_QUESTION, "a step": EXCHANGES_A_STEP}
ZEROS = b"import torch\n\n\ndef dot_scores(query, inputs):\n    return inputs.new_zeros(inputs.shape[0])\n"


def solution(course: Course, id: str) -> bytes:
    return course.solution_path(course.exercise(id)).read_bytes()


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    assert strongest_level() == "full", "these tests need a machine that can isolate: see `kata doctor`"
    judge = Judge(load_course(ROOT / "course.yml"), "full", 7, IDS)
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


@pytest.mark.parametrize("exchange", EXCHANGES.values(), ids=EXCHANGES.keys())
@pytest.mark.parametrize("reach", REACH.values(), ids=REACH.keys())
def test_no_file_helps_a_later_one_or_a_classmates(judge: Judge, reach: str, exchange: str) -> None:
    course = judge.course
    right = {id: solution(course, id) for id in IDS}
    helper = right["soft_lookup"] + (reach + exchange).encode()
    points = graded(
        judge,
        before={"dot_scores": ZEROS},
        mallory={"soft_lookup": helper, "dot_scores": ZEROS},
        accomplice={"dot_scores": ZEROS},
        honest=right,
    )
    full = {id: course.exercise(id).points for id in IDS}
    assert points["honest"] == full
    assert points["mallory"]["soft_lookup"] <= full["soft_lookup"]
    assert points["mallory"]["dot_scores"] == points["accomplice"]["dot_scores"] == points["before"]["dot_scores"]
    assert points["before"]["dot_scores"] < full["dot_scores"] / 2


LEAVES_BEHIND = {
    "another default dtype": "import torch\ntorch.set_default_dtype(torch.float64)\n",
    "no gradients": "import torch\ntorch.set_grad_enabled(False)\n",
    "no sums": "import torch\ntorch.Tensor.sum = None\ntorch.Tensor.__matmul__ = None\n",
    "no builtins": "import builtins\nbuiltins.len = None\nbuiltins.list = None\n",
    "no more answers": "import os\nos.close(4)\n",
    "the end of the process": "import os, threading\nthreading.Timer(0.05, os._exit, (0,)).start()\n",
}


@pytest.mark.parametrize("harm", LEAVES_BEHIND.values(), ids=LEAVES_BEHIND.keys())
def test_no_file_harms_a_later_one(judge: Judge, harm: str) -> None:
    course = judge.course
    right = {id: solution(course, id) for id in IDS}
    careless = {**right, "soft_lookup": harm.encode() + right["soft_lookup"]}
    points = graded(judge, careless=careless, honest=right)
    assert points["careless"]["dot_scores"] == points["honest"]["dot_scores"] == course.exercise("dot_scores").points


ONCE_RIGHT = b"""
import torch

ANSWERS = 0


def dot_scores(query, inputs):
    global ANSWERS
    ANSWERS += 1
    return inputs @ query if ANSWERS <= 4 else torch.zeros(inputs.shape[0])
"""


def test_the_very_same_file_is_judged_anew_for_everybody(judge: Judge) -> None:
    points = graded(
        judge, first={"dot_scores": ONCE_RIGHT}, second={"dot_scores": ONCE_RIGHT}, third={"dot_scores": ONCE_RIGHT}
    )
    assert points["first"] == points["second"] == points["third"]
    assert points["first"]["dot_scores"] < judge.course.exercise("dot_scores").points
