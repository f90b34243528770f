"""Does a level really work here? Starts one worker, and lets it try its walls."""

from __future__ import annotations

import time

from .launch import MachineError
from .levels import Level
from .opening import open_sandbox
from .worker import Bounds

TRIAL_SECONDS = 60.0


def try_level(level: Level) -> str | None:
    """Return why the level does not work on this machine, or None when a worker was locked down at it."""
    try:
        with open_sandbox(level) as sandbox:
            worker = sandbox.spawn(Bounds())
            worker.await_lock(time.monotonic() + TRIAL_SECONDS)
            sandbox.forget(worker)
    except MachineError as error:
        return str(error)
    return None
