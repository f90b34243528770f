"""Limits of one worker, enforced by the operating system."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass

try:
    import resource
except ImportError:  # Windows: there only the judge's timeout limits a worker
    resource = None  # type: ignore[assignment]

OPEN_FILES = 64


@dataclass(frozen=True)
class Rlimits:
    """Processor seconds and bytes of memory that one worker may use."""

    cpu_seconds: int
    memory_bytes: int


def limit(bounds: Rlimits) -> None:
    """Limit processor time, memory, open files and file sizes of this process for good.

    Raises OSError or ValueError when the system refuses one of them.
    """
    for what, (soft, hard) in _limits(bounds).items():
        resource.setrlimit(what, (soft, hard))


def limit_as_possible(bounds: Rlimits) -> None:
    """As `limit`, for a process that is already warm, as far as the system allows: macOS cannot limit memory."""
    if resource is None:
        return
    used = math.ceil(time.process_time())
    for what, (soft, hard) in _limits(Rlimits(bounds.cpu_seconds + used, bounds.memory_bytes)).items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (soft, hard))


def _limits(bounds: Rlimits) -> dict[int, tuple[int, int]]:
    one_more = bounds.cpu_seconds + 1  # SIGXCPU comes first; SIGKILL for code that catches it
    # RLIMIT_AS limits addresses, and a torch build with CUDA reserves three gigabytes of them before any code runs:
    # whatever the libraries use, half of the limit is left for the learner's code.
    memory = max(bounds.memory_bytes, _taken_bytes() + bounds.memory_bytes // 2)
    return {
        resource.RLIMIT_CPU: (bounds.cpu_seconds, one_more),
        resource.RLIMIT_AS: (memory, memory),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_NOFILE: (OPEN_FILES, OPEN_FILES),
    }


def _taken_bytes() -> int:
    """Address space that this process uses so far, in bytes; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0
