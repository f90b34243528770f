"""Threads without end, and endings that the judge has to wait for: all are bounded or counted."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course import load_course
from grader.judge import grading
from grader.judge.grading import Judge
from grader.record import ExerciseResult
from grader.sandbox.doctor import strongest_level
from grader.sandbox.worker import Budget, ForkedProcess, Shortage

from ..cases import table
from ..judge.graded import graded

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
SOFTMAX = COURSE.exercise("softmax")
RIGHT = COURSE.solution_path(SOFTMAX).read_text()
HOSTILE = table(__file__, "uncounted.yml")


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    assert strongest_level() == "full", "these tests need a machine that can isolate: see `kata doctor`"
    judge = Judge(COURSE, "full", 7, ["softmax"])
    yield judge
    judge.close()


@pytest.fixture
def budgets(monkeypatch: pytest.MonkeyPatch) -> list[Budget]:
    """Those of the submissions, as they are begun."""
    made: list[Budget] = []

    def make(seconds: float, kind: Shortage) -> Budget:
        made.append(Budget(seconds, kind))
        return made[-1]

    monkeypatch.setattr(grading, "Budget", make)
    return made


def result_of(judge: Judge, source: str) -> ExerciseResult:
    """A hostile submission's result, after an honest one's beside it was seen to be right."""
    mallory, honest = (record.exercises[0] for record in graded(judge, source, RIGHT, exercise="softmax"))
    assert (honest.status, honest.points) == ("passed", SOFTMAX.points)
    return mallory


def test_a_file_with_thousands_of_threads_is_ended(judge: Judge) -> None:
    sandbox = judge.sandbox
    mallory = result_of(judge, RIGHT + HOSTILE["threads"])
    assert mallory.points == 0 and "was stopped" in mallory.checks[0].message
    assert judge.sandbox is sandbox


@pytest.mark.thorough
def test_waiting_for_an_end_is_counted(judge: Judge, budgets: list[Budget]) -> None:
    mallory = result_of(judge, RIGHT + HOSTILE["lingers"])
    assert budgets[0].passed >= 0.9 * mallory.seconds - 0.5 > 1


def test_processor_time_counts_of_one_that_ended_by_itself(judge: Judge, budgets: list[Budget]) -> None:
    result_of(judge, RIGHT + HOSTILE["burns"])
    once = budgets[0].worked / 3  # it is lost three times
    assert once > 0.3


def test_an_end_counts_of_which_the_zygote_is_yet_to_tell() -> None:
    """On a busy machine a while passes between its wait for a worker, which ends the worker's clock, and its word."""
    ours, zygotes = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with zygotes, subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as child:
        pidfd = os.pidfd_open(child.pid)
        socket.send_fds(zygotes, [b"{}"], [pidfd])
        os.close(pidfd)
        process = ForkedProcess(ours)
        assert process.worked() < 0.4
        child.communicate(b"\n")
        soon = threading.Timer(0.3, zygotes.send, [b'{"code": 0, "cpu_seconds": 0.4}'])
        soon.start()
        assert process.worked() == 0.4
        soon.join()
        process.kill()
