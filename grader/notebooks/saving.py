"""`nbgrader autograde`: writes points into the gradebook, and keeps manual grades valid.

nbgrader asks a person to check every manual grade again after each autograding. Here that is asked only if the answer
has changed since, or the judge's score has.
"""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import SaveAutoGrades

from grader.errors import KataError

from .autograde import KataAutograde
from .cells import exercise_of, grade_id_of


class SaveGrades(SaveAutoGrades):
    """Saves grades as nbgrader does, except that a manual grade for an unchanged text needs no second look."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Save one notebook's grades. Raises KataError when the notebook did not come from our judge."""
        run, names = self.parent.parent, resources["nbgrader"]
        if not isinstance(run, KataAutograde):
            raise KataError("The settings lack c.Autograde.exporter_class; write them anew with `kata notebooks`.")
        self._before = run.texts_before[names["assignment"], names["student"], names["notebook"]]
        self._now = {name: cell.source for cell in nb.cells if (name := grade_id_of(cell))}
        saved: tuple[Any, Any] = super().preprocess(nb, resources)
        return saved

    def _add_score(self, cell: Any, resources: Any) -> None:
        name = grade_id_of(cell)
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        waited, was = grade.needs_manual_grade, grade.auto_score
        super()._add_score(cell, resources)
        answer = exercise_of(name)
        same = answer in self._before and self._before[answer] == self._now.get(answer)
        if grade.manual_score is not None and same and grade.auto_score == was:
            grade.needs_manual_grade = waited
            self.gradebook.db.commit()
