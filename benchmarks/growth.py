"""Memory and time as a class grows: `python benchmarks/growth.py [--sizes 10 100 400] [--json FILE]`.

`kata grade-class` at full isolation on six exercises. Memory is that of the command and everything it started, judges,
zygotes and workers: the proportional share of each process (PSS), so that a page shared by ten processes counts once,
looked up several times a second. It must not grow with the class.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks" / "rivals"))

from hand_ins import SIX, class_of, write_class  # noqa: E402

from grader.course import load_course  # noqa: E402

LOOKS_PER_SECOND = 4
MIB = 1024


@dataclass(frozen=True)
class Size:
    """What a class of one size took: seconds and MiB, the highest that was seen at one moment."""

    learners: int
    seconds: float
    all_mib: float
    command_mib: float
    """The command itself: the only part that hears of every learner."""
    largest_mib: float
    """The largest of the other processes."""
    graded: int

    @property
    def per_submission(self) -> float:
        """Seconds, start-up included."""
        return self.seconds / self.learners


def measure(folder: Path, learners: int, exercises: Sequence[str]) -> Size:
    """Grade a class of this size and watch its memory."""
    course = load_course(ROOT / "course.yml")
    write_class(folder / "class", class_of(course, [course.exercise(id) for id in exercises], learners))
    only = [part for id in exercises for part in ("--only", id)]
    kata = Path(sys.executable).parent / "kata"
    out = folder / "out"
    highest = {"all": 0.0, "command": 0.0, "largest": 0.0}
    started = time.perf_counter()
    with (folder / "said.txt").open("w") as said:
        running = subprocess.Popen(
            [kata, "grade-class", folder / "class", "--out", out, *only], cwd=ROOT, stdout=said, stderr=said
        )
        while running.poll() is None:
            shares = {id: share_of(id) for id in family_of(running.pid)}
            command = shares.pop(running.pid, 0.0)
            seen = {
                "all": command + sum(shares.values()),
                "command": command,
                "largest": max(shares.values(), default=0),
            }
            highest = {what: max(value, seen[what]) for what, value in highest.items()}
            time.sleep(1 / LOOKS_PER_SECOND)
    seconds = time.perf_counter() - started
    if running.returncode:
        sys.exit((folder / "said.txt").read_text())
    graded = len((out / "results.jsonl").read_text(encoding="utf-8").splitlines())
    return Size(learners, seconds, highest["all"], highest["command"], highest["largest"], graded)


def family_of(process: int) -> Iterator[int]:
    """A process and all that it started, whatever has not ended meanwhile."""
    yield process
    for thread in _listed(Path(f"/proc/{process}/task")):
        for child in _read(Path(f"/proc/{process}/task/{thread}/children")).split():
            yield from family_of(int(child))


def share_of(process: int) -> float:
    """The memory of a process in MiB, its part of what it shares; 0 when it has ended."""
    for line in _read(Path(f"/proc/{process}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / MIB
    return 0.0


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def table(sizes: Sequence[Size]) -> str:
    """The sizes as a Markdown table."""
    lines = [
        "| learners | graded | seconds | a submission (ms) | one more (ms) | all (MiB) | the command | largest other |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for before, size in zip([None, *sizes], sizes, strict=False):
        more = (size.seconds - before.seconds) / (size.learners - before.learners) * 1000 if before else None
        lines.append(
            f"| {size.learners:,} | {size.graded:,} | {size.seconds:.1f} | {size.per_submission * 1000:.0f} "
            f"| {'' if more is None else f'{more:.0f}'} | {size.all_mib:.0f} | {size.command_mib:.0f} "
            f"| {size.largest_mib:.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure, print the table and, if asked, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 400])
    parser.add_argument("--exercises", nargs="+", default=list(SIX), metavar="ID")
    parser.add_argument("--quick", action="store_true", help="classes of one and two: to see that it runs")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    if options.quick:
        options.sizes = [1, 2]
    load = os.getloadavg()[0]
    sizes = []
    for learners in sorted(options.sizes):
        with tempfile.TemporaryDirectory() as folder:
            print(f"  {learners} learners …", file=sys.stderr, flush=True)
            sizes.append(measure(Path(folder), learners, options.exercises))
    print(table(sizes))
    if options.json:
        figures = {"exercises": options.exercises, "load_before": load, "sizes": [asdict(size) for size in sizes]}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
