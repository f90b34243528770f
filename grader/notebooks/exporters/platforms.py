"""Marks as files that learning platforms import: one column a unit, after what lateness costs."""

from __future__ import annotations

from traitlets import Dict, Enum, Unicode

from grader.reports.formats import Column, Learner, Marks
from grader.reports.formats.canvas import canvas_gradebook
from grader.reports.formats.moodle import MOST_POINTS, moodle_grades, moodle_identifier

from .gradebook import Unit
from .plugin import TextExporter


class Canvas(TextExporter):
    """For Canvas, Gradebook > Import."""

    default_name = "canvas.csv"

    assignments = Dict(
        key_trait=Unicode(), help="Canvas' number of each assignment, by the unit's folder; else its title counts."
    ).tag(config=True)
    lms_user_id = Enum(
        ("ID", "SIS User ID"), "ID", help="Which of Canvas' numbers the gradebook holds as lms_user_id."
    ).tag(config=True)

    def text(self, learners: list[Learner], units: list[Unit]) -> str:
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

    def text(self, learners: list[Learner], units: list[Unit]) -> str:
        """The file, of those whom Moodle can know."""
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


def _marks(learners: list[Learner], units: list[Unit]) -> Marks:
    return {(learner.id, unit.name): unit.mark(learner.id).points for learner in learners for unit in units}
