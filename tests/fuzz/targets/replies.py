"""What a learner's process sends back, from the frame that says its file is loaded on: read, compared and told by the judge.

The first byte of an input chooses a question, the rest is the stream of the answers.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.course import Exercise
from grader.judge.answers import Answers, same_answers
from grader.judge.case import Case, Question, function, module
from grader.judge.diagnosis import CheckedExchanges, diagnose
from grader.judge.draw import Draw
from grader.judge.failure import CheckFailed
from grader.judge.learner import LearnerModule
from grader.judge.mismatch import mismatch_of
from grader.judge.process import WalledProcess
from grader.judge.trusted import Expected
from grader.sandbox.clock import Budget
from grader.sandbox.inside import host, wire
from grader.sandbox.worker import Bounds, WorkerLost
from tests.fuzz.damage import damaged, damaged_json
from tests.fuzz.targets.archive import COURSE
from tests.fuzz.watching import scratch_root

SEED = 7
CLOSE = 1e-3
"""Of the largest number due: an answer that passes is at least this near to it, whoever compares."""

SOLUTION = """\
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        assert width > 0
        self.factor = torch.nn.Parameter(torch.ones(width, width))
        self.register_buffer("mask", torch.ones(width))

    def forward(self, x):
        return x @ self.factor


def share(amounts):
    return amounts / amounts.sum(-1, keepdim=True)


def parts(amounts):
    return amounts.sum(), [amounts.amax(-1), (len(amounts), "parts", None, True, 0.5)], {"shape": tuple(amounts.shape)}
"""
BANK = """\
from grader.judge.authoring import Mistake

SUM = "amounts.sum(-1, keepdim=True)"
MISTAKES = [Mistake("whole", "You divided by one sum.", "test", [(SUM, "amounts.sum()")])]
"""


def _exercise() -> Exercise:
    return COURSE.exercise("softmax").model_copy(update={"entry_points": ("share",), "forbidden": None})


def _expected() -> Expected:
    """The reference and the known mistake, loaded before anybody watches."""
    folder = scratch_root() / "trusted"
    folder.mkdir(exist_ok=True)
    (folder / "solution.py").write_text(SOLUTION)
    (folder / "bank.py").write_text(BANK)
    expected = Expected(folder / "solution.py", folder / "bank.py")
    for loaded in (expected.reference, *(mistake for _, mistake in expected.mistakes)):
        assert loaded.namespace
    return expected


EXPECTED = _expected()


def _right_stream(number: int) -> bytes:
    """What a worker with the reference sends for a question."""
    worker = _Right([])
    ASKED[number](_learner(worker))
    return b"".join([wire.pack({"loaded": True}, wire.TRUSTED_BYTES), *worker.frames])


@dataclass
class _Right:
    """Answers as a worker with the reference would, and keeps the frames."""

    frames: list[bytes]

    def ask(self, question: Question, meanwhile: Any = None) -> Any:
        namespace = host.load(SOLUTION, "solution.py")
        reply = host.run_question(wire.unpack_frame(question.frame), namespace, "solution.py", ())
        self.frames.append(wire.pack(reply, wire.TRUSTED_BYTES))
        return wire.unpack_frame(self.frames[-1])


def _learner(worker: Any) -> LearnerModule:
    draw = Draw(SEED, "share", "test", EXPECTED.reference.namespace)
    return LearnerModule(worker, EXPECTED, draw, SOLUTION, is_visible=True)


@dataclass
class _Worker:
    """Stands for a process that has sent a stream of bytes, after the honest look at its source."""

    stream: io.BytesIO
    bounds: Bounds
    is_scanned: bool = False
    reply_bytes: int = 1 << 20

    def give(self, frames: Sequence[bytes], *, answers: int, after: int = 0) -> None:
        """Whatever is asked: the answers are written already."""

    def receive(self, budget: Budget) -> Any:
        if not self.is_scanned:
            self.is_scanned = True
            return {"forbidden": []}
        try:
            return wire.unpack(*self.receive_parts(budget))
        except wire.WireError as error:
            raise WorkerLost("garbled", str(error)) from None

    def receive_parts(self, budget: Budget) -> tuple[bytes, bytes]:
        prefix = self.stream.read(wire.PREFIX.size)
        if len(prefix) < wire.PREFIX.size:
            raise WorkerLost("exit", "0")
        try:
            header, block = wire.check_prefix(prefix, self.reply_bytes)
        except wire.WireError as error:
            raise WorkerLost("garbled", str(error)) from None
        return self.stream.read(header), self.stream.read(block)

    def spent(self, now: float) -> float:
        return 0.0

    def kept_waiting(self, now: float) -> float:
        return 0.0

    def cpu_spent(self) -> float:
        return 0.0

    def close(self) -> None:
        """Nothing runs."""


@dataclass
class _Sandbox:
    stream: bytes
    worker: _Worker | None = None
    lost: list[_Worker] = field(default_factory=list)

    def spawn(self, bounds: Bounds) -> _Worker:
        return _Worker(io.BytesIO(self.stream), bounds)

    def forget(self, worker: _Worker) -> None:
        self.lost.append(worker)


def _numbers(draw: Draw) -> torch.Tensor:
    return draw.uniform(3, 4, low=1.0)


def _scale(draw: Draw) -> Case:
    return module(
        "Scale", 4, weights={"factor": draw.normal(4, 4)}, inputs={"x": draw.normal(2, 4)}, axes="rows columns"
    )


def _told_of_module(learner: LearnerModule) -> None:
    case = _scale(learner.draw)
    assert case.module is not None
    case.parameters(case.module)
    case.buffers(case.module)
    case.attribute(case.module, "training")
    case.observed()
    (answer,) = learner.ask(case)
    assert isinstance(answer["parameters"], dict) and isinstance(answer["buffers"], list)
    sorted(answer["observed"]["functions"])
    if answer["observed"]["largest"] > 100 or answer["observed"]["printed"] > 0:
        raise CheckFailed("too large")


def _compares_all(learner: LearnerModule) -> None:
    learner.agrees(function("parts", _numbers(learner.draw), axes="rows columns"))


ASKED: tuple[Callable[[LearnerModule], None], ...] = (
    lambda learner: learner.agrees(*(function("share", _numbers(learner.draw), axes="rows columns") for _ in range(2))),
    lambda learner: learner.agrees_in_gradients(function("share", _numbers(learner.draw), names=["amounts"])),
    lambda learner: learner.agrees_in_gradients(_scale(learner.draw)),
    lambda learner: learner.keeps_inputs(function("share", _numbers(learner.draw), names=["amounts"])),
    lambda learner: learner.refuses("Scale", (0,), (-1,), why="A width below 1"),
    _told_of_module,
    _compares_all,
)
COMPARED = frozenset({0, 1, 2, 6})
"""Questions of which every answer is compared with the reference's."""

RIGHT = tuple(map(_right_stream, range(len(ASKED))))


def run(data: bytes) -> None:
    """The check passes, with values that are right whoever compares, or CheckFailed says why; nothing else is raised."""
    number, learner, passed = judged(data)
    for exchange in learner.exchanges:
        due = EXPECTED.answers_to(exchange.question)
        for came, right in zip(exchange.answers, due, strict=True):
            same_answers(came, right)
            if passed and number in COMPARED:
                _assert_right(came, right)
    assert learner.exchanges or not passed
    diagnose([CheckedExchanges("test", passed, True, learner.exchanges)], EXPECTED)
    if not passed:
        mismatch_of(learner.exchanges, EXPECTED)


def judged(data: bytes) -> tuple[int, LearnerModule, bool]:
    """Which question it was, what the judge has of the answers, and whether they pass."""
    number = (data[0] if data else 0) % len(ASKED)
    process = WalledProcess(_exercise(), SOLUTION.encode(), lambda: _Sandbox(data[1:]))  # type: ignore[arg-type, return-value]
    learner = _learner(process)
    try:
        ASKED[number](learner)
    except CheckFailed as failure:
        assert str(failure).strip() and len(str(failure)) < 5000
        return number, learner, False
    finally:
        process.close()
    return number, learner, True


def _assert_right(came: Answers, right: Answers) -> None:
    assert came.error is None
    for name, due in right.values.items():
        assert _is_near(came[name], due), f"{name} passed: {came[name]!r} for {due!r}"


def _is_near(came: Any, due: Any) -> bool:
    if isinstance(due, torch.Tensor):
        if not isinstance(came, torch.Tensor) or (came.shape, came.dtype) != (due.shape, due.dtype):
            return False
        largest = due.abs().max().item() if due.numel() else 0.0
        return bool(came.isfinite().all()) and bool(((came - due).abs() <= CLOSE * largest).all())
    if isinstance(due, dict):
        return isinstance(came, dict) and all(key in came and _is_near(came[key], due[key]) for key in due)
    if isinstance(due, (list, tuple)):
        same_kind = isinstance(came, (list, tuple)) and len(came) == len(due)
        return same_kind and all(map(_is_near, came, due))
    if isinstance(due, float):
        return isinstance(came, (int, float)) and abs(came - due) <= CLOSE * abs(due)
    return bool(came == due)


def inputs() -> SearchStrategy[bytes]:
    """Right streams with harm done to their bytes, or to the values in their last frame."""
    numbers = st.integers(0, len(ASKED) - 1)
    right = numbers.map(lambda number: bytes([number]) + RIGHT[number])
    return damaged(right, most=3) | _other_values()


@st.composite
def _other_values(draw: st.DrawFn) -> bytes:
    number = draw(st.integers(0, len(ASKED) - 1))
    stream = RIGHT[number]
    first = wire.PREFIX.size + sum(wire.check_prefix(stream[: wire.PREFIX.size], wire.TRUSTED_BYTES))
    loaded, reply = stream[:first], stream[first:]
    if draw(st.integers(0, 5)) == 0:
        loaded, reply = _with_header(loaded, draw), reply
    else:
        reply = _with_header(reply, draw)
    return bytes([number]) + loaded + reply


def _with_header(frame: bytes, draw: st.DrawFn) -> bytes:
    size, _ = wire.check_prefix(frame[: wire.PREFIX.size], wire.TRUSTED_BYTES)
    start = wire.PREFIX.size
    value = json.loads(frame[start : start + size])
    if draw(st.integers(0, 3)) == 0:
        value = draw(st.sampled_from(ERRORS))
    header = draw(damaged_json(st.just(value)))
    block = frame[start + size :]
    return wire.PREFIX.pack(wire.MAGIC, len(header), len(block)) + header + block


def _reply_of(error: dict[str, Any]) -> Any:
    frame = wire.pack([{"answers": {}, "error": error}], wire.TRUSTED_BYTES)
    size, _ = wire.check_prefix(frame[: wire.PREFIX.size], wire.TRUSTED_BYTES)
    return json.loads(frame[wire.PREFIX.size : wire.PREFIX.size + size])


ERRORS = tuple(
    _reply_of(error)
    for error in (
        {
            "kind": "exception",
            "type": "ValueError",
            "message": "3 != 4",
            "frames": [[3, "share"], [10**9, "x"]],
            "step": 1,
        },
        {"kind": "exception", "type": "\x1b[2J", "message": "\ud800", "frames": [[-5, "share"]], "step": -3},
        {"kind": "memory", "frames": [[12, "share"]]},
        {"kind": "forbidden", "name": "torch.softmax"},
        {"kind": "no_entry", "name": "shar"},
        {"kind": "no_attribute", "name": "training"},
        {"kind": "names", "missing": ["factor"], "unexpected": ["factr", 3]},
        {"kind": "weight_shape", "name": "factor", "came": [3, "x"], "expected": [4, 4]},
        {"kind": "not_a_module", "what": "a function"},
        {"kind": "no_part", "what": "a tensor"},
    )
)
