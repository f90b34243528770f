"""A worker's life behind the wall: what a learner's code can do, what it can't, and how its end is told."""

import os
import threading
import time

import pytest
import torch

from grader.sandbox.inside import wire
from grader.sandbox.levels import MachineError
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import MOST_UNREAD, Bounds, Budget, WorkerLost

from .asking import SECONDS, ask_once, begin, call, load, question


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


HONEST = {
    "libraries": (
        "import math, random, dataclasses, numpy, torch.nn.functional as F\ndef f():\n    return math.floor(math.pi)",
        3,
    ),
    "dataclasses and type hints of the file itself": (
        "from __future__ import annotations\nfrom dataclasses import dataclass\nimport typing\n"
        "@dataclass\nclass A:\n    n: int = 3\n"
        "def f():\n    return A().n + len(typing.get_type_hints(A))",
        4,
    ),
    "threads": (
        "import threading\ndef f():\n    seen = []\n"
        "    t = threading.Thread(target=seen.append, args=(1,)); t.start(); t.join()\n    return seen",
        [1],
    ),
}


@pytest.mark.parametrize(("source", "value"), HONEST.values(), ids=HONEST)
def test_what_honest_code_needs_works(walled, source, value):
    assert call(walled, source) == value


FORBIDDEN = {
    "list the root": "os.listdir('/')",
    "list the current folder": "os.listdir('.')",
    "list the home of root": "os.listdir('/root')",
    "list temporary files": "os.listdir('/tmp')",
    "list processes": "os.listdir('/proc')",
    "read its own memory map": "open('/proc/self/maps').read()",
    "read its parent's environment": "open(f'/proc/{os.getppid()}/environ', 'rb').read()",
    "read the password file": "open('/etc/passwd').read()",
    "read the host's name": "open('/etc/hostname').read()",
    "write a temporary file": "open('/tmp/mark', 'w')",
    "write to shared memory": "open('/dev/shm/mark', 'w')",
    "write beside the libraries": "open(os.path.join(os.path.dirname(torch.__file__), 'mark'), 'w')",
    "make an anonymous file": "os.memfd_create('x')",
    "open a network socket": "socket.socket()",
    "open a local socket": "socket.socket(socket.AF_UNIX)",
    "make a socket pair": "socket.socketpair()",
    "fork": "os.fork()",
    "fork by another name": "os.posix_spawn('/bin/true', ['true'], {})",
    "run a program": "os.execv('/bin/true', ['true'])",
    "run a subprocess": "subprocess.run(['/bin/true'], check=True)",
    "kill its parent": "os.kill(os.getppid(), 9)",
    "kill everyone": "os.kill(-1, 9)",
    "kill itself by name": "os.kill(os.getpid(), 9)",
    "have signals sent to another process": "fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())",
    "raise its limits": "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "change its user": "os.setuid(0)",
    "change the root": "os.chroot('/')",
    "change the folder": "os.chdir('/')",
    "make a pipe": "os.pipe()",
    "change its priority": "os.nice(-5)",
    "map shared memory of its own": "mp.shared_memory.SharedMemory(create=True, size=10)",
}


@pytest.mark.parametrize("attempt", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_the_wall_holds(walled, attempt):
    source = (
        "import fcntl, multiprocessing.shared_memory, os, resource, socket, subprocess\nimport multiprocessing as mp\nimport torch\n"
        f"def f():\n    try:\n        {attempt}\n    except (OSError, ValueError) as error:\n"
        "        return 'refused'\n    return 'possible'"
    )
    assert call(walled, source) == "refused"


@pytest.mark.parametrize(
    ("name", "args"),
    [("ptrace", (16, 1, 0, 0)), ("unshare", (0x10000000,)), ("bpf", (0, 0, 0)), ("keyctl", (0, 0)), ("mount", (0, 0, 0, 0, 0)),
     ("process_vm_readv", (1, 0, 0, 0, 0, 0)), ("io_uring_setup", (1, 0)), ("userfaultfd", (0,)), ("setns", (0, 0)),
     ("perf_event_open", (0, 0, 0, 0, 0)), ("pidfd_open", (1, 0)), ("add_key", (0, 0, 0, 0, 0)), ("clone3", (0, 0))],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_dangerous_system_calls_are_refused(walled, name, args):
    import pyseccomp

    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    source = (
        "import ctypes\ndef f(number, *args):\n    libc = ctypes.CDLL(None, use_errno=True)\n"
        "    return [libc.syscall(number, *args), ctypes.get_errno()]"
    )
    result, number_of_error = call(walled, source, number, *args)
    assert result == -1 and number_of_error in (1, 38)  # EPERM, ENOSYS


def test_only_five_descriptors_are_open(walled):
    source = (
        "import os\ndef f():\n    found = []\n    for fd in range(2000):\n        try:\n            os.fstat(fd)\n"
        "        except OSError:\n            continue\n        found.append(fd)\n    return found"
    )
    assert call(walled, source) == [0, 1, 2, 3, 4]


def test_the_environment_is_empty_of_the_judges(walled, monkeypatch):
    names = call(walled, "import os\ndef f():\n    return sorted(os.environ)")
    assert set(names) <= {"PATH", "LANG", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED", "LC_CTYPE", "PWD",
                          "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE", "TMPDIR", "MPLCONFIGDIR", "MPLBACKEND",
                          "TORCHINDUCTOR_CACHE_DIR", "TORCHDYNAMO_DISABLE", "ATEN_CPU_CAPABILITY"}  # fmt: skip


def test_the_project_is_not_visible(full):
    import grader

    root = os.path.dirname(os.path.dirname(grader.__file__))
    source = "import os\ndef f(path):\n    try:\n        os.stat(path)\n    except OSError:\n        return 'absent'"
    for path in ("solutions", "tests", "course.yml", "grader/judge"):
        assert call(full, source, os.path.join(root, path)) == "absent"


def test_one_worker_leaves_nothing_for_the_next(either):
    call(
        either,
        "import torch, builtins\nbuiltins.mark = 1\ntorch.set_default_dtype(torch.float64)\ndef f():\n    return 1",
    )
    source = "import torch, builtins\ndef f():\n    return [hasattr(builtins, 'mark'), str(torch.ones(1).dtype)]"
    assert call(either, source) == [False, "torch.float32"]


ENDINGS = {
    "os._exit": ("import os\ndef f():\n    os._exit(0)", "exit"),
    "exit code 97": ("import os\ndef f():\n    os._exit(97)", "exit"),
    "segmentation fault": ("import ctypes\ndef f():\n    ctypes.string_at(0)", "signal"),
    "abort": ("import os\ndef f():\n    os.abort()", "signal"),
    "endless loop": ("def f():\n    while True: pass", "time"),
    "sleep": ("import time\ndef f():\n    time.sleep(600)", "time"),
    "printing without end": ("def f():\n    while True: print('x' * 1000000)", "time"),
    "garbage among the answers": (
        "import os\ndef f():\n    for fd in range(3, 12):\n        try:\n            os.write(fd, b'garbage' * 100)\n"
        "        except OSError:\n            pass\n    return 1",
        "garbled",
    ),
    "closed answers": ("import os\ndef f():\n    os.closerange(3, 12); return 1", "exit"),
    "closed answers, lives on": ("import os, time\ndef f():\n    os.closerange(4, 12); time.sleep(600)", "closed"),
}


@pytest.mark.parametrize(("source", "reason"), ENDINGS.values(), ids=ENDINGS.keys())
def test_every_end_is_told_as_what_it_was(either, source, reason):
    worker = begin(either, source)
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


def test_processor_time_is_bounded(either):
    with pytest.raises(WorkerLost) as lost:
        ask_once(either, "def f():\n    while True: pass", bounds=Bounds(cpu_seconds=1), seconds=90)
    assert (lost.value.reason, lost.value.detail) == ("signal", "SIGXCPU")


def test_what_is_printed_goes_nowhere_and_does_no_harm(either, capfd):
    source = "import os, sys\ndef f():\n    print('→' * 20_000_000, file=sys.stderr)\n    print('a')\n    return os.write(1, b'b' * 9)"
    assert call(either, source) == 9
    assert capfd.readouterr() == ("", "")


def test_answers_that_are_too_large_together_are_not_looked_at(full):
    worker = begin(full, "import torch\ndef f(n):\n    return torch.zeros(n)", Bounds(reply_mb=1))
    small, large, again, one = ask_all(worker, *(question(n) for n in (100_000, 300_000, 200_000, 1)))
    worker.close()
    assert small["error"] is None and "too_large" in large and "too_large" in again and one["error"] is None


def test_more_than_agreed_is_not_taken(full):
    source = "import os\ndef f():\n    part = b'KAT1' + bytes([0, 0, 0, 0]) + (4 << 20).to_bytes(8, 'little') + bytes(4 << 20)\n    while True: os.write(4, part)"
    worker = begin(full, source, Bounds(reply_mb=1))
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


def test_a_killed_zygote_is_the_machines_fault():
    with Sandbox("process") as sandbox:
        sandbox.await_ready()
        sandbox._process.kill()
        sandbox._process.wait()
        with pytest.raises(MachineError):
            sandbox.spawn(Bounds()).await_ready(5)


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["full", "reduced"])
def test_a_worker_that_dies_with_its_zygote_is_the_machines_fault(level):
    with Sandbox(level) as sandbox:
        sandbox.await_ready()
        soon = threading.Timer(0.5, sandbox._process.kill)
        soon.start()
        with pytest.raises(MachineError, match="from outside"):
            ask_once(sandbox, "import time\ndef f():\n    time.sleep(60)")
        soon.join()


def test_a_worker_that_cannot_be_locked_is_the_machines_fault(full):
    worker = full.spawn(Bounds(memory_mb=10**13))  # no such limit can be set
    with pytest.raises(MachineError):
        worker.await_ready(5)
    worker.close()


ODD_BUT_HONEST = {
    "vmap": "def f(x):\n    return torch.vmap(lambda row: row * 2)(x)",
    "script": "@torch.jit.script\ndef g(x):\n    return x * 2\ndef f(x):\n    return g(x)",
    "compile": "@torch.compile\ndef f(x):\n    return x * 2",
    "checkpoint": "import torch.utils.checkpoint as c\ndef f(x):\n    return c.checkpoint(lambda y: y * 2, x, use_reentrant=False)",
    "matplotlib": "import matplotlib.pyplot as plt\ndef f(x):\n    return x * 2",
    "numpy": "import numpy as np\ndef f(x):\n    return torch.from_numpy(x.numpy() * 2)",
    "own gradient": (
        "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g): return g * 2\ndef f(x):\n    return Twice.apply(x)"
    ),
    "own source": "import inspect\ndef f(x):\n    return x * len(inspect.getsource(f).splitlines())",
    "temporary folder's name": "import tempfile\ndef f(x):\n    tempfile.gettempdir(); return x * 2",
    "two threads": "torch.set_num_threads(2)\ndef f(x):\n    torch.randn(300, 300) @ torch.randn(300, 300); return x * 2",
    "optimizer": "def f(x):\n    torch.optim.AdamW([torch.nn.Parameter(x.clone())]); return x * 2",
}  # fmt: skip


@pytest.mark.parametrize("source", ODD_BUT_HONEST.values(), ids=ODD_BUT_HONEST.keys())
def test_honest_code_of_an_odd_kind_runs(full, source):
    x = torch.randn(2, 3)
    assert torch.allclose(call(full, "import torch\n" + source, x), x * 2)
