"""Calls programs in a fork of a process that has loaded them, with the interface of `subprocess.run`.

A call differs from a cold one in that its modules are loaded already. Where it would differ in anything else, because its
environment has what Python or a library reads when it starts, or because this process has changed what children get
from it, the program is started as usual.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRead
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

SERVER = Path(__file__).with_name("server.py")
MOST_BYTES = 100
STANDARD_STREAMS = (0, 1, 2)

READ_LATE = frozenset(
    [
        *("BROWSER", "COLUMNS", "HOME", "IPYTHONDIR", "LINES", "NO_COLOR", "OLDPWD", "PATH", "PWD", "PYTEST_ADDOPTS"),
        *("PYTHONDONTWRITEBYTECODE", "SHLVL", "TMPDIR", "TZ", "_"),
    ]
)
READ_LATE_PREFIXES = ("KATA_", "JUPYTER_", "XDG_")
"""Variables that are read whenever they are wanted; in any other the environments must be alike."""

INHERITED = ("Umask", "Uid", "Gid", "Groups", "SigBlk", "SigIgn", "NoNewPrivs", "Seccomp", "Cpus_allowed")
LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]


STAND_IN = """\
#!{python} -IS
import sys
sys.path.insert(0, {warm!r})
from client import stand_in
stand_in(__file__)
"""


def inherited() -> object:
    """What children of this process get from it besides their environment."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    limits = [resource.getrlimit(number) for number in LIMITS]
    return [[status.get(name) for name in INHERITED], [list(limit) for limit in limits], os.nice(0)]


def is_alike(environment: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two environments differ in nothing that is read when a process starts."""
    changed = {name for name, _ in environment.items() ^ other.items()}
    return all(name.startswith(READ_LATE_PREFIXES) for name in changed - READ_LATE)


class Warm:
    """A process that has loaded what programs of a kind load; `run` calls one of them in a fork of it."""

    def __init__(self, kind: str, environment: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory()  # its name is short, as addresses must be
        self.address = str(Path(self._folder.name) / "calls")
        self._environment = dict(environment)
        self._inherited = inherited()
        theirs, self._lifeline = os.pipe()
        self._errors = Path(self._folder.name) / "errors"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, str(SERVER), self.address, str(theirs), kind],
                cwd=os.path.abspath(os.sep),
                env=self._environment,
                pass_fds=[theirs],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        os.close(theirs)
        self._is_ready, self._starting = False, threading.Lock()

    def is_alike(self, environment: Mapping[str, str]) -> bool:
        """Whether a fork is here what a process would be that is started now with this environment."""
        return is_alike(environment, self._environment) and inherited() == self._inherited

    def write_stand_in(self, program: Path, folder: Path) -> None:
        """Put a command of the program's name into a folder, for shells: it calls the program as `run` does."""
        told = {
            **{"address": self.address, "program": str(program)},
            **{"environment": self._environment, "inherited": self._inherited},
        }
        path = folder / program.name
        path.with_name(f".{program.name}.json").write_text(json.dumps(told), encoding="utf-8")
        path.write_text(STAND_IN.format(python=sys.executable, warm=str(SERVER.parent)), encoding="utf-8")
        path.chmod(0o755)
        self.await_ready()

    def run(
        self, command: Sequence[str], cwd: Path, environment: Mapping[str, str], stdin: str, seconds: float
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` does, with both outputs captured. Raises subprocess.TimeoutExpired."""
        deadline = time.monotonic() + seconds
        with socket.socket(socket.AF_UNIX) as connection, ThreadPoolExecutor(3) as streams:
            self._connect(connection)
            (to_read, feed), (out, to_out), (err, to_err) = os.pipe(), os.pipe(), os.pipe()
            call(connection, command, cwd, environment, [to_read, to_out, to_err])
            for theirs in (to_read, to_out, to_err):
                os.close(theirs)
            streams.submit(_feed, feed, stdin.encode())
            said, complained = streams.submit(_read, out), streams.submit(_read, err)
            try:
                connection.settimeout(seconds)
                status = connection.recv(MOST_BYTES)
                assert status, "the process that waits for a call was ended"
                left = max(0.0, deadline - time.monotonic())
                return subprocess.CompletedProcess(command, int(status), said.result(left), complained.result(left))
            except (TimeoutError, StillRead):  # which are one from Python 3.11 on
                connection.close()  # the call is ended with it
                raise subprocess.TimeoutExpired(command, seconds) from None

    def close(self) -> None:
        """End it; a call that goes on is ended too."""
        os.close(self._lifeline)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._folder.cleanup()

    def await_ready(self) -> None:
        """Wait until it takes calls."""
        with self._starting:
            if not self._is_ready:
                assert self._process.stdout is not None
                assert self._process.stdout.read(1), self._errors.read_text(encoding="utf-8")
                self._is_ready = True

    def _connect(self, connection: socket.socket) -> None:
        self.await_ready()
        connection.connect(self.address)


def call(
    connection: socket.socket,
    command: Sequence[str],
    cwd: object,
    environment: Mapping[str, str],
    streams: Sequence[int],
) -> None:
    """Ask for a call; its status comes over the connection when it has ended."""
    program, *arguments = command
    asked = {"program": program, "arguments": arguments, "cwd": str(cwd), "env": dict(environment)}
    text = json.dumps(asked).encode() + b"\n"
    sent = socket.send_fds(connection, [text], streams)
    connection.sendall(text[sent:])


def stand_in(path: str) -> NoReturn:
    """What a command does that was put in a program's place."""
    told = json.loads(Path(path).with_name(f".{Path(path).name}.json").read_text(encoding="utf-8"))
    command = [told["program"], *sys.argv[1:]]
    is_new = not is_alike(os.environ, told["environment"]) or inherited() != told["inherited"]
    if is_new or any(map(os.isatty, STANDARD_STREAMS)):
        os.execv(command[0], command)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(told["address"])
        call(connection, command, os.getcwd(), os.environ, STANDARD_STREAMS)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: connection.send(bytes([number])))
        status = int(connection.recv(MOST_BYTES))
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


def _feed(stream: int, data: bytes) -> None:
    with open(stream, "wb") as pipe, suppress(BrokenPipeError):
        pipe.write(data)


def _read(stream: int) -> str:
    with open(stream, encoding="utf-8") as pipe:
        return pipe.read()
