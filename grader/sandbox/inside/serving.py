"""A worker's main loop: take one file, and answer questions about it until the judge closes the pipe.

The scan of the source is sent before the learner's code runs, so the judge can trust it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from . import host, wire


def serve(questions: int, answers: int) -> None:
    """Read questions from one descriptor and answer on the other until the judge closes it."""
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
    """Read one message. Raises wire.ChannelClosed at the end."""
    return wire.unpack_trusted(*wire.read_frame(questions, most_bytes))


def _send(answers: int, value: Any, room: int) -> None:
    """Send an answer, or a note that it is too large."""
    flush_output()
    try:
        frame = wire.pack(value, room)
    except wire.WireError as error:
        frame = wire.pack({"too_large": str(error)}, room)
    wire.write_frame(answers, frame)


def flush_output() -> None:
    """Flush output, which is block-buffered and would be lost or come late."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):
            stream.flush()


def end_now(code: int = 0) -> None:
    """Exit without running a learner's atexit handlers."""
    os._exit(code)
