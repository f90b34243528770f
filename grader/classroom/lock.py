"""One run a folder: the system frees the lock when a run ends, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import Timeout

from grader.writing import lock_at

from .run_header import RunError

LOCK = ".lock"


@contextmanager
def sole_run(out: Path, *, below: Path | None = None) -> Iterator[None]:
    """Keep OUT for this run; it is made when it is not there, and taken away again if nothing was written to it.

    Raises RunError when another run has it, OSError when it cannot be made.
    """
    is_new = not out.exists()
    lock = lock_at(out / LOCK, below=below)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"Another run is grading into {out}: wait until it ends, or give another folder.") from None
    try:
        yield
    finally:
        if is_new and [each.name for each in out.iterdir()] == [LOCK]:
            with suppress(OSError):
                (out / LOCK).unlink()
                out.rmdir()
        lock.release()
