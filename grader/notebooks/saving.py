"""`nbgrader autograde`, last step: writes points into the gradebook, and keeps manual grades valid.

nbgrader asks a person to check every manual grade again after each autograding. Here that is asked only if the answer
has changed since, or the judge's score has.
"""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import SaveAutoGrades

from .cells import asked_in, grade_id_of


class SaveGrades(SaveAutoGrades):
    """Saves grades as nbgrader does, except that a manual grade for an unchanged text needs no second look."""

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
    """The text of named cells."""
    return {name: cell.source for cell in (nb.cells if nb is not None else ()) if (name := grade_id_of(cell))}
