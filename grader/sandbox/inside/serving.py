"""A worker's main loop: take one file, and answer questions about it until the judge closes the pipe.

The scan of the source is sent before the learner's code runs, so the judge can trust it.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from . import host, wire


def serve(questions: int, answers: int) -> None:
    """Read questions from one descriptor and answer on the other until the judge closes it."""
    task = _receive(questions, wire.MAX_HEADER_BYTES)
    answering = _Answering(answers, task["reply_bytes"])
    source, file = bytes(task["source"].tolist()).decode("utf-8"), task["file"]
    answering.send(host.scan(source, task["calls"], task["entry_points"]))
    try:
        namespace = host.load(source, file)
    except BaseException as error:
        answering.send({"error": host.describe_error(error, file)})
        return
    answering.send({"loaded": True})
    with contextlib.suppress(wire.ChannelClosed):
        while True:
            question = _receive(questions, wire.TRUSTED_BYTES)
            answering.send(host.run_question(question, namespace, file, task["operators"]))


def _receive(questions: int, most_bytes: int) -> Any:
    """Read one message. Raises wire.ChannelClosed at the end."""
    return wire.unpack_trusted(*wire.read_frame(questions, most_bytes))


class _Answering:
    """Sends answers as long as there is room for them, and otherwise notes that they are too large."""

    def __init__(self, answers: int, room: int) -> None:
        self._answers = answers
        self._room = room

    def send(self, value: Any) -> None:
        """Send an answer."""
        try:
            frame = wire.pack(value, self._room)
            if len(frame) > self._room:
                raise wire.WireError("all answers together are larger than they may be")
            self._room -= len(frame)
        except wire.WireError as error:
            frame = wire.pack({"too_large": str(error)}, 0)
        wire.write_frame(self._answers, frame)


def end_now(code: int = 0) -> None:
    """Exit without running a learner's atexit handlers."""
    os._exit(code)
