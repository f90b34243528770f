"""What an exercise and a submission may take: processor time, and three times as much wall time."""

import os
import subprocess
import sys
import time

import pytest

from grader.sandbox.worker import WALL_PER_PROCESSOR_SECOND, Budget, processor_seconds

SECONDS = 30


@pytest.mark.parametrize(
    ("used", "left"),
    [((0.0, 0.0), 8.0), ((1.0, 1.0), 7.0), ((8.0, 1.0), 0.0), ((9.0, 9.0), -1.0), ((1.0, 23.0), 1.0), ((0.0, 25.0), -1.0)],
    ids=["nothing", "some work", "all work", "more than all", "mostly waiting", "waiting for too long"],
)  # fmt: skip
def test_what_is_left_is_what_runs_out_first(used, left):
    assert WALL_PER_PROCESSOR_SECOND == 3.0
    assert Budget(8.0).left(*used) == (left, "exercise time")
    charged = Budget(8.0)
    charged.charge(*used)
    assert charged.left() == (left, "exercise time")


def test_exercises_of_one_submission_share_what_it_has():
    whole = Budget(10.0, "submission time")
    first, second = (Budget(8.0, whole=whole) for _ in range(2))
    first.charge(7.0, 7.0)
    assert first.left() == (1.0, "exercise time")
    assert second.left() == (3.0, "submission time")
    second.charge(3.0, 3.0)
    assert second.left() == (0.0, "submission time") and (whole.worked, whole.passed) == (10.0, 10.0)


def child(code):
    return subprocess.Popen([sys.executable, "-S", "-c", code])


def test_all_threads_of_a_process_work_and_sleep_is_no_work():
    code = "import hashlib, threading, time\nfor _ in range(2): threading.Thread(target=hashlib.pbkdf2_hmac, args=('sha256', b'', b'', 2 * 10**6)).start()\ntime.sleep(60)"
    with child(code) as process:
        started = time.monotonic()
        while processor_seconds(process.pid) < 0.2:
            assert time.monotonic() - started < SECONDS
            time.sleep(0.05)
        until = time.monotonic() + SECONDS
        before = -1.0
        while processor_seconds(process.pid) - before > 0.05 and time.monotonic() < until:
            before = processor_seconds(process.pid)
            time.sleep(0.5)
        assert time.monotonic() < until
        process.kill()


def test_of_a_process_that_is_gone_nothing_is_told():
    with child("") as process:
        process.wait()
        assert processor_seconds(process.pid) is None
    assert processor_seconds(os.getpid()) > 0
