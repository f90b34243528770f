"""A worker's work: take one file, or several that leave no trace of each other, and answer what is asked about them.

Whatever is said of a source is said before the first learner's line runs, so it can be trusted.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from . import host, wire
from .plain import is_plain
from .traces import marks


@dataclass(frozen=True)
class Task:
    """A learner's file, what to look for in it, how large an answer may be, and how many questions there are."""

    source: str
    file: str
    calls: list[str]
    entry_points: list[str]
    operators: list[str]
    room: int
    questions: int | None
    """None: as many as come."""

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Task:
        """The task as it came over the wire."""
        return cls(
            source=bytes(told["source"].tolist()).decode("utf-8"),
            file=told["file"],
            calls=told["calls"],
            entry_points=told["entry_points"],
            operators=told["operators"],
            room=told["reply_bytes"],
            questions=told.get("questions"),
        )


class Talk:
    """The two pipes of a worker."""

    def __init__(self, questions: int, answers: int) -> None:
        self._questions = questions
        self._answers = answers

    def hear(self, most_bytes: int) -> Any:
        """Take one message. Raises wire.ChannelClosed when there will be none."""
        return wire.unpack_trusted(*wire.read_frame(self._questions, most_bytes))

    def pass_over(self, task: Task) -> None:
        """Let the questions about a file go by."""
        for _ in range(task.questions or 0):
            wire.read_frame(self._questions, task.room)

    def tell(self, value: Any, room: int) -> None:
        """Answer, or say that the answer is too large."""
        flush_output()
        try:
            frame = wire.pack(value, room)
        except wire.WireError as error:
            frame = wire.pack({"too_large": str(error)}, room)
        wire.write_frame(self._answers, frame)


def serve(questions: int, answers: int) -> None:
    """Answer questions from one descriptor on another until the asking side closes it."""
    talk = Talk(questions, answers)
    told = talk.hear(wire.MAX_HEADER_BYTES)
    if "together" in told:
        _serve_together([Task.read(each) for each in told["together"]], talk)
        return
    task = Task.read(told)
    talk.tell(host.scan(task.source, task.calls, task.entry_points), task.room)
    _run(task, talk)


def _serve_together(tasks: list[Task], talk: Talk) -> None:
    """Run one file after another, and pass over those that may not run, or must not run with others.

    A file that has left a trace after all is the last one.
    """
    looks = [host.parsed(task.source, task.calls, task.entry_points) for task in tasks]
    for task, (scan, _) in zip(tasks, looks, strict=True):
        talk.tell(scan, task.room)
    chosen = [tree is not None and is_plain(tree) for _, tree in looks]
    del looks
    talk.tell({"together": chosen}, wire.MAX_HEADER_BYTES)
    unmarked = marks()
    with contextlib.suppress(wire.ChannelClosed):
        for task, is_chosen in zip(tasks, chosen, strict=True):
            if not is_chosen:
                talk.pass_over(task)
                continue
            with _random_numbers_put_back():
                _run(task, talk)
            if marks() != unmarked:
                return


def _run(task: Task, talk: Talk) -> None:
    try:
        namespace = host.load(task.source, task.file)
    except BaseException as error:
        talk.tell({"error": host.describe_error(error, task.file)}, task.room)
        talk.pass_over(task)
        return
    talk.tell({"loaded": True}, task.room)
    for question in _questions(task, talk):
        talk.tell(host.run_question(question, namespace, task.file, task.operators), task.room)


def _questions(task: Task, talk: Talk) -> Iterator[Any]:
    if task.questions is not None:
        for _ in range(task.questions):
            yield talk.hear(task.room)
        return
    with contextlib.suppress(wire.ChannelClosed):
        while True:
            yield talk.hear(task.room)


@contextlib.contextmanager
def _random_numbers_put_back() -> Iterator[None]:
    """Each file begins with the state that it would begin with alone."""
    numpy = sys.modules.get("numpy")
    states = random.getstate(), torch.default_generator.get_state(), numpy and numpy.random.get_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        torch.default_generator.set_state(states[1])
        if numpy is not None:
            numpy.random.set_state(states[2])


def flush_output() -> None:
    """The worker's output is block-buffered, and would be lost or come late."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):
            stream.flush()


def end_now(code: int = 0) -> None:
    """Leave without running anything that a learner registered for the end."""
    os._exit(code)
