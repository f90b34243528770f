"""Our steps among nbgrader's own: an answer becomes its stub, grades are saved, lateness costs what the course says."""

from __future__ import annotations

import math
from datetime import timedelta, timezone
from typing import Any

from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties, ClearSolutions, SaveAutoGrades

from grader.classroom.final_points import EVERY_UNIT, HandIn, Override, adjusted
from grader.course.stubs import make_stub
from grader.errors import KataError

from .autograde import KataAutograde
from .cells import OURS, exercise_of, grade_id_of, is_answer


class ClearToStub(ClearSolutions):
    """`generate_assignment`: clears solutions, except that an answer becomes the exercise's own stub."""

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


class SaveGrades(SaveAutoGrades):
    """`autograde`: saves grades, except that a manual grade for an unchanged text needs no second look.

    nbgrader asks a person to check every manual grade again after each autograding. Here that is asked only if the
    answer has changed since, or the judge's score has.
    """

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


class CoursePolicy(LateSubmissionPlugin):
    """nbgrader's late plugin, by course.yml: it takes off what `kata grade-class` takes off."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float:
        """The points that lateness costs. A mark that a person gave counts as it is."""
        step = self.parent
        run, names = step.parent.parent, (step.assignment_id, student_id)
        submission = step.gradebook.find_submission(*names)
        grades = step.gradebook.find_submission_notebook(step.notebook_id, *names).grades
        hand_in = HandIn(
            at={EVERY_UNIT: submission.timestamp.replace(tzinfo=timezone.utc)},
            extra_days={EVERY_UNIT: (submission.extension or timedelta()) / timedelta(days=1)},
            overrides={
                exercise_of(grade.name): Override(grade.manual_score, "by hand")
                for grade in grades
                if grade.manual_score is not None
            },
        )
        # due dates alone: nbgrader has no place for what does not count
        policy = run.opened.policy.model_copy(update={"exempt": (), "drop_lowest_units": 0})
        only_late = run.opened.model_copy(update={"policy": policy})
        graded = run.records[step.assignment_id, student_id, step.notebook_id]
        record = adjusted(graded, only_late, hand_in, always=True)
        lost = (each.points - each.counted_points for each in record.exercises if each.id not in hand_in.overrides)
        return round(math.fsum(lost), 9)


class AssignCoursePenalties(AssignLatePenalties):
    """`autograde`: course.yml's policy where that has due dates; else the plugin of the settings."""

    def init_plugin(self) -> None:
        """Make the plugin."""
        super().init_plugin()
        if self.parent.parent.opened.policy.due:
            self.plugin_inst = CoursePolicy(parent=self)
