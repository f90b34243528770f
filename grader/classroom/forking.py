"""Judges that are forks of one process, which loads torch and the judge's modules once, for all judges of the pool.

That process is Python's own fork server. It knows the program and nothing else: no course, no answers, nobody's work.
Beside it, at the same time, loads the zygote that the first judges share; a large class's other judges have their own,
for a zygote can fork for so many only. Elsewhere than on Linux every judge starts by itself.
"""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import signal
import warnings
from contextlib import suppress
from multiprocessing.context import BaseContext

from grader.sandbox.launch import JoinedZygote, LaunchedZygote, MachineError, join, launch_ahead
from grader.sandbox.levels import LEVELS, Level, has_zygotes
from grader.starting import started_from_home

LOADED = "grader.classroom.loaded_for_judges"
"""The module that the fork server imports before it forks anything."""
LEVEL = "KATA_POOL_LEVEL"
"""In the environment of a fork server that starts: the isolation level of the zygote to start beside it."""
SHARING = 2
"""So many judges share the zygote."""

_is_started = False


def can_fork() -> bool:
    """Whether judges can be forks here."""
    return has_zygotes() and "forkserver" in multiprocessing.get_all_start_methods()


def start_ahead(level: Level) -> None:
    """Start what this process's judges will be forked from, without waiting for it."""
    global _is_started
    if _is_started or not can_fork():
        return
    from multiprocessing import forkserver

    from .judges import interrupts_held

    multiprocessing.set_forkserver_preload([LOADED])
    os.environ[LEVEL] = level
    try:
        with started_from_home(), interrupts_held():
            forkserver.ensure_running()
    finally:
        del os.environ[LEVEL]
    _is_started = True
    atexit.register(_end_server)


def _end_server() -> None:
    """It would end by itself, once it has loaded all: whoever reads what a command says would wait for that."""
    from multiprocessing import forkserver

    pid = getattr(forkserver._forkserver, "_forkserver_pid", None)
    if isinstance(pid, int):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def context() -> BaseContext:
    """How this process starts judges."""
    return multiprocessing.get_context("forkserver" if _is_started else "spawn")


# --- in the fork server, and in the judges -----------------------------------------------------------------------

_zygote: LaunchedZygote | None = None


def load() -> None:
    """Start the zygote, and load what every judge needs meanwhile."""
    global _zygote
    named = os.environ.pop(LEVEL, "none")
    for level in LEVELS:
        if level == named != "none":
            with suppress(MachineError):  # a judge tries it once more, and tells
                launched = launch_ahead(level)
                _zygote = launched if isinstance(launched, LaunchedZygote) else None
    import grader.judge.grading
    import grader.submission  # noqa: F401

    # the server waits for its children's ends, and would tell of a zygote's on the terminal
    warnings.filterwarnings("ignore", "forkserver: waitpid returned unexpected pid")
    gc.freeze()


def joined(level: Level) -> JoinedZygote | None:
    """In a judge: its own way to the zygote beside the fork server, if there is one at this level."""
    return join(_zygote) if _zygote is not None and _zygote.level == level else None


def leave_zygote_to_others() -> None:
    """In a judge that is one too many for the zygote."""
    global _zygote
    if _zygote is not None:
        _zygote.control.close()
        _zygote = None
