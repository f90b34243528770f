"""A fuzzer that notices nothing finds nothing: each kind of harm is noticed here, where it is done on purpose."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress

import pytest

from grader.record import CheckResult, ExerciseResult
from tests.fuzz.learner_sources import Handed, _fault
from tests.fuzz.targets import replies
from tests.fuzz.watching import Escaped, scratch, watched


def _swallowed() -> None:
    with suppress(BaseException):
        exec("pass")


HARM: dict[str, Callable[[], object]] = {
    "text run as code": lambda: exec("x = 1"),
    "text taken for an expression": lambda: eval("1 + 1"),
    "harm that is swallowed": _swallowed,
    "file outside read": lambda: open("/etc/passwd").close(),
    "file outside written": lambda: open("/tmp/kata-fuzz-outside", "w").close(),
    "file written where one stands": lambda: open("kata-fuzz-here", "w").close(),
    "file of the project written": lambda: open(__file__, "a").close(),
    "shell": lambda: os.system("true"),
    "process": lambda: subprocess.run(["true"], check=True),
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM.keys())
def test_harm_is_noticed(harm: Callable[[], object]) -> None:
    with pytest.raises(Escaped), watched():
        harm()


def test_reading_and_writing_in_the_scratch_is_no_harm() -> None:
    with watched():
        path = scratch() / "file"
        path.write_bytes(b"x")
        assert path.read_bytes() == b"x"


@pytest.mark.parametrize("number", range(len(replies.ASKED)))
def test_right_answers_pass_and_those_to_another_question_do_not(number: int) -> None:
    right = bytes([number]) + replies.RIGHT[number]
    assert replies.judged(right)[2]
    replies.run(right)
    other = replies.RIGHT[(number + 1) % len(replies.RIGHT)]
    assert not replies.judged(bytes([number]) + other)[2]


def _result(*, points: float, outcome: str = "passed") -> ExerciseResult:
    check = CheckResult(
        name="c", title="It works.", outcome=outcome, points=points, max_points=4.0, visible=False, message="why"
    )  # fmt: skip
    status = outcome if points == 4.0 or outcome == "error" else "failed"
    return ExerciseResult(
        id="softmax", status=status, points=points, max_points=4.0, checks=(check,), diagnosis=(), seconds=0.0
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "result", "fault"),
    [
        ("honest", _result(points=0.0, outcome="failed"), "lost points"),
        ("right", _result(points=0.0, outcome="failed"), "lost points"),
        ("wrong", _result(points=4.0), "full points"),
        ("nonsense", _result(points=4.0), "nonsense"),
        ("torn", _result(points=0.0, outcome="error"), "own fault"),
        ("torn", _result(points=4.0), ""),
        ("wrong", _result(points=0.0, outcome="failed"), ""),
    ],
    ids=["honest", "disguised", "mistake", "nonsense", "grader", "torn", "caught"],
)
def test_what_a_judge_must_not_do_is_noticed(kind: str, result: ExerciseResult, fault: str) -> None:
    said = _fault(Handed(kind, "softmax", b""), result)
    assert fault in said and bool(said) == bool(fault)
