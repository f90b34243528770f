"""A large class, disturbed: `python benchmarks/load/run.py [--learners 1000] [--only NAME ...] [--json FILE]`.

One learner in twenty attacks. Whatever happens to the machine meanwhile, every honest learner must get the points that
the same answers get alone, nobody may be lost or graded twice, and what could not be graded must be named. A run that
a disturbance ends goes on with `--resume`, as its own last line says. Status 1 if anything of that does not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from disturbances import (
    CannotDisturb,
    Disturbance,
    full_disk,
    jumping_clock,
    killed_zygotes,
    measured_memory,
    memory_pressure,
    slow_disk,
)
from hand_ins import ATTACKED, SEED, HandIns, due, hand_ins, ids, points_alone
from outcome import Outcome, row

from grader.course import load_course
from grader.record import Record

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("undisturbed", "memory", "full disk", "jumping clock", "killed zygotes", "slow disk")
MOST_RUNS = 12
GIVE_UP_SECONDS = 3600

Disturbed = tuple[Disturbance, Callable[[], int]]
"""What is done to a run, and how many bytes it took at most, if that is measured."""


@dataclass(frozen=True)
class Calm:
    """What the undisturbed run took: bytes of memory at most, and bytes that it wrote."""

    peak: int = 0
    written: int = 0


def main() -> None:
    """Grade the class under each disturbance and say what came of it."""
    options = _options()
    course = load_course(ROOT / "course.yml")
    class_ = hand_ins(course, options.learners)
    owed = due(class_, points_alone(course, class_))
    outcomes, calm = [], Calm()
    with tempfile.TemporaryDirectory(prefix="kata-load-") as name:
        place = Path(name)
        class_.write(place / "class")
        for which in NAMES:
            if options.only and which not in options.only:
                continue
            out = place / which.replace(" ", "-")
            started: list[int] = []
            try:
                with _disturbance(which, out, place, started, calm) as (disturbance, measured):
                    outcome = _graded(disturbance, place / "class", out, started, class_, owed)
                    if which == "undisturbed":
                        calm = Calm(measured(), sum(path.stat().st_size for path in out.rglob("*") if path.is_file()))
            except CannotDisturb as error:
                sys.exit(f"{which}: not tried. {error}.")
            outcomes.append(outcome)
            print(row(outcome), flush=True)
    if not all(outcome.holds for outcome in outcomes):
        sys.exit("Something above is not as it must be; no figures are written.")
    if options.json:
        report = {"seed": SEED, "peak_mb": round(calm.peak / 2**20), "outcomes": [asdict(each) for each in outcomes]}
        options.json.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", type=int, default=1000)
    parser.add_argument("--only", action="append", default=[], choices=NAMES)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


@contextlib.contextmanager
def _disturbance(which: str, out: Path, place: Path, started: list[int], calm: Calm) -> Iterator[Disturbed]:
    if which == "undisturbed":
        with measured_memory() as found:
            yield found
        return
    chosen = {
        "memory": lambda: memory_pressure(calm.peak),
        "full disk": lambda: full_disk(out, calm.written),
        "jumping clock": lambda: jumping_clock(place),
        "killed zygotes": lambda: killed_zygotes(started),
        "slow disk": slow_disk,
    }[which]
    with chosen() as disturbance:
        yield disturbance, lambda: 0


def _graded(
    disturbance: Disturbance,
    folder: Path,
    out: Path,
    started: list[int],
    class_: HandIns,
    owed: dict[str, dict[str, float]],
) -> Outcome:
    """Grade the class, going on as often as a disturbance ends it."""
    begun, said, runs = time.monotonic(), [], 0
    while runs < MOST_RUNS:
        command = [*disturbance.prefix, sys.executable, "-m", "grader", "grade-class", str(folder), "--out", str(out)]
        command += ["--course", str(ROOT / "course.yml"), "--isolation", "full", "--seed", str(SEED), *ids()]
        process = subprocess.Popen(
            command + ["--resume"] * bool(runs),
            cwd=ROOT,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200", **disturbance.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=disturbance.join,
        )
        started.append(process.pid)
        _, told = process.communicate(timeout=GIVE_UP_SECONDS)
        runs += 1
        said.append(told)
        if process.returncode == 0:
            break
        disturbance.between()
    return _compared(disturbance, class_, owed, out, runs, time.monotonic() - begun, said)


def _compared(
    disturbance: Disturbance,
    class_: HandIns,
    owed: dict[str, dict[str, float]],
    out: Path,
    runs: int,
    seconds: float,
    said: list[str],
) -> Outcome:
    results = out / "results.jsonl"
    records = [Record.from_json(line) for line in results.read_bytes().splitlines()] if results.exists() else []
    seen = Counter(record.submission for record in records)
    points = {record.submission: {each.id: each.points for each in record.exercises} for record in records}
    whole = {record.submission: record for record in records}
    attacks = [whole[name] for name in class_.hostile if name in whole]
    ungraded = [name for name, record in whole.items() if not record.complete]
    return Outcome(
        name=disturbance.name,
        happened=disturbance.happened(),
        learners=len(class_.answers),
        hostile=len(class_.hostile),
        runs=runs,
        seconds=round(seconds, 1),
        as_alone=sum(points.get(name) == due for name, due in owed.items()),
        honest=len(owed),
        lost=sum(name not in seen for name in class_.answers),
        twice=sum(count > 1 for count in seen.values()),
        attacks_with_full_points=sum(
            each.points == each.max_points for record in attacks for each in record.exercises if each.id == ATTACKED
        ),
        not_graded_and_not_named=sum(name not in said[-1] for name in ungraded),
        said=[line for told in said[:-1] for line in told.splitlines()[-1:]],
    )


if __name__ == "__main__":
    main()
