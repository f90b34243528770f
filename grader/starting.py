"""Where processes of our own are started from: Python looks for modules in the folder that it is started in.

`multiprocessing` starts its own by `python -c`, which imports from there before anything else. That may be a learner's
folder, and what is imported there would run in the judge.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grader

HOME = Path(grader.__file__).resolve().parents[1]
"""What this package was imported from."""


@contextmanager
def started_from_home() -> Iterator[str | None]:
    """In here new processes start in the package's own folder; the folder to `go_back` to there, None if it is gone."""
    try:
        here = os.getcwd()
    except OSError:  # it was deleted, so nothing lies in it
        yield None
        return
    os.chdir(HOME)
    try:
        yield here
    finally:
        with suppress(OSError):
            os.chdir(here)


def go_back(here: str | None) -> None:
    """In a process that was started from home: work in the folder that its parent works in."""
    if here is not None:
        with suppress(OSError):
            os.chdir(here)
