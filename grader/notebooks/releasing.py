"""`nbgrader generate_assignment`: replaces an answer cell by the exercise's own stub."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import ClearSolutions

from grader.course.stubs import make_stub

from .cells import OURS, is_answer


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
            cell.source = make_stub(cell.source).strip("\n")
            return cell, resources
        cleared: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
        return cleared
