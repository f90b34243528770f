"""`nbgrader generate_assignment`: an answer's cell becomes the stub that a learner's file would be.

nbgrader's solution markers are the project's with three hashes instead of one.
"""

from __future__ import annotations

import re
from typing import Any

from nbgrader.preprocessors import ClearSolutions

from grader.course.stubs import make_stub

from .cells import is_answer

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


class ClearToStub(ClearSolutions):
    """As nbgrader clears solutions, except that an answer becomes the exercise's own stub."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Clear one cell. Raises StubError when its regions do not fit together: nothing is released then."""
        if is_answer(cell):
            cell.source = released(cell.source)
            return cell, resources
        cleared: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
        return cleared
