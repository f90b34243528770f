"""From a save to the verdict: `kata watch` against a cold pytest, in turns: `python benchmarks/watch.py [--saves N]`.

The watch runs in a pseudo-terminal, as a learner has it; the time goes from the moment the file is in its place until
the verdict on exactly this content has been written to the terminal.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pexpect

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
EXERCISES = (
    "01_soft_lookup/03_softmax",
    "02_self_attention/06_self_attention",
    "04_multi_head/05_multi_head_attention",
)
WAIT_SECONDS = 60
VERDICT = "Save a file to have it checked"
"""The last line of the screen, written after the verdict."""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saves", type=int, default=15, help="saves for each exercise and kind of answer")
    parser.add_argument("--colds", type=int, default=3, help="cold pytest runs for each exercise")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "mine"
        subprocess.run([BIN / "kata", "init", workspace, "--course", ROOT], check=True, stdout=subprocess.DEVNULL)
        watch = pexpect.spawn(str(BIN / "kata"), ["watch"], cwd=str(workspace), dimensions=(50, 100), encoding="utf-8")
        watch.expect_exact(VERDICT, timeout=WAIT_SECONDS)
        time.sleep(1)
        print("| exercise | answer | save to verdict, median (ms) | 90 % (ms) | cold pytest (ms) | times faster |")
        print("|---|---|---|---|---|---|")
        for kit in EXERCISES:
            for kind in ("right", "wrong"):
                measure(watch, workspace, kit, kind, options.saves, options.colds)
        watch.send("q")
        watch.expect(pexpect.EOF, timeout=WAIT_SECONDS)


def measure(watch: pexpect.spawn, workspace: Path, kit: str, kind: str, saves: int, colds: int) -> None:
    """Print one row: right answers, or one of the known mistakes."""
    file = workspace / "exercises" / f"{kit}.py"
    source = answer(kit, kind)
    taken = [save(watch, file, f"{source}\n# {number}\n") for number in range(saves)]
    cold = []
    for _ in range(colds):
        started = time.perf_counter()
        subprocess.run([BIN / "pytest", "-q", file], cwd=workspace, stdout=subprocess.DEVNULL, check=False)
        cold.append((time.perf_counter() - started) * 1000)
    median, late = statistics.median(taken), statistics.quantiles(taken, n=10)[-1]
    slow = statistics.median(cold)
    print(
        f"| {kit.split('_', 2)[-1]} | {kind} | {median:.0f} | {late:.0f} | {slow:.0f} | {slow / median:.0f} |",
        flush=True,
    )


def answer(kit: str, kind: str) -> str:
    """The reference, or the first of the known mistakes."""
    reference = ROOT / "solutions" / f"{kit}.py"
    if kind == "right":
        return reference.read_text(encoding="utf-8")
    from grader.judge.mistakes import load_bank

    return load_bank(ROOT / "tests" / "mistakes" / f"{kit}.py")[0].source_from(reference.read_text(encoding="utf-8"))


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
