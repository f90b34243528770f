"""Which of the cells that a kernel has run answers an exercise, read in the same way as in a notebook handed in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grader.course import Course, Exercise
from grader.course.stubs import stub_of
from grader.intake import Submission, SubmissionError
from grader.intake.names import ExerciseNames
from grader.intake.notebook import read_python
from grader.intake.reading import Collector
from grader.intake.submission import UnreadableError, reading_clock

PLACE = "this notebook"


class ExecutedCell(NamedTuple):
    """A cell that was run: the number shown beside it, and its text as it was typed."""

    number: int
    text: str


@dataclass(frozen=True)
class ExecutedAnswer:
    """A submission of one exercise, and the number of the cell that it was taken from."""

    submission: Submission
    number: int
    lines_before: int
    """How many lines of other cells stand in front of the cell in what is judged: line numbers count them."""


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
        others = [cell.text for cell in cells if cell not in answers]
        submission = _submission(others, answers[-1].text, exercise, names, submitter)
        return ExecutedAnswer(submission, answers[-1].number, _lines_before(submission, exercise, answers[-1].text))


def _lines_before(submission: Submission, exercise: Exercise, answer: str) -> int:
    """How many lines stand in front of the answer's cell; 0 where it does not stand there as it is."""
    source = submission.sources.get(exercise.id)
    judged = source.content.decode("utf-8", "replace").rstrip() if source else ""
    cell = answer.rstrip()
    return judged.removesuffix(cell).count("\n") if judged.endswith(cell) else 0


def _answers(text: str, exercise: Exercise, course: Course, names: ExerciseNames) -> bool:
    """Whether a cell answers the exercise, by its first line or by what it defines."""
    defined = read_python(text).defined
    if named := names.by_first_line(text, defined):
        return named == exercise
    candidates = names.by_definitions(defined)
    return exercise in candidates and not any(
        each != exercise and set(each.entry_points) == set(exercise.entry_points) and _is_headed(text, each, course)
        for each in candidates
    )


def _is_headed(text: str, exercise: Exercise, course: Course) -> bool:
    """Whether a text still begins like the exercise's stub: some exercises share an entry point's name."""
    heading = stub_of(course, exercise).lstrip().split("\n", 1)[0].rstrip()
    return heading in (line.rstrip() for line in text.split("\n"))


def _submission(
    others: Sequence[str], answer: str, exercise: Exercise, names: ExerciseNames, submitter: str
) -> Submission:
    cells = [_cell(text) for text in others]
    cells.append(_cell(answer, nbgrader={"grade_id": exercise.id, "solution": True}))
    collector = Collector(submitter, names)
    try:
        collector.take_notebook(PLACE, json.dumps({"cells": cells}).encode("ascii"))
    except UnreadableError as error:
        raise SubmissionError(f"{PLACE.capitalize()} {error}.") from None
    whole = collector.submission()
    return Submission(
        submitter,
        {id: source for id, source in whole.sources.items() if id == exercise.id},
        tuple(problem for problem in whole.problems if problem.exercise == exercise.id),
    )


def _cell(text: str, **metadata: object) -> dict[str, object]:
    return {"cell_type": "code", "metadata": metadata, "source": text}
