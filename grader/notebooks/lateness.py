"""What lateness costs: course.yml's policy, as everywhere else; where that gives no due date, nbgrader's own.

nbgrader takes the due date from its gradebook. So the one of course.yml is written there before every grading.
"""

from __future__ import annotations

import math
from datetime import timedelta, timezone
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties

from grader.classroom.due_dates import due_dates
from grader.classroom.final_points import EVERY_UNIT, HandIn, Override, adjusted
from grader.course import Course

from .cells import exercise_of
from .release import Release


def set_due_date(coursedir: Any, release: Release, course: Course) -> None:
    """Write an assignment's due date into the gradebook, the earliest of its units'; nothing if course.yml gives none.

    coursedir: nbgrader's CourseDirectory.
    """
    known = due_dates(course)
    if not (due := [known[each.unit] for each in release.exercises if each.unit in known]):
        return
    with Gradebook(coursedir.db_url, coursedir.course_id) as book:
        try:
            # the gradebook holds naive times in UTC
            book.find_assignment(release.name).duedate = min(due).astimezone(timezone.utc).replace(tzinfo=None)
        except MissingEntry:  # nbgrader reports that itself
            return
        book.db.commit()


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
        record = adjusted(
            run.records[step.assignment_id, student_id, step.notebook_id], _only_late(run.opened), hand_in, always=True
        )
        return round(
            math.fsum(
                each.points - each.counted_points for each in record.exercises if each.id not in hand_in.overrides
            ),
            9,
        )


class AssignCoursePenalties(AssignLatePenalties):
    """nbgrader's step, with course.yml's policy where that has due dates; else with the plugin of the settings."""

    def init_plugin(self) -> None:
        """Make the plugin."""
        super().init_plugin()
        if self.parent.parent.opened.policy.due:
            self.plugin_inst = CoursePolicy(parent=self)


def _only_late(course: Course) -> Course:
    """The course with due dates as its only policy: nbgrader has no place for what does not count."""
    policy = course.policy.model_copy(update={"exempt": (), "drop_lowest_units": 0})
    return course.model_copy(update={"policy": policy})
