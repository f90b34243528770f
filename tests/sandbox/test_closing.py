"""Closing a sandbox at any moment of its start ends it, and nobody waits for what is left of it."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from grader.sandbox.levels import MachineError
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import Bounds

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


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_nothing_is_kept_of_workers_that_are_gone() -> None:
    with Sandbox("process") as sandbox:
        sandbox.await_ready()
        before = open_descriptors()
        for _ in range(5):
            worker = sandbox.spawn(Bounds())
            worker.await_ready()
            worker.close()
        until = time.monotonic() + 10
        while open_descriptors() > before and time.monotonic() < until:
            time.sleep(0.05)  # each thread closes its pipe in its own time
        assert open_descriptors() <= before


def test_a_start_that_fails_leaves_no_descriptor_behind() -> None:
    with Sandbox("process") as sandbox:
        sandbox.await_ready()
        before = open_descriptors()
        sandbox._process.kill()
        sandbox._process.wait()
        for _ in range(3):
            with pytest.raises(MachineError):
                sandbox.spawn(Bounds()).await_ready(5)
        until = time.monotonic() + 10
        while open_descriptors() > before + 3 and time.monotonic() < until:
            time.sleep(0.05)
        assert open_descriptors() <= before + 3  # of a worker that was handed out before its end was seen


def test_a_closed_sandbox_leaves_no_descriptor_and_no_thread_behind() -> None:
    def held() -> tuple[int, int]:
        return open_descriptors(), sum(thread.name == "kata worker" for thread in threading.enumerate())

    before = held()
    with Sandbox("process") as sandbox:
        sandbox.await_ready()
        worker = sandbox.spawn(Bounds())
        worker.await_ready()
        assert held()[1] == before[1] + 2
    worker.close()
    until = time.monotonic() + 10
    while held() != before and time.monotonic() < until:
        time.sleep(0.05)
    assert held() == before
