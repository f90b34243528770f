"""One zygote for several judges: each has its own workers there, and only the end of the first is the end of all."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from grader.sandbox.levels import Launched, Level, MachineError, join, launch_zygote
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import Bounds, ForkedProcess, Worker

from ..waiting import await_true

SECONDS = 60


@pytest.fixture(params=["full", "process"])
def zygote(request: pytest.FixtureRequest) -> Iterator[Launched]:
    level: Level = request.param
    started = launch_zygote(level)
    yield started
    started.control.close()
    end(started)


def end(zygote: Launched) -> None:
    """The whole group: bubblewrap's own child may be waiting for a word of its parent's, and would wait for ever."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(zygote.process.pid, signal.SIGKILL)
    zygote.process.wait()


def judge_at(zygote: Launched) -> Sandbox:
    joined = join(zygote)
    assert joined is not None
    return Sandbox(zygote.level, joined)


def working(sandbox: Sandbox) -> Worker:
    worker = sandbox.spawn(Bounds())
    worker.await_ready(SECONDS)
    return worker


def pid_of(worker: Worker) -> int:
    worker.process.worked()
    assert isinstance(worker.process, ForkedProcess) and worker.process.pid > 0
    return worker.process.pid


def is_running(worker: Worker) -> bool:
    return worker.process.ending(0.2).reason == "closed"


@pytest.mark.thorough
def test_each_judge_hears_of_its_own_workers_only(zygote: Launched) -> None:
    with closing(judge_at(zygote)) as one, closing(judge_at(zygote)) as other:
        first, second = working(one), working(other)
        first.close()
        assert is_running(second)
        assert is_running(working(one))


@pytest.mark.thorough
def test_a_judge_that_leaves_takes_its_workers_along_and_nobody_elses(zygote: Launched) -> None:
    with closing(judge_at(zygote)) as staying:
        leaving = judge_at(zygote)
        kept, gone = working(staying), working(leaving)
        pid = pid_of(gone)
        leaving.close()
        gone.process._life.close()  # as the end of the judge's process does
        await_true(lambda: not os.path.exists(f"/proc/{pid}"))
        assert is_running(kept)
        assert zygote.process.poll() is None


def test_a_zygote_that_has_ended_is_joined_by_nobody(zygote: Launched) -> None:
    end(zygote)
    until = time.monotonic() + SECONDS
    while (joined := join(zygote)) is not None and time.monotonic() < until:
        joined.control.close()  # its own child closes the socket a moment later
        time.sleep(0.05)
    assert joined is None


@pytest.mark.thorough
def test_a_zygote_that_ends_before_it_is_ready_is_replaced_by_one_of_the_judges_own(zygote: Launched) -> None:
    with closing(judge_at(zygote)) as sandbox:
        end(zygote)
        assert is_running(working(sandbox))


@pytest.mark.thorough
def test_a_zygote_that_ends_later_is_the_machines_fault(zygote: Launched) -> None:
    with closing(judge_at(zygote)) as sandbox:
        working(sandbox)
        end(zygote)
        with pytest.raises(MachineError):
            for _ in range(100):
                working(sandbox)
