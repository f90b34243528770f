"""`nbgrader autograde`, last step: the points go into the gradebook, and what a person has marked stays marked.

nbgrader asks a person to look again at every mark of theirs whenever it autogrades. Here that is asked only for an
answer that has changed since, or where the judge has come to another score.
"""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import SaveAutoGrades

from .cells import asked_in, grade_id_of


class SaveGrades(SaveAutoGrades):
    """As nbgrader saves grades, except that a mark of a person's for the same text needs nobody again."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Save one notebook's grades."""
        self._now = _texts(nb)
        self._before = _texts(resources["nbgrader"].get("before"))
        saved: tuple[Any, Any] = super().preprocess(nb, resources)
        return saved

    def _add_score(self, cell: Any, resources: Any) -> None:
        name = grade_id_of(cell)
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        waited, was = grade.needs_manual_grade, grade.auto_score
        super()._add_score(cell, resources)
        answer = asked_in(name)
        same = answer in self._before and self._before[answer] == self._now.get(answer)
        if grade.manual_score is not None and same and grade.auto_score == was:
            grade.needs_manual_grade = waited
            self.gradebook.db.commit()


def _texts(nb: Any | None) -> dict[str, str]:
    """What stands in the cells that have a name."""
    return {name: cell.source for cell in (nb.cells if nb is not None else ()) if (name := grade_id_of(cell))}
