"""Runs on a worker of a cluster: decides whether it may grade, and starts its judges, in processes of their own.

So a judge that crashes does not end the worker, and learners' code has no file descriptor of the cluster.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import stat
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .grading_terms import Terms, run_of
from .pool import Judges
from .submission_files import SubmissionFiles

if TYPE_CHECKING:
    from .store import Run

IDLE_SECONDS = 300.0
"""Seconds without work after which the judges of a run end: the run may have been killed."""
SAMPLE = 20
"""The number of submissions compared to see whether a worker has the same files."""
FIRST_BYTES = 65536
ENDED_KEPT = 1000


class RunEnded(Exception):
    """A call came after the end of its run; nothing waits for its answer."""


@dataclass(frozen=True)
class Job:
    """What the judges of one run grade, and with which settings.

    id: unique to the run. seen: digests of what is at some submissions' paths, by `fingerprints`.
    """

    id: str
    terms: Terms
    run: Run
    seen: dict[Path, str]


@dataclass(frozen=True)
class Answer:
    """The result of a call; an error in it is the call's own, every other error is the cluster's."""

    value: Any = None
    error: Exception | None = None


def answer(job: Job, judges: int, fn: Callable[..., Any], *args: Any) -> Answer:
    """Let one of this worker's judges call a function; `judges` is their number."""
    try:
        with _lock:
            if job.id in _ended:
                raise RunEnded("this run has ended")
            if job.id not in _pools:
                _pools[job.id] = _JobPool(job, judges)
            future = _pools[job.id].submit(fn, *args)
        return Answer(future.result())
    except Exception as error:
        return Answer(error=error)


def leave(id: str) -> None:
    """End the judges of a run at once, and start none for it again."""
    with _lock:
        _ended.append(id)
    _dismiss(id)


def _dismiss(id: str) -> None:
    with _lock:
        pool = _pools.pop(id, None)
    if pool is not None:
        pool.end()


def why_not(job: Job) -> str | None:
    """The reason why this process may not grade, in a few words; None if it may."""
    from grader.course import CourseError, load_course

    try:
        here = run_of(load_course(job.terms.course), job.terms)
    except (CourseError, OSError):
        return f"it does not see the course at {job.terms.course}"
    return _other_make(here, job.run) or _other_sight(job.seen) or _no_wall(job.terms)


def fingerprints(submissions: Sequence[SubmissionFiles]) -> dict[Path, str]:
    """Digests of what is at some submissions' paths, spread over the class; paths that cannot be read are left out."""
    chosen = submissions[:: max(1, len(submissions) // SAMPLE)][:SAMPLE]
    paths = [path for files in chosen for path in files.paths]
    return {path: seen for path in paths if (seen := _sight(path))}


def _sight(path: Path) -> str:
    """A digest of a folder's names and sizes, or of a file's size and first bytes; no link is followed."""
    try:
        found = os.lstat(path)
        if stat.S_ISDIR(found.st_mode):
            with os.scandir(path) as inside:
                said = repr(sorted((each.name, _size(each.stat(follow_symlinks=False))) for each in inside)).encode()
        elif stat.S_ISREG(found.st_mode):
            with open(path, "rb") as file:
                said = f"{found.st_size} ".encode() + file.read(FIRST_BYTES)
        else:
            return ""
    except OSError:
        return ""
    return hashlib.sha256(said).hexdigest()


def _size(found: os.stat_result) -> int:
    return found.st_size if stat.S_ISREG(found.st_mode) else -1  # a folder's own size depends on the file system


def _other_make(here: Run, there: Run) -> str | None:
    for name in sorted(there.versions):
        if here.versions.get(name) != there.versions[name]:
            return f"its {name} is {here.versions.get(name, 'missing')}, not {there.versions[name]}"
    if here.digest != there.digest:
        return "it sees another course at the same path"
    return None


def _other_sight(seen: dict[Path, str]) -> str | None:
    for path, sight in seen.items():
        here = _sight(path)
        if here != sight:
            return f"it sees something else at {path}" if here else f"it does not see {path}"
    return None


def _no_wall(terms: Terms) -> str | None:
    from grader.sandbox.doctor import try_level

    missing = None if terms.level == "none" else try_level(terms.level)
    return missing and f"it cannot isolate submissions, missing: {missing}"


class _JobPool:
    """The judges of one run in this worker; they end when they are not used for long."""

    def __init__(self, job: Job, judges: int) -> None:
        self._id = job.id
        self._judges = Judges(judges, job.terms)
        self._timer: threading.Timer | None = None
        self._busy = 0

    def submit(self, fn: Callable[..., Any], *args: Any) -> Future[Any]:
        """Let the least busy judge call a function. The caller holds the lock."""
        if self._timer is not None:
            self._timer.cancel()
        with _children_allowed():
            future = self._judges.submit(fn, *args)
        self._busy += 1
        future.add_done_callback(self._done)
        return future

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._judges.shutdown(cancel_futures=True)

    def _done(self, _: Future[Any]) -> None:
        with _lock:
            self._busy -= 1
            if self._busy or _pools.get(self._id) is not self:
                return
            self._timer = threading.Timer(IDLE_SECONDS, _dismiss, [self._id])
            self._timer.daemon = True
            self._timer.start()


_pools: dict[str, _JobPool] = {}
_ended: deque[str] = deque(maxlen=ENDED_KEPT)
"""Runs whose judges were ended: a call that comes late must not start new ones."""
_lock = threading.RLock()


@contextmanager
def _children_allowed() -> Iterator[None]:
    """Let this process have children: a nanny's worker is a daemon, for which multiprocessing refuses that."""
    settings: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    before = settings.get("daemon")
    settings["daemon"] = False
    try:
        yield
    finally:
        settings["daemon"] = before
