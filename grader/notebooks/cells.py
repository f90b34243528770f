"""The roles of a notebook's cells, and what comes into them: a learner's text and an exercise's result.

A learner's markdown is made inert: it reads as before, but no page that renders it runs or fetches anything. nbconvert
passes raw HTML, links of any kind and mermaid's text to the page, and MathJax has commands that create links or move
content about. So the start of each such construct is broken up by a blank. Bare URLs too: formgrader runs scripts from
its own origin, so one click on a link to it would hand over the server.

An exercise's result becomes the outputs of its test cell: what the checks found, and the points that nbgrader reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nbformat.v4 import new_output

from grader.course import Course, Exercise
from grader.record import ExerciseResult
from grader.render.cell_output import CellOutput
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
    return course.exercise(exercise_of(grade_id)) if is_test(cell) and grade_id.startswith(_TEST) else None


def grade_id_of(cell: Mapping[str, Any]) -> str:
    """The cell's grade_id; "" when it has none."""
    grade_id = _marks_of(cell).get("grade_id")
    return grade_id if isinstance(grade_id, str) else ""


def is_answer(cell: Mapping[str, Any]) -> bool:
    """Whether this is the cell for a learner's code."""
    return _roles_of(cell) == ("code", False, True)


def is_test(cell: Mapping[str, Any]) -> bool:
    """Whether this is a test cell, which gives an exercise's points."""
    return _roles_of(cell) == ("code", True, False)


def is_manual(cell: Mapping[str, Any]) -> bool:
    """Whether this is the cell for a learner's text, to be graded by a person."""
    return _roles_of(cell) == ("markdown", True, True)


def _roles_of(cell: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """The cell's type, and nbgrader's `grade` and `solution`."""
    found = _marks_of(cell)
    return cell.get("cell_type"), found.get("grade"), found.get("solution")


def _marks_of(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = cell.get("metadata")
    found = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    return found if isinstance(found, Mapping) else {}


# --- contents -------------------------------------------------------------------------------------------------------

MAX_CHARACTERS = 50_000

_BREAKS = (
    # a tag, a comment, an autolink: before a blank, `<` is plain text
    (re.compile(r"<(?=[A-Za-z/!?])"), "< "),
    # an entity could become any of these characters when unescaped
    (re.compile(r"&(?=#?\w{1,40};)"), "& "),
    # links and pictures, inline or by reference
    (re.compile(r"\](?=[(:\[])"), "] "),
    (re.compile(r"(?<=://)(?=\S)"), " "),
    (re.compile(r"([`~][ \t]*)(?=mermaid)", re.IGNORECASE), r"\1text "),
    (
        re.compile(
            r"\\(?=(?:href|url|require|cssId|class|style|data|unicode|toggle|action|mmlToken|bbox"
            r"|[rR]ule|Space|m?kern|[hm]skip|[hm]space|raise|lower|moveleft|moveright|[lr]lap)(?![A-Za-z]))"
        ),
        r"\\ ",
    ),
)


def inert(markdown: str) -> str:
    """The text, shortened if very long, with control characters escaped and without active content."""
    if len(markdown) > MAX_CHARACTERS:
        left_out = len(markdown) - MAX_CHARACTERS
        markdown = f"{markdown[:MAX_CHARACTERS]}\n\n(... {left_out} more characters, not shown)"
    text = visible(markdown)
    for pattern, broken in _BREAKS:
        text = pattern.sub(broken, text)
    return text


def outputs_of(result: ExerciseResult, title: str, worth: float, problems: Sequence[str], seed: int) -> list[Any]:
    """The outputs of a test cell: what the checks found, and the points.

    nbgrader takes the first execute_result for the points, and gives full marks for one that it cannot parse. So there
    is exactly one, a plain number from 0 to `worth`.
    problems: sentences about what was handed in for this exercise.
    """
    shown = CellOutput(
        verdict_on(result, title=title, in_cell=True),
        closing="" if result.status == "passed" else f"The same inputs again with --seed {seed}",
        problems=[safe_line(each) for each in problems],
    )
    points = min(max(float(result.points), 0.0), float(worth))
    return [
        new_output("display_data", data={"text/html": shown.html(), "text/plain": shown.text()}),
        new_output("execute_result", data={"text/plain": repr(points)}),
    ]
