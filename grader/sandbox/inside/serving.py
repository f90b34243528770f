"""A worker's work: take one file, and answer what is asked about it until the asking side is gone.

What is said of a source is said before the first learner's line runs, so it can be trusted.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from . import host, wire


def serve(questions: int, answers: int) -> None:
    """Answer questions from one descriptor on another until the asking side closes it."""
    task = _receive(questions, wire.MAX_HEADER_BYTES)
    room = task["reply_bytes"]
    source, file = bytes(task["source"].tolist()).decode("utf-8"), task["file"]
    _send(answers, host.scan(source, task["calls"], task["entry_points"]), room)
    try:
        namespace = host.load(source, file)
    except BaseException as error:
        _send(answers, {"error": host.describe_error(error, file)}, room)
        return
    _send(answers, {"loaded": True}, room)
    with contextlib.suppress(wire.ChannelClosed):
        while True:
            _send(answers, host.run_question(_receive(questions, room), namespace, file, task["operators"]), room)


def _receive(questions: int, most_bytes: int) -> Any:
    """One message. Raises wire.ChannelClosed when there will be none."""
    return wire.unpack_trusted(*wire.read_frame(questions, most_bytes))


def _send(answers: int, value: Any, room: int) -> None:
    """Answer, or say that the answer is too large."""
    flush_output()
    try:
        frame = wire.pack(value, room)
    except wire.WireError as error:
        frame = wire.pack({"too_large": str(error)}, room)
    wire.write_frame(answers, frame)


def flush_output() -> None:
    """The worker's output is block-buffered, and would be lost or come late."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):
            stream.flush()


def end_now(code: int = 0) -> None:
    """Leave without running anything that a learner registered for the end."""
    os._exit(code)
