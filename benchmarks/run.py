"""Time what matters, as ratios within one run: `python benchmarks/run.py [--json FILE]`.

Absolute seconds depend on the machine and on what else it does; the ratios are what is compared from run to run. The
two sides of a ratio are measured in turns, so that a busy moment hits both.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from grader.course import Course, load_course
from grader.judge.grading import Judge
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import Bounds
from grader.submission import SourceFile, Submission, read_submission

ROOT = Path(__file__).resolve().parent.parent
FORKS = 60
COLD_RUNS = 5
WARM_RUNS = 10


@dataclass(frozen=True)
class Row:
    """One comparison: `ours` and `other` in milliseconds (medians), and how many times the other ours takes."""

    what: str
    ours: float
    other: float
    aim: str

    @property
    def ratio(self) -> float:
        """Ours as a multiple of the other."""
        return self.ours / self.other


def in_turns(count: int, *actions: Callable[[], object]) -> list[float]:
    """The median time of each action in milliseconds, measured in turns after one turn that does not count."""
    times: list[list[float]] = [[] for _ in actions]
    for turn in range(count + 1):
        for taken, action in zip(times, actions, strict=True):
            started = time.perf_counter()
            action()
            if turn:
                taken.append((time.perf_counter() - started) * 1000)
    return [statistics.median(taken) for taken in times]


def fork_and_lock() -> Row:
    """A locked-down worker, ready for its source, against a plain fork of the same warm process."""
    with Sandbox("full") as full, Sandbox("process") as plain:
        full.await_ready()
        plain.await_ready()

        def one(sandbox: Sandbox) -> None:
            worker = sandbox.spawn(Bounds())
            worker.await_lock(time.monotonic() + 20)
            sandbox.forget(worker)

        locked, forked = in_turns(FORKS, lambda: one(full), lambda: one(plain))
    return Row("fork with lock-down / plain fork", locked, forked, "≤ 2")


def whole_submission() -> Row:
    """`kata grade` of the reference solutions, cold and fully isolated, against importing torch alone."""
    grade = [sys.executable, "-m", "grader", "grade", "solutions", "--json", "-"]
    torch = [sys.executable, "-c", "import torch"]

    def run(command: list[str]) -> None:
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)

    ours, other = in_turns(COLD_RUNS, lambda: run(grade), lambda: run(torch))
    return Row("whole submission, cold, full isolation / import torch", ours, other, "≤ 2500 ms on two cores")


def warm_submission() -> Row:
    """The same submission in a warm judge, behind the wall against in the judge's own process."""
    course = load_course(ROOT / "course.yml")
    what = "whole submission, warm, full isolation / without a wall"
    return _between(what, Judge(course, "full", 1), Judge(course, "none", 1), "≤ 5")


def other_right_answers() -> Row:
    """Right answers written differently, whose last bits are others, against the references' own."""
    course = load_course(ROOT / "course.yml")
    what = "whole submission, warm, right answers of other bits / the references' own"
    ours, other = Judge(course, "full", 1), Judge(course, "full", 1)
    return _between(what, ours, other, "", _written_differently(course))


def _written_differently(course: Course) -> Submission:
    """The first alternative of each exercise."""
    sources = {}
    for exercise in course.exercises:
        path = min(course.alternatives_path(exercise).glob("*.py"))
        sources[exercise.id] = SourceFile(exercise.id, exercise.file_name, path.read_bytes())
    return Submission("alternatives", sources, ())


def _between(what: str, ours: Judge, other: Judge, aim: str, first: Submission | None = None) -> Row:
    """The reference solutions in two judges, or in the first `first`."""
    submission = read_submission(ROOT / "solutions", ours.course)
    try:
        return Row(what, _per_submission(ours, first or submission), _per_submission(other, submission), aim)
    finally:
        ours.close()
        other.close()


def _of_learner(submission: Submission, number: int) -> Submission:
    """The same answers in files of their own, as in a class."""
    sources = {
        id: replace(source, content=source.content + f"\n# learner {number}\n".encode())
        for id, source in submission.sources.items()
    }
    return replace(submission, sources=sources)


def _per_submission(judge: Judge, submission: Submission) -> float:
    moments = [time.perf_counter()]
    class_ = [_of_learner(submission, number) for number in range(WARM_RUNS + 1)]
    judge.grade(class_, lambda record: moments.append(time.perf_counter()))
    return statistics.median(b - a for a, b in itertools.pairwise(moments[1:])) * 1000


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | ours (ms) | other (ms) | ratio | aim |", "|---|---|---|---|---|"]
    lines += [f"| {row.what} | {row.ours:.1f} | {row.other:.1f} | {row.ratio:.2f} | {row.aim} |" for row in rows]
    return "\n".join(lines)


def main() -> None:
    """Measure everything, print the table and, if asked, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    rows = [fork_and_lock(), whole_submission(), warm_submission(), other_right_answers()]
    print(table(rows))
    if options.json:
        figures = {"load_before": load, "rows": [{**asdict(row), "ratio": row.ratio} for row in rows]}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
