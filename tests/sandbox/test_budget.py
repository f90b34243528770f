"""What an exercise and a submission may take: processor time, and three times as much wall time."""

import subprocess
import sys
import time

from grader.sandbox.worker import WALL_PER_PROCESSOR_SECOND, Budget, processor_seconds

from ..cases import rows, table

SECONDS = 30


@rows(table(__file__, "left_of_eight.yml"), "worked", "passed", "left")
def test_what_is_left_is_what_runs_out_first(worked, passed, left):
    assert WALL_PER_PROCESSOR_SECOND == 3.0
    budget = Budget(8.0)
    assert budget.left(worked, passed) == (left, "exercise time")
    budget.charge(worked, passed)
    assert budget.left() == (left, "exercise time")


def test_exercises_of_one_submission_share_what_it_has():
    whole = Budget(10.0, "submission time")
    first, second = (Budget(8.0, whole=whole) for _ in range(2))
    first.charge(7.0, 7.0)
    assert first.left() == (1.0, "exercise time")
    assert second.left() == (3.0, "submission time")
    second.charge(3.0, 3.0)
    assert second.left() == (0.0, "submission time") and (whole.worked, whole.passed) == (10.0, 10.0)


HASHES_IN_TWO_THREADS = """
import hashlib, threading, time
for _ in range(2):
    threading.Thread(target=hashlib.pbkdf2_hmac, args=('sha256', b'', b'', 2 * 10**6)).start()
time.sleep(60)
"""


def test_all_threads_of_a_process_work_and_sleep_is_no_work():
    with subprocess.Popen([sys.executable, "-S", "-c", HASHES_IN_TWO_THREADS]) as process:
        until = time.monotonic() + 2 * SECONDS
        while processor_seconds(process.pid) < 0.2:
            assert time.monotonic() < until
            time.sleep(0.05)
        before = -1.0
        while processor_seconds(process.pid) - before > 0.05:
            assert time.monotonic() < until
            before = processor_seconds(process.pid)
            time.sleep(0.5)
        process.kill()
    assert processor_seconds(process.pid) is None, "of a process that is gone nothing is known"
