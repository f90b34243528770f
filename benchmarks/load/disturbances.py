"""What happens to a run: memory runs out, the disk is full or slow, the clock jumps, zygotes are killed."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MEMORY_CGROUPS = Path("/sys/fs/cgroup/memory")
EATEN_SHARE = 0.4
"""Of the memory that the undisturbed run took at most: so much is eaten for a moment, again and again."""
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
SHARE_OF_DISK = 0.5
"""Of what the undisturbed run wrote: so much room there is at first."""
ROOM_AGAIN_BYTES = 200_000_000
JUMPS = ("+0", "+1d", "-3h", "+400d", "-20d")
JUMP_EVERY_SECONDS = 2.0
UNMOVED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (clock < 0) return syscall(SYS_clock_gettime, clock, now);  /* the processor clock of some process */
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return next(clock, now);
}
"""
KILL_EVERY_SECONDS = (2.0, 6.0)
WORKING_AFTER_SECONDS = 5.0
"""A zygote that has just begun is left alone: else on a busy machine none would ever get ready."""
SLOW_MICROSECONDS = 100_000
ZYGOTE = b"inside.zygote"


class CannotDisturb(Exception):
    """This machine lacks what a disturbance needs; the text says what."""


@dataclass
class Disturbance:
    """How a run is begun and what is done to it meanwhile; `happened` tells in words what was done in the end."""

    name: str
    prefix: Sequence[str] = ()
    environment: dict[str, str] = field(default_factory=dict)
    join: Callable[[], None] | None = None
    between: Callable[[], None] = lambda: None
    happened: Callable[[], str] = lambda: ""


@contextlib.contextmanager
def measured_memory() -> Iterator[tuple[Disturbance, Callable[[], int]]]:
    """Nothing happens; the second says how many bytes the run took at most."""
    with _memory_group() as group:
        nothing = Disturbance("undisturbed", join=lambda: _join(group))
        yield nothing, lambda: int((group / "memory.max_usage_in_bytes").read_text())


@contextlib.contextmanager
def memory_pressure(peak: int) -> Iterator[Disturbance]:
    """Only as much memory as the undisturbed run took at most, and something else eats a part of it at times."""
    if not peak:
        raise CannotDisturb("how much memory a run takes undisturbed is measured first; ask for both")
    with _memory_group() as group:
        (group / "memory.limit_in_bytes").write_text(str(peak))
        command = [sys.executable, "-c", EATER, str(int(peak * EATEN_SHARE))]
        eater = subprocess.Popen(command, preexec_fn=lambda: _join(group))

        def happened() -> str:
            told = dict(line.split() for line in (group / "memory.oom_control").read_text().splitlines())
            eaten = f"{peak / 2**20:,.0f} MB in all, at times {EATEN_SHARE:.0%} of them gone"
            return f"{eaten}; the system killed {told.get('oom_kill', 'an unknown number of')} processes"

        try:
            yield Disturbance("memory", join=lambda: _join(group), happened=happened)
        finally:
            eater.kill()
            eater.wait()


@contextlib.contextmanager
def _memory_group() -> Iterator[Path]:
    if not MEMORY_CGROUPS.is_dir() or os.getuid():
        raise CannotDisturb("memory is bounded with a version 1 control group, by root")
    group = MEMORY_CGROUPS / f"kata-load-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()


def _join(group: Path) -> None:
    (group / "cgroup.procs").write_text(str(os.getpid()))


@contextlib.contextmanager
def full_disk(out: Path, written: int) -> Iterator[Disturbance]:
    """OUT on a file system that is full long before the class is graded, and gets room before the run goes on."""
    if os.getuid():
        raise CannotDisturb("a small file system is mounted, by root")
    if not written:
        raise CannotDisturb("how much the run writes undisturbed is measured first; ask for both")
    room = int(written * SHARE_OF_DISK)
    out.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={room}", "kata-load", str(out)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        raise CannotDisturb("a small file system cannot be mounted here")
    rooms = []

    def between() -> None:
        rooms.append(shutil.disk_usage(out).free)
        subprocess.run(["mount", "-o", f"remount,size={ROOM_AGAIN_BYTES}", str(out)], check=True)

    try:
        yield Disturbance(
            "full disk",
            between=between,
            happened=lambda: (
                f"{room / 1e6:.1f} MB of disk at first, {rooms[0] if rooms else '?'} bytes free at the stop"
            ),
        )
    finally:
        subprocess.run(["umount", str(out)], check=False)


@contextlib.contextmanager
def jumping_clock(folder: Path) -> Iterator[Disturbance]:
    """The wall clock of the run jumps by hours and days, forward and back."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        raise CannotDisturb("the clock jumps by the Debian package faketime")
    unmoved = _unmoved_processor_clocks(folder)
    script = folder / "clock"
    script.write_text(JUMPS[0])
    jumps = 0
    ended = threading.Event()

    def jump() -> None:
        nonlocal jumps
        while not ended.wait(JUMP_EVERY_SECONDS):
            jumps += 1
            script.write_text(JUMPS[jumps % len(JUMPS)])

    environment = {
        "LD_PRELOAD": f"{unmoved} {found[0]}",
        "FAKETIME_TIMESTAMP_FILE": str(script),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    with _meanwhile(jump, ended):
        told = f"by up to {max(JUMPS, key=len)}"
        yield Disturbance("jumping clock", environment=environment, happened=lambda: f"{jumps} jumps {told}")


def _unmoved_processor_clocks(folder: Path) -> Path:
    """A library to load before faketime, which moves the processor clocks of other processes too: no real jump does."""
    if not shutil.which("cc"):
        raise CannotDisturb("the clock jumps with a C compiler, cc, at hand")
    source, library = folder / "unmoved.c", folder / "unmoved.so"
    source.write_text(UNMOVED)
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    return library


@contextlib.contextmanager
def killed_zygotes(roots: Sequence[int]) -> Iterator[Disturbance]:
    """Every few seconds one of the zygotes below the run's process (the last of `roots`) is killed."""
    chance = random.Random(3)
    killed = 0
    seen: dict[int, float] = {}
    ended = threading.Event()

    def kill() -> None:
        nonlocal killed
        while not ended.wait(chance.uniform(*KILL_EVERY_SECONDS)):
            there = [pid for pid in descendants(roots[-1]) if ZYGOTE in _command(pid)] if roots else []
            now = time.monotonic()
            working = [pid for pid in there if now - seen.setdefault(pid, now) > WORKING_AFTER_SECONDS]
            if working:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(working), signal.SIGKILL)
                    killed += 1

    with _meanwhile(kill, ended):
        yield Disturbance("killed zygotes", happened=lambda: f"{killed} zygotes killed")


@contextlib.contextmanager
def slow_disk() -> Iterator[Disturbance]:
    """Each time that the run waits for the disk it waits a tenth of a second longer."""
    if not shutil.which("strace"):
        raise CannotDisturb("the disk is slowed down by strace")
    calls = "fsync,fdatasync,rename,renameat,renameat2"
    prefix = ["strace", "-qq", "-o", os.devnull, "-e", f"trace={calls}"]
    prefix += ["-e", f"inject={calls}:delay_enter={SLOW_MICROSECONDS}"]
    yield Disturbance(
        "slow disk", prefix=prefix, happened=lambda: f"{SLOW_MICROSECONDS / 1e6:g} s longer for each wait"
    )


@contextlib.contextmanager
def _meanwhile(what: Callable[[], None], ended: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=what, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def descendants(pid: int) -> list[int]:
    """All processes below this one, as far as they can still be seen."""
    found, open_ = [], [pid]
    while open_:
        for task in Path(f"/proc/{open_.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                children = [int(child) for child in task.read_text().split()]
                found += children
                open_ += children
    return found


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
