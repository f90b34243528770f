"""A worker's life behind the wall: what a learner's code can do, what it can't, and how its end is told."""

import os
import threading
import time
from contextlib import closing

import pytest
import torch

from grader.sandbox.inside import wire
from grader.sandbox.inside.case_steps import STEPS
from grader.sandbox.inside.host import FEW_NEED
from grader.sandbox.levels import MachineError
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import MOST_UNREAD, Bounds, Budget, WorkerLost

from ..cases import rows, table
from .asking import SECONDS, ask_once, begin, call, load, question

CASES = table(__file__, "worker.yml")


def ask_all(worker, *questions):
    """The answers to a round of questions."""
    came = list(worker.ask(questions, Budget(60), SECONDS, answers=len(questions)))
    return [reply if isinstance(reply, dict) else reply[0] for reply in (wire.unpack(*each) for each in came)]


@pytest.mark.parametrize("shape", [(2, 3), (700, 700)], ids=["small", "more than a pipe holds"])
def test_values_go_there_and_come_back(either, shape):
    x = torch.randn(shape)
    assert torch.equal(call(either, "def f(x):\n    return x * 2", x), x * 2)


def test_an_error_comes_back_with_the_learners_line(either):
    error = ask_once(either, "def f():\n    return undefined")["error"]
    assert error["type"] == "NameError" and error["frames"] == [[2, "f"]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_mask_and_complex_numbers_of_a_module_stay_what_they_are(dtype):
    layer = torch.nn.Linear(2, 2)
    layer.register_buffer("mask", torch.ones(2, 2, dtype=torch.bool))
    layer.register_buffer("turns", torch.polar(torch.ones(3), torch.ones(3)))
    layer.register_buffer("sparse", torch.eye(2).to_sparse())
    STEPS["prepare"]({"target": wire.Slot(0), "train": False, "dtype": dtype}, {0: layer}, {})
    assert layer.weight.dtype is getattr(torch, dtype)
    assert layer.sparse.to_dense().dtype is getattr(torch, dtype)
    assert layer.mask.dtype is torch.bool and layer.turns.dtype is torch.complex64


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_what_a_module_converts_itself_has_the_dtype_that_a_check_asks_for(dtype):
    class Turning(torch.nn.Linear):
        turns = torch.eye(2)  # no buffer, so that it is none of the weights

        def _apply(self, *how):
            self.turns = how[0](self.turns)
            return super()._apply(*how)

    layer = Turning(2, 2)
    STEPS["prepare"]({"target": wire.Slot(0), "train": False, "dtype": dtype}, {0: layer}, {})
    assert layer.turns.dtype is layer.weight.dtype is getattr(torch, dtype)


@rows(CASES["honest"], "source")
def test_honest_code_runs_however_odd_it_is(walled, source):
    x = torch.randn(2, 3)
    assert torch.allclose(call(walled, source, x), x * 2)


@rows(CASES["refused"], "attempt")
def test_the_wall_holds(walled, attempt):
    assert call(walled, CASES["attempt"].replace("ATTEMPT", attempt)) == "refused"


@pytest.mark.parametrize(("name", "args"), CASES["system_calls"].items(), ids=CASES["system_calls"])
def test_dangerous_system_calls_are_refused(walled, name, args):
    import pyseccomp

    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    result, number_of_error = call(walled, CASES["system call"], number, *args)
    assert result == -1 and number_of_error in (1, 38)  # EPERM, ENOSYS


def test_only_five_descriptors_are_open(walled):
    assert call(walled, CASES["open descriptors"]) == [0, 1, 2, 3, 4]


def test_the_environment_is_empty_of_the_judges(walled, monkeypatch):
    names = call(walled, "import os\ndef f():\n    return sorted(os.environ)")
    assert set(names) <= {"PATH", "LANG", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED", "LC_CTYPE", "PWD",
                          "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE", "TMPDIR", "MPLCONFIGDIR", "MPLBACKEND",
                          "TORCHINDUCTOR_CACHE_DIR", "TORCHDYNAMO_DISABLE", "ATEN_CPU_CAPABILITY"}  # fmt: skip


def test_what_few_files_need_is_loaded_for_the_first_that_needs_it():
    source = "import sys\ndef f():\n    return 'torch._dynamo' in sys.modules"
    with closing(Sandbox("process")) as sandbox:
        replies = [ask_once(sandbox, source, bounds=Bounds(needs_all=needs)) for needs in (False, True)]
    assert [reply["answers"]["1"] for reply in replies] == [False, True]
    assert FEW_NEED.search("from torch.utils.checkpoint import checkpoint") and FEW_NEED.search("torch.optim.SGD")
    assert not FEW_NEED.search("import torch\nimport torch.nn.functional as F\n")


def test_the_project_is_not_visible(full):
    import grader

    root = os.path.dirname(os.path.dirname(grader.__file__))
    for path in ("solutions", "tests", "course.yml", "grader/judge"):
        assert call(full, CASES["is there"], os.path.join(root, path)) == "absent"


def test_one_worker_leaves_nothing_for_the_next(either):
    assert call(either, CASES["leaves something"]) == 1
    assert call(either, CASES["what was left"]) == [False, "torch.float32"]


@rows(CASES["ends"], "end")
def test_every_end_is_told_as_what_it_was(either, end):
    reason, worker = end["reason"], begin(either, end["source"])
    with pytest.raises(WorkerLost) as lost:
        list(worker.ask([question()], Budget(60), 2 if reason == "time" else SECONDS, answers=1))
    worker.close()
    assert lost.value.reason == reason
    either.await_ready()


@pytest.mark.thorough
def test_a_loop_while_the_file_is_loaded_is_cut_too(either):
    worker = either.spawn(Bounds())
    said = load(worker, "while True: pass", seconds=1)
    next(said)
    with pytest.raises(WorkerLost, match="time"):
        next(said)
    worker.close()


def test_memory_is_bounded(either):
    source = "import torch\ndef f():\n    return torch.ones(10**9).sum()"
    reply = ask_once(either, source, bounds=Bounds(memory_mb=1600))
    assert reply["error"]["kind"] in ("memory", "exception")


def test_a_file_that_draws_while_it_is_loaded_draws_the_same_in_each_worker(either):
    source = "import random\nimport torch\nW = random.random() + torch.rand(1).item()\ndef f():\n    return W"
    assert call(either, source) == call(either, source)


def test_processor_time_is_bounded(either):
    with pytest.raises(WorkerLost) as lost:
        ask_once(either, "def f():\n    while True: pass", bounds=Bounds(cpu_seconds=1), seconds=90)
    assert (lost.value.reason, lost.value.detail) == ("signal", "SIGXCPU")


def test_what_is_printed_goes_nowhere_and_does_no_harm(either, capfd):
    assert call(either, CASES["prints"]) == 9
    assert capfd.readouterr() == ("", "")


def test_answers_that_are_too_large_together_are_not_looked_at(full):
    worker = begin(full, "import torch\ndef f(n):\n    return torch.zeros(n)", Bounds(reply_mb=1))
    small, large, again, one = ask_all(worker, *(question(n) for n in (100_000, 300_000, 200_000, 1)))
    worker.close()
    assert small["error"] is None and "too_large" in large and "too_large" in again and one["error"] is None


def test_more_than_agreed_is_not_taken(full):
    worker = begin(full, CASES["sends without end"], Bounds(reply_mb=1))
    with pytest.raises(WorkerLost, match="garbled"):
        list(worker.ask([question()] * 9, Budget(60), SECONDS, answers=9))


def test_what_nobody_asked_for_waits_in_the_pipe(full):
    frame = wire.pack(1, 0)
    source = f"import os\ndef f():\n    while True: os.write(4, {frame!r} * 100)"
    worker = begin(full, source)
    next(worker.ask([question()], Budget(60), SECONDS, answers=1))
    time.sleep(0.5)
    assert worker._came.qsize() <= MOST_UNREAD
    worker.close()


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["full", "reduced"])
def test_a_worker_that_dies_with_its_zygote_is_the_machines_fault(level):
    with closing(Sandbox(level)) as sandbox:
        sandbox.await_ready()
        soon = threading.Timer(0.5, sandbox._process.kill)
        soon.start()
        with pytest.raises(MachineError, match="from outside"):
            ask_once(sandbox, "import time\ndef f():\n    time.sleep(60)")
        soon.join()


def test_a_worker_that_cannot_be_locked_is_the_machines_fault(full):
    worker = full.spawn(Bounds(memory_mb=10**14))  # no such limit can be set
    with pytest.raises(MachineError):
        worker.await_ready(5)
    worker.close()
