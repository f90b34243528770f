"""A pool of many machines: dask.distributed behind `concurrent.futures`.

Each call is sent to one chosen worker that was examined and may grade. Dask alone would also send work to other
workers, for example to the new one that a nanny starts. So scheduling and the handling of lost workers is done here.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import warnings
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures import wait as wait_for_all
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from grader.errors import KataError
from grader.sandbox.launch import MachineError

from . import cluster_worker
from .cluster_worker import Answer, Job
from .grading_terms import Terms
from .submission_files import SubmissionFiles

if TYPE_CHECKING:
    from distributed import Client

    from .store import Run

Value = TypeVar("Value")

CONNECT_SECONDS = 10
LOOK_SECONDS = 0.5
"""Seconds between two looks for new and lost workers."""
EXAMINE_SECONDS = 120.0
"""At the start: seconds to wait for workers that do not answer, when others do."""
WORKERLESS_SECONDS = 60.0
"""Seconds that a run waits for a worker when there is none: for a lost worker's successor, or for the first."""
HOPE_SECONDS = EXAMINE_SECONDS + WORKERLESS_SECONDS
"""Seconds to wait while no worker grades and new ones are examined, however many follow each other."""
ANSWER_SECONDS = 60.0
"""Seconds without an answer after which the scheduler counts as gone."""
LEAVE_SECONDS = 10.0
LOSSES = 3
"""A call that was running on this many lost workers fails as one that kills its judge."""
WIDEST = 256
"""The most batches sent out at the same time in a large class, so that workers that come later get some."""
SILENT = "it does not answer"
UNREACHABLE = (OSError, asyncio.TimeoutError, RuntimeError)
"""The errors of a lost connection; dask raises RuntimeError when its own pool is closed."""


class NoWorkerLeft(MachineError):
    """No worker of the cluster can grade (any more); the message is one sentence."""


@dataclass(eq=False)
class _Call:
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    future: Future[Any] = field(default_factory=Future)
    begun: bool = False
    losses: int = 0

    def is_wanted(self) -> bool:
        if not self.begun:
            self.begun = self.future.set_running_or_notify_cancel()
        return self.begun and not self.future.done()


@dataclass
class _Worker:
    """The state of one worker: under examination, grading, or refused."""

    life: asyncio.Task[None]
    grades: bool = False
    refused: str = ""


class ClusterJudges(Executor):
    """An executor with the judges of a cluster's workers, one for each of their threads.

    address: the scheduler's. remarks: sentences about workers that were refused or lost.

    Raises KataError when there is no scheduler, NoWorkerLeft when no worker may grade; both may also be a call's
    error.
    """

    def __init__(self, address: str, terms: Terms, run: Run, submissions: Sequence[SubmissionFiles]) -> None:
        self.remarks: list[str] = []
        self._address = address
        self._job = Job(token_hex(8), terms, run, cluster_worker.fingerprints(submissions))
        self._workers: dict[str, _Worker] = {}
        self._calls: asyncio.Queue[_Call] = asyncio.Queue()
        self._unanswered: set[_Call] = set()
        self._broken: Exception | None = None
        self._judges = 0
        self._has_lost = False
        self._last_hope = self._last_graded = time.monotonic()
        self._lock = threading.Lock()
        """Guards the broken state and the unanswered calls: each call is either refused or answered."""
        self._leaving = asyncio.Event()
        self._ready: Future[None] = Future()
        self._loop: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        try:
            self._ready.result()
        except BaseException:
            self.shutdown(cancel_futures=True)
            raise

    def width(self, submissions: int, batch: int) -> int:
        """How many batches to send out at the same time, for this many submissions in batches of at most `batch`."""
        return max(self._judges, min(WIDEST, submissions // batch), 1)

    def submit(self, fn: Callable[..., Value], /, *args: Any, **kwargs: Any) -> Future[Value]:
        """Let a judge of the cluster call a function; keyword arguments are refused."""
        if kwargs:
            raise TypeError("calls go to the cluster without keywords")
        call = _Call(fn, args)
        with self._lock:
            if self._broken is not None:
                raise self._broken
            self._unanswered.add(call)
        self._loop.result().call_soon_threadsafe(self._calls.put_nowait, call)
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the judges: with `cancel_futures` at once, else when every call is answered."""
        with self._lock:
            unanswered = [call.future for call in self._unanswered]
        if not cancel_futures:
            wait_for_all(unanswered)
        with suppress(RuntimeError):  # the event loop has ended already
            self._loop.result().call_soon_threadsafe(self._leaving.set)
        self._thread.join(LEAVE_SECONDS)

    # the methods below run in the cluster's thread

    def _settle(self, call: _Call, value: Any = None, error: BaseException | None = None) -> None:
        with self._lock:
            self._unanswered.discard(call)
        if not call.is_wanted():
            return
        if error is not None:
            call.future.set_exception(error)
        else:
            call.future.set_result(value)

    async def _run(self) -> None:
        self._loop.set_result(asyncio.get_running_loop())
        try:
            async with _connected(self._address) as client:
                try:
                    await self._watch(client)
                finally:
                    await self._leave(client)
        except Exception as error:
            self._break(error)

    def _break(self, error: Exception) -> None:
        with self._lock:
            self._broken = error
            unanswered = list(self._unanswered)
        if not self._ready.done():
            self._ready.set_exception(error)
        for call in unanswered:
            self._settle(call, error=error)

    async def _watch(self, client: Client) -> None:
        begun = time.monotonic()
        leaving = asyncio.create_task(self._leaving.wait())
        while not self._leaving.is_set():
            present = await self._present(client)
            for address in self._workers.keys() - present.keys():
                self._lose(address)
            for address in present.keys() - self._workers.keys():
                life = asyncio.create_task(self._employ(client, address, present[address]))
                self._workers[address] = _Worker(life)
            self._judges = sum(present[address] for address, worker in self._workers.items() if worker.grades)
            self._demand_somebody()
            examined = all(worker.grades or worker.refused for worker in self._workers.values())
            is_time = examined or time.monotonic() > begun + EXAMINE_SECONDS
            if self._judges and is_time and not self._ready.done():
                self._ready.set_result(None)
            await asyncio.wait([leaving], timeout=LOOK_SECONDS)

    async def _present(self, client: Client) -> dict[str, int]:
        """The number of threads of each worker, by its address."""
        try:
            return dict(await asyncio.wait_for(client.nthreads(), ANSWER_SECONDS))
        except UNREACHABLE:
            raise NoWorkerLeft(f"The scheduler at {self._address} does not answer any more.") from None

    def _demand_somebody(self) -> None:
        now = time.monotonic()
        if any(worker.grades for worker in self._workers.values()):
            self._last_hope = self._last_graded = now
            return
        is_hope = any(not worker.refused for worker in self._workers.values())
        if is_hope and now < self._last_graded + HOPE_SECONDS:  # limited: an examination may hang
            self._last_hope = now
            return
        timeout = WORKERLESS_SECONDS if self._has_lost or not self._workers else 0
        if now < self._last_hope + timeout:
            return
        if not self._workers:
            raise NoWorkerLeft(f"The scheduler at {self._address} has no worker.")
        whys = "; ".join(f"{each}: {worker.refused or SILENT}" for each, worker in sorted(self._workers.items()))
        raise NoWorkerLeft(f"No worker of the scheduler at {self._address} can grade ({whys}).")

    def _lose(self, address: str) -> None:
        worker = self._workers.pop(address)
        worker.life.cancel()
        if not worker.refused:
            self._has_lost = True
            self.remarks.append(f"The worker {address} was lost; what it had not finished went to others.")

    def _refuse(self, address: str, reason: str) -> None:
        worker = self._workers[address]
        worker.grades, worker.refused = False, reason
        self.remarks.append(f"The worker {address} gets no work: {reason}.")

    async def _employ(self, client: Client, address: str, judges: int) -> None:
        """Examine a worker, then let it grade until it is lost or cannot grade any more."""
        reason = await self._examined(client, address, judges)
        if reason is not None:
            self._refuse(address, reason)
            return
        self._workers[address].grades = True
        grading = [asyncio.create_task(self._keep_busy(client, address, judges)) for _ in range(judges)]
        try:
            await asyncio.gather(*grading)
        except MachineError as error:
            self._refuse(address, f"it cannot isolate submissions, missing: {error}")
        finally:
            for each in grading:
                each.cancel()

    async def _examined(self, client: Client, address: str, judges: int) -> str | None:
        try:
            told = await self._asked(client, address, judges, cluster_worker.why_not, self._job)
        except Exception as error:  # whatever the error is, no submission was involved
            return f"it cannot run the grader ({type(error).__name__}: {error})"
        if told.error is not None:
            return f"it cannot run the grader ({type(told.error).__name__}: {told.error})"
        return told.value and str(told.value)

    async def _keep_busy(self, client: Client, address: str, judges: int) -> None:
        """The loop of one judge: take a call and run it. Raises MachineError when its machine can't isolate."""
        while True:
            call = await self._calls.get()
            if not call.is_wanted():
                self._settle(call)
                continue
            try:
                told = await self._asked(client, address, judges, call.fn, *call.args)
            except asyncio.CancelledError:  # the worker was lost
                self._hand_back(call)
                raise
            except Exception:  # dask's error about a worker that it lost or could not reach
                self._hand_back(call)
                continue
            if isinstance(told.error, MachineError):
                self._calls.put_nowait(call)
                raise told.error
            self._settle(call, told.value, told.error)

    def _hand_back(self, call: _Call) -> None:
        call.losses += 1
        if call.losses < LOSSES:
            self._calls.put_nowait(call)
        else:
            self._settle(call, error=BrokenExecutor(f"{LOSSES} workers were lost with it"))

    async def _asked(self, client: Client, address: str, judges: int, fn: Callable[..., Any], *args: Any) -> Answer:
        future = client.submit(
            cluster_worker.answer,
            self._job,
            judges,
            fn,
            *args,
            workers=[address],
            allow_other_workers=False,
            pure=False,
        )
        try:
            told: Answer = await future
            return told
        finally:
            future.release()  # the result is not needed any more

    async def _leave(self, client: Client) -> None:
        lives = [worker.life for worker in self._workers.values()]
        for life in lives:
            life.cancel()
        await asyncio.gather(*lives, return_exceptions=True)
        there = [address for address, worker in self._workers.items() if not worker.refused]
        if there:
            ended = client.run(cluster_worker.leave, self._job.id, workers=there, on_error="ignore")
            with suppress(*UNREACHABLE):  # the judges end after their idle time
                await asyncio.wait_for(ended, LEAVE_SECONDS / 2)


@asynccontextmanager
async def _connected(address: str) -> AsyncIterator[Client]:
    """A connection to a scheduler, with its logging turned down. Raises KataError."""
    try:
        from distributed import Client
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise KataError(
            "A scheduler needs dask.distributed, which is not installed: pip install distributed."
        ) from None
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", VersionMismatchWarning)  # `why_not` refuses workers with other versions
    try:
        client = Client(address, asynchronous=True, set_as_default=False, timeout=CONNECT_SECONDS)
        try:
            await client
        except BaseException:
            await _close(client)
            raise
    except Exception as error:  # dask has no exception for this: each kind of wrong address raises another one
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise KataError(f"There is no scheduler of dask.distributed at {address} ({reason[0].rstrip('.')}).") from None
    try:
        yield client
    finally:
        await _close(client)


async def _close(client: Client) -> None:
    if closing := client.close(LEAVE_SECONDS / 2):
        with suppress(*UNREACHABLE):
            await closing
