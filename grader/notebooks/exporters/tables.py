"""Marks as tables, with a row a learner or a row a learner and exercise.

And as files that learning platforms import, with a column a unit, after deductions for lateness.
"""

from __future__ import annotations

from traitlets import Dict, Enum, Unicode

from grader.formats.canvas import canvas_gradebook
from grader.formats.marks import Column, Marks, PlatformLearner
from grader.formats.moodle import MOST_POINTS, moodle_grades, moodle_identifier
from grader.render.csv_text import number_field, table, text_field

from .gradebook import Mark, TextExporter, Unit

_WHO = ("id", "last name", "first name", "email")


class PerLearner(TextExporter):
    """One row a learner: of each unit its state, points before and after what lateness costs, and the most there is.

    A mark that is not there yet is empty and adds nothing to the sum at the end; the last column counts such units.
    """

    default_name = "learners.csv"

    def text(self, learners: list[PlatformLearner], units: list[Unit]) -> str:
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

    def text(self, learners: list[PlatformLearner], units: list[Unit]) -> str:
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


def _who(learner: PlatformLearner) -> list[str]:
    return [text_field(each) for each in (learner.id, learner.last_name, learner.first_name, learner.email)]


def _points(mark: Mark) -> list[str]:
    return [number_field(each) for each in (mark.raw, mark.late, mark.points)]


class Canvas(TextExporter):
    """For Canvas, Gradebook > Import."""

    default_name = "canvas.csv"

    assignments = Dict(
        key_trait=Unicode(), help="Canvas' number of each assignment, by the unit's folder; else its title counts."
    ).tag(config=True)
    lms_user_id = Enum(
        ("ID", "SIS User ID"), "ID", help="Which of Canvas' numbers the gradebook holds as lms_user_id."
    ).tag(config=True)

    def text(self, learners: list[PlatformLearner], units: list[Unit]) -> str:
        """The file; Canvas' logins are the learners' ids."""
        columns = [Column(unit.name, unit.max_points, str(self.assignments.get(unit.name, ""))) for unit in units]
        return canvas_gradebook(learners, columns, _marks(learners, units), platform_id=self.lms_user_id)


class Moodle(TextExporter):
    """For Moodle, Grades > Import > CSV file."""

    default_name = "moodle.csv"

    identifier = Enum(
        ("email", "id number", "username"),
        "email",
        help="How Moodle knows the learners: by their e-mail address, by lms_user_id or by their id here.",
    ).tag(config=True)

    def text(self, learners: list[PlatformLearner], units: list[Unit]) -> str:
        """The file, with the learners that Moodle can identify."""
        known = [learner for learner in learners if moodle_identifier(learner, self.identifier)]
        for learner in learners:
            if learner not in known:
                self.log.warning(
                    "%s is left out: the gradebook holds no %s, and Moodle takes no row without one. "
                    "Add it with `nbgrader db student add`, or choose another with --Moodle.identifier.",
                    learner.id,
                    self.identifier,
                )
        columns = [Column(unit.name, unit.max_points) for unit in units]
        for column in columns:
            if column.max_points > MOST_POINTS:
                self.log.warning("%s: Moodle takes grades above 100 only where the site allows them.", column.name)
        return moodle_grades(known, columns, _marks(known, units), identifier=self.identifier)


def _marks(learners: list[PlatformLearner], units: list[Unit]) -> Marks:
    return {(learner.id, unit.name): unit.mark(learner.id).points for learner in learners for unit in units}
