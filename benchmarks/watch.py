"""From a save to the verdict: `kata watch` against a cold pytest: `python benchmarks/watch.py [--quick] [--json FILE]`.

The watch runs in a pseudo-terminal, as a learner has it; the time goes from the moment the file is in its place until
the verdict on exactly this content has been written to the terminal.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pexpect

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
EXERCISES = (
    "01_soft_lookup/03_softmax",
    "02_self_attention/06_self_attention",
    "04_multi_head/06_multi_head_attention",
)
WAIT_SECONDS = 60
VERDICT = "Save a file to have it checked"
"""The last line of the screen, written after the verdict."""


@dataclass(frozen=True)
class Saves:
    """One exercise and kind of answer, in milliseconds."""

    exercise: str
    answer: str
    median: float
    late: float
    """Nine of ten came sooner."""
    cold: float

    @property
    def ratio(self) -> float:
        """How many times faster than a cold pytest."""
        return self.cold / self.median


def table(saves: Sequence[Saves]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| exercise | answer | save to verdict, median (ms) | 90 % (ms) | cold pytest (ms) | times faster | aim (ms) |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {each.exercise} | {each.answer} | {each.median:.0f} | {each.late:.0f} | {each.cold:.0f} "
        f"| {each.ratio:.0f} | ≤ 100 |"
        for each in saves
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print the table and, if asked, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saves", type=int, default=15, help="saves for each exercise and kind of answer")
    parser.add_argument("--colds", type=int, default=3, help="cold pytest runs for each exercise")
    parser.add_argument("--quick", action="store_true", help="two saves of each: to see that it runs")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    if options.quick:
        options.saves, options.colds = 2, 1
    load, rows = os.getloadavg()[0], []
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "mine"
        subprocess.run([BIN / "kata", "init", workspace, "--course", ROOT], check=True, stdout=subprocess.DEVNULL)
        watch = pexpect.spawn(str(BIN / "kata"), ["watch"], cwd=str(workspace), dimensions=(50, 100), encoding="utf-8")
        watch.expect_exact(VERDICT, timeout=WAIT_SECONDS)
        time.sleep(1)
        for kit in EXERCISES:
            for kind in ("right", "wrong"):
                rows.append(measure(watch, workspace, kit, kind, options.saves, options.colds))
        watch.send("q")
        watch.expect(pexpect.EOF, timeout=WAIT_SECONDS)
    print(table(rows))
    if options.json:
        figures = {"load_before": load, "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def measure(watch: pexpect.spawn, workspace: Path, kit: str, kind: str, saves: int, colds: int) -> Saves:
    """One row: right answers, or one of the known mistakes."""
    file = workspace / "exercises" / f"{kit}.py"
    source = answer(kit, kind)
    taken = [save(watch, file, f"{source}\n# {number}\n") for number in range(saves)]
    cold = []
    for _ in range(colds):
        started = time.perf_counter()
        alone = {**os.environ, "KATA_SERVICE": "0"}
        subprocess.run([BIN / "pytest", "-q", file], cwd=workspace, env=alone, stdout=subprocess.DEVNULL, check=False)
        cold.append((time.perf_counter() - started) * 1000)
    median, late = statistics.median(taken), statistics.quantiles(taken, n=10)[-1]
    return Saves(kit.split("_", 2)[-1], kind, median, late, statistics.median(cold))


def answer(kit: str, kind: str) -> str:
    """The reference, or the first of the known mistakes."""
    reference = ROOT / "solutions" / f"{kit}.py"
    if kind == "right":
        return reference.read_text(encoding="utf-8")
    from grader.judge.mistakes import load_bank

    return load_bank(ROOT / "tests" / "kits" / kit / "mistakes.py")[0].source_from(
        reference.read_text(encoding="utf-8")
    )


def save(watch: pexpect.spawn, file: Path, source: str) -> float:
    """Save a file as an editor does; return the milliseconds until its verdict is on the screen."""
    beside = file.with_suffix(".tmp")
    beside.write_text(source, encoding="utf-8")
    os.replace(beside, file)
    started = time.perf_counter()
    watch.expect_exact("Checking", timeout=WAIT_SECONDS)
    watch.expect_exact(VERDICT, timeout=WAIT_SECONDS)
    taken = (time.perf_counter() - started) * 1000
    time.sleep(0.3)  # a learner does not save without a pause
    return taken


if __name__ == "__main__":
    if shutil.which(str(BIN / "kata")) is None:
        sys.exit("`kata` is not installed beside this Python: run `make setup` first")
    main()
