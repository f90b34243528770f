"""The results to export, read again for each pass, and the assignments that become columns.

A class is never in memory as a whole. A column is the whole course, a unit, or an exercise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from grader.classroom.attempts import graded_in
from grader.classroom.members import Learner
from grader.classroom.pseudonyms import PSEUDONYMOUS, Pseudonyms
from grader.classroom.results_file import (
    RESULTS,
    Result,
    Results,
    ResultsError,
    disputed,
    handed_in_nothing,
    read_results,
    ungraded,
)
from grader.record import ExerciseResult, Record, RecordError

from .marks import Column, ExportError, exercise_mark, mark
from .part import Part


@dataclass(frozen=True)
class Summary:
    """Facts about a class that are needed before the first row is written."""

    title: str
    learners: tuple[Learner, ...]
    without_mark: tuple[Learner, ...]
    """Learners with an exercise that could not be graded, through a fault of the grader."""
    worth: dict[str, float]
    """What each exercise that counts for anybody adds to the maximum, in order; 0 for extra credit."""
    is_adjusted: bool
    """Whether a policy was applied, so that the exported points are not the graded ones."""
    unadjusted: tuple[Learner, ...]
    """Learners whose points are the graded ones; with `is_adjusted`, some remain when a run was stopped."""
    has_attempts: bool
    """Whether any learner has several attempts."""
    nothing_of: frozenset[str]
    """The exercises that nobody has handed in."""
    has_groups: bool = False
    """Whether any learner has handed in with a group."""


class Graded:
    """The results of `kata grade-class` (a folder), or one record of `kata grade --json` (a file)."""

    def __init__(self, path: Path, part: Part | None = None, *, by_pseudonyms: bool = False) -> None:
        """part: only a part of the course. by_pseudonyms: replace everything that identifies a learner.

        Raises ExportError when there are no results.
        """
        self._part = part
        self.is_class = path.is_dir() or path.name == RESULTS
        self.folder = path if path.is_dir() else path.parent
        self.path = self.folder / RESULTS if self.is_class else path
        if not self.path.is_file():
            raise ExportError(f"There are no results at {self.path}: `kata grade-class DIR --out OUT` makes them.")
        try:
            self._results: Sequence[Result] = read_results(self.folder) if self.is_class else [_single(path)]
        except ResultsError as error:
            raise ExportError(str(error)) from None
        self._pseudonyms: Pseudonyms | None = None
        if by_pseudonyms:
            if not isinstance(self._results, Results):
                raise ExportError(
                    f"{path} is one record: --pseudonyms goes with a class, `kata grade-class --out OUT`."
                )
            self._pseudonyms = Pseudonyms(self.folder)
            self._results = self._pseudonyms.results(self._results)

    def __iter__(self) -> Iterator[Result]:
        """Every result in class order. Raises ExportError at the first that cannot be read."""
        try:
            for result in self._results:
                yield result if self._part is None else self._part.of_result(result)
        except ResultsError as error:
            raise ExportError(str(error)) from None

    @cached_property
    def summary(self) -> Summary:
        """Read every record once and summarize the class. Raises ExportError when there is none."""
        worth: dict[str, float] = {}
        learners: list[Learner] = []
        without_mark: list[Learner] = []
        unadjusted: list[Learner] = []
        has_attempts = False
        title = ""
        handed_in: set[str] = set()
        counting: set[str] = set()
        for result in self:
            learners.append(result.learner)
            title = self._part.title if self._part else result.record.course.title
            handed_in |= {each.id for each in result.record.exercises if each.status != "missing"}
            has_attempts |= result.record.attempt is not None
            if not result.record.complete:
                without_mark.append(result.learner)
            if not result.record.is_adjusted:
                unadjusted.append(result.learner)
            for exercise in result.record.exercises:
                # for some learners it may not count
                worth[exercise.id] = max(worth.get(exercise.id, 0.0), exercise.counted_max_points)
                counting |= set() if exercise.uncounted else {exercise.id}
        if not learners:
            raise ExportError(f"{self.path} holds no records: nobody was graded.")
        worth = {id: points for id, points in worth.items() if id in counting}
        is_adjusted = len(unadjusted) < len(learners)
        nothing_of = frozenset(worth) - handed_in
        return Summary(
            title,
            tuple(learners),
            tuple(without_mark),
            worth,
            is_adjusted,
            tuple(unadjusted),
            has_attempts,
            nothing_of,
            has_groups=any(each.group for each in learners),
        )

    @property
    def target(self) -> Path:
        """The default folder for the exported files."""
        return self.folder / PSEUDONYMOUS if self._pseudonyms else self.folder

    @property
    def absent(self) -> list[Learner]:
        """Learners who handed in nothing: they have no points."""
        return self._known(handed_in_nothing(self.folder)) if self.is_class else []

    @property
    def disputed(self) -> list[Learner]:
        """Learners claimed by several submissions: they have no points."""
        return self._known(disputed(self.folder)) if self.is_class else []

    @property
    def waiting(self) -> list[Learner]:
        """Learners whose submission is not graded yet, because the run was stopped."""
        return self._known(ungraded(graded_in(self.folder))) if self.is_class else []

    def _known(self, learners: list[Learner]) -> list[Learner]:
        return self._pseudonyms.of_all(learners) if self._pseudonyms else learners

    @property
    def graded_at(self) -> datetime:
        """When the results were last written, in UTC; records themselves hold no time."""
        return datetime.fromtimestamp(int(self.path.stat().st_mtime), timezone.utc)


def _single(path: Path) -> Result:
    try:
        record = Record.from_json(path.read_bytes())
    except RecordError as error:
        raise ExportError(f"{path}: {error}") from None
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {error.strerror}.") from None
    return Result(record, Learner(name=record.submission, shown=record.submission))


By = Literal["learner", "unit", "exercise"]
BY: tuple[By, ...] = get_args(By)


@dataclass(frozen=True)
class Assignment:
    """The exercises whose points one column holds."""

    title: str
    max_points: float
    exercises: tuple[str, ...] | None
    """The exercises to add up; None for the whole submission."""

    @property
    def column(self) -> Column:
        """The column for the writers of files."""
        return Column(self.title, self.max_points)

    def points(self, record: Record) -> float | None:
        """The record's points; None if something could not be graded or was not chosen, or if nothing of it counts.

        If a part does not count for this learner, the rest is scaled to the full maximum: a column has only one.
        """
        there = self._of(record)
        if there is None or self.is_excused(record):
            return None
        if self.exercises is None and mark(record) is None:
            return None
        marks = [exercise_mark(each) for each in there if not each.uncounted]
        if None in marks:
            return None
        whole = mark(record) if self.exercises is None else sum(each for each in marks if each is not None)
        assert whole is not None
        worth = sum(each.counted_max_points for each in there)
        if any(each.uncounted for each in there) and worth:
            whole *= self.max_points / worth
        return round(whole, 6)

    def is_excused(self, record: Record) -> bool:
        """Whether nothing of it counts for this learner."""
        there = self._of(record)
        return bool(there) and all(each.uncounted for each in there or ())

    def _of(self, record: Record) -> list[ExerciseResult] | None:
        """The record's exercises of this assignment; None if one is missing."""
        by_id = {each.id: each for each in record.exercises}
        if self.exercises is None:
            return list(record.exercises)
        return [by_id[id] for id in self.exercises] if by_id.keys() >= set(self.exercises) else None


def assignments_of(
    summary: Summary, by: By, units: Sequence[tuple[str, Sequence[str]]], titles: Mapping[str, str]
) -> list[Assignment]:
    """The assignments, in course order. An exercise that is in no unit gets a column of its own."""
    if by == "learner":
        return [Assignment(summary.title, sum(summary.worth.values()), None)]
    groups = [(title, [id for id in ids if id in summary.worth]) for title, ids in units] if by == "unit" else []
    placed = {id for _, ids in groups for id in ids}
    groups += [(_own_title(id, titles), [id]) for id in summary.worth if id not in placed]
    return [Assignment(title, sum(summary.worth[id] for id in ids), tuple(ids)) for title, ids in groups if ids]


def _own_title(id: str, titles: Mapping[str, str]) -> str:
    """The exercise's title, with its id if others have the same title: importers find columns by title."""
    title = titles.get(id, id)
    return title if list(titles.values()).count(title) <= 1 else f"{title} [{id}]"
