"""`nbgrader generate_assignment`: an answer's cell becomes the stub that a learner's file would be."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import ClearSolutions

from .cells import is_answer
from .markers import released


class ClearToStub(ClearSolutions):
    """As nbgrader clears solutions, except that an answer becomes the exercise's own stub."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Clear one cell. Raises StubError when its regions do not fit together: nothing is released then."""
        if is_answer(cell):
            cell.source = released(cell.source)
            return cell, resources
        cleared: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
        return cleared
