"""A CSV of opened hints: how many each learner opened of each exercise, in all.

Columns are found by their headers: the learner (as in a roster: an id, login, email or name), the exercise's id, and
how many. A row without a number is passed over, since systems list those who opened none, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from grader.course import Course, CourseError
from grader.course.phrases import quoted

from .csv_rows import NumberedRows, first_of, lacking, titled_rows
from .learners import Learner
from .named import LEARNERS, by_name

EXERCISES = ("exercise", "exerciseid", "task", "taskid", "question", "problem")
HINTS = ("hints", "openedhints", "hintsopened", "usedhints", "hintsused", "numberofhints", "hintcount", "hint", "count")
_COUNT = re.compile(r"([0-9]{1,6})(?:[.,]0+)?")  # some programs save whole numbers as 2.0


class HintsError(Exception):
    """A CSV of opened hints cannot be used; the text is one sentence for people."""


class OpenedHints(BaseModel):
    """One row: whose (as it is written there), of which exercise, how many."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner: str
    exercise: str
    count: int = Field(ge=0)


def read_hints(path: Path, course: Course) -> list[OpenedHints]:
    """The rows of a CSV of opened hints.

    Raises HintsError for a file that cannot be read, lacks a column, or says anything that is no number of hints of an
    exercise, or two numbers for the same: marks hang on it, so nothing is guessed.
    """
    with titled_rows(path, HintsError) as (columns, rows):
        return list(_rows(path, columns, rows, course))


def _rows(path: Path, columns: Sequence[str], rows: NumberedRows, course: Course) -> Iterator[OpenedHints]:
    who, what, how_many = (first_of(titles, columns) for titles in (LEARNERS, EXERCISES, HINTS))
    if who is None or what is None or how_many is None:
        lacked = "columns for learners, exercises and hints"
        raise HintsError(lacking(path, lacked, "learner,exercise,hints", f"ada,{course.exercises[0].id},2"))
    first: dict[tuple[str, str], int] = {}
    for number, cells in rows:
        if not cells[how_many] and cells[who]:
            continue
        place = f"{path}, row {number}"
        row = _row(place, cells[who], cells[what], cells[how_many], course)
        if (earlier := first.setdefault((row.learner, row.exercise), number)) != number:
            raise HintsError(f"{place}: {quoted(row.learner)} and {quoted(row.exercise)} are in row {earlier} already.")
        yield row


def _row(place: str, learner: str, exercise: str, hints: str, course: Course) -> OpenedHints:
    if not learner:
        raise HintsError(f"{place}: there is no learner.")
    if not exercise:
        raise HintsError(f"{place}: there is no exercise.")
    try:
        course.exercise(exercise)
    except CourseError as error:
        raise HintsError(f"{place}: {error}") from None
    count = _COUNT.fullmatch(hints)
    if count is None:
        raise HintsError(f"{place}: {quoted(hints)} is no number of opened hints: write 0, 1, 2 and so on.")
    return OpenedHints(learner=learner, exercise=exercise, count=int(count[1]))


def hints_by_learner(
    rows: Iterable[OpenedHints], learners: Sequence[Learner]
) -> tuple[dict[str, dict[str, int]], tuple[str, ...]]:
    """Each learner's opened hints by exercise, under the learners' names in the results; and what names nobody of them.

    Of two rows that turn out to be of one learner and exercise, the larger number counts: both are of all hints.
    """
    named, unknown = by_name(rows, learners)
    found: dict[str, dict[str, int]] = {}
    for name, row in named:
        opened = found.setdefault(name, {})
        opened[row.exercise] = max(opened.get(row.exercise, 0), row.count)
    return found, unknown
