"""The catalogue: course.yml read into a Course, or refused with every error at once, each with its line."""

from .errors import CourseError
from .loading import FILE_NAME, find_course, load_course
from .model import Course, Exercise, Forbidden, Limits, Unit

__all__ = [
    "FILE_NAME",
    "Course",
    "CourseError",
    "Exercise",
    "Forbidden",
    "Limits",
    "Unit",
    "find_course",
    "load_course",
]
