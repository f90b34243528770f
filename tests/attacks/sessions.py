"""Grades hostile files in a few processes side by side, each with a judge of its own, honest answers between them."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path

from grader.course import Course, load_course
from grader.intake import Submission, read_submission
from grader.judge.grading import Judge
from grader.record import ExerciseResult, Record
from grader.sandbox.levels import Level
from tests.attacks.hostile_files import HostileFile
from tests.waiting import is_running

ROOT = Path(__file__).parents[2]
AT_ONCE = 4
"""Judges side by side: a loop takes all the time that it has, which is waiting most of the time."""
A_SITTING = 20
"""Files that are worth a judge's start."""
HONEST_EVERY = 10
SEED = 7
HURRIED = "softmax"
REQUEST_SECONDS, EXERCISE_SECONDS = 1.0, 1.3
"""For this exercise, short, so that loops end soon, yet many times what an honest answer takes."""
SANDBOX_PROCESSES = 3
"""bubblewrap twice and the zygote; every other process below the judge is a learner's."""


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


def grade_all(files: Iterable[HostileFile], level: Level) -> Sessions:
    """Grade these files, with honest ones between them."""
    by_exercise = defaultdict[str, list[HostileFile]](list)
    for each in files:
        by_exercise[each.exercise].append(each)
    sittings = []
    for some in by_exercise.values():
        judges = min(AT_ONCE, -(-len(some) // A_SITTING))
        sittings += [some[number::judges] for number in range(judges)]
    whole = Sessions()
    with ProcessPoolExecutor(min(AT_ONCE, len(sittings)), multiprocessing.get_context("spawn")) as pool:
        for part in pool.map(_graded, repeat(level), sittings):
            whole.records.update(part.records)
            whole.lingering.update(part.lingering)
            whole.left_over += part.left_over
    return whole


def _graded(level: Level, files: Sequence[HostileFile]) -> Sessions:
    """One judge's session with some answers to one exercise."""
    course, exercise = _hurried_course(), files[0].exercise
    judge = Judge(course, level, SEED, [exercise])
    session, seen = Sessions(), set[int]()

    def take(record: Record) -> None:
        assert judge.sandbox is not None
        top = judge.sandbox._process.pid
        left = _settled(lambda: [top, *_below(top)], SANDBOX_PROCESSES)
        seen.update(left)
        session.records[record.submission] = record
        session.lingering[record.submission] = len(left) - SANDBOX_PROCESSES

    try:
        with tempfile.TemporaryDirectory() as folder:
            judge.grade(_submissions(files, course, Path(folder)), take)
    finally:
        judge.close()
    session.left_over = _settled(lambda: sorted(seen), 0)
    assert {each.name for each in files} <= set(session.records)
    return session


def _hurried_course() -> Course:
    course = load_course(ROOT / "course.yml")
    limits = {"request_seconds": REQUEST_SECONDS, "seconds": EXERCISE_SECONDS}
    exercise = course.exercise(HURRIED)
    hurried = exercise.model_copy(update={"limits": exercise.limits.model_copy(update=limits)})
    units = tuple(
        unit.model_copy(update={"exercises": tuple(hurried if each.id == HURRIED else each for each in unit.exercises)})
        for unit in course.units
    )
    return course.model_copy(update={"units": units})


def _submissions(files: Sequence[HostileFile], course: Course, place: Path) -> Iterator[Submission]:
    """What is handed in, an honest answer after every tenth and at the end."""
    exercise = course.exercise(files[0].exercise)
    honest = course.solution_path(exercise).read_bytes()
    handed_in = [(each.name, each.source) for each in files]
    for number in [*range(0, len(files), HONEST_EVERY), len(files)][::-1]:
        handed_in.insert(number, (f"honest_{place.name}_{number}", honest))
    for name, source in handed_in:
        (place / name).mkdir()
        (place / name / exercise.file_name).write_bytes(source)
        yield read_submission(place / name, course)


def _below(pid: int) -> list[int]:
    """The processes that descend from this one."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in map(int, children) for each in (child, *_below(child))]


def _settled(processes: Callable[[], Sequence[int]], most: int) -> list[int]:
    """The processes once there are no more than `most`, or what is there after a few seconds."""
    deadline = time.monotonic() + 3
    while len(found := [pid for pid in processes() if is_running(pid)]) > most and time.monotonic() < deadline:
        time.sleep(0.01)
    return found
