"""Makes a submission from the cells that were run, in the same way as from a notebook that is handed in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from grader.course import Course, Exercise
from grader.course.stubs import stub_of
from grader.intake import Submission, SubmissionError
from grader.intake.clock import reading_clock
from grader.intake.collector import Collector
from grader.intake.names import ExerciseNames
from grader.intake.statements import defined_names, defining_exercise, named_exercise, statements
from grader.intake.submission import UnreadableError
from grader.practice.checking import SUBMITTER

PLACE = "this notebook"


@dataclass(frozen=True)
class ExecutedCell:
    """A cell that was run: the number shown beside it in the notebook, its text, and whether it is valid Python."""

    number: int
    text: str
    is_python: bool


@dataclass(frozen=True)
class Answer:
    """A submission of one exercise, and the number of the cell that it was taken from."""

    submission: Submission
    number: int
    lines_before: int
    """How many lines of other cells stand in front of the cell in what is judged: line numbers count them."""


def answer_among(cells: Sequence[ExecutedCell], exercise: Exercise, course: Course) -> Answer | None:
    """The answer that was run last, with what it needs from all other cells; None when none was run.

    Earlier answers to the same exercise are ignored: they are no longer in the notebook. Other cells count even when
    they were run after the answer, as they do in the kernel.
    Raises SubmissionError when there is too much to read.
    """
    names = ExerciseNames(course)
    answer: ExecutedCell | None = None
    others: list[str] = []
    with reading_clock(PLACE.capitalize()):
        for cell in cells:
            if _answers(cell.text, exercise, course, names):
                answer = cell
            elif cell.is_python:
                others.append(cell.text)
        if answer is None:
            return None
        submission = _submission(others, answer.text, exercise, names)
        return Answer(submission, answer.number, _lines_before(submission, exercise, answer.text))


def _lines_before(submission: Submission, exercise: Exercise, answer: str) -> int:
    """How many lines stand in front of the answer's cell; 0 where it does not stand there as it is."""
    source = submission.sources.get(exercise.id)
    judged = source.content.decode("utf-8", "replace").rstrip() if source else ""
    cell = answer.rstrip()
    return judged.removesuffix(cell).count("\n") if judged.endswith(cell) else 0


def _answers(text: str, exercise: Exercise, course: Course, names: ExerciseNames) -> bool:
    """Whether a cell answers the exercise, by its first line or by what it defines."""
    defined = defined_names(statements(text))
    if named := named_exercise(text, defined, names):
        return named == exercise
    candidates = defining_exercise(defined, names).candidates
    return exercise in candidates and not any(
        each != exercise and set(each.entry_points) == set(exercise.entry_points) and _is_headed(text, each, course)
        for each in candidates
    )


def _is_headed(text: str, exercise: Exercise, course: Course) -> bool:
    """Whether a text still begins like the exercise's stub: some exercises share an entry point's name."""
    heading = stub_of(course, exercise).lstrip().split("\n", 1)[0].rstrip()
    return heading in (line.rstrip() for line in text.split("\n"))


def _submission(others: Sequence[str], answer: str, exercise: Exercise, names: ExerciseNames) -> Submission:
    cells = [_cell(text) for text in others]
    cells.append(_cell(answer, kata={"exercise": exercise.id}))
    collector = Collector(SUBMITTER, names)
    try:
        collector.take_notebook(PLACE, json.dumps({"cells": cells}).encode("ascii"))
    except UnreadableError as error:
        raise SubmissionError(f"{PLACE.capitalize()} {error}.") from None
    whole = collector.submission()
    return Submission(
        SUBMITTER,
        {id: source for id, source in whole.sources.items() if id == exercise.id},
        tuple(problem for problem in whole.problems if problem.exercise == exercise.id),
    )


def _cell(text: str, **metadata: object) -> dict[str, object]:
    return {"cell_type": "code", "metadata": metadata, "source": text}
