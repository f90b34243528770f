"""The terminal report. After an intended change: `python tests/reports/test_terminal.py` writes the golden texts anew."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.reports.terminal import MESSAGE_LINES, print_record
from grader.results import CheckResult, CourseStamp, ExerciseResult, Problem, Record
from tests.reports.conftest import TITLES, UNITS, golden_record

GOLDEN = Path(__file__).parent / "golden"
