"""What our steps of `nbgrader autograde` share: the course and the judge, as told by nbgrader_config.py."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path
from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Enum, Integer, Unicode

from grader.classroom import Terms
from grader.course import FILE_NAME, Course, CourseError, Exercise, load_course
from grader.results import MAX_SEED
from grader.sandbox.levels import GRADING_LEVELS

from .cells import exercise_tested, exercises_of, grade_id_of, is_test
from .judging import NotebookJudge, judge_for


class NotebookError(Exception):
    """A notebook cannot be graded, by no fault of the learner's; the text is one sentence."""


class CourseStep(NbGraderPreprocessor):
    """A step that knows the course and the judge."""

    course = Unicode("", help="The path of the course.yml that the notebooks were made from.").tag(config=True)
    isolation = Enum(GRADING_LEVELS, "full", help="How learners' code is walled off.").tag(config=True)
    seed = Integer(None, allow_none=True, min=0, max=MAX_SEED, help="Of the hidden inputs; fresh when None.").tag(
        config=True
    )

    def opened(self) -> Course:
        """The course. Raises NotebookError when it cannot be used."""
        path = Path(self.course)
        if not self.course or not path.is_file():
            raise NotebookError(
                f"There is no course at {self.course or '(no path)'}: write the settings anew with "
                "`kata notebooks DIR --force`, and with --course if need be."
            )
        try:
            return _loaded(path, path.stat().st_mtime_ns)
        except CourseError as error:
            raise NotebookError(str(error)) from None

    def judge(self, nb: Any) -> NotebookJudge:
        """The judge for a notebook's exercises. Raises NotebookError when the course has no such exercises."""
        course = self.opened()
        exercises = exercises_in(nb, course)
        seed = _fresh_seed() if self.seed is None else self.seed
        ids = tuple(exercise.id for exercise in exercises)
        return judge_for(Terms(course.root / FILE_NAME, self.isolation, seed, ids))


def exercises_in(nb: Any, course: Course) -> list[Exercise]:
    """The exercises of a notebook; every cell that gives points without a person must be one's.

    Raises NotebookError when one is not.
    """
    try:
        exercises = exercises_of(nb.cells, course)
    except CourseError as error:
        raise NotebookError(f"The notebook and the course differ: {error}. Make and release it anew.") from None
    strange = [grade_id_of(cell) for cell in nb.cells if is_test(cell) and exercise_tested(cell, course) is None]
    if strange:
        listed = ", ".join(strange)
        raise NotebookError(f"These test cells are of no exercise, so there are no checks for them: {listed}.")
    return exercises


@cache
def _fresh_seed() -> int:
    return secrets.randbelow(MAX_SEED + 1)


@cache
def _loaded(path: Path, changed: int) -> Course:
    return load_course(path)
