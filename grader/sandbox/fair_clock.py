"""How long a process had to wait for a processor: on a busy machine that must not count against a right answer."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

NANOSECONDS = 1e9
OWN = Path("/proc/thread-self/schedstat")


class FairClock:
    """Counts for one process; zero where the system does not tell."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._last = 0.0

    def follow(self, pidfd: int) -> None:
        """Say which process it is."""
        with suppress(OSError, ValueError):
            self._file = Path(f"/proc/{_pid_of(pidfd)}/schedstat")

    @property
    def follows(self) -> bool:
        """Whether a process was named."""
        return self._file is not None

    def waited(self) -> float:
        """Seconds for which it was ready to run and got no processor, from its start to now or to its end."""
        if self._file is not None:
            with suppress(OSError, ValueError, IndexError):  # it has ended, or this system counts nothing
                self._last = max(self._last, int(self._file.read_bytes().split()[1]) / NANOSECONDS)
        return self._last


def own_waited() -> float:
    """The same for the thread that asks: an answer that has come isn't late because nobody got round to reading it."""
    return FairClock(OWN).waited()


def _pid_of(pidfd: int) -> int:
    """The number of a process as this one sees it. Raises ValueError when it has ended."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "Pid" and int(value) > 0:
            return int(value)
    raise ValueError("no process")
