"""One judge's session with hostile files, honest ones between them: `python judging.py LEVEL EXERCISE FOLDER <NAMES`.

Prints a line for each submission with its record and how many processes outlived it, then one with the processes that
outlived the judge.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from grader.course import Course, load_course  # noqa: E402
from grader.intake import Submission, read_submission  # noqa: E402
from grader.judge.grading import Judge  # noqa: E402
from grader.record import Record  # noqa: E402
from grader.sandbox.levels import Level  # noqa: E402
from tests.attacks.odd_sources import all_files  # noqa: E402

SEED = 7
HONEST_EVERY = 10
HURRIED = "softmax"
REQUEST_SECONDS, EXERCISE_SECONDS = 1.0, 1.3
"""For this exercise, short, so that loops end soon, yet many times what an honest answer takes."""

SANDBOX_PROCESSES = 3
"""bubblewrap twice and the zygote; every other process below the judge is a learner's."""


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


def _submissions(names: Sequence[str], course: Course, exercise: str, folder: Path) -> Iterator[Submission]:
    """What is handed in, an honest answer after every tenth."""
    sources = {each.name: each.source for each in all_files()}
    honest = course.solution_path(course.exercise(exercise)).read_bytes()
    for number, name in enumerate([*names, None]):
        if number % HONEST_EVERY == 0 or name is None:
            yield _handed_in(folder / f"honest_{folder.name}_{number}", honest, course, exercise)
        if name is not None:
            yield _handed_in(folder / name, sources[name], course, exercise)


def _handed_in(folder: Path, source: bytes, course: Course, exercise: str) -> Submission:
    folder.mkdir()
    (folder / course.exercise(exercise).file_name).write_bytes(source)
    return read_submission(folder, course)


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


def _hold_session(names: Sequence[str], level: Level, exercise: str, folder: Path) -> None:
    course = _hurried_course()
    judge = Judge(course, level, SEED, [exercise])
    seen: set[int] = set()

    def take(record: Record) -> None:
        assert judge.sandbox is not None
        top = judge.sandbox._process.pid
        left = _settled(lambda: [top, *_below(top)], SANDBOX_PROCESSES)
        seen.update(left)
        print(json.dumps({"record": record.to_json(), "lingering": len(left) - SANDBOX_PROCESSES}))

    try:
        judge.grade(_submissions(names, course, exercise, folder), take)
    finally:
        judge.close()
    print(json.dumps({"left_over": _settled(lambda: sorted(seen), 0)}))


if __name__ == "__main__":
    level, exercise, folder = sys.argv[1:]
    _hold_session(sys.stdin.read().split(), level, exercise, Path(folder))  # type: ignore[arg-type]
