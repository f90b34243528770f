"""The process that answers for a learner's file of one exercise: behind the wall, or in this process for a debugger."""

from __future__ import annotations

import time
from bdb import BdbQuit
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Any

import pytest

from grader.course import Exercise
from grader.sandbox.clock import Allowance, Budget
from grader.sandbox.inside import host, wire
from grader.sandbox.pipes import Parts
from grader.sandbox.sandbox import AnySandbox
from grader.sandbox.worker import Bounds, LearnerFile, Worker, WorkerLost

from .answers import Malformed, read_error
from .case import Question
from .failure import error_text, forbidden_text, loss_text, syntax_text
from .faults import CheckFailed

MAX_LOSSES = 3
QUITTING = (KeyboardInterrupt, BdbQuit, pytest.exit.Exception)
"""Raised through a learner's code by whoever sits at the keyboard, here or in a debugger: no fault of the code."""
MOST_AHEAD_BYTES = 16 * 1024 * 1024
"""Limit for answers that no check has asked for yet; the largest right ones are a fiftieth of it."""


def script_of(exercise: Exercise, source: bytes) -> LearnerFile:
    """What a worker needs to know of an exercise, with the learner's file for it."""
    forbidden = exercise.forbidden
    return LearnerFile(
        file=exercise.file_name,
        source=source,
        entry_points=exercise.entry_points,
        calls=forbidden.calls if forbidden else (),
        operators=forbidden.operators if forbidden else (),
    )


@dataclass
class _Facts:
    """A submission's file for one exercise, and the reason to refuse it, if any."""

    exercise: Exercise
    source: bytes

    def __post_init__(self) -> None:
        self.script = script_of(self.exercise, self.source)
        self.text = self.source.decode("utf-8", "replace").removeprefix("\ufeff")
        self.refusal = ""

    @property
    def reason(self) -> str:
        """Why library calls are forbidden."""
        return self.exercise.forbidden.reason if self.exercise.forbidden else ""

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

    A worker gets this file and nothing else in its life. The planned questions are sent to it without waiting for the
    judge. `ask` raises CheckFailed when the learner's code ends, hangs or floods, MachineError when the sandbox breaks.
    """

    def __init__(
        self,
        exercise: Exercise,
        source: bytes,
        sandbox: Callable[[], AnySandbox],
        planned: Sequence[Question] = (),
        whole: Allowance | None = None,
    ) -> None:
        """planned: the expected questions; each is sent when the one before is answered.
        whole: the time allowance of the whole submission.
        """
        super().__init__(exercise, source)
        limits = exercise.limits
        self._sandbox = sandbox
        self._budget = Budget(limits.seconds, limits.request_seconds, limits.cpu_seconds, whole or Allowance())
        self._worker: Worker | None = None
        self._is_loaded = False
        self._losses = 0
        self._to_come = deque(planned)
        """Planned questions whose answers have not been received yet."""
        self._ahead: dict[bytes, deque[Parts | WorkerLost]] = defaultdict(deque)
        self._ahead_bytes = 0

    def start(self) -> None:
        """Start a worker early; it loads the file and answers while the judge does something else."""
        if self._worker is None and not self.refusal:
            with suppress(CheckFailed):  # reported when something is asked
                self._start_worker()

    def ask(self, question: Question) -> Any:
        """Ask a question and return the unchecked reply. See the class for what it raises."""
        try:
            return self._read(self._planned_answer(question) or self._asked_now(question))
        except WorkerLost as loss:
            raise CheckFailed(self._told(loss)) from loss

    def answered(self, questions: Sequence[Question]) -> list[Parts] | None:
        """The answers to planned questions, unread, if all have come; each can still be asked for.

        Raises MachineError.
        """
        found: list[Parts] = []
        with suppress(CheckFailed):
            for place, question in enumerate(questions):
                self._refuse_if_refused()
                # the same question may be asked several times
                earlier = sum(each.digest == question.digest for each in questions[:place])
                self._take_up_to(question, earlier + 1)
                outcome = next(islice(self._ahead[question.digest], earlier, None), None)
                if outcome is None or isinstance(outcome, WorkerLost):
                    return None
                found.append(outcome)
            return found
        return None

    def pass_over(self, questions: Sequence[Question]) -> None:
        """Drop the answers to these planned questions, all of which have come."""
        for question in questions:
            self._planned_answer(question)

    # --- planned questions ------------------------------------------------------------------------------------

    def _planned_answer(self, question: Question) -> Parts | None:
        """The answer to a planned question; None if it was not planned. Raises WorkerLost when there is no answer."""
        self._refuse_if_refused()
        self._take_up_to(question)
        waiting = self._ahead[question.digest]
        if not waiting:
            return None
        outcome = waiting.popleft()
        if isinstance(outcome, WorkerLost):
            raise outcome
        self._ahead_bytes -= sum(map(len, outcome))
        return outcome

    def _take_up_to(self, question: Question, count: int = 1) -> None:
        """If the question was planned, receive answers in order until `count` to it are there."""
        while len(self._ahead[question.digest]) < count and not self.refusal:
            if all(each.digest != question.digest for each in self._to_come):
                return
            self._take_next()

    def _take_next(self) -> None:
        """Receive the next planned answer, or the reason for having none. Raises CheckFailed if the file can't load."""
        worker = self._loaded_worker()
        question = self._to_come.popleft()
        outcome: Parts | WorkerLost
        try:
            outcome = worker.receive_parts(self._budget)
            self._ahead_bytes += sum(map(len, outcome))
        except WorkerLost as loss:
            outcome = loss
            self._note_loss(loss)
        self._ahead[question.digest].append(outcome)
        if self._ahead_bytes > MOST_AHEAD_BYTES:
            self._ask_one_by_one()

    def _ask_one_by_one(self) -> None:
        """Drop answers that are too large to keep; from now on ask each question when a check does."""
        self.close()
        self._to_come.clear()
        self._ahead.clear()
        self._ahead_bytes = 0

    # --- questions on the spot --------------------------------------------------------------------------------

    def _asked_now(self, question: Question) -> Parts:
        while self._to_come and not self.refusal:  # answers come in order
            self._take_next()
        self._refuse_if_refused()
        worker = self._loaded_worker()
        worker.give([question.frame], answers=1)
        try:
            return worker.receive_parts(self._budget)
        except WorkerLost as loss:
            self._note_loss(loss)
            raise

    def _read(self, parts: Parts) -> Any:
        began = time.thread_time()
        try:
            reply = wire.unpack(*parts)
        except wire.WireError as error:
            self._note_loss(WorkerLost("garbled"))
            raise WorkerLost("garbled", str(error)) from None
        finally:  # time for decoding an answer counts like time for computing it
            self._budget.settle(time.thread_time() - began, 0.0, 0.0)
        if isinstance(reply, dict) and set(reply) == {"too_large"}:
            raise CheckFailed(f"Your answer is too large to be looked at: {str(reply['too_large'])[:200]}.")
        return reply

    # --- the worker -------------------------------------------------------------------------------------------

    def _loaded_worker(self) -> Worker:
        """The worker, with the file loaded. Raises CheckFailed when that fails, MachineError without a worker."""
        worker = self._worker or self._start_worker()
        if not self._is_loaded:
            self._load(worker)
        return worker

    def _start_worker(self) -> Worker:
        shortage = self._budget.shortage
        if shortage is not None:
            self.refusal = self._told(WorkerLost(shortage))
            raise CheckFailed(self.refusal)
        limits = self.exercise.limits
        bounds = Bounds(self._budget.cpu_seconds_left, limits.memory_mb, limits.reply_mb, limits.output_kb)
        worker = self._worker = self._sandbox().spawn(bounds)
        self._is_loaded = False
        worker.give([self.script.frame(worker.reply_bytes)], answers=LearnerFile.ANSWERS)
        # one after another, the first once the file is loaded: the code sees no question before the one before it is
        # answered
        for number, question in enumerate(self._to_come):
            worker.give([question.frame], answers=1, after=LearnerFile.ANSWERS + number)
        return worker

    def _load(self, worker: Worker) -> None:
        try:
            # the scan was sent before the source ran, so it can be trusted
            self.read_scan(worker.receive(self._budget))
            if not self.refusal:
                told = worker.receive(self._budget)
                if not (isinstance(told, dict) and told.get("loaded") is True):
                    self._read_load_failure(told)
        except WorkerLost as loss:
            self.refusal = f"Your file cannot be loaded. {self._told(loss)}"
        if self.refusal:
            self.close()
            raise CheckFailed(self.refusal)
        self._is_loaded = True

    def _read_load_failure(self, told: Any) -> None:
        try:
            self.read_load(read_error(told.get("error") if isinstance(told, dict) else None))
        except Malformed:
            self.refusal = "Your file cannot be loaded: it sent no readable answer."

    def _refuse_if_refused(self) -> None:
        if self.refusal:
            raise CheckFailed(self.refusal)

    def _told(self, loss: WorkerLost) -> str:
        limits, whole = self.exercise.limits, self._budget.whole
        if loss.reason == "exercise time":
            return f"The {limits.seconds:g} seconds for this exercise are used up."
        if loss.reason == "submission time":
            return f"The {whole.seconds:g} seconds for the whole submission are used up."
        return loss_text(WorkerLost("time", f"{limits.request_seconds:g}") if loss.reason == "time" else loss)

    def _note_loss(self, loss: WorkerLost) -> None:
        self.close()
        self._losses += 1
        if self._losses >= MAX_LOSSES or loss.reason in ("exercise time", "submission time"):
            self.refusal = self._told(loss)

    def close(self) -> None:
        """End the learner's process, and charge its time."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()
            now = time.monotonic()
            self._budget.settle(worker.spent(now), worker.cpu_spent(), worker.kept_waiting(now))
            self._sandbox().forget(worker)


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
        self._namespace: host.Namespace | None = None

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

    def _load(self) -> host.Namespace:
        self.read_scan(host.scan(self.text, self.script.calls, self.script.entry_points))
        if self.refusal:
            raise CheckFailed(self.refusal)
        return host.load(self.text, self._file)

    def start(self) -> None:
        """Nothing to start."""

    def answered(self, questions: Sequence[Question]) -> None:
        """None: nothing is asked ahead of time."""

    def pass_over(self, questions: Sequence[Question]) -> None:
        """Nothing to drop."""

    def close(self) -> None:
        """Nothing to end."""
