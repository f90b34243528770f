"""What the system counts of one process: the processor time it had, and how long it had to wait for a processor."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

NANOSECONDS = 1e9
PROCESS_CLOCK = 2
"""The kind of clock (CPUCLOCK_SCHED) in the number by which Linux knows the processor clock of a process."""


class ProcessClock:
    """Counts for one process, all its threads; zero where the system does not tell."""

    def __init__(self) -> None:
        self._pid = 0
        self._waited = 0.0
        self._worked = 0.0

    def follow(self, pidfd: int) -> None:
        """Say which process it is; one that has ended stays without figures."""
        with suppress(OSError, ValueError):
            self._pid = _pid_of(pidfd)

    def stop(self) -> None:
        """Keep the figures as they are now: the process is about to end, and its number may become another's."""
        self.waited()
        self.worked()
        self._pid = 0

    @property
    def follows(self) -> bool:
        """Whether a process was named."""
        return self._pid > 0

    def waited(self) -> float:
        """Seconds for which its first thread was ready to run and got no processor, to now or to its end."""
        if self._pid:
            with suppress(OSError, ValueError, IndexError):  # it has ended, or this system counts nothing
                counts = Path(f"/proc/{self._pid}/schedstat").read_bytes().split()
                self._waited = max(self._waited, int(counts[1]) / NANOSECONDS)
        return self._waited

    def worked(self) -> float:
        """Seconds of processor time that all its threads had, to now or to its end."""
        if self._pid and hasattr(time, "clock_gettime"):
            with suppress(OSError):
                self._worked = max(self._worked, time.clock_gettime((~self._pid << 3) | PROCESS_CLOCK))
        return self._worked

    def kept_waiting(self, seconds: float) -> float:
        """How much of these seconds of its life the machine owes it: others had the processor that it wanted.

        Never more than what is left of the time without what its threads worked: threads of its own that keep the first
        from running are no fault of the machine's.
        """
        return max(0.0, min(self.waited(), seconds - self.worked()))


def _pid_of(pidfd: int) -> int:
    """The number of a process as this one sees it. Raises ValueError when it has ended."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "Pid" and int(value) > 0:
            return int(value)
    raise ValueError("no process")


def clock_of_child(pid: int) -> ProcessClock:
    """The clock of a child that nobody has waited for yet; one without figures where there are no handles."""
    clock = ProcessClock()
    if hasattr(os, "pidfd_open"):
        with suppress(OSError):
            pidfd = os.pidfd_open(pid)
            try:
                clock.follow(pidfd)
            finally:
                os.close(pidfd)
    return clock
