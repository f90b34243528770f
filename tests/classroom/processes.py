"""Processes below another one, as /proc shows them."""

from __future__ import annotations

import time
from pathlib import Path


def children(pid: int, command: bytes) -> list[int]:
    """The children of a process in whose command line there is this."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            found += map(int, (task / "children").read_text().split())
        except OSError:  # the thread has ended meanwhile
            continue
    return [child for child in found if command in _command(child)]


def _command(pid: int) -> bytes:
    for _ in range(50):  # one that is being started has none for a moment
        try:
            if found := Path(f"/proc/{pid}/cmdline").read_bytes():
                return found
        except OSError:  # it has ended meanwhile
            break
        time.sleep(0.02)
    return b""
