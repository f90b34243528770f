"""`nbgrader generate_assignment`: replaces an answer cell by the exercise's own stub.

nbgrader's solution markers are the project's with three hashes instead of one.
"""

from __future__ import annotations

import re
from typing import Any

from nbgrader.preprocessors import ClearSolutions

from grader.course.stubs import make_stub

from .cells import OURS, is_answer

_OURS = re.compile(r"^([ \t]*)# ((?:BEGIN|END) SOLUTION)[ \t]*$", re.MULTILINE)
_NBGRADERS = re.compile(r"^([ \t]*)### ((?:BEGIN|END) SOLUTION)[ \t]*$", re.MULTILINE)


def for_nbgrader(solution: str) -> str:
    """A reference solution as the source of an answer cell."""
    return _OURS.sub(r"\1### \2", solution).strip("\n")


def released(source: str) -> str:
    """The stub for an answer cell, exactly as in the file.

    Raises CourseError when the regions are malformed.
    """
    return make_stub(_NBGRADERS.sub(r"\1# \2", source)).strip("\n")


class ClearToStub(ClearSolutions):
    """Clears solutions as nbgrader does, except that an answer becomes the exercise's own stub."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Clear one notebook, and take out our notes on it. Raises CourseError when a region is malformed."""
        nb.metadata.pop(OURS, None)
        cleared: tuple[Any, Any] = super().preprocess(nb, resources)
        return cleared

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Clear one cell. Raises CourseError when its regions are malformed: nothing is released then."""
        if is_answer(cell):
            cell.source = released(cell.source)
            return cell, resources
        cleared: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
        return cleared
