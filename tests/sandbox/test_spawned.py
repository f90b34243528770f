"""Practice where nothing can be forked: children that were started ahead, and how their ends are told."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from grader.sandbox import levels as launching
from grader.sandbox import spare
from grader.sandbox.clock import Budget
from grader.sandbox.inside import wire
from grader.sandbox.levels import LaunchedZygote, MachineError, launch, launch_spawned
from grader.sandbox.sandbox import Sandbox, open_sandbox
from grader.sandbox.spare import SpawnedWorkers
from grader.sandbox.worker import Bounds, LearnerFile, WorkerLost, ending_of

SECONDS = 30
"""Enough for any answer, on a busy machine too."""
GONE_SECONDS = 20


@pytest.fixture(scope="module")
def workers():
    with SpawnedWorkers() as workers:
        yield workers


def load(worker, source: str, seconds: float = SECONDS):
    """What a worker says of a file: the scan, and whether it was loaded."""
    frame = LearnerFile("f.py", source.encode(), ("f",)).frame(worker.bounds.reply_bytes)
    return (wire.unpack(*each) for each in worker.ask([frame], Budget(600), seconds, answers=LearnerFile.ANSWERS))


def begin(workers, source: str, bounds: Bounds | None = None):
    """A new worker that has loaded a source."""
    worker = workers.spawn(bounds or Bounds())
    _, loaded = load(worker, source)
    assert loaded == {"loaded": True}, loaded
    return worker


def ask(worker, *args, seconds: float = SECONDS):
    """Call its f."""
    steps = [
        {"do": "entry", "name": "f", "tell": False},
        {"do": "call", "target": wire.Slot(0), "method": "", "args": list(args), "kwargs": {}, "tell": True},
    ]
    frame = wire.pack({"cases": [{"seed": 0, "steps": steps}]}, 1 << 24)
    (reply,) = worker.ask([frame], Budget(600), seconds, answers=1)
    return wire.unpack(*reply)[0]


def call(workers, source: str, *args, **options):
    worker = begin(workers, source)
    try:
        reply = ask(worker, *args, **options)
    finally:
        worker.close()
    assert reply["error"] is None, reply["error"]
    return reply["answers"]["1"]


def is_gone(pid: int) -> bool:
    """Whether a process ends within a while; a zombie that nobody has waited for has ended."""
    until = time.monotonic() + GONE_SECONDS
    while time.monotonic() < until:
        done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
        if not done.stdout.strip() or done.stdout.startswith("Z"):
            return True
        time.sleep(0.1)
    return False


# --- one worker -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 3), (700, 700)], ids=["small", "more than a pipe holds"])
def test_values_go_there_and_come_back(workers, shape):
    x = torch.randn(shape)
    assert torch.equal(call(workers, "def f(x):\n    return x * 2", x), x * 2)


def test_an_error_comes_back_with_the_learners_line(workers):
    worker = begin(workers, "def f():\n    return undefined")
    error = ask(worker)["error"]
    worker.close()
    assert error["type"] == "NameError" and error["frames"] == [[2, "f"]]


@pytest.mark.thorough
def test_two_workers_are_two_processes_and_leave_each_other_nothing(workers):
    marked = "import os, builtins\nbuiltins.mark = 1\ndef f():\n    return os.getpid()"
    looking = "import os, builtins\ndef f():\n    return [os.getpid(), hasattr(builtins, 'mark')]"
    first = call(workers, marked)
    second, is_marked = call(workers, looking)
    assert len({first, second, os.getpid()}) == 3 and not is_marked


@pytest.mark.thorough
def test_two_workers_can_run_at_a_time(workers):
    both = [begin(workers, f"def f():\n    return {number}") for number in range(2)]
    assert [ask(worker)["answers"]["1"] for worker in both] == [0, 1]
    for worker in both:
        worker.close()


def test_what_is_printed_by_any_means_goes_nowhere(workers, capfd):
    source = (
        "import os, subprocess, sys\ndef f():\n    print('→ one')\n    print('two', file=sys.stderr)\n"
        "    os.write(1, b'three')\n    subprocess.run([sys.executable, '-S', '-c', 'print(4444)'])\n    return 1"
    )
    worker = begin(workers, source)
    assert ask(worker)["answers"]["1"] == 1
    worker.close()
    assert capfd.readouterr() == ("", "")


def test_there_is_nothing_to_read_for_input(workers):
    worker = begin(workers, "def f():\n    return input()")
    assert ask(worker)["error"]["type"] == "EOFError"
    worker.close()


# --- how it ends ----------------------------------------------------------------------------------------------

ENDINGS = {
    "os._exit": ("import os\ndef f():\n    os._exit(0)", "exit"),
    "segmentation fault": ("import ctypes\ndef f():\n    ctypes.string_at(0)", "signal"),
    "abort": ("import os\ndef f():\n    os.abort()", "signal"),
    "endless loop": ("def f():\n    while True: pass", "time"),
    "sleep": ("import time\ndef f():\n    time.sleep(600)", "time"),
    "garbage among the answers": (
        "import os\ndef f():\n    for fd in range(3, 12):\n        try:\n            os.write(fd, b'garbage' * 100)\n"
        "        except OSError:\n            pass\n    return 1",
        "garbled",
    ),
    "closed answers": ("import os\ndef f():\n    os.closerange(3, 12)\n    return 1", "exit"),
    "closed answers, lives on": (
        "import os, time\ndef f():\n    os.closerange(4, 12)\n    time.sleep(600)",
        "closed",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("source", "reason"), ENDINGS.values(), ids=ENDINGS.keys())
def test_every_end_is_told_as_what_it_was_and_costs_one_child(workers, source, reason):
    worker = begin(workers, source)
    with pytest.raises(WorkerLost) as lost:
        ask(worker, seconds=2 if reason == "time" else SECONDS)
    worker.close()
    assert lost.value.reason == reason
    assert is_gone(worker.process.popen.pid)
    workers.await_ready()  # and the next one of these tests is answered by a new child


@pytest.mark.thorough
def test_where_processor_time_is_not_counted_wall_time_is_but_not_that_of_waiting(monkeypatch):
    monkeypatch.setattr(spare, "processor_seconds", lambda pid: None)
    with SpawnedWorkers() as workers:
        workers.await_ready()
        time.sleep(2.5)
        worker = begin(workers, "import time\ndef f(seconds):\n    time.sleep(seconds)\n    return seconds")
        time.sleep(2.5)
        assert ask(worker, 0, seconds=2)["answers"]["1"] == 0
        with pytest.raises(WorkerLost, match="time"):
            ask(worker, 3, seconds=2)


@pytest.mark.thorough
def test_a_loop_while_the_file_is_loaded_is_cut_too(workers):
    worker = workers.spawn(Bounds())
    said = load(worker, "while True: pass", seconds=1)
    next(said)
    with pytest.raises(WorkerLost) as lost:
        next(said)
    worker.close()
    assert lost.value.reason == "time"


def test_memory_is_bounded_where_the_system_can(workers):
    pytest.importorskip("resource")
    worker = begin(workers, "import torch\ndef f():\n    return torch.ones(10**9).sum()", Bounds(memory_mb=1600))
    assert ask(worker)["error"]["kind"] in ("memory", "exception")
    worker.close()


@pytest.mark.thorough
def test_processor_time_is_bounded_where_the_system_can(workers):
    pytest.importorskip("resource")
    worker = begin(workers, "def f():\n    while True: pass", Bounds(cpu_seconds=1))
    with pytest.raises(WorkerLost) as lost:
        ask(worker, seconds=90)
    worker.close()
    assert (lost.value.reason, lost.value.detail) == ("signal", "SIGXCPU")


CODES = {
    "an exit": (3, "exit", "3"),
    "a signal": (-11, "signal", "SIGSEGV"),
    "a signal without a name": (-200, "signal", "200"),
    "a crash on Windows": (0xC0000005, "signal", "access violation"),
    "an unknown crash on Windows": (0xC0000374, "signal", "0xc0000374"),
    "not yet": (None, "closed", ""),
}


@pytest.mark.parametrize(("code", "reason", "detail"), CODES.values(), ids=CODES.keys())
def test_an_exit_code_is_told_in_the_words_of_every_system(code, reason, detail):
    loss = ending_of(code)
    assert (loss.reason, loss.detail) == (reason, detail)


# --- the workers themselves ------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_next_child_is_warm_before_it_is_asked_for(workers):
    worker = begin(workers, "def f():\n    return 1")
    workers.await_ready()
    started = time.monotonic()
    following = begin(workers, "def f():\n    return 2")
    took = time.monotonic() - started
    assert ask(following)["answers"]["1"] == 2 and ask(worker)["answers"]["1"] == 1
    assert took < 1.0  # importing torch alone takes longer
    for each in (worker, following):
        each.close()


@pytest.mark.thorough
def test_a_spare_that_is_ended_while_it_waits_is_replaced(workers):
    workers.await_ready()
    process = workers._waiting.result().process.popen
    process.kill()
    process.wait()
    assert call(workers, "def f():\n    return 1") == 1


def test_a_child_that_cannot_start_is_the_machines_fault_and_says_why(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('this torch is broken')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with SpawnedWorkers() as broken, pytest.raises(MachineError, match="this torch is broken"):
        broken.spawn(Bounds())


def test_a_spare_that_was_launched_ahead_is_the_first_to_be_taken():
    launched = launch_spawned()
    with open_sandbox("process", launched) as workers:
        assert call(workers, "import os\ndef f():\n    return os.getpid()") == launched.process.pid


def test_after_closing_nothing_is_left_running():
    source = (
        "import os, subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "def f():\n    return [os.getpid(), child.pid]"
    )
    with SpawnedWorkers() as workers:
        worker = begin(workers, source)
        pids = ask(worker)["answers"]["1"]
        pids.append(workers._waiting.result().process.popen.pid)
    workers.close()  # once more does no harm
    worker.close()
    assert len(set(pids)) == 3 and all(is_gone(pid) for pid in pids)


JUDGE = """
import sys
sys.path.insert(0, {here!r})
from test_spawned import ask, begin
from grader.sandbox.spare import SpawnedWorkers
workers = SpawnedWorkers()
worker = begin(workers, "def f():\\n    while True: pass")
print(worker.process.popen.pid, workers._waiting.result().process.popen.pid, flush=True)
ask(worker, seconds=600)
"""


@pytest.mark.thorough
def test_when_the_judge_is_killed_its_children_end_even_in_a_loop():
    code = JUDGE.format(here=os.path.dirname(__file__))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as judge:
        pids = [int(pid) for pid in judge.stdout.readline().split()]
        judge.kill()
    try:
        assert len(pids) == 2 and all(is_gone(pid) for pid in pids)
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


# --- which kind -----------------------------------------------------------------------------------------------


def test_where_there_is_fork_practice_uses_it():
    with open_sandbox("process") as sandbox:
        assert isinstance(sandbox, Sandbox)


def test_without_fork_practice_uses_spares_and_grading_is_refused(monkeypatch):
    monkeypatch.setattr(launching, "has_zygotes", lambda: False)
    with open_sandbox("process") as sandbox:
        assert isinstance(sandbox, SpawnedWorkers) and sandbox.level == "process"
    for level in ("full", "reduced"):
        with pytest.raises(MachineError):
            launch(level)


def test_a_spare_is_no_zygote():
    launched = launch_spawned()
    assert launched.level == "process" and not isinstance(launched, LaunchedZygote)
    launched.process.communicate(timeout=60)  # it ends as soon as its questions do
