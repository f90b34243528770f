"""The formats that `kata export` knows. A new one is a module with `files`, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from . import canvas, github, gradescope, junit, moodle, table
from .export import ExportTerms, File
from .graded import Graded


@dataclass(frozen=True)
class Format:
    """One format: its purpose, and the function that makes its files."""

    what: str
    files: Callable[[Graded, ExportTerms], Iterator[File]]
    """Raises ExportError, before the first file or while one is written."""
    folder: str | None = None
    """The folder for a format with a file for each learner; None for one file in all."""
    single: str | None = None
    """The file's name for a single learner."""


FORMATS: Mapping[str, Format] = {
    "csv": Format("a table for spreadsheets and programs", table.files),
    "canvas": Format("a file for Canvas's gradebook import", canvas.files),
    "moodle": Format("a file for Moodle's grade import", moodle.files),
    "junit": Format("JUnit XML for CI servers", junit.files),
    "gradescope": Format("a results.json a learner", gradescope.files, "gradescope", "results.json"),
    "github": Format("a GitHub Classroom result a learner", github.files, "github", "github.json"),
}
GRADEBOOK = "gradebook"
"""nbgrader's gradebook: points are written into its database, no file is made."""
