"""Time what a person waits for, as ratios within one run: `python benchmarks/run.py [--only PART ...] [--quick]`.

Absolute seconds depend on the machine and on what else it does; the ratios are what is compared from run to run. The
two sides of a ratio are measured in turns, so that a busy moment hits both. Commands are timed from start to end, in a
workspace and with a warm judge of their own.

    fork      a locked-down worker against a plain fork
    commands  what is typed, against importing torch: check, pytest, grade, a class of ten
    two       a class of two with wrong answers, against importing torch
    watch     from a save to the verdict, against a cold pytest
    play      from `kata play` to the first picture, against importing torch
    processor processor time of a class of forty, and of one exercise in a running class (needs root)
    release   making the learners' wheel
    class     classes of 20 and of 100 against stock nbgrader, start-up included (ten minutes)
"""

from __future__ import annotations

import itertools
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pexpect
from answers import SIX, class_of, right_answers, write_class, wrong_answers
from control_group import ControlGroup, control_group
from figures import ROOT, Table, options_of, tell
from rivals import Kata, Nbgrader

from grader.course import load_course
from grader.judge.grading import Judge
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import Bounds

BIN = Path(sys.executable).parent
COURSE = load_course(ROOT / "course.yml")
EXERCISE = "self_attention"
"""Checked by itself: of middling size, with a class, weights and gradients."""
UNTOUCHED = "multi_head_attention"
WATCHED = ("softmax", "self_attention", "multi_head_attention")
PLAYED = {"softmax": "Where the hidden letter", "multi_head_attention": "Head 1.2", "rotary": "Head 1.1"}
"""Exercises that can be played, and how the title of the first picture begins."""
SERVICE = "KATA_SERVICE"
ONLY_SIX = [part for id in SIX for part in ("--only", id)]
WAIT_SECONDS = 120

Environment = dict[str, str]
Run = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """One comparison, in milliseconds (medians). `faster`: the aim says how many times ours is faster, not slower.

    `other` is None where there is nothing to compare with.
    """

    what: str
    ours: float
    other: float | None
    aim: str
    faster: bool = False

    def cells(self) -> tuple[str, ...]:
        """As the table has it."""
        if self.other is None:
            return self.what, f"{self.ours:.1f}", "", "", self.aim
        ratio = self.other / self.ours if self.faster else self.ours / self.other
        return self.what, f"{self.ours:.1f}", f"{self.other:.1f}", f"{ratio:.2f}", self.aim


@dataclass(frozen=True)
class Counts:
    """How often each thing is measured (the median counts), and how large classes are."""

    forks: int = 60
    commands: int = 5
    saves: int = 15
    class_: int = 40
    against_nbgrader: tuple[int, ...] = (20, 100)


QUICK = Counts(forks=5, commands=1, saves=2, class_=2, against_nbgrader=(2,))


def milliseconds(action: Run) -> float:
    """How long it takes once."""
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def in_turns(count: int, *actions: Run) -> list[float]:
    """The median time of each action in milliseconds, measured in turns after one turn that does not count."""
    turns = [[milliseconds(action) for action in actions] for _ in range(count + 1)][1:]
    return [statistics.median(times) for times in zip(*turns, strict=True)]


def run(command: Sequence[object], folder: Path = ROOT, environment: Environment | None = None) -> None:
    """Run a command. Exits with what it said when it does not end well."""
    words = list(map(str, command))
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def import_torch() -> None:
    """What every command that computes pays."""
    run([sys.executable, "-c", "import torch"])


def fork(counts: Counts) -> Iterator[Row]:
    """A locked-down worker, ready for its source, against a plain fork of the same warm process."""
    with closing(Sandbox("full")) as full, closing(Sandbox("process")) as plain:
        full.await_ready()
        plain.await_ready()

        def one(sandbox: Sandbox) -> None:
            worker = sandbox.spawn(Bounds())
            worker.await_ready()
            worker.close()

        locked, forked = in_turns(counts.forks, lambda: one(full), lambda: one(plain))
    yield Row("fork with lock-down / plain fork", locked, forked, "≤ 1.2")


# --- commands -----------------------------------------------------------------------------------------------------


@contextmanager
def workspace() -> Iterator[tuple[Path, Environment]]:
    """A learner's folder, and the environment of a user whose warm judges, settings and progress end with it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        places = ("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
        environment = {**os.environ, **{place: str(folder / place.lower()) for place in places}, SERVICE: "1"}
        mine = folder / "mine"
        run([BIN / "kata", "init", mine, "--course", ROOT], ROOT, environment)
        try:
            yield mine, environment
        finally:
            subprocess.run([BIN / "kata", "doctor", "--stop-judges"], env=environment, capture_output=True, check=False)


def save(workspace: Path, id: str, source: str) -> Path:
    """Save an answer as an editor does: written beside, then moved into its place."""
    file = workspace / "exercises" / COURSE.exercise(id).relative_path
    beside = file.with_suffix(".tmp")
    beside.write_text(source, encoding="utf-8")
    os.replace(beside, file)
    return file


def reference(id: str) -> str:
    """The right answer of the course."""
    return right_answers(COURSE, COURSE.exercise(id))["reference"]


def grade_class(folder: Path, count: int, share_of_wrong: float) -> Run:
    """`kata grade-class` of so many learners with six exercises each, into a new folder each time."""
    write_class(folder / "class", class_of(COURSE, SIX, count, share_of_wrong))
    fresh = itertools.count()
    command = [BIN / "kata", "grade-class", folder / "class", *ONLY_SIX, "--out"]
    return lambda: run([*command, folder / f"out{next(fresh)}"])


def commands(counts: Counts) -> Iterator[Row]:
    """What is typed, against importing torch alone."""
    with workspace() as (mine, environment), tempfile.TemporaryDirectory() as name:
        file = save(mine, EXERCISE, reference(EXERCISE))
        cold = {**environment, SERVICE: "0"}
        check, untouched = [BIN / "kata", "check", EXERCISE], [BIN / "kata", "check", UNTOUCHED]
        pytest, whole = [BIN / "pytest", "-q", file], [BIN / "kata", "grade", "solutions", "--json", "-"]
        timed: dict[tuple[str, str], Run] = {
            ("whole submission, cold, full isolation", "≤ 2"): lambda: run(whole, ROOT, cold),
            ("a class of ten, six exercises each", "≤ 2500 ms on two cores"): grade_class(Path(name), 10, 0.15),
            ("kata check of one exercise, cold", "≤ 1.5"): lambda: run(check, mine, cold),
            ("kata check of one exercise, a judge kept warm", "≤ 0.29"): lambda: run(check, mine, environment),
            ("kata check of an untouched stub", "≤ 0.23"): lambda: run(untouched, mine, environment),
            ("pytest of one exercise, cold", ""): lambda: run(pytest, mine, cold),
            ("pytest of one exercise, a judge kept warm", "≤ 1200 ms"): lambda: run(pytest, mine, environment),
        }
        *ours, torch = in_turns(counts.commands, *timed.values(), import_torch)
        for (what, aim), took in zip(timed, ours, strict=True):
            yield Row(f"{what} / import torch", took, torch, aim)


def two(counts: Counts) -> Iterator[Row]:
    """A class of two, half of whose answers are wrong."""
    with tempfile.TemporaryDirectory() as name:
        ours, torch = in_turns(counts.commands, grade_class(Path(name), 2, 0.5), import_torch)
    yield Row("a class of two, six exercises each, half of them wrong / import torch", ours, torch, "≤ 2.2")


# --- in a terminal ------------------------------------------------------------------------------------------------

VERDICT = "Save a file to have it checked"
"""The last line of the watch's screen, written after the verdict."""


def watch(counts: Counts) -> Iterator[Row]:
    """From a save, as a learner has it in a terminal, until the verdict on this content is written; a cold pytest."""
    with workspace() as (mine, environment):
        options = {"cwd": str(mine), "env": environment, "dimensions": (50, 100), "encoding": "utf-8"}
        screen = pexpect.spawn(str(BIN / "kata"), ["watch"], **options)
        screen.expect_exact(VERDICT, timeout=WAIT_SECONDS)
        time.sleep(1)
        for id in WATCHED:
            wrong = next(iter(wrong_answers(COURSE, COURSE.exercise(id)).values()))
            for kind, source in (("right", reference(id)), ("wrong", wrong)):
                taken = [_saved(screen, mine, id, f"{source}\n# {number}\n") for number in range(counts.saves)]
                file = mine / "exercises" / COURSE.exercise(id).relative_path
                cold = milliseconds(lambda file=file: _cold_pytest(file, mine, environment))
                yield Row(f"save to verdict, {id}, {kind} / cold pytest", statistics.median(taken), cold, "≤ 100 ms")
        _end(screen)


def _saved(screen: pexpect.spawn, mine: Path, id: str, source: str) -> float:
    def until_verdict() -> None:
        save(mine, id, source)
        screen.expect_exact("Checking", timeout=WAIT_SECONDS)
        screen.expect_exact(VERDICT, timeout=WAIT_SECONDS)

    taken = milliseconds(until_verdict)
    time.sleep(0.3)  # a learner does not save without a pause
    return taken


def _end(screen: pexpect.spawn) -> None:
    screen.kill(signal.SIGKILL)
    screen.wait()


def _cold_pytest(file: Path, mine: Path, environment: Environment) -> None:
    command = [BIN / "pytest", "-q", file]
    subprocess.run(command, cwd=mine, env={**environment, SERVICE: "0"}, stdout=subprocess.DEVNULL, check=False)


def play(counts: Counts) -> Iterator[Row]:
    """From the command, in a terminal and with a judge kept warm, until the title of the first picture."""
    with workspace() as (mine, environment):
        options = {"cwd": str(mine), "env": {**environment, "NO_COLOR": "1"}, "dimensions": (60, 100)}
        for id, title in PLAYED.items():
            save(mine, id, reference(id))
            run([BIN / "kata", "check", id], mine, environment)

            def first_picture(id: str = id, title: str = title) -> None:
                screen = pexpect.spawn(str(BIN / "kata"), ["play", id], encoding="utf-8", **options)
                screen.expect_exact(title, timeout=WAIT_SECONDS)
                _end(screen)

            ours, torch = in_turns(counts.commands, first_picture, import_torch)
            yield Row(f"kata play {id}, to the first picture / import torch", ours, torch, "≤ 2000 ms")


# --- processor time -----------------------------------------------------------------------------------------------


def processor(counts: Counts) -> Iterator[Row]:
    """Processor time, from outside: of a whole class, and of judge and workers for an exercise in a running class."""
    with tempfile.TemporaryDirectory() as name, control_group() as group:
        write_class(Path(name, "class"), class_of(COURSE, SIX, counts.class_))
        grade = [BIN / "kata", "grade-class", Path(name, "class"), *ONLY_SIX, "--jobs", "2", "--out", Path(name, "out")]
        with ProcessPoolExecutor(1, get_context("spawn"), initializer=group.join) as pool:
            pool.submit(os.getpid).result()  # it has started
            before = group.cpu_seconds()
            pool.submit(run, grade).result()
            whole = group.cpu_seconds() - before
            judge, worker = pool.submit(_one_exercise, group, counts.class_).result()
    yield Row(f"processor time of a class of {counts.class_}, six exercises each, --jobs 2", whole * 1000, None, "")
    yield Row("one exercise in a running class, processor time: judge / worker", judge * 1000, worker * 1000, "")


def _one_exercise(group: ControlGroup, count: int) -> tuple[float, float]:
    """In a process of the group: seconds of the judge and of all else for one exercise, in a class half graded."""
    learners = class_of(COURSE, SIX, 2 * count)
    judge = Judge(COURSE, "full", 1, SIX)
    try:
        judge.grade((each.submission() for each in learners[:count]), lambda record: None)
        mine, all_ = time.process_time(), group.cpu_seconds()
        judge.grade((each.submission() for each in learners[count:]), lambda record: None)
        mine, all_ = time.process_time() - mine, group.cpu_seconds() - all_
    finally:
        judge.close()
    return mine / count / len(SIX), (all_ - mine) / count / len(SIX)


# --- the rest -----------------------------------------------------------------------------------------------------


def release(counts: Counts) -> Iterator[Row]:
    """Making the wheel that learners get, once of each kind."""
    for kind, aim in (("--with-answers", "≤ 15 s"), ("--without-answers", "≤ 90 s")):
        with tempfile.TemporaryDirectory() as folder:
            command = [BIN / "kata", "release", "--out", folder, kind, *(ONLY_SIX if counts is QUICK else [])]
            yield Row(f"kata release {kind}", milliseconds(lambda command=command: run(command)), None, aim)


def class_(counts: Counts) -> Iterator[Row]:
    """Each tool grades the whole class: ours before and after nbgrader, whose tests do less (benchmarks/rivals.py)."""
    for count, aim in zip(counts.against_nbgrader, ("≥ 12", "≥ 22"), strict=False):
        learners = class_of(COURSE, SIX, count)
        with tempfile.TemporaryDirectory() as name:
            seconds = []
            for number, tool in enumerate((Kata, Nbgrader, Kata)):
                folder = Path(name, str(number))
                made = tool(COURSE, SIX)
                made.prepare(folder)
                made.hand_in(folder, learners)
                seconds.append(made.grade(folder))
        ours = (seconds[0] + seconds[2]) / 2
        what = f"six exercises, a class of {count}: nbgrader / ours"
        yield Row(what, ours * 1000, seconds[1] * 1000, f"{aim} times faster", faster=True)


PARTS: dict[str, Callable[[Counts], Iterator[Row]]] = {
    **{"fork": fork, "commands": commands, "two": two, "watch": watch, "play": play},
    **{"processor": processor, "release": release, "class": class_},
}


def main() -> None:
    """Measure the chosen parts and print the table."""
    parser = options_of(__doc__, "everything once")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="only these parts")
    options = parser.parse_args()
    rows = []
    for part in options.only:
        print(f"  {part} …", file=sys.stderr, flush=True)
        rows += [row.cells() for row in PARTS[part](QUICK if options.quick else Counts())]
    tell(Table(("what", "ours (ms)", "other (ms)", "ratio", "aim"), rows), options.json)


if __name__ == "__main__":
    main()
