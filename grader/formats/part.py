"""A part of the results, such as this week's unit: each record as if only this part had been set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.classroom.results_file import Result
from grader.course import Unit
from grader.policy.adjusting import DIGITS
from grader.record import ExerciseResult, Record

from .marks import ExportError


@dataclass(frozen=True)
class Part:
    """Some units: their common name, their folders and exercises."""

    title: str
    folders: frozenset[str]
    exercises: frozenset[str]

    @classmethod
    def of(cls, units: Sequence[Unit]) -> Part:
        """The part of a course with these units."""
        return cls(
            " and ".join(unit.title for unit in units),
            frozenset(unit.folder for unit in units),
            frozenset(exercise.id for unit in units for exercise in unit.exercises),
        )

    def of_result(self, result: Result) -> Result:
        """The learner's result for this part. Raises ExportError if nothing of it was graded."""
        there = [each for each in result.record.exercises if each.id in self.exercises]
        if not there:
            raise ExportError(
                f"Nothing of {', '.join(sorted(self.folders))} was graded in these results: "
                "`kata grade-class --unit` does that."
            )
        return replace(result, record=self._of_record(result.record, there))

    def _of_record(self, record: Record, there: Sequence[ExerciseResult]) -> Record:
        finals: dict[str, Any] = {}
        if record.is_adjusted:
            finals = {
                "final_points": _total([each.counted_points for each in there]),
                "final_max_points": _total([each.counted_max_points for each in there]),
                "adjustments": tuple(each for each in record.adjustments or () if each.unit in self.folders),
            }
        return Record(
            **{
                **dict(record),
                "exercises": tuple(there),
                "points": _total([each.points for each in there]),
                "max_points": _total([each.max_points for each in there]),
                "complete": all(each.status != "error" for each in there),
                **finals,
            }
        )


def _total(points: Sequence[float]) -> float:
    return round(math.fsum(points), DIGITS)
