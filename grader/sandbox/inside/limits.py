"""Limits of one worker, enforced by the operating system."""

from __future__ import annotations

import contextlib
import math
import time

try:
    import resource
except ImportError:  # Windows: there only the judge's timeout limits a worker
    resource = None  # type: ignore[assignment]

OPEN_FILES = 64


def limit(cpu_seconds: int, memory_bytes: int) -> None:
    """Limit processor time, memory, open files and file sizes of this process for good.

    Raises OSError or ValueError when the system refuses one of them.
    """
    for what, bounds in _limits(cpu_seconds, memory_bytes).items():
        resource.setrlimit(what, bounds)


def limit_as_possible(cpu_seconds: int, memory_bytes: int) -> None:
    """As `limit`, for a process that is already warm, as far as the system allows: macOS cannot limit memory."""
    if resource is None:
        return
    for what, bounds in _limits(cpu_seconds + math.ceil(time.process_time()), memory_bytes).items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, bounds)


def _limits(cpu_seconds: int, memory_bytes: int) -> dict[int, tuple[int, int]]:
    # RLIMIT_AS limits addresses, and a torch build with CUDA reserves three gigabytes of them before any code runs:
    # whatever the libraries use, half of the limit is left for the learner's code.
    memory = max(memory_bytes, _taken_bytes() + memory_bytes // 2)
    return {
        resource.RLIMIT_CPU: (cpu_seconds, cpu_seconds + 1),  # SIGXCPU first; SIGKILL for code that catches it
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
