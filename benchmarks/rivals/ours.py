"""`kata grade-class`: fully isolated, with as many judges as it takes by itself."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hand_ins import HandIn, write_class
from marks import Scores
from workplace import ROOT

from grader.record import Record

KATA = Path(sys.executable).parent / "kata"


def grade(folder: Path, hand_ins: Sequence[HandIn], exercises: Sequence[str], seed: int) -> float:
    """Grade a class with the whole command; the seconds it takes."""
    write_class(folder / "submitted", hand_ins)
    only = [part for id in exercises for part in ("--only", id)]
    command = [KATA, "grade-class", folder / "submitted", "--out", folder / "out", "--seed", str(seed)]
    started = time.perf_counter()
    done = subprocess.run([*command, *only], cwd=ROOT, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(f"kata grade-class ended with {done.returncode}:\n{done.stderr}")
    return seconds


def scores(folder: Path) -> Scores:
    """Points and most points by learner and exercise."""
    lines = (folder / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        record.submission: {each.id: (each.points, each.max_points) for each in record.exercises}
        for record in map(Record.from_json, lines)
    }
