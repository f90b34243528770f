"""OUT/not_graded.csv: everything in the class's folder that was not graded, and why. Nothing vanishes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader.reports.formats import table, text_field
from grader.reports.safe_text import visible
from grader.submission import LeftOut
from grader.writing import write_file

NOT_GRADED = "not_graded.csv"


def write_not_graded(out: Path, left_out: Iterable[LeftOut]) -> None:
    """Write the list anew, a row a thing. Raises OSError."""
    rows = [["file", "reason"], *([_field(each.name), _field(each.reason)] for each in left_out)]
    write_file(out / NOT_GRADED, table(rows).encode("utf-8"), synced=True)


def _field(text: str) -> str:
    return text_field(visible(text))
