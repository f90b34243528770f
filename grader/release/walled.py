"""Runs `kata grade` for one submission at the strongest isolation level available, and never without isolation."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import EXIT_CANNOT_ISOLATE
from grader.record import Record
from grader.sandbox.doctor import Finding
from grader.sandbox.levels import GRADING_LEVELS, Level


@dataclass(frozen=True)
class WalledResult:
    """The result: a record, or the reason for having none."""

    record: Record | None
    said: str
    """The last line that `kata grade` printed to stderr."""


def levels_from(strongest: Level) -> Sequence[Level]:
    """The levels to try, strongest first; only those fit for grading."""
    return GRADING_LEVELS[GRADING_LEVELS.index(strongest) :] if strongest in GRADING_LEVELS else ()


def grade_walled(submission: Path, course: Path, levels: Sequence[Level]) -> WalledResult:
    """Grade at the first of these levels that is available. The output of `kata grade` goes to this program's own."""
    said = ""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "record.json"
        for level in levels:
            print(f"Isolation: {level}", flush=True)
            status, said = _grade(submission, course, level, written)
            if written.is_file():
                return WalledResult(Record.from_json(written.read_bytes()), said)
            if status != EXIT_CANNOT_ISOLATE:
                break
    return WalledResult(None, said or "the grader ended without a word.")


def missing(findings: Sequence[Finding]) -> str:
    """What prevents isolation on this machine, and the remedies."""
    return "; ".join(f"{finding.part} ({finding.remedy})" for finding in findings if not finding.works)


def _grade(submission: Path, course: Path, level: Level, written: Path) -> tuple[int, str]:
    command: list[str | Path] = [sys.executable, "-I", "-m", "grader", "grade", submission, "--course", course]
    done = subprocess.run(
        [*command, "--isolation", level, "--json", written],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    print(done.stderr, file=sys.stderr, flush=True)
    return done.returncode, done.stderr.strip().rpartition("\n")[2]
