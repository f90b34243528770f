"""The limit of one check counts the seconds in which the judge runs, and ends a check that never does."""

import signal
import subprocess
import sys
import time

import pytest

CHECKS = """
import time

def test_takes_a_while():
    print("begun", flush=True)
    end = {rounds}
    for _ in range(end):
        time.sleep(0.1)
"""
RUN = """
import sys
import pytest
from grader.judge.overdue import Limit
sys.exit(pytest.main(["-q", "-s", "-p", "no:cacheprovider", "--timeout=2", sys.argv[1]], plugins=[Limit()]))
"""


def started(tmp_path, rounds):
    checks = tmp_path / "test_checks.py"
    checks.write_text(CHECKS.format(rounds=rounds))
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(checks)], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    while "begun" not in process.stdout.readline():
        assert process.poll() is None
    return process


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nothing can be stopped here")
def test_a_judge_that_was_stopped_for_longer_than_the_limit_goes_on(tmp_path):
    process = started(tmp_path, rounds=5)
    process.send_signal(signal.SIGSTOP)
    time.sleep(3)
    process.send_signal(signal.SIGCONT)
    told, _ = process.communicate()
    assert process.returncode == 0, told


def test_a_check_that_runs_longer_than_the_limit_is_ended(tmp_path):
    process = started(tmp_path, rounds=10_000)
    told, _ = process.communicate()
    assert process.returncode == pytest.ExitCode.TESTS_FAILED
    assert "Overdue: it was not done in time" in told
