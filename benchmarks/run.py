"""Time what a person waits for, as ratios within one run: `python benchmarks/run.py [--quick] [--json FILE]`.

Absolute seconds depend on the machine and on what else it does; the ratios are what is compared from run to run. The
two sides of a ratio are measured in turns, so that a busy moment hits both. Commands are timed from start to end, in a
workspace and with a warm judge of their own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks" / "rivals"))

from hand_ins import SIX, HandIn, Kind, class_of, write_class  # noqa: E402

from grader.course import Course, load_course  # noqa: E402
from grader.intake import SourceFile, Submission  # noqa: E402
from grader.judge.grading import MANY, Judge  # noqa: E402
from grader.sandbox.sandbox import Sandbox  # noqa: E402
from grader.sandbox.worker import Bounds  # noqa: E402

BIN = Path(sys.executable).parent
EXERCISE = "self_attention"
"""Checked by itself: of middling size, with a class, weights and gradients."""
UNTOUCHED = "multi_head_attention"
TRAINED = "tiny_gpt"
"""Trains models: that takes the same time whoever asks for it."""
SERVICE = "KATA_SERVICE"
Environment = dict[str, str]


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


@dataclass(frozen=True)
class Counts:
    """How often each thing is measured; the median counts."""

    forks: int = 60
    commands: int = 5
    learners: int = 6


QUICK = Counts(forks=5, commands=1, learners=1)


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


def fork_and_lock(counts: Counts) -> list[Row]:
    """A locked-down worker, ready for its source, against a plain fork of the same warm process."""
    with Sandbox("full") as full, Sandbox("process") as plain:
        full.await_ready()
        plain.await_ready()

        def one(sandbox: Sandbox) -> None:
            worker = sandbox.spawn(Bounds())
            worker.await_ready()
            worker.close()

        locked, forked = in_turns(counts.forks, lambda: one(full), lambda: one(plain))
    return [Row("fork with lock-down / plain fork", locked, forked, "≤ 1.2")]


# --- commands -----------------------------------------------------------------------------------------------------


def commands(counts: Counts) -> list[Row]:
    """What is typed, against importing torch alone."""
    with tempfile.TemporaryDirectory() as name, _own_judge(Path(name)) as environment:
        folder = Path(name)
        mine = folder / "mine"
        _run([BIN / "kata", "init", mine, "--course", ROOT], ROOT, environment)
        file = _solved(mine)
        six = folder / "six"
        course = load_course(ROOT / "course.yml")
        write_class(six, class_of(course, [course.exercise(id) for id in SIX], 10))
        only = [part for id in SIX for part in ("--only", id)]
        fresh = itertools.count()

        def grade_class() -> None:
            out = folder / f"out{next(fresh)}"
            _run([BIN / "kata", "grade-class", six, "--out", out, *only], ROOT, environment)

        cold = {**environment, SERVICE: "0"}
        check, untouched = [BIN / "kata", "check", EXERCISE], [BIN / "kata", "check", UNTOUCHED]
        pytest, whole = [BIN / "pytest", "-q", file], [BIN / "kata", "grade", "solutions", "--json", "-"]
        timed: dict[tuple[str, str], Callable[[], object]] = {
            ("whole submission, cold, full isolation", "≤ 2"): lambda: _run(whole, ROOT, cold),
            ("a class of ten, six exercises each", "≤ 2500 ms on two cores"): grade_class,
            ("kata check of one exercise, cold", "≤ 1.5"): lambda: _run(check, mine, cold),
            ("kata check of one exercise, a judge kept warm", "≤ 500 ms"): lambda: _run(check, mine, environment),
            ("kata check of an untouched stub", "loads no torch"): lambda: _run(untouched, mine, environment),
            ("pytest of one exercise, cold", ""): lambda: _run(pytest, mine, cold),
            ("pytest of one exercise, a judge kept warm", "≤ 1200 ms"): lambda: _run(pytest, mine, environment),
        }
        *ours, torch = in_turns(
            counts.commands, *timed.values(), lambda: _run([sys.executable, "-c", "import torch"], ROOT, environment)
        )
        return [Row(f"{what} / import torch", took, torch, aim) for (what, aim), took in zip(timed, ours, strict=True)]


def _solved(workspace: Path) -> Path:
    """The workspace's file for one exercise, with the right answer in it."""
    (file,) = (workspace / "exercises").glob(f"*/??_{EXERCISE}.py")
    (solution,) = (ROOT / "solutions").glob(f"*/{file.name}")
    file.write_text(solution.read_text(encoding="utf-8"), encoding="utf-8")
    return file


@contextmanager
def _own_judge(folder: Path) -> Iterator[Environment]:
    """The environment of a user whose warm judges, settings and progress are in this folder, and end with it."""
    places = {name: str(folder / name.lower()) for name in ("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    environment = {**os.environ, **places, SERVICE: "1"}
    try:
        yield environment
    finally:
        subprocess.run([BIN / "kata", "doctor", "--stop-judges"], env=environment, capture_output=True, check=False)


def _run(command: Sequence[str | Path], folder: Path, environment: Environment) -> None:
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)


# --- a class in a judge that is warm ------------------------------------------------------------------------------


def warm_classes(counts: Counts) -> list[Row]:
    """A submission more in a class, behind the wall against the same questions answered in the judge's own process."""
    course = load_course(ROOT / "course.yml")
    return [_warm_class(course, counts, kind) for kind in ("written", "unlike")]


def _warm_class(course: Course, counts: Counts, kind: Kind) -> Row:
    exercises = [exercise for exercise in course.exercises if exercise.id != TRAINED]
    class_ = [_submission(each) for each in class_of(course, exercises, counts.learners, kind)]
    ids = [exercise.id for exercise in exercises]
    walled, bare = Judge(course, "full", 1, ids), Judge(course, "none", 1, ids)
    try:
        for judge in (walled, bare):  # what everybody is asked is worked out, and all that torch loads late is there
            judge.grade(class_ * max(1, -(-MANY // len(class_))), lambda record: None)
        sides: list[list[float]] = [[], []]
        for submission in class_:
            for judge, taken in zip((walled, bare), sides, strict=True):
                started = time.perf_counter()
                judge.grade([submission], lambda record: None)
                taken.append((time.perf_counter() - started) * 1000)
    finally:
        walled.close()
        bare.close()
    told = {"written": "answers as learners write them", "unlike": "no two answers alike"}[kind]
    ours, other = (statistics.mean(taken) for taken in sides)
    return Row(f"one submission more in a class, {told}: full isolation / no wall", ours, other, "≤ 1.6")


def _submission(hand_in: HandIn) -> Submission:
    sources = {id: SourceFile(id, f"{id}.py", text.encode("utf-8")) for id, text in hand_in.sources.items()}
    return Submission(hand_in.learner, sources, ())


PARTS: dict[str, Callable[[Counts], list[Row]]] = {
    "fork": fork_and_lock,
    "commands": commands,
    "classes": warm_classes,
}


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | ours (ms) | other (ms) | ratio | aim |", "|---|---|---|---|---|"]
    lines += [f"| {row.what} | {row.ours:.1f} | {row.other:.1f} | {row.ratio:.2f} | {row.aim} |" for row in rows]
    return "\n".join(lines)


def main() -> None:
    """Measure everything, print the table and, if asked, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="everything once: to see that it runs")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="only these parts")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    counts = QUICK if options.quick else Counts()
    rows = [row for part in options.only for row in PARTS[part](counts)]
    print(table(rows))
    if options.json:
        figures = {"load_before": load, "rows": [{**asdict(row), "ratio": row.ratio} for row in rows]}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
