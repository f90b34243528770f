"""The project's solution markers and nbgrader's: the same regions, with three hashes instead of one."""

from __future__ import annotations

import re

from grader.stubs import make_stub

_OURS = re.compile(r"^([ \t]*)# ((?:BEGIN|END) SOLUTION)[ \t]*$", re.MULTILINE)
_NBGRADERS = re.compile(r"^([ \t]*)### ((?:BEGIN|END) SOLUTION)[ \t]*$", re.MULTILINE)


def for_nbgrader(solution: str) -> str:
    """A reference solution as the source of an answer's cell."""
    return _OURS.sub(r"\1### \2", solution).strip("\n")


def released(source: str) -> str:
    """What a learner is given of an answer's cell: the stub, exactly as in the file.

    Raises StubError when the regions do not fit together.
    """
    return make_stub(_NBGRADERS.sub(r"\1# \2", source)).strip("\n")
