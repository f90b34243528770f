"""What an exercise and a submission may use: processor time and, three times as long, wall time.

Time for which a busy machine keeps a process from running is not processor time. So a file gets the same verdict alone,
in a class, after a quick neighbour and after a slow one.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Literal

WALL_PER_PROCESSOR_SECOND = 3.0
"""What sleeping may cost, and how busy a machine may be at which the slowest right answer still passes."""
SCHEDULED_TIME = 2
"""CPUCLOCK_SCHED: the clock type in the low bits of Linux's clock id for another process's processor time."""

Shortage = Literal["time", "exercise time", "submission time"]
"""What ran out: the time for one answer, for the exercise, for the whole submission."""


@dataclass(frozen=True)
class Used:
    """Seconds that a process worked, with all its threads, and that passed meanwhile."""

    worked: float = 0.0
    passed: float = 0.0

    def __add__(self, other: Used) -> Used:
        return Used(self.worked + other.worked, self.passed + other.passed)

    def left_of(self, seconds: float) -> float:
        """How long a process can go on at least, with that many seconds of processor time allowed."""
        return min(seconds - self.worked, WALL_PER_PROCESSOR_SECOND * seconds - self.passed)


@dataclass
class Budget:
    """What one exercise, or one submission, may use, and what it has used.

    seconds: of processor time. whole: of the submission that an exercise belongs to.
    """

    seconds: float
    kind: Shortage = "exercise time"
    whole: Budget | None = None
    used: Used = Used()

    def charge(self, used: Used) -> None:
        """Charge what a process used."""
        self.used += used
        if self.whole is not None:
            self.whole.charge(used)

    def left(self, used: Used = Used()) -> tuple[float, Shortage]:
        """Seconds left for a process that has used something more, and what runs out then; 0 or less: it has."""
        own = (self.used + used).left_of(self.seconds), self.kind
        return own if self.whole is None else min(own, self.whole.left(used))


def processor_seconds(pid: int) -> float | None:
    """Processor time of a process with all its threads; None where the system does not tell, or it has ended."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~pid << 3) | SCHEDULED_TIME)
    except OSError:
        return None
