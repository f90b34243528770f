"""One submission's go at one exercise: the learner's process is started when needed, and replaced when it is lost."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from grader.course import Exercise
from grader.results import ExerciseResult
from grader.sandbox.fair_clock import own_waited
from grader.sandbox.inside import host, wire
from grader.sandbox.launch import MachineError
from grader.sandbox.opening import AnySandbox
from grader.sandbox.worker import Bounds, Script, Worker, WorkerLost

from .answers import Malformed, read_error
from .case import Question
from .failure import CheckFailed, error_text, forbidden_text, loss_text, syntax_text
from .foresight import Conversation, Foreseen
from .learner import Meanwhile, nothing
from .together import Apart, Part, Share

MAX_LOSSES = 3
LEAST_SECONDS = 0.05
PATIENCE = 10
"""How many times as long as the first file that passed another may take to answer everything in one go."""
LEAST_PATIENCE_SECONDS = 2.0
MOST_AHEAD_BYTES = 16 * 1024 * 1024
"""Of answers that nobody has asked for yet; the largest of right ones have a fiftieth of it."""
CUT_SHORT = 0.5
"""An answer that had less than this part of its time was cut short by the exercise's own limit."""


def script_of(exercise: Exercise, source: bytes) -> Script:
    """What a worker is told about an exercise and the learner's file for it."""
    forbidden = exercise.forbidden
    return Script(
        file=exercise.file_name,
        source=source,
        entry_points=exercise.entry_points,
        calls=forbidden.calls if forbidden else (),
        operators=forbidden.operators if forbidden else (),
    )


@dataclass
class _Facts:
    """What is known of a submission's file for one exercise."""

    exercise: Exercise
    source: bytes

    def __post_init__(self) -> None:
        self.script = script_of(self.exercise, self.source)
        self.text = self.source.decode("utf-8", "replace").removeprefix("\ufeff")
        self.refusal = ""
        self.is_apart = False
        """Whether something was asked that only a worker of its own can answer."""

    @property
    def reason(self) -> str:
        """Why library calls are forbidden."""
        return self.exercise.forbidden.reason if self.exercise.forbidden else ""

    def read_scan(self, scan: dict[str, Any]) -> None:
        """Refuse the file if the look at its source says so."""
        lines = self.text.splitlines()
        if "syntax" in scan:
            number, message = scan["syntax"]
            self.refusal = syntax_text(int(number), str(message), lines)
        elif scan["forbidden"]:
            name, number = scan["forbidden"][0]
            self.refusal = forbidden_text(str(name), int(number), self.reason)

    def read_load(self, error: Any) -> None:
        """Refuse the file because it failed while it was loaded."""
        told = error_text(error, self.text.splitlines(), self.reason, hide_numbers=False)
        self.refusal = f"Your file cannot be loaded. {told}"


class Attempt(_Facts):
    """The learner's file for one exercise, answered by a worker behind the wall.

    `ask` raises CheckFailed when the learner's code ends, hangs or floods, MachineError when the sandbox breaks.
    """

    def __init__(
        self,
        exercise: Exercise,
        source: bytes,
        sandbox: Callable[[], AnySandbox],
        foreseen: Foreseen | None = None,
    ) -> None:
        super().__init__(exercise, source)
        self._sandbox = sandbox
        self._foreseen = foreseen
        self._ahead: dict[bytes, deque[tuple[bytes, bytes]]] = defaultdict(deque)
        self._asked: list[Question] = []
        self._first_worker: Worker | Share | None = None
        self._starts = 0
        self._heard_ahead = False
        limits = exercise.limits
        self._bounds = Bounds(limits.cpu_seconds, limits.memory_mb, limits.reply_mb, limits.output_kb)
        self._worker: Worker | Share | None = None
        self._is_loaded = False
        self._losses = 0
        self._spent = 0.0
        self._starved_before = 0.0
        self._judge_waited_before = own_waited()
        self.printed_bytes = 0

    def part(self) -> Part | None:
        """What it would bring into a worker that it shares; None where something may be asked that is not foreseen."""
        if self._foreseen is None or self.refusal:
            return None
        return Part(self.script, self._bounds, self._foreseen.first.frames)

    def join(self, share: Share) -> None:
        """Listen to a worker that others share."""
        self._worker = self._first_worker = share
        self._starts = 1

    def alone(self) -> Attempt:
        """The same file once more, in a worker of its own."""
        return Attempt(self.exercise, self.source, self._sandbox, self._foreseen)

    def start(self) -> None:
        """Start the worker ahead of need; it loads the learner's file while the judge is busy with something else."""
        if self._worker is None and not self.refusal:
            self._start_own()

    def _start_own(self) -> Worker:
        worker = self._worker = self._sandbox().spawn(self._bounds)
        self._is_loaded = False
        try:
            worker.send(self.script.frame(worker.reply_bytes), self.exercise.limits.request_seconds)
        except WorkerLost as loss:
            raise MachineError(f"a worker did not take its task ({loss})") from loss
        self._starts += 1
        if self._starts == 1:
            self._first_worker = worker
            if self._foreseen is not None and not worker.send_ahead(self._foreseen.first.frames):
                self._foreseen = None
        return worker

    def hear_ahead(self) -> ExerciseResult | None:
        """Take the answers to what was foreseen to be asked; what another file got that said the very same.

        Without all of them in time there are none: asked one by one, the file has all its time. Raises MachineError,
        and Apart where the worker is shared and something was not as usual.
        """
        foreseen, worker = self._foreseen, self._worker
        if foreseen is None or worker is None or worker is not self._first_worker:
            return None
        patience = min(max(PATIENCE * foreseen.first.seconds, LEAST_PATIENCE_SECONDS), self._time_left())
        deadline = time.monotonic() + patience
        try:
            self._load(worker)
            started = time.monotonic()
            self._take_ahead(worker, foreseen.first.names, deadline)
        except CheckFailed:
            return None
        except WorkerLost:
            self._forget_ahead()
            return None
        self._spent += time.monotonic() - started
        self._heard_ahead = True
        return foreseen.results.get(worker.heard.digest())

    def _take_ahead(self, worker: Worker | Share, names: Sequence[bytes], deadline: float) -> None:
        room = MOST_AHEAD_BYTES
        for name in names:
            part = worker.receive_parts(max(0.0, deadline - time.monotonic()))
            room -= sum(map(len, part))
            if room < 0:
                raise WorkerLost("flood")
            self._ahead[name].append(part)

    def _forget_ahead(self) -> None:
        self.close()
        self._foreseen = None
        self._ahead.clear()

    def conversation(self) -> Conversation | None:
        """All that was asked and said; None where it was not all in one go with one worker."""
        worker = self._first_worker
        if worker is None or self._starts > 1 or self._losses or self.refusal:
            return None
        if self._heard_ahead and self._foreseen is not None:
            first = self._foreseen.first
            return None if self._asked else Conversation(first.frames, first.names, self._spent, worker.heard.digest())
        frames, names = (tuple(getattr(each, part) for each in self._asked) for part in ("frame", "digest"))
        return Conversation(frames, names, self._spent, worker.heard.digest())

    def ask(self, question: Question, meanwhile: Meanwhile = nothing) -> Any:
        """Pass a question on and return the reply as it came. See the class for what it raises."""
        if self.refusal:
            raise CheckFailed(self.refusal)
        try:
            reply = self._answered_ahead(question)
        except (LookupError, wire.WireError):
            reply = self._answer_now(question, meanwhile)
        if isinstance(reply, dict) and set(reply) == {"too_large"}:
            raise CheckFailed(f"Your answer is too large to be looked at: {str(reply['too_large'])[:200]}.")
        return reply

    def _answered_ahead(self, question: Question) -> Any:
        """The answer that is there already. Raises LookupError when there is none, WireError when it is garbled."""
        header, block = self._ahead.get(question.digest, deque()).popleft()
        try:
            return wire.unpack(header, block)
        except wire.WireError:
            self._forget_ahead()
            raise

    def _answer_now(self, question: Question, meanwhile: Meanwhile) -> Any:
        if isinstance(self._worker, Share):
            self.is_apart = True
            raise Apart
        self._asked.append(question)
        try:
            return self._answer(self._ready_worker(), question, meanwhile)
        except WorkerLost as loss:
            self._note_loss(loss)
            raise CheckFailed(self._told(loss)) from loss

    def _answer(self, worker: Worker, question: Question, meanwhile: Meanwhile) -> Any:
        seconds = self._seconds()
        before = worker.printed_bytes
        started = time.monotonic()
        try:
            worker.send(question.frame, seconds)
            with suppress(Exception):  # where it matters it fails again
                meanwhile()
            started = time.monotonic()  # this time is nothing that a learner is charged with
            return worker.receive(seconds)
        finally:
            self._spent += time.monotonic() - started
            self.printed_bytes += worker.printed_bytes - before

    def _ready_worker(self) -> Worker:
        worker = self._worker or self._start_own()
        assert not isinstance(worker, Share)
        if not self._is_loaded:
            self._load(worker)
        return worker

    def _load(self, worker: Worker | Share) -> None:
        started = time.monotonic()
        try:
            # the look at the source comes before the source has run, so it can be trusted
            self.read_scan(worker.receive(self._seconds()))
            if not self.refusal:
                told = worker.receive(self._seconds())
                if not (isinstance(told, dict) and told.get("loaded") is True):
                    self._read_load_failure(told)
        except WorkerLost as loss:
            self.refusal = f"Your file cannot be loaded. {self._told(loss)}"
        self._spent += time.monotonic() - started
        if self.refusal:
            self.close()
            raise CheckFailed(self.refusal)
        self._is_loaded = True

    def _read_load_failure(self, told: Any) -> None:
        try:
            self.read_load(read_error(told.get("error") if isinstance(told, dict) else None))
        except Malformed:
            self.refusal = "Your file cannot be loaded: it sent no readable answer."

    def _seconds(self) -> float:
        left = self._time_left()
        if left < LEAST_SECONDS:
            self.refusal = self._used_up()
            self.close()
            raise CheckFailed(self.refusal)
        return min(self.exercise.limits.request_seconds, left)

    def _time_left(self) -> float:
        """What is left of the exercise's time; on a busy machine that in which one side got no processor is none."""
        allowed = self.exercise.limits.seconds
        left = allowed - self._spent
        if left < allowed / 2:  # it takes a moment to ask, so only when it may matter
            starved = self._starved_before + (self._worker.starved_seconds() if self._worker else 0.0)
            starved += own_waited() - self._judge_waited_before
            left = min(left + starved, allowed)
        return left

    def _told(self, loss: WorkerLost) -> str:
        """In the same words for the same file: what was left of the time differs a little from run to run."""
        if loss.reason != "time":
            return loss_text(loss)
        usual = self.exercise.limits.request_seconds
        was_cut_short = float(loss.detail) < CUT_SHORT * usual
        return self._used_up() if was_cut_short else loss_text(WorkerLost("time", f"{usual:g}"))

    def _used_up(self) -> str:
        return f"The {self.exercise.limits.seconds:g} seconds for this exercise are used up."

    def _note_loss(self, loss: WorkerLost) -> None:
        self.close()
        self._losses += 1
        if self._losses >= MAX_LOSSES:
            self.refusal = self._told(loss)

    def close(self) -> None:
        """End the learner's process."""
        if self._worker is not None:
            if self._spent > self.exercise.limits.seconds / 2:
                self._starved_before += self._worker.starved_seconds()
            if isinstance(self._worker, Share):
                self._worker.close()
            else:
                self._sandbox().forget(self._worker)
            self._worker = None


def _up_to_own_frame(trace: TracebackType | None, file: str) -> TracebackType | None:
    """The traceback without the library's frames below the learner's own: a debugger opens in the learner's code."""
    nodes = []
    while trace is not None:
        nodes.append(trace)
        trace = trace.tb_next
    while nodes and nodes[-1].tb_frame.f_code.co_filename != file:
        nodes.pop()
    kept: TracebackType | None = None
    for node in reversed(nodes):
        kept = TracebackType(kept, node.tb_frame, node.tb_lasti, node.tb_lineno)
    return kept


class LocalAttempt(_Facts):
    """The learner's file run in this very process (isolation "none"), for a debugger and for print. No wall at all."""

    raises = True
    """Whether an error ends the question with its traceback; a worker answers with what it was instead."""

    def __init__(self, exercise: Exercise, source: bytes, file: str = "") -> None:
        super().__init__(exercise, source)
        # the real path, so that a debugger can show the lines
        self._file = file or exercise.file_name
        self._namespace: host.Namespace | None = None
        self.printed_bytes = 0

    def ask(self, question: Question, meanwhile: Meanwhile = nothing) -> Any:
        """Answer here and now. A learner's exception becomes CheckFailed with the learner's own traceback."""
        if self.refusal:
            raise CheckFailed(self.refusal)
        data = wire.unpack_frame(question.frame)
        try:
            if self._namespace is None:
                self._namespace = self._load()
            reply = host.run_question(data, self._namespace, self._file, self.script.operators, raw=self.raises)
        except (CheckFailed, KeyboardInterrupt):
            raise
        except BaseException as error:
            told = read_error(wire.copied(host.describe_error(error, self._file)))
            text = error_text(told, self.text.splitlines(), self.reason, hide_numbers=False)
            own = _up_to_own_frame(error.__traceback__, self._file)
            raise CheckFailed(text).with_traceback(own) from None
        return wire.copied(reply)

    def _load(self) -> host.Namespace:
        self.read_scan(host.scan(self.text, self.script.calls, self.script.entry_points))
        if self.refusal:
            raise CheckFailed(self.refusal)
        return host.load(self.text, self._file)

    def start(self) -> None:
        """Nothing to start."""

    def hear_ahead(self) -> None:
        """Nothing is foreseen."""

    def conversation(self) -> None:
        """Nothing is said that could be kept."""

    def close(self) -> None:
        """Nothing to end."""
