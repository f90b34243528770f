"""Collapse a process's memory into large pages, so that forks copy fewer page-table entries and exit faster.

A process with torch loaded has some 36,000 small pages of its own; copying their entries is most of what a fork costs.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator

LARGE = 2 * 1024 * 1024
"""Bytes of a large page on x86-64 and, as most are set up, on 64-bit ARM."""
MADV_COLLAPSE = 25
"""madvise flag, from Linux 6.1 on: collapse the range into large pages, synchronously."""
MAPS = "/proc/self/maps"
OWN = ("", "[heap]")
"""Mappings that are not backed by a file."""


def places() -> list[int]:
    """The addresses in this process's own memory at which a large page can begin."""
    try:
        with open(MAPS, encoding="ascii", errors="replace") as lines:
            return [place for line in lines for place in _places_in(line)]
    except OSError:
        return []


def _places_in(line: str) -> Iterator[int]:
    span, rights, _, _, _, *name = line.split(maxsplit=5)
    if rights.startswith("rw") and "".join(name).strip() in OWN:
        start, end = (int(edge, 16) for edge in span.split("-"))
        first = -(-start // LARGE) * LARGE
        yield from range(first, end - LARGE + 1, LARGE)


class PageCollapse:
    """Collapses one large page a step: each takes milliseconds, during which the process can do nothing else.

    Failure does not matter: this only affects speed.
    """

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True) if os.path.exists(MAPS) else None
        self._left = places()

    def step(self) -> bool:
        """Collapse the next one; return whether there are more."""
        if self._libc is None or not self._left:
            return False
        place = self._left.pop()
        self._libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(LARGE), MADV_COLLAPSE)
        return bool(self._left)
