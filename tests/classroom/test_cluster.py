"""A class graded on the workers of a scheduler: the records of one machine, whatever happens to a worker."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import distributed
import pytest

from grader.classroom import cluster
from grader.classroom.cluster import ClusterJudges, leave
from grader.classroom.grading_terms import Run, run_of, why_not
from grader.course import Course
from grader.errors import KataError
from grader.record import CourseStamp
from grader.sandbox.doctor import strongest_level

from .conftest import Grading, hand_in
from .processes import children
from .recorded_run import read_results

pytestmark = pytest.mark.timeout(600)

SLOW = "# {name}\ndef share(amounts):\n    sum(range(6_000_000))\n    return amounts / amounts.sum(-1, keepdim=True)\n"
CLASS_SIZE = 16
LOOPBACK = "127.0.0.1"

needs_wall = pytest.mark.skipif(strongest_level() != "full", reason="this machine has no full isolation")


class Cluster:
    """A scheduler and workers, each a process of its own as on a cluster, on the loopback only."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._processes = folder, dict[str, subprocess.Popen[bytes]]()
        self._file = folder / "scheduler.json"
        self._start("scheduler", "scheduler", "--port", 0, "--scheduler-file", self._file, "--no-show")
        self.client: Any = None
        while self.client is None:
            assert self._processes["scheduler"].poll() is None
            if self._file.exists() and self._file.stat().st_size:
                self.client = distributed.Client(scheduler_file=str(self._file), set_as_default=False)
        self.address = str(self.client.scheduler.address)

    def add(self, name: str, *arguments: object, **environment: str) -> None:
        """Start a worker under a name that has none, and wait until it is there."""
        known = len(self.pids())
        options = ["--scheduler-file", self._file, "--name", name, "--nthreads", 1, "--local-directory", self._folder]
        self._start(name, "worker", *options, *arguments, **environment)
        self.client.wait_for_workers(known + 1)

    def pids(self) -> dict[str, int]:
        """The process of each worker (not of its nanny), by the worker's address."""
        return dict(self.client.run(os.getpid))

    def kill(self, name: str) -> None:
        """End a process, and wait until the scheduler knows."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def has(self, name: str) -> bool:
        return name in self._processes and self._processes[name].poll() is None

    def close(self) -> None:
        self.client.close()
        for name in list(self._processes):
            self.kill(name)

    def _start(self, name: str, kind: str, *arguments: object, **environment: str) -> None:
        command = [Path(sys.executable).with_name("dask"), kind, "--host", LOOPBACK, "--no-dashboard", *arguments]
        with (self._folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                list(map(str, command)), cwd=self._folder, stdout=log, stderr=log, env={**os.environ, **environment}
            )


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    found.close()


@pytest.fixture
def workers(shared: Cluster) -> Cluster:
    """The cluster with two workers: one alone, and one with a nanny that starts a successor."""
    for name, nanny in {"alone": "--no-nanny", "nannied": "--nanny"}.items():
        if not shared.has(name):
            shared.add(name, nanny)
    shared.client.wait_for_workers(2)
    return shared


@pytest.fixture(scope="module")
def slow_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class that takes some seconds, so that there is a middle to kill in."""
    folder = tmp_path_factory.mktemp("slow") / "class"
    for number in range(CLASS_SIZE):
        handed_in = hand_in(folder, f"s{number:03d}", right=bool(number % 3))
        if number % 3 == 1:
            (handed_in / "share.py").write_text(SLOW.format(name=handed_in.name), "utf-8")
    return folder


@pytest.fixture(scope="module")
def local(slow_class: Path, course_root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The records of the same class on this machine alone."""
    lines: list[str] = Grading(slow_class, tmp_path_factory.mktemp("local") / "out", course_root).lines()
    return lines


@pytest.fixture
def begin(slow_class: Path, tmp_path: Path, grading: Callable[..., Any]) -> Callable[[Cluster], Any]:
    """Begins to grade the class on a cluster."""
    return lambda cluster: grading(slow_class, tmp_path / "out", "--scheduler", cluster.address)


def _await_no_judges(workers: Cluster) -> None:
    """They are told to go before the command ends, and are gone a moment later."""
    deadline = time.monotonic() + 60
    while any(children(worker, b"spawn_main") for worker in workers.pids().values()):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.thorough
def test_records_are_those_of_one_machine_and_nobody_stays_behind(
    workers: Cluster, local: list[str], begin: Callable[[Cluster], Any]
) -> None:
    run = begin(workers)
    assert (run.lines(), run.said) == (local, "")
    _await_no_judges(workers)


@needs_wall
@pytest.mark.thorough
def test_worker_without_isolation_is_refused_and_named_and_the_rest_goes_on(
    workers: Cluster, local: list[str], tmp_path: Path, begin: Callable[[Cluster], Any]
) -> None:
    before = set(workers.pids())
    workers.add("bare", "--no-nanny", PATH=str(tmp_path))
    (bare,) = set(workers.pids()) - before
    run = begin(workers)
    try:
        assert run.lines() == local
    finally:
        workers.kill("bare")
    assert run.said.splitlines() == [
        f"The worker {bare} gets no work: it cannot isolate submissions, missing: bubblewrap is not installed."
    ]


@needs_wall
@pytest.mark.thorough
def test_without_a_worker_that_can_isolate_nothing_is_graded_and_a_lost_scheduler_ends_the_run(
    tmp_path: Path, begin: Callable[[Cluster], Any]
) -> None:
    own = Cluster(tmp_path)
    try:
        own.add("bare", "--no-nanny", PATH=str(tmp_path))
        (bare,) = own.pids()
        status, said = begin(own).end()
        why = f"{bare}: it cannot isolate submissions, missing: bubblewrap is not installed"
        assert said.splitlines() == [f"No worker of the scheduler at {own.address} can grade ({why})."]
        assert status == 3 and not (tmp_path / "out").exists()

        own.add("good", "--no-nanny")
        run = begin(own)
        run.await_results()
        own.kill("scheduler")
        status, said = run.end()
        there = len(list(read_results(tmp_path / "out")))
        assert status == 3, said
        assert said.splitlines()[-1] == (
            f"The scheduler at {own.address} does not answer any more. {there} of {CLASS_SIZE} are graded and kept in "
            f"{tmp_path / 'out'}; go on with --resume."
        )
        assert 0 < there < CLASS_SIZE
    finally:
        own.close()


@pytest.mark.thorough
def test_interrupt_keeps_what_is_graded_and_sends_the_judges_home(
    workers: Cluster, begin: Callable[[Cluster], Any]
) -> None:
    run = begin(workers)
    run.await_results()
    run.signal(signal.SIGINT)
    status, said = run.end()
    there = len(list(read_results(run.out)))
    told = f"Stopped. {there} of {CLASS_SIZE} are graded and kept in {run.out}; go on with --resume."
    assert said.splitlines() == [told]
    assert status == 130 and 0 < there < CLASS_SIZE
    _await_no_judges(workers)


@pytest.mark.thorough
def test_judge_that_dies_takes_no_worker_along(workers: Cluster, run: Run) -> None:
    before = workers.pids()
    judges = ClusterJudges(workers.address, run)
    try:
        with pytest.raises(BrokenExecutor):
            judges.submit(os._exit, 1).result()
        assert judges.submit(abs, -1).result() == 1
    finally:
        judges.shutdown(cancel_futures=True)
    assert workers.pids() == before
    assert judges.remarks == []


CONNECTS = """\
import socket

def share(amounts):
    try:
        socket.create_connection(("127.0.0.1", {port}), timeout=5).close()
    except OSError as error:
        return amounts * 0
    return amounts / amounts.sum(-1, keepdim=True)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("level", [pytest.param("full", marks=needs_wall), "reduced"], ids=str)
def test_learners_code_on_a_worker_cannot_connect_to_the_scheduler(
    level: str, workers: Cluster, tmp_path: Path, grading: Callable[..., Any]
) -> None:
    source = CONNECTS.format(port=workers.address.rpartition(":")[2])
    (hand_in(tmp_path / "class", "ada") / "share.py").write_text(source, "utf-8")
    run = grading(tmp_path / "class", tmp_path / "out", "--scheduler", workers.address, "--isolation", level)
    run.lines()
    ((exercise,),) = [result.record.exercises for result in read_results(tmp_path / "out")]
    outcomes = {check.name: check.outcome for check in exercise.checks}
    assert outcomes["test_example"] == outcomes["test_every_row_by_itself"] == "failed"
    control = f"{source}\nimport torch\nassert share(torch.ones(2)).tolist() == [0.5, 0.5]"
    subprocess.run([sys.executable, "-c", control], check=True)  # where there is no wall, it does connect


@pytest.fixture
def run(course: Course) -> Run:
    return run_of(course, "none", 5)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        pytest.param({}, None, id="the same"),
        pytest.param({"programs": "torch 0.0"}, "it has attention-kata ", id="other programs"),
        pytest.param(
            {"stamp": CourseStamp(title="Tiny", version="1", digest="0" * 64)},
            "it sees another course at the same path",
            id="another course",
        ),
        pytest.param({"course": Path("/gone")}, "it does not see the course at /gone", id="no course"),
    ],
)
def test_worker_that_has_something_else_may_not_grade(changes: dict[str, Any], told: str | None, run: Run) -> None:
    reason = why_not(dataclasses.replace(run, **changes))
    assert reason is None if told is None else reason is not None and reason.startswith(told)


@pytest.mark.thorough
def test_worker_that_hangs_in_its_examination_is_not_waited_for_for_ever(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 3.0)
    own = Cluster(tmp_path)
    try:
        own.add("stopped", "--no-nanny")
        ((address, pid),) = own.pids().items()
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(KataError) as refusal:
            ClusterJudges(own.address, run)
        assert str(refusal.value) == (
            f"No worker of the scheduler at {own.address} can grade ({address}: it does not answer)."
        )
    finally:
        own.close()


ADDRESSES = {
    "nobody listens": "tcp://127.0.0.1:1",
    "unknown protocol": "http://127.0.0.1:8786",
    "TLS without certificates": "tls://127.0.0.1:8786",
    "no port": "nowhere",
    "something else listens": "tcp://127.0.0.1:{}",
}


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_address_without_a_scheduler_is_one_sentence(address: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2)
    with socket.create_server((LOOPBACK, 0)) as server:
        threading.Thread(target=_hang_up_on_everybody, args=[server], daemon=True).start()
        address = address.format(server.getsockname()[1])
        with pytest.raises(KataError) as refusal:
            ClusterJudges(address, run)
    assert str(refusal.value).startswith(f"There is no scheduler of dask.distributed at {address} (")
    assert "\n" not in str(refusal.value)


def test_without_the_extra_the_command_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(KataError, match=r"pip install distributed"):
        ClusterJudges("tcp://127.0.0.1:1", run)


def _hang_up_on_everybody(server: socket.socket) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


# --- workers that are killed: last, since another one takes seconds to start ------------------------------------------


@pytest.mark.parametrize("everyone", [pytest.param(False, id="one"), pytest.param(True, id="all, one has a nanny")])
@pytest.mark.thorough
def test_worker_killed_in_the_middle_loses_nothing(
    everyone: bool, workers: Cluster, local: list[str], begin: Callable[[Cluster], Any]
) -> None:
    pids = workers.pids()
    run = begin(workers)
    run.await_results()
    workers.kill("alone")
    (successful,) = workers.client.nthreads().keys() & pids.keys() if not everyone else [None]
    if everyone:
        for pid in pids.values():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert run.lines() == local
    lost = sorted(pids.keys() - {successful})
    assert sorted(run.said.splitlines()) == [
        f"The worker {address} was lost; what it had not finished went to others." for address in lost
    ]


# --- a worker by itself: until when it has judges for a run ------------------------------------------------------------


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a scheduler whose one worker is in this process."""
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as local:
        yield str(local.scheduler_address)


def _asked(judges: ClusterJudges) -> set[BaseProcess]:
    """The processes that there are when a judge has answered."""
    assert judges.submit(len, "seven..").result() == 7
    return set(multiprocessing.active_children())


@pytest.mark.thorough
def test_call_that_comes_after_the_end_of_its_run_brings_no_judges_back(run: Run, scheduler: str) -> None:
    judges = ClusterJudges(scheduler, run)
    before = _asked(judges)
    judges._client.run(leave, judges._client.id)
    with pytest.raises(ValueError, match="Invalid executor"):
        judges.submit(len, "late").result()
    left = set(multiprocessing.active_children())
    judges.shutdown(cancel_futures=True)
    assert left < before


@pytest.mark.thorough
def test_judges_of_a_killed_command_end_when_the_next_run_comes(run: Run, scheduler: str) -> None:
    killed = ClusterJudges(scheduler, run)
    its_judges = _asked(killed)
    killed._client.close()  # as far as the scheduler can tell
    assert set(multiprocessing.active_children()) == its_judges
    judges = ClusterJudges(scheduler, run)
    left = set(multiprocessing.active_children())
    judges.shutdown(cancel_futures=True)
    assert left < its_judges
