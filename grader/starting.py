"""The working folder for processes of our own, since Python searches it for modules.

`multiprocessing` starts its processes by `python -c`, which imports from the working folder first. That may be a
learner's folder, and what is imported from it would run in the judge.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grader

HOME = Path(grader.__file__).resolve().parents[1]
"""The folder that this package was imported from."""


@contextmanager
def started_from_home() -> Iterator[str | None]:
    """Start processes from the package's own folder in this block. Yields the folder for `go_back`, None if deleted."""
    try:
        here = os.getcwd()
    except OSError:  # it was deleted, so nothing can be imported from it
        yield None
        return
    os.chdir(HOME)
    try:
        yield here
    finally:
        with suppress(OSError):
            os.chdir(here)


def go_back(here: str | None) -> None:
    """In a process started from home: change to the parent's working folder."""
    if here is not None:
        with suppress(OSError):
            os.chdir(here)
