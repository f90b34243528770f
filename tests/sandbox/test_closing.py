"""Closing a sandbox at any moment of its start ends it, and nothing is left of it or of its workers."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from grader.sandbox.levels import MachineError
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import Bounds

from ..waiting import await_true

SECONDS = 30


@pytest.mark.thorough
@pytest.mark.parametrize("milliseconds", [0, 1, 2, 3, 5, 8, 12, 20, 40], ids=lambda ms: f"after {ms} ms")
def test_a_sandbox_that_is_just_starting_is_closed(milliseconds: int) -> None:
    for _ in range(5):
        sandbox = Sandbox("full")
        time.sleep(milliseconds / 1000)
        started = time.monotonic()
        sandbox.close()
        assert time.monotonic() - started < SECONDS and sandbox._process.returncode is not None


@pytest.mark.parametrize("milliseconds", [0, 100], ids=lambda ms: f"after {ms} ms")
def test_whoever_waits_for_a_sandbox_that_is_closed_is_told_so(milliseconds: int) -> None:
    with ThreadPoolExecutor(2) as threads:
        for _ in range(5):
            sandbox = Sandbox("process")
            waiting = [threads.submit(sandbox.spawn, Bounds()) for _ in range(2)]
            time.sleep(milliseconds / 1000)
            sandbox.close()
            assert all(isinstance(each.exception(SECONDS), MachineError) for each in waiting)


def held() -> tuple[int, int]:
    """Descriptors and threads of workers in this process."""
    threads = sum(thread.name == "kata worker" for thread in threading.enumerate())
    return len(os.listdir("/proc/self/fd")), threads


def await_let_go(before: tuple[int, int]) -> None:
    """Wait until no more is held than before: each thread closes its pipe in its own time."""
    await_true(lambda: all(now <= then for now, then in zip(held(), before, strict=True)), 10)


def test_a_closed_sandbox_and_its_closed_workers_leave_no_descriptor_and_no_thread_behind() -> None:
    outside = held()
    with closing(Sandbox("process")) as sandbox:
        sandbox.await_ready()
        before = held()
        for _ in range(5):
            worker = sandbox.spawn(Bounds())
            worker.await_ready()
            assert held()[1] == before[1] + 2
            worker.close()
            await_let_go(before)
        last = sandbox.spawn(Bounds())
        last.await_ready()
    last.close()
    await_let_go(outside)


def test_a_start_that_fails_leaves_no_descriptor_behind() -> None:
    with closing(Sandbox("process")) as sandbox:
        sandbox.await_ready()
        descriptors, threads = held()
        sandbox._process.kill()
        sandbox._process.wait()
        for _ in range(3):
            with pytest.raises(MachineError):
                sandbox.spawn(Bounds()).await_ready(5)
        # of a worker that was handed out before its end was seen
        await_let_go((descriptors + 3, threads + 2))
