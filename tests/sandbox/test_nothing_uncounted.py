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

from ..judge.graded import graded

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
SOFTMAX = COURSE.exercise("softmax")
RIGHT = COURSE.solution_path(SOFTMAX).read_text()

THREADS = """
import ctypes

libc, room, thread = ctypes.CDLL(None), ctypes.create_string_buffer(128), ctypes.c_ulong()
libc.pthread_attr_init(room)
libc.pthread_attr_setstacksize(room, ctypes.c_size_t(16384))
asleep = ctypes.cast(libc.sleep, ctypes.c_void_p)
for _ in range(8000):
    libc.pthread_create(ctypes.byref(thread), room, asleep, ctypes.c_void_p(1000))
"""
EXCHANGES = """
import hashlib, os, sys, time


def run(*asked, **named):
    {does}


sys.modules["inside.host"].run_question = run
"""
LINGERS = "os.close(4); time.sleep(1000)"
BURNS = """while time.process_time() < 0.4:
        hashlib.pbkdf2_hmac('sha256', b'', b'', 20_000)
    os.write(4, b'no frame' * 9)
    os._exit(0)"""


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
    mallory = result_of(judge, RIGHT + THREADS)
    assert mallory.points == 0 and "was stopped" in mallory.checks[0].message
    assert judge.sandbox is sandbox


@pytest.mark.thorough
def test_waiting_for_an_end_is_counted(judge: Judge, budgets: list[Budget]) -> None:
    mallory = result_of(judge, RIGHT + EXCHANGES.format(does=LINGERS))
    assert budgets[0].passed >= 0.9 * mallory.seconds - 0.5 > 1


def test_processor_time_counts_of_one_that_ended_by_itself(judge: Judge, budgets: list[Budget]) -> None:
    result_of(judge, RIGHT + EXCHANGES.format(does=BURNS))
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
