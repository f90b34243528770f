"""Grades hostile files as softmax, with honest ones between them, and looks at what they leave behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.judge.grading import Judge
from grader.results import ExerciseResult, Record
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS, Level
from grader.submission import Submission, read_submission

ROOT = Path(__file__).parents[2]
HONEST_EVERY = 10
REQUEST_SECONDS, EXERCISE_SECONDS = 2.0, 2.6
"""Short, so that loops end soon, yet many times what an honest answer takes."""

SANDBOX_PROCESSES = 3
"""bubblewrap twice and the zygote; every other process below the judge is a learner's."""

HONEST = """
import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    exps = torch.exp(scores - scores.max(dim=dim, keepdim=True).values)
    return exps / exps.sum(dim=dim, keepdim=True)
"""


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


def _short_course() -> Course:
    course = load_course(ROOT / "course.yml")
    softmax = course.exercise("softmax")
    limits = softmax.limits.model_copy(update={"request_seconds": REQUEST_SECONDS, "seconds": EXERCISE_SECONDS})
    hurried = softmax.model_copy(update={"limits": limits})
    units = tuple(
        unit.model_copy(update={"exercises": tuple(hurried if e.id == "softmax" else e for e in unit.exercises)})
        for unit in course.units
    )
    return course.model_copy(update={"units": units})


def _submissions(sources: Mapping[str, bytes], course: Course, folder: Path) -> Iterable[Submission]:
    for number, (name, source) in enumerate(sources.items()):
        if number % HONEST_EVERY == 0:
            yield _handed_in(f"honest {number}", HONEST.encode(), course, folder)
        yield _handed_in(name, source, course, folder)
    yield _handed_in("honest at the end", HONEST.encode(), course, folder)


def _handed_in(name: str, source: bytes, course: Course, folder: Path) -> Submission:
    own = folder / name
    own.mkdir(parents=True)
    (own / "03_softmax.py").write_bytes(source)
    return read_submission(own, course)


def _below(pid: int) -> list[int]:
    """The processes that descend from this one."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in map(int, children) for each in (child, *_below(child))]


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _settled(processes: Callable[[], Sequence[int]], most: int) -> list[int]:
    """The processes once there are no more than `most`, or what is there after a few seconds."""
    deadline = time.monotonic() + 3
    while len(found := [pid for pid in processes() if _is_alive(pid)]) > most and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


@pytest.fixture(scope="session")
def grade_all(tmp_path_factory: pytest.TempPathFactory) -> GradeAll:
    """Grades every source in one session of one judge."""

    def grade(sources: Mapping[str, bytes], level: Level) -> Session:
        if strongest_level() not in GRADING_LEVELS:
            pytest.skip("this machine cannot isolate submissions")
        course = _short_course()
        session = Session()
        judge = Judge(course, level, 20_250_917, ["softmax"])
        seen: set[int] = set()

        def take(record: Record) -> None:
            session.records[record.submission] = record
            assert judge.sandbox is not None
            top = judge.sandbox._process.pid
            left = _settled(lambda: [top, *_below(top)], SANDBOX_PROCESSES)
            seen.update(left)
            session.lingering[record.submission] = len(left) - SANDBOX_PROCESSES

        try:
            judge.grade(_submissions(sources, course, tmp_path_factory.mktemp("handed-in")), take)
        finally:
            judge.close()
        session.left_over = _settled(lambda: sorted(seen), 0)
        return session

    return grade
