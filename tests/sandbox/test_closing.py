"""Closing a sandbox at any moment of its start ends it, and nobody waits for what is left of it."""

from __future__ import annotations

import time

import pytest

from grader.sandbox.sandbox import Sandbox

SECONDS = 30


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 3, 5, 8, 12, 20, 40], ids=lambda ms: f"after {ms} ms")
def test_a_sandbox_that_is_just_starting_is_closed(milliseconds: int) -> None:
    for _ in range(5):
        sandbox = Sandbox("full")
        time.sleep(milliseconds / 1000)
        started = time.monotonic()
        sandbox.close()
        assert time.monotonic() - started < SECONDS and sandbox._process.returncode is not None
