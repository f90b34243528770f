"""Runs a learner's code and answers questions about it; loads ahead of time what that will need.

The judge runs the reference and the known mistakes with the same functions, so both sides of a comparison are asked in
exactly the same way. A question is a list of cases; a case is a list of steps that fill numbered slots. A case ends at
its first error; the other cases of the question go on.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import linecache
import re
import sys
import types
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import torch

from . import wire
from .case_steps import STEPS, CaseError, Namespace, seed_everything
from .watching import ForbiddenOperator, Observer, OperatorWatch, forbidden_uses

MAX_FRAMES = 6
MAX_MESSAGE = 600
MAX_TENSORS = 6
ANSWERS_TO_A_FILE = 2
"""A worker sends two messages about a file: the result of scanning its source, and whether it was loaded."""
NAME = re.compile(r"(?<![\w.])(?:self\.)?[A-Za-z_]\w{0,39}\b")
FEW_NEED = re.compile(r"checkpoint|functorch|torch\.(?:compile|func)\b|\b(?:optim|meta)\b")
"""What stands in a file that needs what `load_what_few_need` loads."""


def run_question(
    question: Mapping[str, Any],
    namespace: Namespace,
    file: str,
    watched: Sequence[str] = (),
    *,
    raw: bool = False,
) -> list[dict[str, Any]]:
    """Run every case of a question; return for each {"answers": {step: value}, "error": None or a description of it}.

    `file` is the file name under which the learner's code was compiled, so that only its lines are reported. With `raw`
    a learner's exception is not caught (for a debugger in the same process).
    """
    return [_run_case(case, namespace, file, watched, raw) for case in question["cases"]]


def _run_case(
    case: Mapping[str, Any], namespace: Namespace, file: str, watched: Sequence[str], raw: bool
) -> dict[str, Any]:
    seed_everything(case["seed"])
    slots: dict[int, Any] = {}
    answers: dict[str, Any] = {}
    watch = OperatorWatch(watched) if watched else None
    observer = Observer() if any(step["do"] == "observed" for step in case["steps"]) else None
    for number, step in enumerate(case["steps"]):
        try:
            with watch or contextlib.nullcontext(), observer.watching() if observer else contextlib.nullcontext():
                look = observer if step["do"] == "observed" else None
                value = look.seen() if look else STEPS[step["do"]](step, slots, namespace)
            if watch and watch.seen:
                raise ForbiddenOperator(watch.seen)
        except BaseException as error:
            if raw and not isinstance(error, (CaseError, ForbiddenOperator)):
                raise
            return {"answers": answers, "error": {"step": number, **describe_error(error, file)}}
        slots[number] = value
        if step.get("tell"):
            answers[str(number)] = value
    return {"answers": answers, "error": None}


def describe_error(error: BaseException, file: str) -> dict[str, Any]:
    """Turn an exception into plain data: kind, type, text and the learner's own lines, innermost last."""
    if isinstance(error, CaseError):
        return error.details
    if isinstance(error, ForbiddenOperator):
        return {"kind": "forbidden", "name": str(error)}
    if isinstance(error, MemoryError):
        return {"kind": "memory", "frames": _own_frames(error.__traceback__, file)}
    try:
        text = str(error)[:MAX_MESSAGE]
    except BaseException:
        text = ""
    return {
        "kind": "exception",
        "type": type.__getattribute__(type(error), "__name__"),
        "message": text,
        "frames": _own_frames(error.__traceback__, file),
        "tensors": _tensors_of_line(error.__traceback__, file),
    }


def _tensors_of_line(traceback: types.TracebackType | None, file: str) -> list[list[Any]]:
    """[name, shape] of the tensors that the failing line names; the judge shows them for visible checks alone."""
    known: Mapping[str, Any] = {}
    line = ""
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            known, line = traceback.tb_frame.f_locals, linecache.getline(file, traceback.tb_lineno or 0)
        traceback = traceback.tb_next
    found: dict[str, list[int]] = {}
    for name in NAME.findall(line):
        first, _, rest = name.partition(".")
        value = known.get(first)
        value = _held(value, rest) if rest else value
        if isinstance(value, torch.Tensor) and type(value) in (torch.Tensor, torch.nn.Parameter):
            found[name] = list(value.shape)
    return [[name, shape] for name, shape in found.items()][:MAX_TENSORS]


def _held(owner: Any, name: str) -> Any:
    """An attribute that an object or a module holds; runs none of the learner's code, such as a `__getattr__`."""
    own = object.__getattribute__(owner, "__dict__") if isinstance(owner, torch.nn.Module) else {}
    for place in (own, own.get("_parameters"), own.get("_buffers")):
        if isinstance(place, dict) and name in place:
            return place[name]
    return None


def _own_frames(traceback: types.TracebackType | None, file: str) -> list[list[Any]]:
    frames: list[list[Any]] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == file and traceback.tb_lineno is not None:  # code that has no source line has None
            frames.append([traceback.tb_lineno, code.co_name])
        traceback = traceback.tb_next
    return frames[-MAX_FRAMES:]


def scan(source: str, calls: Sequence[str], entry_points: Sequence[str]) -> dict[str, Any]:
    """Look at the source before it runs: forbidden library calls, or the syntax error."""
    try:
        uses = forbidden_uses(ast.parse(source), source, calls, entry_points)
    except SyntaxError as error:
        return {"syntax": [error.lineno or 0, str(error.msg)[:200]]}
    except (RecursionError, MemoryError, ValueError):
        return {"syntax": [0, "it is nested too deep to be read"]}
    return {"forbidden": [list(use) for use in uses]}


def load(source: str, file: str) -> Namespace:
    """Run a learner's file as a module of its own and return its names. Its exceptions are not caught."""
    module = types.ModuleType("learner")
    module.__file__ = file
    sys.modules["learner"] = module  # dataclasses and typing look their module up by name
    # torch.jit.script and inspect want source code, but the file does not exist on this side
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    seed_everything(0)  # a file may draw while it is loaded
    exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


# --- ahead of the worker ----------------------------------------------------------------------------------------


def warm_up() -> None:
    """Load what torch loads at first use, so that no worker has to. Sets one thread, for good."""
    torch.set_num_threads(1)
    with OperatorWatch(["aten::none"]):  # each operator that it sees for the first time has to be looked up
        x = torch.ones(2, 3, requires_grad=True)
        linear = torch.nn.Linear(3, 3)
        y = (linear(x) @ linear(x).transpose(-2, -1)).masked_fill(torch.ones(2, 2).triu(1).bool(), -torch.inf)
        z = torch.softmax(y, dim=-1) + torch.exp(y - y.max(dim=-1, keepdim=True).values)
        torch.autograd.grad((z / z.sum(dim=-1, keepdim=True)).sum(), [x, *linear.parameters()])
    wire.unpack_frame(wire.pack({"x": x, "n": float("nan")}, wire.TRUSTED_BYTES))
    run_question({"cases": [{"seed": 0, "steps": []}]}, {}, "warm-up")
    scan("def f():\n    return 1\n", ["softmax"], ["f"])
    load_what_makes_a_folder()


def load_what_few_need() -> None:
    """Load torch's compiler, more than half a second. Checkpoints and optimizers import it, and it imports sympy."""
    gc.disable()  # as while torch loaded
    with contextlib.suppress(Exception):  # then the worker that needs it loads it itself
        import_module("torch._dynamo")
    keep_what_is_loaded()


def load_what_makes_a_folder() -> None:
    """Import a module for which older torch creates a temporary folder: later no worker may create one.

    Optimizers, `vmap`, checkpoints and `torch.compile` import it. The folder is for remote modules, which are not used.
    """
    path = list(sys.path)
    # a torch without torch.distributed, or no writable temporary folder
    with contextlib.suppress(ImportError, OSError):
        from torch.distributed.nn.jit import instantiator

        if hasattr(instantiator, "_TEMP_DIR"):
            instantiator._TEMP_DIR.cleanup()
    sys.path[:] = path


def keep_what_is_loaded() -> None:
    """Exempt torch's hundred thousand objects from garbage collection, and enable it: it was off while torch loaded.

    The little garbage among them stays too: finding it would take a tenth of a second.
    """
    gc.freeze()
    gc.set_threshold(5000)  # most workers make fewer objects in all: there is little to collect
    gc.enable()


# --- in the worker ----------------------------------------------------------------------------------------------


def serve(questions: int, answers: int) -> None:
    """Read questions from one descriptor and answer on the other until the judge closes it."""
    task = wire.unpack(*wire.read_frame(questions, wire.MAX_HEADER_BYTES))
    room: int = task["reply_bytes"]

    def send(value: Any) -> None:
        """Send an answer if there is room for it, otherwise a note that it is too large."""
        nonlocal room
        try:
            frame = wire.pack(value, room)
            if len(frame) > room:
                raise wire.WireError("all answers together are larger than they may be")
            room -= len(frame)
        except wire.WireError as error:
            frame = wire.pack({"too_large": str(error)}, 0)
        wire.write_frame(answers, frame)

    source, file = bytes(task["source"].tolist()).decode("utf-8"), task["file"]
    send(scan(source, task["calls"], task["entry_points"]))
    try:
        namespace = load(source, file)
    except BaseException as error:
        send({"error": describe_error(error, file)})
        return
    send({"loaded": True})
    with contextlib.suppress(wire.ChannelClosed):
        while True:
            question = wire.unpack(*wire.read_frame(questions, wire.TRUSTED_BYTES))
            send(run_question(question, namespace, file, task["operators"]))
