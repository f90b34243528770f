"""Grades hostile files as softmax, with honest ones between them, and looks at what they leave behind."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from grader.record import ExerciseResult, Record
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS, Level

JUDGING = Path(__file__).with_name("judging.py")
AT_ONCE = 3
"""Judges side by side: a loop takes all the time that it has, which is waiting most of the time."""
SESSION_SECONDS = 1400

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass
class Session:
    """What came of one judge's session: the records by name, and what was seen of processes meanwhile."""

    records: dict[str, Record] = field(default_factory=dict)
    lingering: dict[str, int] = field(default_factory=dict)
    left_over: list[int] = field(default_factory=list)

    def result(self, name: str) -> ExerciseResult:
        """What softmax came to for this submission."""
        (result,) = self.records[name].exercises
        return result

    @property
    def honest(self) -> list[ExerciseResult]:
        """The results of the honest submissions in between."""
        return [self.result(name) for name in self.records if name.startswith("honest ")]


GradeAll = Callable[[Mapping[str, bytes], Level], Session]


@pytest.fixture(scope="session")
def grade_all(tmp_path_factory: pytest.TempPathFactory, run_warm: Callable[..., Run]) -> GradeAll:
    """Grades every source in a few sessions, each of a judge of its own."""
    judge = run_warm("grader", JUDGING)

    def grade(sources: Mapping[str, bytes], level: Level) -> Session:
        if strongest_level() not in GRADING_LEVELS:
            pytest.skip("this machine cannot isolate submissions")
        handed_in = tmp_path_factory.mktemp("handed-in")
        parts: list[list[str]] = [[] for _ in range(AT_ONCE)]
        for number, (name, source) in enumerate(sources.items()):
            (handed_in / str(number)).write_bytes(source)
            parts[number % AT_ONCE].append(name)
        session = Session()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for part in pool.map(partial(_graded, judge, handed_in, list(sources), level), filter(None, parts)):
                session.records.update(part.records)
                session.lingering.update(part.lingering)
                session.left_over += part.left_over
        assert set(sources) <= set(session.records)
        return session

    return grade


def _graded(judge: Run, handed_in: Path, names: list[str], level: Level, part: list[str]) -> Session:
    """One judge's session with a part of the sources."""
    asked = {"level": level, "sources": {name: str(handed_in / str(names.index(name))) for name in part}}
    folder = handed_in / f"part {names.index(part[0])}"
    folder.mkdir()
    done = judge(JUDGING, folder, cwd=folder, stdin=json.dumps(asked), seconds=SESSION_SECONDS)
    assert done.returncode == 0, done.stderr
    *lines, last = map(json.loads, done.stdout.splitlines())
    session = Session(left_over=last["left_over"])
    for line in lines:
        record = Record.from_json(line["record"])
        session.records[record.submission] = record
        session.lingering[record.submission] = line["lingering"]
    return session
