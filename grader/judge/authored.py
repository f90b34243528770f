"""Where in a file of the course an error arose, for its author: `tests/checks/01_parts/01_share.py:12`."""

from __future__ import annotations

import traceback
from pathlib import Path

SHOWN_PARTS = 4
"""Of a path: `tests/mistakes/UNIT/FILE`, as it is called from the course's own folder."""


def place(path: Path, line: int = 0) -> str:
    """A file of checks or mistakes as its author calls it, with the line if one is known."""
    shown = "/".join(path.parts[-SHOWN_PARTS:])
    return f"{shown}:{line}" if line else shown


def line_of(error: BaseException, path: Path) -> int:
    """The last line of that file on the way to an error; 0 when the error has nothing to do with it."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 0
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return lines[-1] or 0 if lines else 0


def told(error: BaseException) -> str:
    """What is wrong, on one line."""
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {' '.join(words.split())}".rstrip(": ")


def fault(error: BaseException, path: Path) -> str:
    """One sentence on a file of the course that cannot be run: where, what, and what to do."""
    line = line_of(error, path)
    return f"{place(path, line)}: {told(error)}. Mend {'that line' if line else 'the file'}"
