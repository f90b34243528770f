"""What a debug task gives for a repair, for a rewrite, and for no repair at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.authoring.alternatives import load_alternatives
from grader.course import load_course
from grader.judge.grading import Judge

from ..cases import rows
from ..judge.graded import result

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
EXERCISE = "debug_attn_weights"
REPAIR = "test_repair_is_small"
STUB = COURSE.stub_path(COURSE.exercise(EXERCISE)).read_text(encoding="utf-8")
FAULT = "attn_weights = F.softmax(attn_weights, dim=-1)"
MENDED = "attn_weights = F.softmax(attn_scores, dim=-1)"
RIGHT = STUB.replace(FAULT, MENDED)
NOTED = f"# what is in it?\n\n        # the scores, of course\n        {MENDED}\n\n"
PRINTS = "".join(f"        print({name}.shape)\n" for name in ("query", "key", "value"))
ANOTHER = COURSE.exercise("self_attention")
REWRITES = load_alternatives(COURSE, ANOTHER)

PASSES = {
    "the right name in the right place": (RIGHT, []),
    "comments and blank lines": ("# my own copy\n\n" + STUB.replace(f"{FAULT}\n", NOTED), []),
    "the text at the head is gone": (RIGHT.split('"""')[2], []),
    "Windows line endings": (RIGHT.replace("\n", "\r\n"), []),
    "doubled line endings": (RIGHT.replace("\n", "\n\n"), []),
    "prints left over": (STUB.replace(f"        {FAULT}\n", f"{PRINTS}        {MENDED}\n"), [REPAIR]),
    "the reference of self_attention": (COURSE.solution_path(ANOTHER).read_text("utf-8"), [REPAIR]),
    "einsum": (REWRITES["einsum_scaled_query"], [REPAIR]),
    "the fused call": (REWRITES["fused"], [REPAIR]),
}


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    judge = Judge(COURSE, "process", seed=1, only=[EXERCISE])
    yield judge
    judge.close()


@rows(PASSES, "source", "lost")
def test_what_is_right_passes_and_a_rewrite_loses_the_repair_alone(judge: Judge, source: str, lost: list[str]) -> None:
    came = result(judge, source, EXERCISE)
    assert came.status == "passed"
    assert [check.name for check in came.checks if check.points < check.max_points] == lost
    told = [check.message for check in came.checks if check.name in lost]
    assert all(message.startswith("The repair takes at most 2 lines out and puts 2 in;") for message in told)


def test_a_comment_alone_is_no_repair_and_is_told_where_it_fails(judge: Judge) -> None:
    came = result(judge, STUB.replace(FAULT, FAULT + "  # looked at it"), EXERCISE)
    assert (came.status, came.points) == ("failed", 0)
    assert [found.mistake for found in came.diagnosis] == ["fault-still-there"]
    assert "UnboundLocalError" in next(each.message for each in came.checks if each.name == "test_fault_is_gone")


def test_the_file_given_is_not_started_and_does_not_say_where_the_fault_is(judge: Judge) -> None:
    assert STUB.count(FAULT) == 1 and result(judge, STUB, EXERCISE).status == "not_started"
    lesson, code = STUB.split('"""')[1], STUB.split('"""')[2]
    assert "UnboundLocalError" in lesson and "attn_" not in lesson
    assert not any(word in code.lower() for word in ("fault", "bug", "fixme", "todo", "solution"))
