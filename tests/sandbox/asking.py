"""How these tests ask a worker: it loads a source, and its `f` is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from grader.sandbox.inside import host, wire
from grader.sandbox.sandbox import AnySandbox
from grader.sandbox.worker import Bounds, Budget, Worker

SECONDS = 30
"""Enough for any answer, on a busy machine too."""


def question(*args: object) -> bytes:
    steps = [
        {"do": "entry", "name": "f", "tell": False},
        {"do": "call", "target": wire.Slot(0), "method": "", "args": list(args), "kwargs": {}, "tell": True},
    ]
    return wire.pack({"cases": [{"seed": 0, "steps": steps}]}, 1 << 24)


def load(worker: Worker, source: str, seconds: float = SECONDS) -> Iterator[Any]:
    """What a worker says of a file: the scan, and whether it was loaded."""
    task = {
        "file": "f.py",
        "source": torch.tensor(list(source.encode()), dtype=torch.uint8),
        "entry_points": ["f"],
        "calls": [],
        "operators": [],
        "reply_bytes": worker.bounds.reply_bytes,
    }
    frame = wire.pack(task, wire.MAX_HEADER_BYTES)
    return (wire.unpack(*each) for each in worker.ask([frame], Budget(600), seconds, answers=host.ANSWERS_TO_A_FILE))


def begin(sandbox: AnySandbox, source: str, bounds: Bounds | None = None) -> Worker:
    """A new worker that has loaded a source."""
    worker = sandbox.spawn(bounds or Bounds())
    _, loaded = load(worker, source)
    assert loaded == {"loaded": True}, loaded
    return worker


def ask(worker: Worker, *args: object, seconds: float = SECONDS) -> Any:
    """The reply to a call of its f."""
    (came,) = worker.ask([question(*args)], Budget(600), seconds, answers=1)
    reply = wire.unpack(*came)
    return reply if isinstance(reply, dict) else reply[0]


def ask_once(sandbox: AnySandbox, source: str, *args: object, bounds: Bounds | None = None, **options: float) -> Any:
    """The reply of a worker of its own."""
    worker = begin(sandbox, source, bounds)
    try:
        return ask(worker, *args, **options)
    finally:
        worker.close()


def call(sandbox: AnySandbox, source: str, *args: object) -> Any:
    """What f returns."""
    reply = ask_once(sandbox, source, *args)
    assert reply["error"] is None, reply["error"]
    return reply["answers"]["1"]
