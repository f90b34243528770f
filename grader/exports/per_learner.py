"""Formats of one JSON file a learner."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from grader.results import Record

from .graded import Graded
from .terms import ExportTerms, File

_LONGEST = 40  # characters, of up to four bytes each; file systems take 255 bytes


def files_each(
    graded: Graded, terms: ExportTerms, made: Callable[[Record, ExportTerms], dict[str, Any]]
) -> Iterator[File]:
    """A file for each learner, in the order of the class."""
    for number, result in enumerate(graded, start=1):
        yield File(f"{number:04d}-{stem_of(result.record.submission)}.json", [as_json(made(result.record, terms))])


def as_json(value: dict[str, Any]) -> str:
    """The value as a text file of JSON, the same bytes for equal values."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def stem_of(name: str) -> str:
    """What every file system takes of a name; the number before it tells equal ones apart."""
    return re.sub(r"[^\w-]+", "_", name).strip("_")[:_LONGEST] or "learner"
