"""Grading on many machines: an executor on dask.distributed, whose calls go only to workers that were examined.

Dask hands the calls of a worker that dies to others. A worker that may grade has a resource and an executor by the name
of this run's client, and calls demand both. Its judges are processes of their own: one that crashes does not end the
worker, and learners' code has no file descriptor of the cluster.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import time
import warnings
from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from grader.errors import EXIT_CANNOT_ISOLATE, KataError

from .grading_terms import Run, why_not
from .judging import Judges, Pool

if TYPE_CHECKING:
    from distributed import Client, Worker

CONNECT_SECONDS = 10
LOOK_SECONDS = 0.5  # between two looks for new and lost workers
ANSWER_SECONDS = 120.0  # after which a worker that does not answer gets no work, and a scheduler counts as gone
WORKERLESS_SECONDS = 60.0  # that a run waits when there is no worker: for a lost one's successor, or for the first


class ClusterJudges(Pool):
    """A pool of the judges of a cluster's workers, one for each of their threads.

    remarks: sentences about workers that were refused or lost. A call may be cancelled when every worker was lost.
    Raises KataError when there is no scheduler, or no worker that may grade; so does `submit`.
    """

    width = 256  # more than a cluster has judges, workers that come later included

    def __init__(self, address: str, run: Run) -> None:
        self.remarks: list[str] = []
        self._address, self._run = address, run
        self._examined: dict[str, str | None] = {}  # why each worker gets no work, None if it may grade
        self._graders: set[str] = set()
        self._error: KataError | None = None
        self._gone = f"The scheduler at {address} does not answer any more."
        self._client = _connected(address)
        self._executor: Executor = self._client.get_executor(pure=False)
        try:
            self._client.sync(self._begin)
        except BaseException:
            self._client.close()
            raise

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Let a judge of the cluster call a function."""
        import dask

        with suppress(Exception), dask.annotate(executor=self._client.id, resources={self._client.id: 1}):
            if self._error is None:
                return self._executor.submit(fn, *args, **kwargs)
        # without an error dask has closed the client: it found no way back to the scheduler
        raise self._error or KataError(self._gone, EXIT_CANNOT_ISOLATE)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the judges at once, whatever they do."""
        with suppress(Exception):  # the scheduler may be gone
            self._executor.shutdown(wait=False)
            self._client.sync(self._leave, callback_timeout=CONNECT_SECONDS)
        with suppress(Exception):
            self._client.close()

    # the methods below run in the client's event loop

    async def _begin(self) -> None:
        with suppress(asyncio.TimeoutError):
            await self._client.wait_for_workers(1, timeout=WORKERLESS_SECONDS)
        if not await self._look():
            raise self._nobody()
        self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        last_graded = time.monotonic()
        try:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                if await self._look():
                    last_graded = time.monotonic()
                elif time.monotonic() > last_graded + WORKERLESS_SECONDS:
                    raise self._nobody()
        except KataError as error:
            self._error = error
        await self._client.close()  # cancels every call

    async def _look(self) -> bool:
        """Find out who has come and gone; whether anybody may grade. Raises KataError when the scheduler is gone."""
        try:
            there = await asyncio.wait_for(self._client.nthreads(), ANSWER_SECONDS)
            newcomers = [address for address in there if address not in self._examined]
            found = dict(zip(newcomers, await asyncio.gather(*map(self._examine, newcomers)), strict=True))
        except Exception:  # dask has no exception of its own for this
            raise KataError(self._gone, EXIT_CANNOT_ISOLATE) from None
        self._examined = {each: why for each, why in {**self._examined, **found}.items() if each in there}
        before, self._graders = self._graders, {each for each, why in self._examined.items() if why is None}
        lost = sorted(before - there.keys())
        self.remarks += [f"The worker {each} was lost; what it had not finished went to others." for each in lost]
        self.remarks += [f"The worker {each} gets no work: {why}." for each, why in found.items() if why]
        if self._graders and before.isdisjoint(self._graders):  # dask forgets calls that nobody could take
            from distributed import Future

            await self._client.cancel([Future(key, self._client) for key in list(self._client.futures)])
        return bool(self._graders)

    async def _examine(self, address: str) -> str | None:
        clients = await self._client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.clients))
        answers = self._client.run(examine, self._run, self._client.id, clients, workers=[address], on_error="return")
        try:
            answer = (await asyncio.wait_for(answers, ANSWER_SECONDS))[address]
        except asyncio.TimeoutError:
            return "it does not answer"
        if isinstance(answer, Exception):
            return f"it cannot run the grader ({type(answer).__name__}: {answer})"
        return answer and str(answer)

    async def _leave(self) -> None:
        self._watching.cancel()
        await self._client.run(leave, self._client.id, workers=list(self._graders), on_error="ignore")

    def _nobody(self) -> KataError:
        reasons = "; ".join(f"{each}: {why}" for each, why in sorted(self._examined.items())) or "it has none"
        return KataError(f"No worker of the scheduler at {self._address} can grade ({reasons}).", EXIT_CANNOT_ISOLATE)


def _connected(address: str) -> Client:
    """A connection to a scheduler, with its logging turned down. Raises KataError."""
    try:
        from distributed import Client, connect, versions
    except ImportError:
        raise KataError("--scheduler needs dask.distributed: pip install distributed.") from None
    for name in ("distributed", "distributed.client", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", versions.VersionMismatchWarning)  # workers with other versions are refused

    async def reach() -> None:
        (await connect(address, timeout=CONNECT_SECONDS)).abort()

    try:
        asyncio.run(reach())  # a client that cannot connect would leave a thread behind, and its traceback at the end
        return Client(address, set_as_default=False, timeout=CONNECT_SECONDS)
    except Exception as error:  # dask has no exception for this: each kind of wrong address raises another one
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise KataError(f"There is no scheduler of dask.distributed at {address} ({reason[0].rstrip('.')}).") from None


# --- on a worker ------------------------------------------------------------------------------------------------------


async def examine(run: Run, name: str, clients: Collection[str], dask_worker: Worker) -> str | None:
    """Give a worker judges by this name, if it may grade; otherwise the reason. clients: the names of all that run."""
    judges = [key for key, each in dask_worker.executors.items() if isinstance(each, Judges)]
    for killed in set(judges).difference(clients):  # commands that could not end their judges
        leave(killed, dask_worker)
    reason = await asyncio.to_thread(why_not, run)
    if reason is None:
        multiprocessing.current_process().daemon = False  # a nanny's worker could not have processes otherwise
        dask_worker.executors[name] = Judges(dask_worker.state.nthreads, run)
        await dask_worker.set_resources(**{name: dask_worker.state.nthreads})
    return reason


def leave(name: str, dask_worker: Worker) -> None:
    """End the judges of a run at once; dask refuses calls that come later."""
    dask_worker.executors.pop(name).shutdown()
