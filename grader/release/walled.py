"""Runs `kata grade` for one submission at the strongest isolation level that works here, and never without one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.record import Record
from grader.sandbox.doctor import examine, strongest_level
from grader.sandbox.levels import GRADING_LEVELS


@dataclass(frozen=True)
class WalledResult:
    """The result: a record, or why there is none, which may be that this machine cannot isolate."""

    record: Record | None
    reason: str = ""
    can_isolate: bool = True


def grade_walled(submission: Path, course: Path) -> WalledResult:
    """Grade a submission. The output of `kata grade` goes to this program's own."""
    findings = examine()
    level = strongest_level(findings)
    if level not in GRADING_LEVELS:
        missing = "; ".join(f"{finding.part} ({finding.remedy})" for finding in findings if not finding.works)
        return WalledResult(None, missing, can_isolate=False)
    print(f"Isolation: {level}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "record.json"
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
        if written.is_file():
            return WalledResult(Record.from_json(written.read_bytes()))
    return WalledResult(None, done.stderr.strip().rpartition("\n")[2] or "the grader ended without a word.")
