"""A process that was forked from a zygote: known by a socket on which the zygote tells of its birth and its end."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import threading
import time
from pathlib import Path

from .clock import processor_seconds
from .launch import MachineError
from .worker import START_SECONDS, WorkerLost, ending_of

MAX_MESSAGE_BYTES = 4096


class ForkedProcess:
    """A forked process. The zygote kills it when `life`, this end of the socket, is closed."""

    def __init__(self, life: socket.socket) -> None:
        self._life = life
        self._lock = threading.Lock()
        self._pidfd = self._pid = -1
        self._worked = 0.0
        self._code: int | None = None
        self._has_ended = False

    def worked(self) -> float:
        """Seconds of processor time of all its threads; when it has ended, what the zygote counted."""
        with self._lock:
            if self._pid < 0:
                self._hear(START_SECONDS)
            self._hear(0.0)
            if self._pid > 0 and not self._has_ended:
                self._worked = max(self._worked, processor_seconds(self._pid) or 0.0)
            return self._worked

    def ending(self, seconds: float) -> WorkerLost:
        """How it ended, or that it still runs after so long. Raises MachineError when its zygote has ended too."""
        until = time.monotonic() + seconds
        with self._lock:
            while not self._has_ended and self._hear(until - time.monotonic()):
                pass
            return ending_of(self._code)

    def kill(self) -> None:
        """End it, whatever it is doing."""
        with self._lock:
            if self._pidfd >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
                os.close(self._pidfd)
                self._pidfd = -1
            self._life.close()
            self._has_ended = True

    def _hear(self, seconds: float) -> bool:
        """Take what the zygote tells within a while; whether it told anything. Raises MachineError when it is gone."""
        if self._has_ended or not _has_come(self._life, seconds):
            return False
        try:
            message, fds, _, _ = socket.recv_fds(self._life, MAX_MESSAGE_BYTES, 1)
        except OSError:
            message, fds = b"", []
        if not message:
            raise MachineError("the sandbox was ended from outside")
        told = json.loads(message)
        if fds:
            self._pidfd = fds[0]
            self._pid = _pid_of(self._pidfd)
        else:
            self._has_ended, self._code, self._worked = True, told["code"], told["cpu_seconds"]
        return True


def _has_come(life: socket.socket, seconds: float) -> bool:
    poller = select.poll()
    poller.register(life, select.POLLIN)
    return bool(poller.poll(max(0.0, seconds) * 1000))


def _pid_of(pidfd: int) -> int:
    """The pid of a process in this process's namespace; 0 when it has ended, so that there is no clock to ask."""
    lines = Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines()
    return max(0, next(int(line.removeprefix("Pid:")) for line in lines if line.startswith("Pid:")))
