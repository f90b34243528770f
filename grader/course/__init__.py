"""The course catalogue: loads course.yml into a Course, or reports its errors, each with its line."""

from .loading import FILE_NAME, load_course
from .model import Course, CourseError, Exercise, Limits, Unit

__all__ = ["FILE_NAME", "Course", "CourseError", "Exercise", "Limits", "Unit", "load_course"]
