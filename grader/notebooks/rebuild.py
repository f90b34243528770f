"""Puts a learner's answers, and nothing else, into the released notebook, and results into its test cells.

So a learner's notebook itself does not count: no cell can be missing, doubled or of another kind, and problems are
reported to this learner in a sentence, beside the exercise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from grader.course import Course
from grader.intake import FileProblem, Submission, SubmissionError, read_submission
from grader.intake.notebook import NOTEBOOK_MB
from grader.intake.submission import UnreadableError
from grader.intake.walk import read_regular
from grader.record import ExerciseResult, Record

from .cells import exercise_tested, grade_id_of, inert, is_answer, is_manual, outputs_of

SEVERAL = "\n\n---\n\n"
"""Separator between the texts of several cells for the same question."""


def read(path: Path, course: Course) -> Submission:
    """Read a submission; if that fails, an empty one with the reason as a problem."""
    try:
        return read_submission(path, course)
    except SubmissionError as error:
        return Submission(path.stem, {}, (FileProblem(path.name, "unreadable", str(error)),))


def rebuilt(released: Any, submission: Submission, record: Record, texts: dict[str, str], course: Course) -> Any:
    """The released notebook with a submission's sources in its answer cells, and their results below its test cells.

    texts: text for a person to read, by the grade_id of its cell.
    """
    nb = deepcopy(released)
    results = {result.id: result for result in record.exercises}
    for cell in nb.cells:
        if is_answer(cell) and (source := submission.sources.get(grade_id_of(cell))):
            cell.source = source.content.decode("utf-8").rstrip("\n")
        elif is_manual(cell) and (text := texts.get(grade_id_of(cell), "")).strip():
            # unchanged text must stay the same to the byte: the gradebook recognises by it that there is no answer
            cell.source = cell.source if text.strip() == cell.source.strip() else inert(text)
        elif exercise := exercise_tested(cell, course):
            result = results[exercise.id]
            problems = _problems(submission, result)
            cell.outputs = outputs_of(result, exercise.title, exercise.points, problems, record.seed)
    return nb


def _problems(submission: Submission, result: ExerciseResult) -> list[str]:
    """Problems to show with an exercise; those without an exercise may be the reason for a missing answer."""
    return [
        each.message
        for each in submission.problems
        if each.exercise == result.id or (each.exercise is None and result.status == "missing")
    ]


def texts_for_people(path: Path) -> dict[str, str]:
    """The text of a notebook's named cells, by name; empty when it can't be read."""
    found: dict[str, dict[str, None]] = {}
    for name, text in _named_texts(path):
        found.setdefault(name, {})[text] = None
    return {name: SEVERAL.join(texts) for name, texts in found.items()}


def _named_texts(path: Path) -> Iterator[tuple[str, str]]:
    limit = NOTEBOOK_MB * 1024 * 1024
    try:
        content = read_regular(path, limit)
        notebook = json.loads(content) if len(content) <= limit else {}
    except (UnreadableError, ValueError, RecursionError):
        return  # the intake has reported what is wrong
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict) or not (name := grade_id_of(cell)):
            continue
        source = cell.get("source")
        parts = source if isinstance(source, list) else [source]
        text = "".join(part for part in parts if isinstance(part, str))
        # JSON can contain a lone surrogate, a file cannot
        yield name, text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
