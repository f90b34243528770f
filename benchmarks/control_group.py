"""What a command and everything that it starts take of the machine, from a control group (version 1; needs root)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
CONTROLLERS = ("cpuacct", "memory")
GOODBYE_SECONDS = 5.0


class ControlGroup:
    """A group of its own for some processes; those that they start belong to it too."""

    def __init__(self, name: str) -> None:
        self._cpu, self._memory = (ROOT / controller / name for controller in CONTROLLERS)

    def join(self) -> None:
        """Put the calling process into the group."""
        for folder in (self._cpu, self._memory):
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def cpu_seconds(self) -> float:
        """Processor time of all its processes until now, those too that have ended."""
        return int((self._cpu / "cpuacct.usage").read_text()) / 1e9

    def own_mib(self) -> float:
        """Memory of all its processes now, without what the system keeps of files; a shared page counts once."""
        stat = dict(line.split() for line in (self._memory / "memory.stat").read_text().splitlines())
        return int(stat["rss"]) / 2**20

    def peak_bytes(self) -> int:
        """Memory at most, what the system keeps of files included."""
        return int((self._memory / "memory.max_usage_in_bytes").read_text())

    def limit(self, bytes: int) -> None:
        """Allow only so much memory from now on."""
        (self._memory / "memory.limit_in_bytes").write_text(str(bytes))

    def killed(self) -> str:
        """How many processes the system killed for want of memory."""
        control = dict(line.split() for line in (self._memory / "memory.oom_control").read_text().splitlines())
        return control.get("oom_kill", "an unknown number of")


@contextmanager
def control_group() -> Iterator[ControlGroup]:
    """A new group. Exits with a sentence where there can be none."""
    name = f"kata-{os.getpid()}"
    folders = [ROOT / controller / name for controller in CONTROLLERS]
    try:
        for folder in folders:
            folder.mkdir()
    except OSError as error:
        sys.exit(f"This is measured in a control group of version 1, by root: {error}")
    try:
        yield ControlGroup(name)
    finally:
        for folder in folders:
            _remove(folder)


def _remove(folder: Path) -> None:
    """Take a group away once its last process has ended, for which it gets a few seconds."""
    end = time.monotonic() + GOODBYE_SECONDS
    while folder.exists() and time.monotonic() < end:
        with suppress(OSError):
            folder.rmdir()
            return
        time.sleep(0.1)
