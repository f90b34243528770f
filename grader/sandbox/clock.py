"""One clock: how much time an exercise has, and what the system says that its processes used.

An exercise has one budget for all its processes together, a submission another.

Wall time counts from the moment at which a process has something to do until its answer has come, whatever it does in
between: reading, parsing, loading, sleeping. What the machine owes a process that it kept from running is credited,
within a bound. So a file gets the same verdict alone, in a class, after a quick neighbour and after a slow one.
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


MOST_CREDIT = 1.0
"""What the machine may owe at most, as a share of the time allowed: one that owes more is no use for grading."""

Shortage = Literal["time", "exercise time", "submission time"]
"""What ran out: the time for one answer, for the exercise, for the whole submission."""


class Timed(Protocol):
    """A process whose time counts."""

    def kept_waiting(self, now: float) -> float: ...


@dataclass
class Allowance:
    """What a whole submission may take, in seconds of wall time and of processor time; and what it has taken."""

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
        """How much longer an answer may take than `answer_seconds`, and what would be short then; 0 or less: too late.

        `spent` is what the process has taken altogether.
        """
        left, shortage = self._left_without_credit(answer_seconds, spent)
        if left <= 0:  # it takes a moment to ask, so only when it matters
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
        """Charge what a process took that has come to its end."""
        credit = max(0.0, min(kept_waiting, spent, MOST_CREDIT * self.seconds - self._credited))
        self._spent += spent
        self._cpu_spent += cpu_spent
        self._credited += credit
        self.whole.spent += spent - credit
        self.whole.cpu_spent += cpu_spent

    @property
    def shortage(self) -> Shortage | None:
        """What has run out for good, so that no further process may be started."""
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
