"""Memory and time as a class grows: `python benchmarks/growth.py [--sizes 10 100 400] [--json FILE]`.

`kata grade-class` at full isolation on six exercises. Memory is that of the command and everything that it started,
judges, zygotes and workers, looked up several times a second. It must not grow with the class.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from answers import SIX, class_of, write_class
from control_group import control_group
from figures import ROOT, Table, options_of, tell

from grader.course import load_course

LOOKS_PER_SECOND = 4


def measure(folder: Path, count: int) -> tuple[float, float]:
    """Grade a class of this size: seconds, and MiB at most."""
    write_class(folder / "class", class_of(load_course(ROOT / "course.yml"), SIX, count))
    only = [part for id in SIX for part in ("--only", id)]
    command = [Path(sys.executable).parent / "kata", "grade-class", folder / "class", "--out", folder / "out", *only]
    peak, started = 0.0, time.perf_counter()
    with control_group() as group, (folder / "said.txt").open("w") as said:
        running = subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said, preexec_fn=group.join)
        while running.poll() is None:
            peak = max(peak, group.own_mib())
            time.sleep(1 / LOOKS_PER_SECOND)
        seconds = time.perf_counter() - started
    if running.returncode:
        sys.exit((folder / "said.txt").read_text())
    graded = len((folder / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines())
    if graded != count:
        sys.exit(f"Of {count} learners {graded} were graded.")
    return seconds, peak


def main() -> None:
    """Measure and print the table."""
    parser = options_of(__doc__, "classes of one and two")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 400])
    options = parser.parse_args()
    rows, before = [], (0, 0.0)
    for count in [1, 2] if options.quick else sorted(options.sizes):
        with tempfile.TemporaryDirectory() as folder:
            seconds, peak = measure(Path(folder), count)
        more = (seconds - before[1]) / (count - before[0]) * 1000 if before[0] else None
        rows.append(
            (
                f"{count:,}",
                f"{seconds:.1f}",
                f"{seconds / count * 1000:.0f}",
                "" if more is None else f"{more:.0f}",
                f"{peak:.0f}",
            )
        )
        before = count, seconds
    tell(Table(("learners", "seconds", "a submission (ms)", "one more (ms)", "memory (MiB)"), rows),
         options.json)  # fmt: skip


if __name__ == "__main__":
    main()
