"""`nbgrader autograde`, second step: our judge grades the answers; no kernel is started."""

from __future__ import annotations

from typing import Any

from grader.intake import Submission
from grader.record import ExerciseResult

from .cells import exercise_tested, outputs_of
from .rebuild import CourseStep, submission_in


class GradeByJudge(CourseStep):
    """Gives each test cell the points of its exercise, with what the checks found.

    An error that prevents grading is raised: nbgrader then counts this submission as failed and continues with the
    next, and no points are written.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Grade one rebuilt notebook. Raises KataError when there can be no grade."""
        course = self.opened()
        submission = submission_in(nb, resources["nbgrader"]["student"])
        record = self.judge(nb).grade(submission)
        results = {result.id: result for result in record.exercises}
        for cell in nb.cells:
            if exercise := exercise_tested(cell, course):
                result = results[exercise.id]
                problems = _problems(submission, result)
                cell.outputs = outputs_of(result, exercise.title, exercise.points, problems, record.seed)
        return nb, resources


def _problems(submission: Submission, result: ExerciseResult) -> list[str]:
    """Problems to show with an exercise; those without an exercise may be the reason for a missing answer."""
    return [
        each.message
        for each in submission.problems
        if each.exercise == result.id or (each.exercise is None and result.status == "missing")
    ]
