"""Marks as tables: a row a learner, or a row a learner and exercise."""

from __future__ import annotations

from grader.reports.formats import Learner, number_field, table, text_field

from .gradebook import Mark, Unit
from .plugin import TextExporter

_WHO = ("id", "last name", "first name", "email")


class PerLearner(TextExporter):
    """One row a learner: of each unit its state, points before and after what lateness costs, and the most there is.

    A mark that is not there yet is empty and adds nothing to the sum at the end; the last column counts such units.
    """

    default_name = "learners.csv"

    def text(self, learners: list[Learner], units: list[Unit]) -> str:
        """The table."""
        heads = [f"{unit.name} {what}" for unit in units for what in ("state", "raw", "late", "points", "max")]
        rows = [[*_WHO, *map(text_field, heads), "points", "max", "units without a mark"]]
        most = number_field(sum(unit.max_points for unit in units))
        for learner in learners:
            marks = [unit.mark(learner.id) for unit in units]
            row = _who(learner)
            for unit, mark in zip(units, marks, strict=True):
                row += [mark.state.value, *_points(mark), number_field(unit.max_points)]
            there = [mark.points for mark in marks if mark.points is not None]
            rows.append([*row, number_field(sum(there) if there else None), most, str(len(marks) - len(there))])
        return table(rows)


class PerExercise(TextExporter):
    """One row a learner and exercise, of everybody and every graded cell, in points.

    `points` is what counts; it is empty until the mark is there, and while a person has to look at it.
    """

    default_name = "exercises.csv"

    def text(self, learners: list[Learner], units: list[Unit]) -> str:
        """The table."""
        heads = ("unit", "exercise", "state", "auto", "manual", "extra", "points", "max", "needs manual grading")
        rows = [[*_WHO, *heads]]
        for learner in learners:
            for unit in units:
                for cell, mark in zip(unit.cells, unit.cell_marks(learner.id), strict=True):
                    numbers = mark.auto, mark.manual, mark.extra, mark.points, cell.max_points
                    what = [text_field(unit.name), text_field(cell.exercise), mark.state.value]
                    manual = "yes" if mark.needs_manual else "no"
                    rows.append([*_who(learner), *what, *map(number_field, numbers), manual])
        return table(rows)


def _who(learner: Learner) -> list[str]:
    return [text_field(each) for each in (learner.id, learner.last_name, learner.first_name, learner.email)]


def _points(mark: Mark) -> list[str]:
    return [number_field(each) for each in (mark.raw, mark.late, mark.points)]
