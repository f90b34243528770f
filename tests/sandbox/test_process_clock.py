"""A busy machine must not fail a right answer: time without a processor does not count."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.sandbox.clock import ProcessClock, clock_of_child

BUSY = "while True: pass"
ONE_CORE = {min(os.sched_getaffinity(0))}


@pytest.fixture
def spinning() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Three processes that share one core."""
    command = [sys.executable, "-S", "-c", f"import os; os.sched_setaffinity(0, {ONE_CORE!r})\n{BUSY}"]
    processes = [subprocess.Popen(command) for _ in range(3)]
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_a_process_that_shares_its_core_has_waited(spinning: list[subprocess.Popen[bytes]]) -> None:
    clock = clock_of_child(spinning[0].pid)
    started = time.monotonic()
    while clock.waited() < 0.2:
        assert time.monotonic() - started < 30
        time.sleep(0.05)
    assert clock.waited() <= time.monotonic() - started + 5  # never more than the time that has passed since its start


def test_a_process_that_sleeps_has_not_waited() -> None:
    process = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    try:
        clock = clock_of_child(process.pid)
        time.sleep(0.5)
        before = clock.waited()
        time.sleep(1.0)
        assert clock.waited() - before < 0.1
    finally:
        process.kill()
        process.wait()


def test_what_was_counted_stays_when_the_process_has_ended(spinning: list[subprocess.Popen[bytes]]) -> None:
    clock = clock_of_child(spinning[0].pid)
    time.sleep(0.5)
    before = clock.waited()
    spinning[0].kill()
    spinning[0].wait()
    assert clock.waited() >= before > 0


def test_nothing_is_counted_of_no_process() -> None:
    clock = ProcessClock()
    assert clock.waited() == clock.worked() == clock.kept_waiting(60.0) == 0.0


def test_all_threads_of_a_process_have_worked_and_sleep_is_no_work() -> None:
    code = "import threading, hashlib, time\nsum(range(10**7))\ntime.sleep(60)"
    process = subprocess.Popen([sys.executable, "-S", "-c", code])
    try:
        clock = clock_of_child(process.pid)
        started = time.monotonic()
        while clock.worked() < 0.1:
            assert time.monotonic() - started < 30
            time.sleep(0.05)
        time.sleep(1.0)
        before = clock.worked()
        time.sleep(0.5)
        assert clock.worked() - before < 0.1
    finally:
        process.kill()
        process.wait()


STARVED_BY_ITSELF = f"""
import hashlib, os, threading
os.sched_setaffinity(0, {ONE_CORE!r})
data = bytes(1 << 24)
for _ in range(8):
    threading.Thread(target=lambda: [hashlib.sha256(data) for _ in range(10**6)], daemon=True).start()
{BUSY}
"""


def test_what_own_threads_take_from_the_first_is_not_the_machines_fault() -> None:
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, "-S", "-c", STARVED_BY_ITSELF])
    try:
        clock = clock_of_child(process.pid)
        while clock.waited() < 1.0:
            assert time.monotonic() - started < 60
            time.sleep(0.1)
        lived = time.monotonic() - started
        # other processes of this machine may really have kept it from running, but never for all of that time
        assert clock.kept_waiting(lived) <= lived - clock.worked() + 0.1
        assert clock.worked() > 0.0
    finally:
        process.kill()
        process.wait()


BURNS = """\
import time

def share(amounts):
    until = time.process_time() + 0.5
    while time.process_time() < until:
        pass
    return amounts / amounts.sum(-1, keepdim=True)
"""


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_a_right_answer_passes_however_busy_the_machine_is(
    tiny_course: Path, spinning: list[subprocess.Popen[bytes]]
) -> None:
    text = (tiny_course / "course.yml").read_text()
    # Half a second of work takes 2 seconds and more beside three that spin; as much again as the limit is credited.
    limits = "limits:\n  request_seconds: 1.9\n  seconds: 5.9\n"
    (tiny_course / "course.yml").write_text(text.replace("documents:", f"{limits}documents:", 1))
    (tiny_course / "share.py").write_text(BURNS)
    kata = Path(sys.executable).with_name("kata")
    crowd = f"import os; os.sched_setaffinity(0, {ONE_CORE!r}); os.execv({str(kata)!r}, ['kata', *os.sys.argv[1:]])"

    done = subprocess.run(
        [sys.executable, "-c", crowd, "grade", "share.py", "--only", "share", "--isolation", "process"],
        cwd=tiny_course,
        capture_output=True,
        text=True,
        timeout=200,
    )

    assert "4 of 4 points" in done.stdout, done.stdout + done.stderr
