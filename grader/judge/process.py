"""The process that answers for a learner's file of one exercise: behind the wall, or in this process for a debugger."""

from __future__ import annotations

import math
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Any

import pytest

from grader.course import Exercise
from grader.sandbox.inside import host, wire
from grader.sandbox.inside.case_steps import Namespace
from grader.sandbox.sandbox import AnySandbox
from grader.sandbox.worker import Bounds, Budget, LearnerFile, Parts, Worker, WorkerLost

from .answers import Malformed, read_error
from .case import Question
from .failure import error_text, forbidden_text, loss_text, syntax_text, time_text
from .faults import CheckFailed, GraderBroken
from .learner import Asked
from .plan import ASKS_OTHERWISE, PlannedCheck

MAX_LOSSES = 3
QUITTING = (KeyboardInterrupt, BdbQuit, pytest.exit.Exception)
"""Raised through a learner's code by whoever sits at the keyboard, here or in a debugger: no fault of the code."""

Reply = Parts | str
"""The answer to one question, unread, or the sentence that says why there is none."""


@dataclass
class _Facts:
    """A submission's file for one exercise, and the reason to refuse it, if any."""

    exercise: Exercise
    source: bytes

    def __post_init__(self) -> None:
        forbidden = self.exercise.forbidden
        self.script = LearnerFile(
            file=self.exercise.file_name,
            source=self.source,
            entry_points=self.exercise.entry_points,
            calls=forbidden.calls if forbidden else (),
            operators=forbidden.operators if forbidden else (),
        )
        self.reason = forbidden.reason if forbidden else ""
        """Why library calls are forbidden."""
        self.text = self.source.decode("utf-8", "replace").removeprefix("\ufeff")
        self.refusal = ""

    def read_scan(self, scan: dict[str, Any]) -> None:
        """Refuse the file if the scan of its source found something."""
        lines = self.text.splitlines()
        if "syntax" in scan:
            number, message = scan["syntax"]
            self.refusal = syntax_text(int(number), str(message), lines)
        elif scan["forbidden"]:
            name, number = scan["forbidden"][0]
            self.refusal = forbidden_text(str(name), int(number), self.reason)

    def read_load(self, error: Any) -> None:
        """Refuse the file because loading it failed: before it could see any hidden input."""
        told = error_text(error, self.text.splitlines(), self.reason, hide_numbers=False)
        self.refusal = f"Your file cannot be loaded. {told}"


class WalledProcess(_Facts):
    """The learner's file, answered by workers behind the wall: one at a time, and a new one when one is lost.

    A worker gets this file and nothing else in its life. It is asked from a thread, so that it works while the judge
    compares the answers of the one before. Methods raise CheckFailed when the learner's code ends, hangs or is refused,
    MachineError when the sandbox breaks.
    """

    def __init__(
        self,
        exercise: Exercise,
        source: bytes,
        sandbox: Callable[[], AnySandbox],
        rounds: Sequence[Sequence[PlannedCheck]] = (),
        whole: Budget | None = None,
    ) -> None:
        """rounds: the planned checks; those of a round are asked when all of the one before are answered.
        whole: what the whole submission may use.
        """
        super().__init__(exercise, source)
        self._sandbox = sandbox
        self._budget = Budget(exercise.limits.seconds, whole=whole)
        self._rounds = rounds
        self._thread = ThreadPoolExecutor(1)
        self._run: Future[dict[str, list[Reply]]] | None = None
        self._worker: Worker | None = None
        self._losses = 0
        self._is_closed = False

    def start(self) -> None:
        """Start a worker that loads the file and answers what is planned; does not wait for it."""
        if self._run is None:
            self._run = self._thread.submit(self._ask_what_is_planned)

    def replies(self, planned: PlannedCheck | None) -> list[Reply] | None:
        """What came for the planned questions of a check, in order; None if none are planned. Raises MachineError."""
        self.start()
        assert self._run is not None
        return self._run.result().get(planned.name) if planned is not None else None

    def answering(self, planned: PlannedCheck | None) -> Asked:
        """What answers a check: the run, if its questions are planned, otherwise the learner's code on the spot."""
        replies = self.replies(planned)
        return self if planned is None or replies is None else _Replies(zip(planned.asked, replies, strict=True))

    def ask(self, question: Question) -> Any:
        """Ask a question on the spot, and return the unchecked reply."""
        self.start()
        (reply,) = self._thread.submit(self._ask, [question]).result()
        return _read(reply)

    def close(self) -> None:
        """End the learner's process."""
        self._is_closed = True
        if worker := self._worker:
            worker.close()
        self._thread.shutdown(wait=False, cancel_futures=True)

    # --- in the thread ----------------------------------------------------------------------------------------

    def _ask_what_is_planned(self) -> dict[str, list[Reply]]:
        came: dict[str, list[Reply]] = {}
        for checks in self._rounds:
            replies = iter(self._ask([question for check in checks for question in check.asked]))
            came |= {check.name: list(islice(replies, len(check.asked))) for check in checks}
        if self._rounds:
            self._end()
        else:
            self._loaded_worker()  # questions are to come
        return came

    def _ask(self, questions: Sequence[Question]) -> list[Reply]:
        """A reply to each, or why there is none: one whose worker is lost fails alone, a new worker gets the others."""
        replies: list[Reply] = []
        while len(replies) < len(questions) and (worker := self._loaded_worker()):
            frames = [question.frame for question in questions[len(replies) :]]
            try:
                for parts in worker.ask(frames, self._budget, self._seconds, answers=len(frames)):
                    replies.append(parts)
            except WorkerLost as loss:
                replies.append(self._told(loss))
                self._note_loss(loss)
        return replies + [self.refusal] * (len(questions) - len(replies))

    def _loaded_worker(self) -> Worker | None:
        """The worker, with the file loaded; None when the file is refused. Raises MachineError without a worker."""
        left, shortage = self._budget.left()
        if left <= 0 and not self.refusal:
            self.refusal = self._told(WorkerLost(shortage))
        if self._worker is None and not self.refusal:
            self._start_worker()
        return None if self.refusal else self._worker

    def _start_worker(self) -> None:
        limits = self.exercise.limits
        processor_seconds = math.ceil(self._budget.left()[0]) + 1  # the budget is noticed first, and told in its words
        worker = self._worker = self._sandbox().spawn(Bounds(processor_seconds, limits.memory_mb, limits.reply_mb))
        if self._is_closed:  # before there was a worker to close
            worker.close()
        try:
            frame = self.script.frame(worker.bounds.reply_bytes)
            answers = worker.ask([frame], self._budget, self._seconds, answers=LearnerFile.ANSWERS)
            self.read_scan(_unpacked(next(answers)))  # it was sent before the source ran, so it can be trusted
            if not self.refusal:
                self._read_loading(_unpacked(next(answers)))
        except WorkerLost as loss:
            self.refusal = f"Your file cannot be loaded. {self._told(loss)}"
        if self.refusal:
            self._end()

    def _read_loading(self, told: Any) -> None:
        if isinstance(told, dict) and told.get("loaded") is True:
            return
        try:
            self.read_load(read_error(told.get("error") if isinstance(told, dict) else None))
        except Malformed:
            self.refusal = "Your file cannot be loaded: it sent no readable answer."

    @property
    def _seconds(self) -> float:
        return self.exercise.limits.request_seconds

    def _told(self, loss: WorkerLost) -> str:
        if loss.reason == "exercise time":
            return f"The time for this exercise is used up: {time_text(self._budget.seconds)}."
        if loss.reason == "submission time":
            assert self._budget.whole is not None
            return f"The time for the whole submission is used up: {time_text(self._budget.whole.seconds)}."
        return loss_text(WorkerLost("time", time_text(self._seconds)) if loss.reason == "time" else loss)

    def _note_loss(self, loss: WorkerLost) -> None:
        self._end()
        self._losses += 1
        if self._losses >= MAX_LOSSES or self._is_closed or loss.reason in ("exercise time", "submission time"):
            self.refusal = self._told(loss)

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


@dataclass
class _Replies:
    """The replies to a check's planned questions, one after another."""

    left: Iterator[tuple[Question, Reply]]

    def ask(self, question: Question) -> Any:
        """The reply to the question that is next. Raises GraderBroken when another one is asked."""
        planned, reply = next(self.left, (None, ""))
        if planned is None or planned.digest != question.digest:
            raise GraderBroken(ASKS_OTHERWISE)
        return _read(reply)


def _read(reply: Reply) -> Any:
    """The unchecked value of a reply. Raises CheckFailed with the reason for having none."""
    if isinstance(reply, str):
        raise CheckFailed(reply)
    try:
        value = _unpacked(reply)
    except WorkerLost as loss:
        raise CheckFailed(loss_text(loss)) from loss
    if isinstance(value, dict) and set(value) == {"too_large"}:
        raise CheckFailed(f"Your answer is too large to be looked at: {str(value['too_large'])[:200]}.")
    return value


def _unpacked(parts: Parts) -> Any:
    try:
        return wire.unpack(*parts)
    except wire.WireError as error:
        raise WorkerLost("garbled", str(error)) from None


def frames_of(trace: TracebackType | None, file: str) -> TracebackType | None:
    """The traceback from the first frame of a file to its last: a debugger then opens in its lines."""
    nodes = []
    while trace is not None:
        nodes.append(trace)
        trace = trace.tb_next
    own = [place for place, node in enumerate(nodes) if node.tb_frame.f_code.co_filename == file]
    kept: TracebackType | None = None
    for node in reversed(nodes[own[0] : own[-1] + 1] if own else []):
        kept = TracebackType(kept, node.tb_frame, node.tb_lasti, node.tb_lineno)
    return kept


class LocalProcess(_Facts):
    """The learner's file run in this process (isolation "none"), for a debugger and for print. No wall at all."""

    def __init__(self, exercise: Exercise, source: bytes, file: str = "") -> None:
        super().__init__(exercise, source)
        # the real path, so that a debugger can show the source lines
        self._file = file or exercise.file_name
        self._namespace: Namespace | None = None

    def ask(self, question: Question) -> Any:
        """Answer in this process. A learner's exception becomes CheckFailed with the learner's own traceback."""
        if self.refusal:
            raise CheckFailed(self.refusal)
        data = wire.unpack_frame(question.frame)
        try:
            if self._namespace is None:
                self._namespace = self._load()
            reply = host.run_question(data, self._namespace, self._file, self.script.operators, raw=True)
        except (CheckFailed, *QUITTING):
            raise
        except BaseException as error:
            told = read_error(wire.copied(host.describe_error(error, self._file)))
            text = error_text(told, self.text.splitlines(), self.reason, hide_numbers=False)
            own = frames_of(error.__traceback__, self._file)
            raise CheckFailed(text).with_traceback(own) from None
        return wire.copied(reply)

    def _load(self) -> Namespace:
        self.read_scan(host.scan(self.text, self.script.calls, self.script.entry_points))
        if self.refusal:
            raise CheckFailed(self.refusal)
        return host.load(self.text, self._file)

    def start(self) -> None:
        """Nothing to start."""

    def replies(self, planned: PlannedCheck | None) -> None:
        """None: nothing is asked ahead of time."""

    def answering(self, planned: PlannedCheck | None) -> Asked:
        """It answers every check on the spot."""
        return self

    def close(self) -> None:
        """Nothing to end."""
