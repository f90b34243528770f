"""Exporters for `nbgrader export`: marks as tables, and as files that Canvas and Moodle import.

Choose one with `--exporter grader.notebooks.exporters.PerLearner` (or PerExercise, Canvas, Moodle).
"""

from .platforms import Canvas, Moodle
from .tables import PerExercise, PerLearner

__all__ = ["Canvas", "Moodle", "PerExercise", "PerLearner"]
