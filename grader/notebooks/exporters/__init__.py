"""Exporters for `nbgrader export`: marks as tables, and as files that Canvas and Moodle import.

Choose one with `--exporter grader.notebooks.exporters.PerLearner` (or PerExercise, Canvas, Moodle).
"""

from .tables import Canvas, Moodle, PerExercise, PerLearner

__all__ = ["Canvas", "Moodle", "PerExercise", "PerLearner"]
