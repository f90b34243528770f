"""One judge's session with hostile files, honest ones between them: `python judging.py FOLDER <ASKED`.

Prints a line for each submission with its record and the processes that outlived it, then one with those that outlived
the judge.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from grader.course import Course, load_course
from grader.intake import Submission, read_submission
from grader.judge.grading import Judge
from grader.record import Record
from grader.sandbox.levels import Level

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
            yield _handed_in(f"honest {folder.name}.{number}", HONEST.encode(), course, folder)
        yield _handed_in(name, source, course, folder)
    yield _handed_in(f"honest at the end of {folder.name}", HONEST.encode(), course, folder)


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


def _hold_session(sources: Mapping[str, bytes], level: Level, folder: Path) -> None:
    course = _short_course()
    judge = Judge(course, level, 20_250_917, ["softmax"])
    seen: set[int] = set()

    def take(record: Record) -> None:
        assert judge.sandbox is not None
        top = judge.sandbox._process.pid
        left = _settled(lambda: [top, *_below(top)], SANDBOX_PROCESSES)
        seen.update(left)
        print(json.dumps({"record": record.to_json(), "lingering": len(left) - SANDBOX_PROCESSES}))

    try:
        judge.grade(_submissions(sources, course, folder), take)
    finally:
        judge.close()
    print(json.dumps({"left_over": _settled(lambda: sorted(seen), 0)}))


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    given = {name: Path(path).read_bytes() for name, path in asked["sources"].items()}
    _hold_session(given, asked["level"], Path(sys.argv[1]))
