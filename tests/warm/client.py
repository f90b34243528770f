"""Calls programs in a fork of a process that has loaded them, with the interface of `subprocess.run`.

A call differs from a cold one in that its modules are loaded already, and in nothing else: where its environment has
something else that Python or a library reads when it starts, `is_alike` says so, and the caller starts a process.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SERVER = Path(__file__).with_name("server.py")
MOST_BYTES = 100

READ_LATE = {"BROWSER", "COLUMNS", "HOME", "IPYTHONDIR", "LINES", "NO_COLOR", "OLDPWD", "PATH", "PWD", "PYTEST_ADDOPTS"}
READ_LATE |= {"PYTHONDONTWRITEBYTECODE", "SHLVL", "TMPDIR", "TZ", "_"}
READ_LATE_PREFIXES = ("KATA_", "JUPYTER_", "XDG_")
"""Variables that are read whenever they are wanted; in any other the environments must be alike."""


class Warm:
    """A process that has loaded what programs of a kind load; `run` calls one of them in a fork of it."""

    def __init__(self, kind: str, environment: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory()  # its name is short, as addresses must be
        self._address = str(Path(self._folder.name) / "calls")
        self._environment = dict(environment)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen()  # calls wait here until all is loaded
            self._process = subprocess.Popen(
                [sys.executable, str(SERVER), str(listener.fileno()), kind],
                cwd=os.path.abspath(os.sep),
                env=self._environment,
                pass_fds=[listener.fileno()],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
            )

    def is_alike(self, environment: Mapping[str, str]) -> bool:
        """Whether a fork is here what a process would be that is started with this environment."""
        changed = {name for name, _ in environment.items() ^ self._environment.items()}
        return all(name.startswith(READ_LATE_PREFIXES) for name in changed - READ_LATE)

    def run(
        self,
        command: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        stdin: str,
        seconds: float,
        *,
        merged: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` does, with both outputs captured; `merged` into one, as in a terminal.

        Raises subprocess.TimeoutExpired.
        """
        program, *arguments = command
        asked = {"program": program, "arguments": arguments, "cwd": str(cwd), "env": dict(environment)}
        text = json.dumps(asked).encode() + b"\n"
        with (
            socket.socket(socket.AF_UNIX) as connection,
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin.encode())
            given.seek(0)
            connection.connect(self._address)
            connection.settimeout(seconds)
            sent = socket.send_fds(
                connection, [text], [given.fileno(), out.fileno(), (out if merged else err).fileno()]
            )
            connection.sendall(text[sent:])
            try:
                status = connection.recv(MOST_BYTES)
            except TimeoutError:  # the call is ended with the connection
                raise subprocess.TimeoutExpired(command, seconds) from None
            assert status, "the process that waits for a call was ended"
            said, complained = (os.pread(each.fileno(), os.fstat(each.fileno()).st_size, 0) for each in (out, err))
        return subprocess.CompletedProcess(command, int(status), said.decode(), complained.decode())

    def close(self) -> None:
        """End it."""
        self._process.communicate()
        self._folder.cleanup()
