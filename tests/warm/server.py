"""A process that has loaded what programs load, and forks for every call: the call then runs in a process of its own.

Started as `python server.py SOCKET KIND`, with the number of a socket that listens; it ends with its standard input. A call is a fork of a fork: the one in between
waits for it, tells how it ended, and ends it when nobody listens any more.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

PART_BYTES = 1 << 16
STANDARD_STREAMS = 3

LOADED_AHEAD = {
    "grader": ("torch", "pytest", "rich.console", "rich.table", "rich.progress", "jinja2", "watchfiles", "grader"),
    "nbgrader": (
        *("nbgrader.apps", "nbgrader.converters", "nbgrader.plugins", "nbgrader.preprocessors", "nbgrader.api"),
        *("nbconvert.exporters", "nbconvert.preprocessors", "nbclient", "jupyter_client", "alembic", "pydantic"),
    ),
    "python": ("torch",),
}
"""What programs import sooner or later; of `grader` all modules."""

NOT_LOADED = (
    "grader.__main__",  # runs the command line
    "grader.release",  # programs of their own
    "grader.notebooks",  # these want Jupyter
    "grader.in_notebook",
    "grader.sandbox.inside",  # lives beside learners' code
)


def load(kind: str) -> None:
    """Import what programs of this kind import sooner or later."""
    for name in LOADED_AHEAD[kind]:
        importlib.import_module(name)
    if package := sys.modules.get("grader"):
        _load_all(package)


def _load_all(package: ModuleType) -> None:
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if not found.name.startswith(NOT_LOADED):
            with suppress(ImportError):  # of an extra that is not here
                module = importlib.import_module(found.name)
                if found.ispkg:
                    _load_all(module)


def serve(listener: socket.socket) -> dict[str, Any]:
    """Take calls until standard input ends, and end then. Comes back in each call's own process, with the call."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that nobody has to wait for forks
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            os._exit(0)  # at once: taking torch down in order takes long
        connection, _ = listener.accept()
        if _fork() == 0:
            listener.close()
            return _take(connection)
        connection.close()


def _fork() -> int:
    with warnings.catch_warnings():
        # numpy keeps a thread, and starts it again after a fork
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _take(connection: socket.socket) -> dict[str, Any]:
    """In between: read the call and fork. Comes back in the fork; here, waits for its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    text, streams, _, _ = socket.recv_fds(connection, PART_BYTES, STANDARD_STREAMS)
    while not text.endswith(b"\n"):
        text += connection.recv(PART_BYTES)
    if pid := _fork():
        for stream in streams:
            os.close(stream)
        _await(pid, connection)
        os._exit(0)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    call: dict[str, Any] = json.loads(text)
    return call


def _await(pid: int, connection: socket.socket) -> None:
    """Wait for the call and tell its status; end it when nobody listens any more."""
    ended = os.pidfd_open(pid)
    ready, _, _ = select.select([ended, connection], [], [])
    if ended not in ready:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def become(call: dict[str, Any]) -> None:
    """Make this process what a new one would be that was started like this.

    Python's streams are as it makes them for anything but a terminal, and read and write what the descriptors now are.
    """
    os.chdir(call["cwd"])
    os.environ.clear()
    os.environ.update(call["env"])
    time.tzset()
    tempfile.tempdir = None
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()
    sys.argv = [call["program"], *call["arguments"]]
    sys.path[0] = str(Path(call["program"]).resolve().parent)


def main() -> dict[str, Any]:
    """Load, listen, serve: comes back where there is a call, in its own process."""
    number, kind = sys.argv[1:]
    load(kind)
    with socket.socket(fileno=int(number)) as listener:
        call = serve(listener)
    become(call)
    return call


if __name__ == "__main__":
    # at the top, so that it ends as any Python does; under its own name, as `multiprocessing` starts more of it
    runpy.run_path(main()["program"], run_name="__main__")
