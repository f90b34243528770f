"""OUT/times.json: hand-in times, extensions, opened hints and exemptions of a class, as last given.

So they need not be given again when a run is resumed or a policy is applied again.

The hints come as a CSV: how many each learner opened of each exercise. Columns are found by their headers: the learner
(as in a roster: an id, login, email or name), the exercise's id, and the number. A row without a number is skipped,
since some systems also list learners who opened none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timezone
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, field_validator

from grader.course import Course, CourseError
from grader.course.errors import quoted
from grader.writing import write_file

from .csv_file import Column, CsvRow, read_rows
from .exemptions import Exempt
from .members import LEARNERS, Learner, by_name
from .times import Row, TimesError

EXERCISES = ("exercise", "exerciseid", "task", "taskid", "question", "problem")
HINTS = ("hints", "openedhints", "hintsopened", "usedhints", "hintsused", "numberofhints", "hintcount", "hint", "count")
_COUNT = re.compile(r"([0-9]{1,6})(?:[.,]0+)?")  # some programs save whole numbers as 2.0


class HintsError(Exception):
    """A CSV of opened hints cannot be used; the message is one sentence for people."""


class OpenedHints(BaseModel):
    """One row: the learner (as written there), the exercise, the number of hints."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner: str
    exercise: str
    count: int = Field(ge=0)


class _HintRow(CsvRow):
    wanted: ClassVar[str] = "columns for learners, exercises and hints"

    learner: Annotated[str, Column(LEARNERS, "first filled")]
    exercise: Annotated[str, Column(EXERCISES, is_needed=True)] = ""
    count: Annotated[int | None, Column(HINTS, is_needed=True)] = None

    @field_validator("count", mode="before")
    @classmethod
    def _is_a_number_of_hints(cls, hints: str) -> int:
        count = _COUNT.fullmatch(hints)
        if count is None:
            raise ValueError(f"{quoted(hints)} is no number of opened hints: write 0, 1, 2 and so on.")
        return int(count[1])


def read_hints(path: Path, course: Course) -> list[OpenedHints]:
    """The rows of a CSV of opened hints.

    Raises HintsError for a file that cannot be read, lacks a column, has an invalid number or exercise, or has two rows
    for the same learner and exercise: grades depend on it, so nothing is guessed.
    """
    example = ("learner,exercise,hints", f"ada,{course.exercises[0].id},2")
    found: list[OpenedHints] = []
    first: dict[tuple[str, str], int] = {}
    for number, row in read_rows(path, _HintRow, HintsError, example=example):
        if row.count is None:
            continue
        place = f"{path}, row {number}"
        if not row.exercise:
            raise HintsError(f"{place}: there is no exercise.")
        try:
            course.exercise(row.exercise)
        except CourseError as error:
            raise HintsError(f"{place}: {error}") from None
        if (earlier := first.setdefault((row.learner, row.exercise), number)) != number:
            raise HintsError(f"{place}: {quoted(row.learner)} and {quoted(row.exercise)} are in row {earlier} already.")
        found.append(OpenedHints(learner=row.learner, exercise=row.exercise, count=row.count))
    return found


def hints_by_learner(
    rows: Iterable[OpenedHints], learners: Sequence[Learner]
) -> tuple[dict[str, dict[str, int]], tuple[str, ...]]:
    """Each learner's opened hints by exercise, by the names in the results; and the names that match no learner.

    If two rows turn out to be for one learner and exercise, the larger number counts: both count all hints.
    """
    named, unknown = by_name(rows, learners)
    found: dict[str, dict[str, int]] = {}
    for name, row in named:
        opened = found.setdefault(name, {})
        opened[row.exercise] = max(opened.get(row.exercise, 0), row.count)
    return found, unknown


TIMES = "times.json"


class _Told(BaseModel):
    """One row of a CSV: learner, unit, time in UTC, and the attempt if given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner: str
    unit: str
    moment: AwareDatetime
    attempt: str = ""

    @classmethod
    def of(cls, row: Row) -> _Told:
        return cls(learner=row.learner, unit=row.unit, moment=row.moment, attempt=row.attempt)

    def row(self) -> Row:
        return Row(self.learner, self.unit, self.moment.astimezone(timezone.utc), self.attempt)


class KeptTimes(BaseModel):
    """What is known of a class's hand-ins and opened hints. None: not given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    handed_in: tuple[_Told, ...] | None = None
    extensions: tuple[_Told, ...] | None = None
    hints: tuple[OpenedHints, ...] | None = None
    exempt: tuple[Exempt, ...] | None = None

    @classmethod
    def of(
        cls,
        handed_in: Sequence[Row] | None,
        extensions: Sequence[Row] | None,
        hints: Sequence[OpenedHints] | None = None,
        exempt: Sequence[Exempt] | None = None,
    ) -> KeptTimes:
        """The content of the CSVs; None for one that was not given."""
        return cls(
            handed_in=_told(handed_in),
            extensions=_told(extensions),
            hints=None if hints is None else tuple(hints),
            exempt=None if exempt is None else tuple(exempt),
        )

    @property
    def hand_in_rows(self) -> list[Row]:
        """The hand-in times."""
        return [each.row() for each in self.handed_in or ()]

    @property
    def extension_rows(self) -> list[Row]:
        """The extensions."""
        return [each.row() for each in self.extensions or ()]

    def over(self, earlier: KeptTimes) -> KeptTimes:
        """These times; where they are None, the earlier ones."""
        return KeptTimes(
            handed_in=earlier.handed_in if self.handed_in is None else self.handed_in,
            extensions=earlier.extensions if self.extensions is None else self.extensions,
            hints=earlier.hints if self.hints is None else self.hints,
            exempt=earlier.exempt if self.exempt is None else self.exempt,
        )


def _told(rows: Sequence[Row] | None) -> tuple[_Told, ...] | None:
    return None if rows is None else tuple(_Told.of(row) for row in rows)


def read_kept_times(out: Path) -> KeptTimes:
    """The times kept in OUT; empty if there is no file. Raises TimesError when it cannot be read."""
    path = out / TIMES
    try:
        return KeptTimes.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return KeptTimes()
    except (OSError, ValidationError):
        raise TimesError(
            f"{path} cannot be read, so nobody knows who was late or opened hints: "
            "remove it, and give --handed-in, --extensions, --hints and --exempt again."
        ) from None


def write_kept_times(out: Path, times: KeptTimes) -> None:
    """Write the times into OUT, all or none; writes no file if nothing is known. Raises OSError."""
    path = out / TIMES
    if times == KeptTimes():
        path.unlink(missing_ok=True)
    else:
        write_file(path, [(times.model_dump_json(indent=1) + "\n").encode()], synced=True)
