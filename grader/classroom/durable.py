"""Files that a power cut or a SIGKILL leaves whole: the old one or the new one, never a piece."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

UNFINISHED = ".unfinished"
"""Ending of a file that is being written; one that is found was left behind by a killed run."""


def write_atomically(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file whole or not at all. Raises OSError when it cannot be written; then the old one is as it was."""
    fresh = path.with_name(path.name + UNFINISHED)
    try:
        with fresh.open("wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make names that were given or changed in a folder outlast a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
