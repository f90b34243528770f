"""The course catalogue: loads course.yml into a Course, or reports its errors, each with its line."""

from .loading import FILE_NAME, load_course
from .model import Course, CourseError, Document, Exercise, Forbidden, Limits, Policy, Unit

__all__ = [
    "FILE_NAME",
    "Course",
    "CourseError",
    "Document",
    "Exercise",
    "Forbidden",
    "Limits",
    "Policy",
    "Unit",
    "load_course",
]
