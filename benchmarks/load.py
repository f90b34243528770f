"""A large class, disturbed: `python benchmarks/load.py [--learners 200] [--only NAME ...] [--json FILE]`.

One learner in twenty attacks. Whatever happens to the machine meanwhile, every honest learner must get the points that
the same answers get alone, nobody may be lost or graded twice, no attack may pass, and what could not be graded must be
named. A run that a disturbance ends goes on with `--resume`. Status 1 if anything of that does not hold.

    undisturbed     nothing happens; how much memory and disk it takes is what the next two allow a part of
    memory          only so much, and something else eats two fifths of it again and again
    full disk       half of the room that the results take, and more before the run goes on
    killed zygotes  one is killed every few seconds
    slow disk       each time that the run waits for the disk it waits a tenth of a second longer (strace)

Wants root, for control groups of version 1 and for a small file system.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from answers import Learner, class_of, write_class
from control_group import ControlGroup, control_group
from figures import ROOT, Table, options_of, tell

from grader.course import Course, load_course
from grader.judge.grading import Judge
from grader.record import Record

sys.path.insert(0, str(ROOT))

from tests.attacks.hostile_files import corpus

EXERCISES = ("softmax", "causal_mask", "split_heads", "repeat_kv")
ATTACKED = "softmax"
"""The exercise for which most files of tests/attacks/corpus were written."""
HOSTILE_SHARE, WRONG_SHARE = 0.05, 0.3
SEED = 20
MOST_RUNS = 12
EATEN_SHARE, SHARE_OF_DISK = 0.4, 0.5
ROOM_AGAIN_BYTES = 200_000_000
KILL_EVERY_SECONDS = (2.0, 6.0)
SLOW_MICROSECONDS = 100_000
EATER = """
import sys, time
open("/proc/self/oom_score_adj", "w").write("-1000")
while True:
    eaten = bytearray(int(sys.argv[1]))
    eaten[::4096] = bytes([1]) * len(eaten[::4096])
    time.sleep(2)
    del eaten
    time.sleep(6)
"""

# --- the class ----------------------------------------------------------------------------------------------------

Points = dict[str, dict[str, float]]
"""By learner and exercise."""


@dataclass
class Class:
    """Who hands in what, and who is hostile; what each honest answer gets when nothing else happens."""

    learners: list[Learner]
    hostile: set[str]
    due: Points = field(default_factory=dict)


def made_class(course: Course, count: int) -> Class:
    """The same class for the same number of learners, graded once undisturbed."""
    chance = random.Random(SEED)
    attacks = [each.source.decode() for each in corpus() if (each.exercise, each.status) == (ATTACKED, "failed")]
    made = Class(class_of(course, EXERCISES, count, WRONG_SHARE), set())
    for learner in made.learners:
        if chance.random() < HOSTILE_SHARE:
            made.hostile.add(learner.name)
            learner.sources[ATTACKED] = chance.choice(attacks) + f"\n# {learner.name}\n"
    honest = [each for each in made.learners if each.name not in made.hostile]
    judge = Judge(course, "full", SEED, EXERCISES)
    try:
        judge.grade((each.submission() for each in honest), lambda record: made.due.update(points_of(record)))
    finally:
        judge.close()
    return made


def points_of(record: Record) -> Points:
    """A learner's points."""
    return {record.submission: {each.id: each.points for each in record.exercises}}


# --- what happens to a run ----------------------------------------------------------------------------------------


@dataclass
class Disturbance:
    """How a run is begun, and what is done before it goes on; `happened` tells in words what was done in the end."""

    prefix: Sequence[str] = ()
    between: Callable[[], None] = lambda: None
    happened: Callable[[], str] = lambda: "nothing"


@dataclass
class Place:
    """Where a class is graded, and what it took undisturbed: bytes of memory at most, and bytes that it wrote."""

    folder: Path
    group: ControlGroup
    out: Path
    running: list[int] = field(default_factory=list)
    peak: int = 0
    written: int = 0


@contextmanager
def undisturbed(place: Place) -> Iterator[Disturbance]:
    """Measure what the next two allow a part of."""
    yield Disturbance()
    place.peak = place.group.peak_bytes()
    place.written = sum(path.stat().st_size for path in place.out.rglob("*") if path.is_file())


@contextmanager
def memory(place: Place) -> Iterator[Disturbance]:
    """As much as the undisturbed run took at most, of which something else eats a part at times."""
    place.group.limit(place.peak)
    command = [sys.executable, "-c", EATER, str(int(place.peak * EATEN_SHARE))]
    eater = subprocess.Popen(command, preexec_fn=place.group.join)
    what = f"{place.peak / 2**20:,.0f} MB in all, at times {EATEN_SHARE:.0%} of them gone"
    try:
        yield Disturbance(happened=lambda: f"{what}; the system killed {place.group.killed()} processes")
    finally:
        eater.kill()
        eater.wait()


@contextmanager
def full_disk(place: Place) -> Iterator[Disturbance]:
    """OUT on a file system that is full long before the class is graded, and gets room before the run goes on."""
    room, free = int(place.written * SHARE_OF_DISK), [0]
    place.out.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "kata-load", place.out], check=True)

    def between() -> None:
        free[0] = shutil.disk_usage(place.out).free
        subprocess.run(["mount", "-o", f"remount,size={ROOM_AGAIN_BYTES}", place.out], check=True)

    try:
        what = f"{room / 1e6:.1f} MB of disk at first"
        yield Disturbance(between=between, happened=lambda: f"{what}, {free[0]} bytes free at the stop")
    finally:
        subprocess.run(["umount", place.out], check=False)


@contextmanager
def killed_zygotes(place: Place) -> Iterator[Disturbance]:
    """Every few seconds one of the zygotes below the run's process is killed."""
    chance, killed, ended = random.Random(3), [0], threading.Event()

    def kill() -> None:
        while not ended.wait(chance.uniform(*KILL_EVERY_SECONDS)):
            with suppress(IndexError, psutil.Error, ProcessLookupError):
                os.kill(chance.choice(working_zygotes(place.running[-1])), signal.SIGKILL)
                killed[0] += 1

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        yield Disturbance(happened=lambda: f"{killed[0]} zygotes killed")
    finally:
        ended.set()
        thread.join()


def working_zygotes(root: int) -> list[int]:
    """The zygotes below a process that have a worker: of those that have just begun none would ever get ready."""
    found = []
    for process in psutil.Process(root).children(recursive=True):
        with suppress(psutil.Error):
            is_zygote = process.name() != "bwrap" and "inside.zygote" in " ".join(process.cmdline())
            if is_zygote and process.children():
                found.append(process.pid)
    return found


@contextmanager
def slow_disk(place: Place) -> Iterator[Disturbance]:
    """Each call that waits for the disk is held up by strace."""
    calls = "fsync,fdatasync,rename,renameat,renameat2"
    delay = f"inject={calls}:delay_enter={SLOW_MICROSECONDS}"
    prefix = ["strace", "-qq", "-o", os.devnull, "-e", f"trace={calls}", "-e", delay]
    yield Disturbance(prefix, happened=lambda: f"{SLOW_MICROSECONDS / 1e6:g} s longer for each wait")


DISTURBANCES = {
    "undisturbed": undisturbed,
    "memory": memory,
    "full disk": full_disk,
    "killed zygotes": killed_zygotes,
    "slow disk": slow_disk,
}

# --- a run and what came of it ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What came of one class. `runs`: the first and each that went on; `as_alone`: who got what is due."""

    runs: int
    seconds: float
    as_alone: int
    lost: int
    twice: int
    passed_attacks: int
    unnamed: int
    """Not graded, and not named in the run's last words."""

    def holds(self, class_: Class) -> bool:
        """Whether nobody was harmed and nothing lost."""
        harm = self.lost + self.twice + self.passed_attacks + self.unnamed
        return self.as_alone == len(class_.due) and not harm


def graded(disturbance: Disturbance, place: Place, class_: Class) -> Outcome:
    """Grade the class, going on as often as a disturbance ends it."""
    begun, said, runs = time.monotonic(), "", 0
    command = [*disturbance.prefix, sys.executable, "-m", "grader", "grade-class", str(place.folder / "class")]
    command += ["--out", str(place.out), "--course", str(ROOT), "--seed", str(SEED)]
    command += [part for id in EXERCISES for part in ("--only", id)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    while runs < MOST_RUNS:
        process = subprocess.Popen(
            command + ["--resume"] * bool(runs), cwd=ROOT, env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, preexec_fn=place.group.join,
        )  # fmt: skip
        place.running.append(process.pid)
        _, said = process.communicate()
        runs += 1
        if process.returncode == 0:
            break
        disturbance.between()
    return outcome(place.out / "results.jsonl", class_, said, runs, time.monotonic() - begun)


def outcome(results: Path, class_: Class, said: str, runs: int, seconds: float) -> Outcome:
    """Compare the results with what is due."""
    records = [Record.from_json(line) for line in results.read_bytes().splitlines()] if results.exists() else []
    seen = Counter(record.submission for record in records)
    points = {learner: own for record in records for learner, own in points_of(record).items()}
    attacked = [each for record in records if record.submission in class_.hostile for each in record.exercises]
    return Outcome(
        runs,
        seconds,
        as_alone=sum(points.get(name) == due for name, due in class_.due.items()),
        lost=sum(each.name not in seen for each in class_.learners),
        twice=sum(count > 1 for count in seen.values()),
        passed_attacks=sum(each.id == ATTACKED and each.points == each.max_points for each in attacked),
        unnamed=sum(not record.complete and record.submission not in said for record in records),
    )


def row(name: str, happened: str, outcome: Outcome) -> tuple[str, ...]:
    """One line of the table, of a class that was not harmed."""
    times = outcome.runs - 1
    return name, happened, f"{times} time{'s' * (times > 1)}" if times else "never", f"{outcome.seconds:.0f}"


def main() -> None:
    """Grade the class under each disturbance and say what came of it."""
    parser = options_of(__doc__)
    parser.add_argument("--learners", type=int, default=200)
    parser.add_argument("--only", nargs="+", default=list(DISTURBANCES), choices=DISTURBANCES)
    options = parser.parse_args()
    if options.only[0] != "undisturbed":
        parser.error("undisturbed comes first: the others allow a part of what it takes")
    class_, rows, harmed = made_class(load_course(ROOT / "course.yml"), options.learners), [], []
    with tempfile.TemporaryDirectory(prefix="kata-load-") as name:
        write_class(Path(name, "class"), class_.learners)
        peak = written = 0
        for which in options.only:
            with control_group() as group:
                place = Place(Path(name), group, Path(name, which.replace(" ", "-")), [], peak, written)
                with DISTURBANCES[which](place) as disturbance:
                    came = graded(disturbance, place, class_)
                rows.append(row(which, disturbance.happened(), came))
            peak, written = place.peak, place.written
            print(*rows[-1], came, sep=" | ", file=sys.stderr, flush=True)
            harmed += [which] * (not came.holds(class_))
    if harmed:
        sys.exit(f"Not as it must be: {', '.join(harmed)}.")
    note = (
        f"{len(class_.learners)} learners. All {len(class_.due)} honest ones got the points that they get alone, "
        f"none of the {len(class_.hostile)} attacks passed, nobody was lost or graded twice. "
        f"Undisturbed it took {peak >> 20} MB."
    )
    tell(Table(("what", "what happened", "stopped", "seconds"), rows, note), options.json)


if __name__ == "__main__":
    main()
