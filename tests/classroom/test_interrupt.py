"""Ctrl-C ends a run at once, says how to go on, and leaves nobody behind."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(600)


@pytest.mark.thorough
def test_interrupt_keeps_what_is_graded_and_says_how_to_go_on(
    hand_in_all: Callable[..., Path], tmp_path: Path, grading: Callable[..., Any]
) -> None:
    folder = hand_in_all(tmp_path / "class", 400)
    out = tmp_path / "out"
    run = grading(folder, out)
    run.await_results()
    run.signal(signal.SIGINT)  # to every process of the group, as the terminal does
    status, said = run.end()  # comes when the last process that holds its pipes has ended
    there = len((out / "results.jsonl").read_bytes().splitlines())
    assert status == 130
    assert said.splitlines() == [f"Stopped. {there} of 400 are graded and kept in {out}; go on with --resume."]
    assert 0 < there < 400


def test_interrupt_before_the_first_record_leaves_nothing(
    dozen: Path, tmp_path: Path, grading: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    run = grading(dozen, out)
    while not (out / ".lock").exists():
        assert run.process.poll() is None
    run.signal(signal.SIGINT)
    status, said = run.end()
    assert status == 130
    assert said.splitlines()[-1].startswith("Stopped.") and "Traceback" not in said
