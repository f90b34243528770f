"""The process that answers for a learner's file of one exercise: behind the wall, or in this process for a debugger."""

from __future__ import annotations

import math
from bdb import BdbQuit
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from types import TracebackType
from typing import Any

import numpy
import pytest
import torch

from grader.course import Exercise
from grader.course.model import Forbidden
from grader.sandbox.inside import host, wire
from grader.sandbox.inside.case_steps import Namespace
from grader.sandbox.sandbox import AnySandbox
from grader.sandbox.worker import Bounds, Budget, Parts, Worker, WorkerLost

from .failure import error_text, forbidden_text, loss_text, read_error, syntax_text, time_text
from .faults import ASKS_OTHERWISE, CheckFailed, GraderBroken
from .plan import PlannedCheck
from .questions import Answering, Answers, Case, Exchange, Question, read_answers

MAX_LOSSES = 3
CLOSED = loss_text(WorkerLost("closed"))
QUITTING = (KeyboardInterrupt, BdbQuit, pytest.exit.Exception)
"""Raised through a learner's code by whoever sits at the keyboard, here or in a debugger: no fault of the code."""

Reply = Parts | str
"""The answer to one question, unread, or the sentence that says why there is none."""


class Process:
    """A learner's file for one exercise, and who answers for it. `refusal`: why the file is not run, if it is not."""

    def __init__(self, exercise: Exercise, source: bytes, refusal: str = "") -> None:
        self.exercise = exercise
        self.source = source
        self.text = source.decode("utf-8", "replace").removeprefix("\ufeff")
        self.forbidden = exercise.forbidden or Forbidden.model_construct(reason="")
        self.refusal = refusal
        self.read_bytes = 0
        """Size of the answers to planned questions that were read so far."""

    def replies(self, planned: PlannedCheck) -> Iterable[Reply]:
        """What comes for the planned questions of a check, in order. Raises CheckFailed, MachineError."""
        return (self.reply(each.question) for each in planned.exchanges)

    def reply(self, question: Question) -> Reply:
        """What comes for a question that is asked on the spot. Raises CheckFailed, MachineError."""
        raise NotImplementedError

    def close(self) -> None:
        """End it."""

    def ask(self, question: Question) -> list[Answers]:
        """The answers to a question that is asked on the spot. Raises CheckFailed when there are none, MachineError."""
        return answers_in(self.reply(question), question.cases)

    def answering(self, planned: PlannedCheck) -> Answering:
        """What a check asks: it is answered with what comes for its planned questions, else on the spot.

        Raises MachineError; the function raises CheckFailed without an answer, GraderBroken when another question was
        planned next.
        """
        ahead = zip((each.question for each in planned.exchanges), self.replies(planned), strict=False)

        def exchange(cases: Sequence[Case]) -> Exchange:
            if not planned.exchanges:
                question = Question.of(cases)
                return Exchange(question, self.ask(question))
            known, reply = next(ahead, (None, ""))
            if known is None or len(known.cases) != len(cases):
                raise GraderBroken(ASKS_OTHERWISE)
            self.read_bytes += sum(map(len, reply))
            return Exchange(known, answers_in(reply, cases))

        return exchange

    def read_scan(self, scan: dict[str, Any]) -> None:
        """Refuse the file if the scan of its source found something."""
        if "syntax" in scan:
            number, message = scan["syntax"]
            self.refusal = syntax_text(int(number), str(message), self.text.splitlines())
        elif scan["forbidden"]:
            name, number = scan["forbidden"][0]
            self.refusal = forbidden_text(str(name), int(number), self.forbidden.reason)

    def told(self, error: Any) -> str:
        """The sentence for an error of which any number may be shown. Raises WireError."""
        return error_text(read_error(error), self.text.splitlines(), self.forbidden.reason, hide_numbers=False)


def answers_in(reply: Reply, cases: Sequence[Case]) -> list[Answers]:
    """The answers to these cases. Raises CheckFailed with the reason for having none."""
    if isinstance(reply, str):
        raise CheckFailed(reply)
    try:
        value = wire.unpack(*reply)
        if isinstance(value, dict) and set(value) == {"too_large"}:
            raise CheckFailed(f"Your answer is too large to be looked at: {str(value['too_large'])[:200]}.")
        return read_answers(value, cases)
    except wire.WireError as error:
        raise CheckFailed(loss_text(WorkerLost("garbled"))) from error


class WalledProcess(Process):
    """The learner's file, answered by workers behind the wall: one at a time, and a new one when one is lost.

    A worker gets this file and nothing else in its life. It is asked from a thread, from the start, so that it works
    while the judge compares the answers of the one before. Methods raise CheckFailed when the learner's code ends,
    hangs or is refused, MachineError when the sandbox breaks.
    """

    def __init__(
        self,
        exercise: Exercise,
        source: bytes,
        sandbox: AnySandbox,
        rounds: Sequence[Sequence[PlannedCheck]] = (),
        whole: Budget | None = None,
        refusal: str = "",
    ) -> None:
        """rounds: the planned checks; those of a round are asked when all of the one before are answered.
        whole: what the whole submission may use.
        """
        super().__init__(exercise, source, refusal)
        self._sandbox = sandbox
        self._budget = Budget(exercise.limits.seconds, whole=whole)
        self._rounds = rounds
        self._thread = ThreadPoolExecutor(1)
        self._worker: Worker | None = None
        self._losses = 0
        self._run = self._thread.submit(self._ask_what_is_planned)

    def replies(self, planned: PlannedCheck) -> list[Reply]:
        """What came for the planned questions of a check, in order. Raises MachineError."""
        return self._run.result().get(planned.name, [])

    def reply(self, question: Question) -> Reply:
        """What comes for a question that is asked on the spot. Raises MachineError."""
        (reply,) = self._thread.submit(self._ask, [question]).result()
        return reply

    def close(self) -> None:
        """End the learner's process."""
        self.refusal = self.refusal or CLOSED
        if worker := self._worker:
            worker.close()
        self._thread.shutdown(wait=False, cancel_futures=True)

    # --- in the thread ----------------------------------------------------------------------------------------

    def _ask_what_is_planned(self) -> dict[str, list[Reply]]:
        came: dict[str, list[Reply]] = {}
        for checks in self._rounds:
            replies = iter(self._ask([each.question for check in checks for each in check.exchanges]))
            came |= {check.name: list(islice(replies, len(check.exchanges))) for check in checks}
        self._end()
        return came

    def _ask(self, questions: Sequence[Question]) -> list[Reply]:
        """A reply to each, or why there is none: one whose worker is lost fails alone, a new worker gets the others."""
        replies: list[Reply] = []
        seconds = self.exercise.limits.request_seconds
        while len(replies) < len(questions) and (worker := self._loaded_worker()):
            frames = [question.frame for question in questions[len(replies) :]]
            try:
                for parts in worker.ask(frames, self._budget, seconds, answers=len(frames)):
                    replies.append(parts)
            except WorkerLost as loss:
                replies.append(self._loss_text(loss))
                self._end()
                self._losses += 1
                if self._losses >= MAX_LOSSES:
                    self.refusal = self._loss_text(loss)
        return replies + [self.refusal] * (len(questions) - len(replies))

    def _loaded_worker(self) -> Worker | None:
        """The worker, with the file loaded; None when the file is refused. Raises MachineError without a worker."""
        left, shortage = self._budget.left()
        if left <= 0 and not self.refusal:
            self.refusal = self._loss_text(WorkerLost(shortage))
        if self._worker is None and not self.refusal:
            self._start_worker(math.ceil(left) + 1)  # the budget is noticed first, and told in its words
        return None if self.refusal else self._worker

    def _start_worker(self, processor_seconds: int) -> None:
        """Start a worker and have the file loaded, or refuse the file."""
        limits = self.exercise.limits
        needs_all = bool(host.FEW_NEED.search(self.text))
        bounds = Bounds(processor_seconds, limits.memory_mb, limits.reply_mb, needs_all)
        worker = self._worker = self._sandbox.spawn(bounds)
        if self.refusal:  # closed before there was a worker to close
            worker.close()
        task = {
            "file": self.exercise.file_name,
            "source": torch.from_numpy(numpy.frombuffer(bytearray(self.source), dtype=numpy.uint8)),
            "entry_points": list(self.exercise.entry_points),
            "calls": list(self.forbidden.calls),
            "operators": list(self.forbidden.operators),
            "reply_bytes": worker.bounds.reply_bytes,
        }
        frame = wire.pack(task, wire.MAX_HEADER_BYTES)
        try:
            said = worker.ask([frame], self._budget, limits.request_seconds, answers=host.ANSWERS_TO_A_FILE)
            self.read_scan(wire.unpack(*next(said)))  # it was sent before the source ran, so it can be trusted
            if not self.refusal:
                loading = wire.unpack(*next(said))
                loading = loading if isinstance(loading, dict) else {}
                if loading.get("loaded") is not True:  # nothing was asked yet, so an error may show its numbers
                    self.refusal = f"Your file cannot be loaded. {self.told(loading.get('error'))}"
        except WorkerLost as loss:
            self.refusal = f"Your file cannot be loaded. {self._loss_text(loss)}"
        except wire.WireError:
            self.refusal = "Your file cannot be loaded: it sent no readable answer."
        if self.refusal:
            self._end()

    def _loss_text(self, loss: WorkerLost) -> str:
        for what, budget in (("this exercise", self._budget), ("the whole submission", self._budget.whole)):
            if budget is not None and loss.reason == budget.kind:
                return f"The time for {what} is used up: {time_text(budget.seconds)}."
        if loss.reason == "time":
            return loss_text(WorkerLost("time", time_text(self.exercise.limits.request_seconds)))
        return loss_text(loss)

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


class LocalProcess(Process):
    """The learner's file run in this process (isolation "none"), for a debugger and for print. No wall at all."""

    def __init__(self, exercise: Exercise, source: bytes, refusal: str = "", file: str = "") -> None:
        super().__init__(exercise, source, refusal)
        # the real path, so that a debugger can show the source lines
        self._file = file or exercise.file_name
        self._namespace: Namespace | None = None

    def reply(self, question: Question) -> Reply:
        """Answer in this process. A learner's exception becomes CheckFailed with the learner's own traceback."""
        if self._namespace is None and not self.refusal:
            self.read_scan(host.scan(self.text, self.forbidden.calls, self.exercise.entry_points))
        if self.refusal:
            return self.refusal
        data = wire.unpack_frame(question.frame)
        try:
            if self._namespace is None:
                self._namespace = host.load(self.text, self._file)
            answers = host.run_question(data, self._namespace, self._file, self.forbidden.operators, raw=True)
        except QUITTING:
            raise
        except BaseException as error:
            text = self.told(wire.copied(host.describe_error(error, self._file)))
            raise CheckFailed(text).with_traceback(frames_of(error.__traceback__, self._file)) from None
        return wire.parts_of(wire.pack(answers, wire.TRUSTED_BYTES))


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
