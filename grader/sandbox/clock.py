"""Wall time and processor time: what an exercise may use, and what its worker processes have used.

An exercise has one budget for all its processes together, a submission another.

A worker's wall time runs from the moment it has something to do until its answer arrives, whatever it does in between:
reading, parsing, loading, sleeping. Time for which the machine kept a process from running is credited back, up to a
limit. So a file gets the same verdict alone, in a class, after a quick neighbour and after a slow one.
"""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

NANOSECONDS = 1e9
PROCESS_CLOCK = 2
"""CPUCLOCK_SCHED: the clock type in the low bits of Linux's clock id for another process's processor time."""


class ProcessClock:
    """Measures one process with all its threads; zero where the system does not count."""

    def __init__(self) -> None:
        self._pid = 0
        self._waited = 0.0
        self._worked = 0.0

    def follow(self, pidfd: int) -> None:
        """Start measuring the process of this pidfd. A process that has ended has no figures."""
        with suppress(OSError, ValueError):
            self._pid = _pid_of(pidfd)

    def stop(self) -> None:
        """Freeze the figures: the process is about to end, and its pid may be reused."""
        self.waited()
        self.worked()
        self._pid = 0

    @property
    def follows(self) -> bool:
        """Whether it is measuring a process now."""
        return self._pid > 0

    def waited(self) -> float:
        """Seconds for which its main thread was runnable but got no processor, until now or until its end."""
        if self._pid:
            with suppress(OSError, ValueError, IndexError):  # the process has ended, or this system keeps no schedstat
                counts = Path(f"/proc/{self._pid}/schedstat").read_bytes().split()
                self._waited = max(self._waited, int(counts[1]) / NANOSECONDS)
        return self._waited

    def worked(self) -> float:
        """Seconds of processor time used by all its threads, until now or until its end."""
        if self._pid and hasattr(time, "clock_gettime"):
            with suppress(OSError):
                self._worked = max(self._worked, time.clock_gettime((~self._pid << 3) | PROCESS_CLOCK))
        return self._worked

    def kept_waiting(self, seconds: float) -> float:
        """How many of these seconds of its life the process waited because others used the processor.

        Capped at the seconds in which its own threads used no processor: when they keep its main thread from running,
        that is not the machine's fault.
        """
        return max(0.0, min(self.waited(), seconds - self.worked()))


def _pid_of(pidfd: int) -> int:
    """The pid of a process in this process's namespace. Raises ValueError when it has ended."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "Pid" and int(value) > 0:
            return int(value)
    raise ValueError("no process")


def clock_of_child(pid: int) -> ProcessClock:
    """The clock of a child that has not been waited for yet; without figures where the system has no pidfds."""
    clock = ProcessClock()
    if hasattr(os, "pidfd_open"):
        with suppress(OSError):
            pidfd = os.pidfd_open(pid)
            try:
                clock.follow(pidfd)
            finally:
                os.close(pidfd)
    return clock


MOST_CREDIT = 1.0
"""Upper limit of the credit, as a share of the time allowed: a machine slower than that is not fit for grading."""

Shortage = Literal["time", "exercise time", "submission time"]
"""What ran out: the time for one answer, for the exercise, for the whole submission."""


class Timed(Protocol):
    """A process whose time is counted."""

    def kept_waiting(self, now: float) -> float: ...


@dataclass
class Allowance:
    """What a whole submission may use, in seconds of wall time and of processor time, and what it has used so far."""

    seconds: float = math.inf
    cpu_seconds: float = math.inf
    spent: float = 0.0
    cpu_spent: float = 0.0

    @property
    def is_used_up(self) -> bool:
        """Whether nothing is left."""
        return self.spent >= self.seconds or self.cpu_spent >= self.cpu_seconds


@dataclass
class Budget:
    """What one exercise of one submission may take. `whole` is shared by all exercises of the submission."""

    seconds: float
    request_seconds: float
    cpu_seconds: float
    whole: Allowance = field(default_factory=Allowance)
    _spent: float = 0.0
    _cpu_spent: float = 0.0
    _credited: float = 0.0

    def left(self, process: Timed, answer_seconds: float, spent: float, now: float) -> tuple[float, Shortage]:
        """Seconds left for an answer that has taken `answer_seconds`, and the nearest limit; 0 or less: too late.

        `spent` is what the process has used in all.
        """
        left, shortage = self._left_without_credit(answer_seconds, spent)
        if left <= 0:  # reading the clock takes a moment, so only when it matters
            left += min(self._credited + process.kept_waiting(now), MOST_CREDIT * self.seconds)
        return left, shortage

    def _left_without_credit(self, answer_seconds: float, spent: float) -> tuple[float, Shortage]:
        limits: tuple[tuple[float, Shortage], ...] = (
            (self.request_seconds - answer_seconds, "time"),
            (self.seconds - self._spent - spent, "exercise time"),
            (self.whole.seconds - self.whole.spent - spent, "submission time"),
        )
        return min(limits)

    def settle(self, spent: float, cpu_spent: float, kept_waiting: float) -> None:
        """Charge what a process used that has ended."""
        credit = max(0.0, min(kept_waiting, spent, MOST_CREDIT * self.seconds - self._credited))
        self._spent += spent
        self._cpu_spent += cpu_spent
        self._credited += credit
        self.whole.spent += spent - credit
        self.whole.cpu_spent += cpu_spent

    @property
    def shortage(self) -> Shortage | None:
        """The limit that is used up, so that no further process may be started."""
        if self.whole.is_used_up:
            return "submission time"
        if self._spent - self._credited >= self.seconds or self._cpu_spent >= self.cpu_seconds:
            return "exercise time"
        return None

    @property
    def cpu_seconds_left(self) -> int:
        """Whole seconds of processor time for a further process, at least one."""
        left = min(self.cpu_seconds - self._cpu_spent, self.whole.cpu_seconds - self.whole.cpu_spent)
        return max(1, math.ceil(min(left, self.cpu_seconds)))
