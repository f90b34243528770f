"""A busy machine fails no right answer: what counts is processor time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from grader.sandbox.worker import Budget, WorkerLost, waited_seconds

from ..cases import table
from .asking import begin, question

ONE_CORE = {min(os.sched_getaffinity(0))}
BUSY = 4
"""Processes that share one core with the worker, each in a session of its own: some kernels share out by sessions."""

SPIN = [sys.executable, "-S", "-c", f"import os; os.sched_setaffinity(0, {ONE_CORE!r})\nwhile True: pass"]


@pytest.fixture
def spinning() -> Iterator[None]:
    processes = [subprocess.Popen(SPIN, start_new_session=True) for _ in range(BUSY)]
    yield
    for process in processes:
        process.kill()
        process.wait()


def test_time_that_a_process_waits_for_a_processor_is_not_its_own(spinning: None) -> None:
    process = subprocess.Popen(SPIN, start_new_session=True)
    time.sleep(1)
    waited = waited_seconds(process.pid)
    process.kill()
    process.wait()
    assert 0.3 < waited < 2 and waited_seconds(process.pid) == 0


def test_what_a_worker_waited_before_it_ended_itself_is_not_charged(full: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, budget = time.monotonic(), Budget(60)

    def nine_tenths(pid: int) -> float:
        return 0.9 * (time.monotonic() - begun) if Path(f"/proc/{pid}").exists() else 0.0

    monkeypatch.setattr("grader.sandbox.worker.waited_seconds", nine_tenths)
    ends = "import os, time\ndef f(wait):\n    time.sleep(wait)\n    os._exit(1) if wait == 0 else None\n"
    with closing(begin(full, ends)) as worker, pytest.raises(WorkerLost):
        list(worker.ask([question(wait) for wait in (0.7, 0.7, 0.0)], budget, 30, answers=3))
    assert budget.passed < 0.7


@pytest.mark.thorough
@pytest.mark.timeout(240)
@pytest.mark.usefixtures("spinning")
def test_a_right_answer_passes_however_busy_the_machine_is(tiny_course: Path) -> None:
    text = (tiny_course / "course.yml").read_text()
    # a tenth of a second of work takes half a second beside four that spin, and an answer may hold several calls
    limits = "limits:\n  request_seconds: 1\n  seconds: 5\n"
    (tiny_course / "course.yml").write_text(text.replace("documents:", f"{limits}documents:", 1))
    (tiny_course / "share.py").write_text(table(__file__, "uncounted.yml")["right, with a tenth of a second of work"])
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
