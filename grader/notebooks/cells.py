"""The roles of a notebook's cells, and what comes into them: a learner's answers and text, and an exercise's result.

A learner's notebook itself does not count: only the sources in it do, put into the notebook that was released. So no
cell can be missing, doubled or of another kind.

A learner's text is shown as it was typed, in a block of code. Markdown may hold HTML, links and diagrams, and
MathJax has commands that create links or move content about; in such a block nothing acts. Formgrader runs scripts from
its own origin, so one click on a link to it would hand over the server.

An exercise's result becomes the outputs of its test cell: what the checks found, and the points that nbgrader reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

from nbformat.v4 import new_output

from grader.course import Course, Exercise
from grader.files import UnreadableError, read_regular
from grader.intake import Submission
from grader.intake.notebook import NOTEBOOK_MB, cells_in
from grader.intake.walk import MB
from grader.record import ExerciseResult, Record
from grader.render.pages import below_cell
from grader.render.safe_text import safe_line, visible
from grader.render.verdict import verdict_on

OURS = "kata"
"""The key of our own metadata in a notebook or cell."""
REFLECTION = "reflection"
_TEST = "test-"  # cannot clash with an exercise's id, which has no hyphen

# --- roles ----------------------------------------------------------------------------------------------------------


def marks(grade_id: str, **given: Any) -> dict[str, Any]:
    """A cell's metadata as nbgrader 0.9 writes it; given: its roles (grade, solution, locked) and points."""
    roles = {"grade": False, "solution": False, "locked": False, "task": False}
    return {"grade_id": grade_id, "schema_version": 3, **roles, **given}


def id_of_test(exercise: Exercise) -> str:
    """The grade_id of an exercise's test cell; its answer's cell has the exercise's own id."""
    return _TEST + exercise.id


def exercise_of(grade_id: str) -> str:
    """What a graded cell is about, by its grade_id: an exercise's id, or `reflection`."""
    return grade_id.removeprefix(_TEST)


def exercise_tested(cell: Mapping[str, Any], course: Course) -> Exercise | None:
    """The exercise whose points this cell gives, or None. Raises CourseError when the course lacks it."""
    grade_id = grade_id_of(cell)
    return course.exercise(exercise_of(grade_id)) if kind_of(cell) == "test" and grade_id.startswith(_TEST) else None


def grade_id_of(cell: Mapping[str, Any]) -> str:
    """The cell's grade_id; "" when it has none."""
    grade_id = _marks_of(cell).get("grade_id")
    return grade_id if isinstance(grade_id, str) else ""


def kind_of(cell: Mapping[str, Any]) -> Literal["answer", "test", "text", "other"]:
    """What it is for: a learner's code, an exercise's points, a learner's text that a person grades, or else."""
    given = _marks_of(cell)
    match cell.get("cell_type"), given.get("grade"), given.get("solution"):
        case "code", False, True:
            return "answer"
        case "code", True, False:
            return "test"
        case "markdown", True, True:
            return "text"
    return "other"


def _marks_of(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = cell.get("metadata")
    found = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    return found if isinstance(found, Mapping) else {}


# --- contents -------------------------------------------------------------------------------------------------------

MAX_CHARACTERS = 50_000
SEVERAL = "\n\n---\n\n"
"""Separator between the texts of several cells for the same question."""


def as_typed(text: str) -> str:
    """Markdown that shows a learner's text as it was typed, shortened if very long, with control characters escaped."""
    if len(text) > MAX_CHARACTERS:
        text = f"{text[:MAX_CHARACTERS]}\n\n(... {len(text) - MAX_CHARACTERS} more characters, not shown)"
    fence = "`" * (max([2, *map(len, re.findall("`+", text))]) + 1)
    return f"{fence}\n{visible(text)}\n{fence}"


def texts_for_people(path: Path) -> dict[str, str]:
    """The text of a notebook's named cells, by name; empty when it can't be read: the intake reports that."""
    found: dict[str, dict[str, None]] = {}
    with suppress(UnreadableError):
        for cell in cells_in(read_regular(path, NOTEBOOK_MB * MB)):
            source = cell.get("source")
            parts = source if isinstance(source, list) else [source]
            text = "".join(part for part in parts if isinstance(part, str))
            # JSON can contain a lone surrogate, a file cannot
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            found.setdefault(grade_id_of(cell), {})[text] = None
    return {name: SEVERAL.join(texts) for name, texts in found.items() if name}


def rebuilt(released: Any, submission: Submission, record: Record, texts: Mapping[str, str], course: Course) -> Any:
    """The released notebook with a submission's sources in its answer cells, and their results below its test cells.

    texts: text for a person to read, by the grade_id of its cell.
    """
    nb = deepcopy(released)
    results = {result.id: result for result in record.exercises}
    for cell in nb.cells:
        name, kind = grade_id_of(cell), kind_of(cell)
        if kind == "answer" and (source := submission.sources.get(name)):
            cell.source = source.content.decode("utf-8").rstrip("\n")
        elif kind == "text" and (text := texts.get(name, "")).strip():
            # unchanged text must stay the same to the byte: the gradebook recognises by it that there is no answer
            cell.source = cell.source if text.strip() == cell.source.strip() else as_typed(text)
        elif exercise := exercise_tested(cell, course):
            cell.outputs = _outputs_of(results[exercise.id], exercise, submission, record.seed)
    return nb


def _outputs_of(result: ExerciseResult, exercise: Exercise, submission: Submission, seed: int) -> list[Any]:
    """The outputs of a test cell: what the checks found, and the points.

    nbgrader takes the first execute_result for the points, and gives full marks for one that it cannot parse. So there
    is exactly one, a plain number from 0 to what the exercise is worth.
    """
    # a problem without an exercise may be the reason for a missing answer
    concerned = {result.id, None} if result.status == "missing" else {result.id}
    text, page = below_cell(
        verdict_on(result, title=exercise.title, in_cell=True),
        closing="" if result.status == "passed" else f"The same inputs again with --seed {seed}",
        problems=[safe_line(each.message) for each in submission.problems if each.exercise in concerned],
    )
    points = min(max(float(result.points), 0.0), float(exercise.points))
    return [
        new_output("display_data", data={"text/html": page, "text/plain": text}),
        new_output("execute_result", data={"text/plain": repr(points)}),
    ]
