"""The one error of this package."""

from __future__ import annotations


class CourseError(Exception):
    """The course cannot be used as asked; the text is for people, one problem a line."""
