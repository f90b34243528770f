"""Which of the cells that a kernel has run answers an exercise, read in the same way as in a notebook handed in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from grader.course import Course, Exercise
from grader.course.stubs import stub_of
from grader.intake import Submission, SubmissionError
from grader.intake.names import ExerciseNames
from grader.intake.notebook import read_python
from grader.intake.reading import Collector
from grader.intake.walk import UnreadableError, reading_clock

PLACE = "this notebook"


class ExecutedCell(NamedTuple):
    """A cell that was run: the number shown beside it, and its text as it was typed."""

    number: int
    text: str


class ExecutedAnswer(NamedTuple):
    """A submission of one exercise, and the number of the cell that it was taken from.

    lines_before: how many lines of other cells stand in front of the cell in what is judged; line numbers count them.
    """

    submission: Submission
    number: int
    lines_before: int


def answer_among(
    cells: Sequence[ExecutedCell], exercise: Exercise, course: Course, submitter: str
) -> ExecutedAnswer | None:
    """The answer that was run last, with what it needs from all other cells; None when none was run.

    Earlier answers to the same exercise are ignored: they are no longer in the notebook. Other cells count even when
    they were run after the answer, as they do in the kernel.
    Raises SubmissionError when there is too much to read.
    """
    names = ExerciseNames(course)
    with reading_clock(PLACE.capitalize()):
        answers = [cell for cell in cells if _answers(cell.text, exercise, course, names)]
        if not answers:
            return None
        number, text = answers[-1]
        nbgrader = {"grade_id": exercise.id, "solution": True}
        sources = [{"source": cell.text, "metadata": {}} for cell in cells if cell not in answers]
        sources.append({"source": text, "metadata": {"nbgrader": nbgrader}})
        notebook = {"cells": [{"cell_type": "code", **source} for source in sources]}
        collector = Collector(submitter, course)
        try:
            collector.take_notebook(PLACE, json.dumps(notebook).encode("ascii"))
        except UnreadableError as error:
            raise SubmissionError(f"{PLACE.capitalize()} {error}.") from None
        whole = collector.submission()
    source = whole.sources.get(exercise.id)
    problems = tuple(problem for problem in whole.problems if problem.exercise == exercise.id)
    judged, cell = source.content.decode("utf-8", "replace").rstrip() if source else "", text.rstrip()
    lines_before = judged.removesuffix(cell).count("\n") if judged.endswith(cell) else 0
    submission = Submission(submitter, {exercise.id: source} if source else {}, problems)
    return ExecutedAnswer(submission, number, lines_before)


def _answers(text: str, exercise: Exercise, course: Course, names: ExerciseNames) -> bool:
    """Whether a cell answers the exercise, by its first line or by what it defines.

    Some exercises share an entry point's name: a text that begins like the stub of another one answers that.
    """
    defined = read_python(text).defined
    if named := names.by_first_line(text, defined):
        return named == exercise
    candidates = names.by_definitions(defined)
    twins = [each for each in candidates if set(each.entry_points) == set(exercise.entry_points) and each != exercise]
    headings = {stub_of(course, each).lstrip().split("\n", 1)[0].rstrip() for each in twins}
    return exercise in candidates and headings.isdisjoint(line.rstrip() for line in text.split("\n"))
