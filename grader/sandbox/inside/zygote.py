"""A process with torch loaded that forks one worker after another and never reads what a learner wrote.

A judge sends it orders over a socket, with the descriptors for each worker. Of each worker it tells on a socket of the
worker's own: its pidfd, and how it ended. When that socket is closed, it kills the worker. Several judges may share it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
import tempfile
import time
from dataclasses import dataclass

from . import host, wire
from .lockdown import HIGHEST_FD, WORKER_FDS, LockdownFailed, Rules, limit

LOCKDOWN_FAILED = 97
MAX_MESSAGE_BYTES = 4096
FDS_PER_WORKER = 3
FORKS_OF_ONE_CHECK = 4
MOST_THREADS = 256
"""Limit of one worker. Linux has no limit of threads a process, and a machine has 32768 thread ids in all: if a
worker used them up, no other judge on the machine could start anything."""
THREADS_SECONDS = 0.02
"""How often threads are counted: in between, a worker can start a few hundred."""
FORK_SECONDS = 5.0


@dataclass
class Child:
    """A running worker: its process, and the socket to whoever ordered it."""

    life: socket.socket
    pid: int
    pidfd: int
    is_unwanted: bool = False
    """Nobody waits for it any more: it was killed."""


class Zygote:
    """Forks workers for the judges at the other ends of its control sockets; exits when the first one is closed."""

    def __init__(self, control: socket.socket, rules: Rules | None) -> None:
        self.control = control
        self.joined: list[socket.socket] = []
        self.rules = rules
        self.children: list[Child] = []
        self.forks = 0
        self.has_loaded_all = False
        self.to_collapse: list[int] = []
        self.count_at = 0.0  # when to count threads again

    def run(self) -> None:
        """Serve until the first control socket closes; when idle, make later forks cheaper."""
        while True:
            poller = select.poll()
            for control in (self.control, *self.joined):
                poller.register(control, select.POLLIN)
            for child in self.children:
                poller.register(child.pidfd, select.POLLIN)
                if not child.is_unwanted:
                    poller.register(child.life, select.POLLIN)
            ready = {fd for fd, _ in poller.poll(self._poll_timeout())}
            self._bound_threads()
            if self.to_collapse and not ready:
                collapse(self.to_collapse.pop())
            for child in [child for child in self.children if child.life.fileno() in ready]:
                child.is_unwanted = True
                _kill(child)
            for child in [child for child in self.children if child.pidfd in ready]:
                self._reap(child)
            for control in [each for each in self.joined if each.fileno() in ready]:
                if not self._handle_order(control):
                    self.joined.remove(control)
                    control.close()
            if self.control.fileno() in ready and not self._handle_order(self.control):
                return

    def _poll_timeout(self) -> float | None:
        """How long to wait for orders, in milliseconds; None: until one comes."""
        if self.to_collapse:
            return 0
        return max(0.0, self.count_at - time.monotonic()) * 1000 if self.children else None

    def _bound_threads(self) -> None:
        """Kill workers that have far more threads than any computation needs."""
        if time.monotonic() < self.count_at:
            return
        self.count_at = time.monotonic() + THREADS_SECONDS
        for child in self.children:
            if threads_of(child.pid) > MOST_THREADS:
                _kill(child)

    def _fork(self) -> int:
        """Fork; if there is no room for another process, retry until there is, for at most FORK_SECONDS."""
        until = time.monotonic() + FORK_SECONDS
        while True:
            try:
                return os.fork()
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
            self._bound_threads()
            time.sleep(THREADS_SECONDS)

    def _handle_order(self, control: socket.socket) -> bool:
        """Carry out one order of a judge; return whether the judge is still connected."""
        try:
            message, fds, _, _ = socket.recv_fds(control, MAX_MESSAGE_BYTES, FDS_PER_WORKER)
        except ConnectionError:
            return False
        if not message:
            return False
        order = json.loads(message)
        if "join" in order:
            self.joined.append(socket.socket(fileno=fds[0]))
            _send(self.joined[-1], {"ready": True}, [])
            return True
        *pipes, life = fds
        if order["needs_all"] and not self.has_loaded_all:
            self.has_loaded_all = True
            host.load_what_few_need()
            self.to_collapse = places()
        pid = self._fork()
        if pid == 0:
            run_worker(pipes, (order["cpu_seconds"], order["memory_bytes"]), self.rules)
        for fd in pipes:
            os.close(fd)
        child = Child(socket.socket(fileno=life), pid, os.pidfd_open(pid))
        self.children.append(child)
        self.forks += 1
        if self.forks == FORKS_OF_ONE_CHECK:  # pays off only when many more forks follow
            self.to_collapse = places()
        _send(child.life, {}, [child.pidfd])
        return True

    def _reap(self, child: Child) -> None:
        _, status, used = os.wait4(child.pid, 0)
        os.close(child.pidfd)
        self.children.remove(child)
        _send(child.life, {"code": os.waitstatus_to_exitcode(status), "cpu_seconds": used.ru_utime + used.ru_stime}, [])
        child.life.close()


def _kill(child: Child) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(child.pidfd, signal.SIGKILL)


def _send(to: socket.socket, message: dict[str, float], fds: list[int]) -> None:
    with contextlib.suppress(OSError):  # the judge is gone, or has no more use for the worker
        socket.send_fds(to, [json.dumps(message).encode()], fds)


def threads_of(pid: int) -> int:
    """The number of threads of a process; 0 if it has ended, or where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as stat:
            return int(stat.read().rpartition(b")")[2].split()[17])
    except (OSError, ValueError, IndexError):
        return 0


def run_worker(fds: list[int], bounds: tuple[int, int], rules: Rules | None) -> None:
    """Become a worker: take the descriptors, lock down, answer questions, exit. Never returns.

    bounds: seconds of processor time, bytes of memory.
    """
    code = LOCKDOWN_FAILED
    try:
        parent = os.getppid()
        _take_descriptors(fds)
        os.setsid()
        if rules is None:
            os.closerange(WORKER_FDS, HIGHEST_FD)
            limit(*bounds)
        else:
            rules.confine(*bounds, parent)
        wire.write_frame(4, wire.pack({"ready": True}, 0))
        code = 1
        host.serve(3, 4)
        code = 0
    except LockdownFailed as error:
        with contextlib.suppress(BaseException):
            wire.write_frame(4, wire.pack({"lockdown": str(error)}, 0))
    except BaseException:
        pass
    finally:
        os._exit(code)  # runs none of a learner's atexit handlers


def _take_descriptors(fds: list[int]) -> None:
    """Arrange the descriptors: 0 empty input, 1 and 2 output that goes nowhere, 3 questions, 4 answers."""
    questions, answers = fds
    nothing = os.open("/dev/null", os.O_RDWR)
    # duplicate them to high numbers first, so that no dup2 closes one that is still needed
    high = [os.dup(fd) for fd in (nothing, nothing, nothing, questions, answers)]
    while min(high) < WORKER_FDS:
        high = [os.dup(fd) for fd in high]
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=False)


# --- large pages ------------------------------------------------------------------------------------------------------

# A process with torch loaded has some 36,000 small pages; copying their entries is most of what a fork costs.
# Collapsed into large pages there are fewer, and forks exit faster too.

LARGE = 2 * 1024 * 1024
"""Bytes of a large page on x86-64 and, as most are set up, on 64-bit ARM."""
MADV_COLLAPSE = 25
"""madvise flag, from Linux 6.1 on: collapse the range into large pages, synchronously."""
MAPS = "/proc/self/maps"
OWN = ("", "[heap]")
"""Mappings that are not backed by a file."""


def places() -> list[int]:
    """The addresses in this process's own memory at which a large page can begin."""
    found: list[int] = []
    with contextlib.suppress(OSError), open(MAPS, encoding="ascii", errors="replace") as lines:
        for line in lines:
            span, rights, _, _, _, *name = line.split(maxsplit=5)
            if rights.startswith("rw") and "".join(name).strip() in OWN:
                start, end = (int(edge, 16) for edge in span.split("-"))
                first = -(-start // LARGE) * LARGE
                found += range(first, end - LARGE + 1, LARGE)
    return found


def collapse(place: int) -> None:
    """Make one large page at this address, which takes milliseconds. Failure does not matter: it affects speed only."""
    ctypes.CDLL(None).madvise(ctypes.c_void_p(place), ctypes.c_size_t(LARGE), MADV_COLLAPSE)


# --- its start --------------------------------------------------------------------------------------------------------


def main() -> None:
    """Load torch, prepare the rules, report "ready" (or what is missing) and serve."""
    settings = json.loads(sys.argv[1])
    control = socket.socket(fileno=settings["control"])
    rules = None
    while os.open("/dev/null", os.O_RDONLY) < WORKER_FDS:
        pass  # so that no descriptor of our own has a number that a worker uses
    try:
        rules = Rules(settings["readable"]) if settings["locked"] else None
    except LockdownFailed as error:
        control.send(json.dumps({"lockdown": str(error)}).encode())
        return
    # set directly: tempfile would search for a writable folder and find none
    tempfile.tempdir = os.environ.get("TMPDIR")
    host.warm_up()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    host.keep_what_is_loaded()
    control.send(json.dumps({"ready": True}).encode())
    Zygote(control, rules).run()
