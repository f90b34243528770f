"""What becomes a column of a gradebook: the whole course, a unit, or an exercise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from grader.reports.formats import Column
from grader.results import Record

from .graded import Summary
from .marks import exercise_mark, mark

By = Literal["learner", "unit", "exercise"]
BY: tuple[By, ...] = get_args(By)


@dataclass(frozen=True)
class Assignment:
    """What a column holds the points of."""

    title: str
    max_points: float
    exercises: tuple[str, ...] | None
    """Those whose points are added up; None for the whole submission."""

    @property
    def column(self) -> Column:
        """The column as the writers of files know it."""
        return Column(self.title, self.max_points)

    def points(self, record: Record) -> float | None:
        """The record's points; None where something could not be graded or was not asked for."""
        if self.exercises is None:
            return mark(record)
        there = {exercise.id: exercise_mark(exercise) for exercise in record.exercises}
        marks = [there.get(id) for id in self.exercises]
        return None if None in marks else round(sum(each for each in marks if each is not None), 6)


def assignments_of(
    summary: Summary, by: By, units: Sequence[tuple[str, Sequence[str]]], titles: Mapping[str, str]
) -> list[Assignment]:
    """The assignments, in course order. An exercise that no unit holds is one of its own."""
    if by == "learner":
        return [Assignment(summary.title, sum(summary.worth.values()), None)]
    groups = [(title, [id for id in ids if id in summary.worth]) for title, ids in units] if by == "unit" else []
    placed = {id for _, ids in groups for id in ids}
    groups += [(_own_title(id, titles), [id]) for id in summary.worth if id not in placed]
    return [Assignment(title, sum(summary.worth[id] for id in ids), tuple(ids)) for title, ids in groups if ids]


def _own_title(id: str, titles: Mapping[str, str]) -> str:
    """The exercise's title; with its id where others have the same, as importers find columns by their titles."""
    title = titles.get(id, id)
    return title if list(titles.values()).count(title) <= 1 else f"{title} [{id}]"
