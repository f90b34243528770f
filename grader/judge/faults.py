"""Errors that end a check, by whose fault it is; and where in the course's files one was raised. Light to import."""

from __future__ import annotations

import traceback
from pathlib import Path

from grader.errors import KataError


class GraderBroken(KataError):
    """The checks themselves can't be run; nothing was graded."""


class NotInPlan(GraderBroken):
    """A check asks for what is not in the plan; only the whole course can answer it."""


class CheckFailed(Exception):
    """The learner's code does not do what this check asks for; the text is for the learner."""


ASKS_OTHERWISE = "it asks something else than it asks the reference"
"""What is said of a check whose questions depend on answers."""
NOT_PYTHON = "Your file is not valid Python"
"""How the text begins for a file that cannot even be read."""
NOT_WRITTEN = "Not written yet"
"""How the text begins where the stub's own line was reached."""


# --- where in the course ----------------------------------------------------------------------------------------------

KITS = "tests/kits/"
"""What stands before it in a path is not shown."""


def place(path: Path, line: int = 0) -> str:
    """A kit's file relative to the course's folder, with the line if it is known."""
    shown = "".join(path.as_posix().rpartition(KITS)[1:])
    return f"{shown}:{line}" if line else shown


def place_of(error: BaseException, path: Path) -> str:
    """The place in a kit's file where an error was raised: the last of its lines in the traceback, if there is one."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines.append(error.lineno)
    return place(path, lines[-1] or 0 if lines else 0)
