"""The pool of this machine: judges in separate processes, so that a crash of one does not affect the others."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait as wait_for_end
from typing import Any, TypeVar

from grader.starting import go_back, started_from_home

from . import judging
from .grading_terms import Terms
from .judging import open_judge

Answer = TypeVar("Answer")


class Judges(Executor):
    """An executor of several judges.

    Each is in a pool of one process: when it crashes, only its own work fails, and it is replaced.
    """

    def __init__(self, count: int, terms: Terms) -> None:
        self._judges = [_JudgeProcess(terms, number) for number in range(count)]

    def submit(self, fn: Callable[..., Answer], /, *args: Any, **kwargs: Any) -> Future[Answer]:
        """Let the least busy judge call a function; starts a judge if necessary."""
        return min(self._judges, key=_JudgeProcess.load).submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the judges: with `cancel_futures` at once, else when they are done."""
        for judge in self._judges:
            judge.end(at_once=cancel_futures)


class _JudgeProcess:
    """One judge's process, replaced when it crashes."""

    def __init__(self, terms: Terms, number: int) -> None:
        self._terms = terms
        self._number = number
        self._pool: ProcessPoolExecutor | None = None
        self._pid: Future[int] | None = None
        self._asked: list[Future[Any]] = []

    def load(self) -> int:
        self._asked = [future for future in self._asked if not future.done()]
        return len(self._asked)

    def submit(self, fn: Callable[..., Answer], /, *args: Any, **kwargs: Any) -> Future[Answer]:
        try:
            future = self._opened().submit(fn, *args, **kwargs)
        except BrokenProcessPool:  # the judge's process has crashed
            self._pool = None
            future = self._opened().submit(fn, *args, **kwargs)
        self._asked.append(future)
        return future

    def end(self, *, at_once: bool) -> None:
        if self._pool is None:
            return
        if not at_once:
            wait(self._asked)
        # An idle judge is killed too: it has nothing to save, and unloading torch takes long.
        is_there = self._pid is not None and self._pid.done()
        if self._pid is not None and is_there and not self._pid.exception():
            for child in multiprocessing.active_children():
                if child.pid == self._pid.result():
                    child.kill()
        # The pool's thread notices the killed process and ends. Python's own shutdown would wake it through a pipe that
        # it may be closing at that moment, and print a traceback.
        self._pool.shutdown(wait=is_there, cancel_futures=True)
        self._pool = None

    def _opened(self) -> ProcessPoolExecutor:
        if self._pool is None:
            with started_from_home() as here, interrupts_held():
                told = (self._terms, self._number, here)
                context = judging.context()
                pool = ProcessPoolExecutor(1, mp_context=context, initializer=_open_judge_here, initargs=told)
                try:
                    self._pid = pool.submit(os.getpid)
                except (EOFError, OSError):  # the fork server ended just then; another one is started
                    pool = ProcessPoolExecutor(1, mp_context=context, initializer=_open_judge_here, initargs=told)
                    self._pid = pool.submit(os.getpid)
                self._pool = pool
        return self._pool


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Block Ctrl-C in processes started here: only the command itself handles it. Use it inside `started_from_home`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # if it were started later, it would unblock Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _open_judge_here(terms: Terms, number: int, here: str | None) -> None:
    go_back(here)
    if number >= judging.SHARING:
        judging.leave_zygote_to_others()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    open_judge(terms)


def _end_with_parent() -> None:
    """End with the parent: a judge whose class was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait_for_end([parent.sentinel])
    os._exit(1)
