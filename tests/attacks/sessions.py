"""Grades hostile files in a few sessions side by side, each with a judge of its own and answers to one exercise."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from grader.record import ExerciseResult, Record
from grader.sandbox.levels import Level
from tests.attacks.hostile_files import HostileFile

JUDGING = Path(__file__).with_name("judging.py")
AT_ONCE = 4
"""Judges side by side: a loop takes all the time that it has, which is waiting most of the time."""
WORTH_A_JUDGE = 20
SESSION_SECONDS = 1400

Run = Callable[..., "subprocess.CompletedProcess[str]"]
"""Runs a program as the fixture `run_command` does."""


@dataclass
class Sessions:
    """What came of hostile files: the records by name, and what was seen of processes meanwhile."""

    records: dict[str, Record] = field(default_factory=dict)
    lingering: dict[str, int] = field(default_factory=dict)
    left_over: list[int] = field(default_factory=list)

    def result(self, name: str) -> ExerciseResult:
        """What the exercise came to for which the file was handed in."""
        (result,) = self.records[name].exercises
        return result

    @property
    def honest(self) -> list[ExerciseResult]:
        """The results of the honest submissions in between."""
        return [self.result(name) for name in self.records if name.startswith("honest_")]


def grade_all(files: Iterable[HostileFile], level: Level, run: Run) -> Sessions:
    """Grade these files, with honest ones between them."""
    names = defaultdict[str, list[str]](list)
    for each in files:
        names[each.exercise].append(each.name)
    parts = [(id, part) for id, each in names.items() for part in _shared_out(each)]
    whole = Sessions()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for part in pool.map(partial(_graded, run, level), parts):
            whole.records.update(part.records)
            whole.lingering.update(part.lingering)
            whole.left_over += part.left_over
    return whole


def _shared_out(names: list[str]) -> list[list[str]]:
    """Among so many judges that each is worth its start."""
    judges = min(AT_ONCE, math.ceil(len(names) / WORTH_A_JUDGE))
    return [names[number::judges] for number in range(judges)]


def _graded(run: Run, level: Level, part: tuple[str, list[str]]) -> Sessions:
    """One judge's session with some answers to one exercise."""
    exercise, names = part
    with tempfile.TemporaryDirectory() as folder:
        words = (JUDGING, level, exercise, folder)
        done = run(*words, cwd=Path(folder), stdin="\n".join(names), seconds=SESSION_SECONDS)
    assert done.returncode == 0, done.stderr
    *lines, last = map(json.loads, done.stdout.splitlines())
    session = Sessions(left_over=last["left_over"])
    for line in lines:
        record = Record.from_json(line["record"])
        session.records[record.submission] = record
        session.lingering[record.submission] = line["lingering"]
    assert set(names) <= set(session.records)
    return session
