"""Closing a sandbox at any moment of its start ends it, and nobody waits for what is left of it."""

from __future__ import annotations

import os
import threading
import time

import pytest

from grader.sandbox.launch import MachineError
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


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_nothing_is_kept_of_workers_that_are_gone() -> None:
    with Sandbox("process") as sandbox:
        sandbox.await_ready()
        before = open_descriptors()
        for _ in range(5):
            worker = sandbox.spawn(Bounds())
            worker.await_lock(time.monotonic() + 20)
            sandbox.forget(worker)
        last = sandbox.spawn(Bounds())
        last.await_lock(time.monotonic() + 20)  # by now the zygote has told of all ends
        sandbox.forget(last)
        until = time.monotonic() + 10
        while open_descriptors() > before and time.monotonic() < until:
            time.sleep(0.05)  # the pump closes them in its own time
        assert open_descriptors() <= before
        assert not (sandbox._known or sandbox._pidfds or sandbox._codes or sandbox._cpu_seconds)


def test_a_start_that_fails_leaves_no_descriptor_behind() -> None:
    with Sandbox("process") as sandbox:
        sandbox.await_ready()
        before = open_descriptors()
        sandbox._process.kill()
        sandbox._process.wait()
        for _ in range(3):
            with pytest.raises(MachineError):
                sandbox.spawn(Bounds()).await_lock(time.monotonic() + 5)
        until = time.monotonic() + 10
        while open_descriptors() > before + 3 and time.monotonic() < until:
            time.sleep(0.05)
        assert open_descriptors() <= before + 3  # of a worker that was handed out before its end was seen


def test_a_closed_sandbox_leaves_no_descriptor_and_no_thread_behind() -> None:
    def threads() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread.name == "kata pump"]

    before = open_descriptors(), threads()
    with Sandbox("process") as sandbox:
        sandbox.await_ready()
        sandbox.spawn(Bounds()).await_lock(time.monotonic() + 20)
        assert len(threads()) == len(before[1]) + 1
    assert (open_descriptors(), threads()) == before
