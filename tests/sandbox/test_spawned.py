"""Practice where nothing can be forked: children that were started ahead, and how their ends are told."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from grader.sandbox import levels
from grader.sandbox import worker as worker_module
from grader.sandbox.levels import MachineError, launch, launch_spawned
from grader.sandbox.sandbox import Sandbox, SpawnedWorkers, open_sandbox
from grader.sandbox.worker import Bounds, WorkerLost, ending_of

from ..cases import rows, table
from ..waiting import await_true
from .asking import ask, ask_once, begin, call

GONE_SECONDS = 20


def is_gone(pid: int) -> bool:
    """Whether a process has ended, on any system; a zombie that nobody has waited for has."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()[:1] in ("", "Z")


def await_gone(*pids: int) -> None:
    await_true(lambda: all(map(is_gone, pids)), GONE_SECONDS)


def test_what_a_child_of_its_own_prints_goes_nowhere_and_there_is_no_input(spawned, capfd):
    source = "import subprocess, sys\ndef f():\n    subprocess.run([sys.executable, '-S', '-c', 'print(4444)'])\n    return input()"
    assert ask_once(spawned, source)["error"]["type"] == "EOFError"
    assert capfd.readouterr() == ("", "")


@pytest.mark.thorough
def test_where_processor_time_is_not_counted_wall_time_is_but_not_that_of_waiting(monkeypatch):
    monkeypatch.setattr(worker_module, "processor_seconds", lambda pid: None)
    with closing(SpawnedWorkers()) as workers:
        workers.await_ready()
        time.sleep(2.5)
        worker = begin(workers, "import time\ndef f(seconds):\n    time.sleep(seconds)\n    return seconds")
        time.sleep(2.5)
        assert ask(worker, 0, seconds=2)["answers"]["1"] == 0
        with pytest.raises(WorkerLost, match="time"):
            ask(worker, 3, seconds=2)


@rows(table(__file__, "codes.yml"), "code", "reason", "detail")
def test_an_exit_code_is_told_in_the_words_of_every_system(code, reason, detail):
    loss = ending_of(code)
    assert (loss.reason, loss.detail) == (reason, detail)


@pytest.mark.thorough
def test_two_workers_can_run_at_a_time_and_the_next_child_is_warm_before_it_is_asked_for(spawned):
    source = "import os\ndef f():\n    return os.getpid()"
    worker = begin(spawned, source)
    spawned.await_ready()
    started = time.monotonic()
    following = begin(spawned, source)
    took = time.monotonic() - started
    assert len({ask(following)["answers"]["1"], ask(worker)["answers"]["1"], os.getpid()}) == 3
    assert took < 1.0  # importing torch alone takes longer
    for each in (worker, following):
        each.close()
        await_gone(each.process.popen.pid)


@pytest.mark.thorough
def test_two_exercises_that_begin_at_once_never_get_the_same_child(spawned, monkeypatch):
    warm = spawned._warm
    monkeypatch.setattr(spawned, "_warm", lambda: (warm(), time.sleep(0.3))[0])  # as long as both take to begin
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(spawned.spawn, [Bounds(), Bounds()])
    assert one.process.popen.pid != other.process.popen.pid
    for worker in (one, other):
        worker.close()


@pytest.mark.thorough
def test_a_spare_that_is_ended_while_it_waits_is_replaced(spawned):
    spawned.await_ready()
    process = spawned._waiting.process.popen
    process.kill()
    process.wait()
    assert call(spawned, "def f():\n    return 1") == 1


def test_a_child_that_cannot_start_is_the_machines_fault_and_says_why(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('this torch is broken')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with closing(SpawnedWorkers()) as broken, pytest.raises(MachineError, match="this torch is broken"):
        broken.spawn(Bounds())


def test_a_spare_that_was_launched_ahead_is_the_first_to_be_taken():
    launched = launch_spawned()
    with closing(open_sandbox("process", launched)) as workers:
        assert call(workers, "import os\ndef f():\n    return os.getpid()") == launched.process.pid


def test_after_closing_nothing_is_left_running():
    source = (
        "import os, subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "def f():\n    return [os.getpid(), child.pid]"
    )
    with closing(SpawnedWorkers()) as workers:
        worker = begin(workers, source)
        pids = ask(worker)["answers"]["1"]
        pids.append(workers._waiting.process.popen.pid)
    workers.close()  # once more does no harm
    worker.close()
    assert len(set(pids)) == 3
    await_gone(*pids)


JUDGE = """
import sys
sys.path.insert(0, {here!r})
from asking import ask, begin
from grader.sandbox.sandbox import SpawnedWorkers
workers = SpawnedWorkers()
worker = begin(workers, "def f():\\n    while True: pass")
print(worker.process.popen.pid, workers._waiting.process.popen.pid, flush=True)
ask(worker, seconds=600)
"""


@pytest.mark.thorough
def test_when_the_judge_is_killed_its_children_end_even_in_a_loop():
    code = JUDGE.format(here=os.path.dirname(__file__))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as judge:
        pids = [int(pid) for pid in judge.stdout.readline().split()]
        judge.kill()
    try:
        assert len(pids) == 2
        await_gone(*pids)
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_practice_uses_fork_where_it_is_and_without_it_spares_and_grading_is_refused(monkeypatch):
    with closing(open_sandbox("process")) as sandbox:
        assert isinstance(sandbox, Sandbox)
    monkeypatch.setattr(levels, "has_zygotes", lambda: False)
    with closing(open_sandbox("process")) as sandbox:
        assert isinstance(sandbox, SpawnedWorkers)
    for level in ("full", "reduced"):
        with pytest.raises(MachineError):
            launch(level)
