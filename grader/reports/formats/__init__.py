"""Marks as files for other programs: spreadsheets and the gradebooks of learning platforms.

Each writer takes plain rows and returns the file's text; where the marks come from is not its business.
"""

from grader.reports.formats.marks import Column, FormatError, Learner, Marks
from grader.reports.formats.table import number_field, table, text_field

__all__ = ["Column", "FormatError", "Learner", "Marks", "number_field", "table", "text_field"]
