"""Runs a learner's code and answers questions about it.

The judge runs the reference and the known mistakes with the same functions, so both sides of a comparison are asked in
exactly the same way. A question is a list of cases; a case is a list of steps that fill numbered slots. A case ends at
its first error; the other cases of the question go on.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import random
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from . import wire
from .forbidden import ForbiddenOperator, OperatorWatch, forbidden_uses
from .observing import Observer
from .training import train

MAX_FRAMES = 6
MAX_MESSAGE = 600
MAX_TENSORS = 6
NAME = re.compile(r"(?<![\w.])(?:self\.)?[A-Za-z_]\w{0,39}\b")

Namespace = Mapping[str, Any]


class CaseError(Exception):
    """A step that fails for a reason we have our own message for, such as a missing entry point."""

    def __init__(self, kind: str, **details: Any) -> None:
        super().__init__(kind)
        self.details = {"kind": kind, **details}


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
            if watch or observer:
                with watch or contextlib.nullcontext(), observer.watching() if observer else contextlib.nullcontext():
                    value = STEPS[step["do"]](step, slots, namespace)
            else:
                value = STEPS[step["do"]](step, slots, namespace)
            if observer and step["do"] == "observed":
                value = observer.seen()
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


def seed_everything(seed: int) -> None:
    """Seed all generators. Forks share the random state of their parent, so each case starts from its own seed."""
    random.seed(seed)
    torch.default_generator.manual_seed(seed)  # torch.manual_seed also looks for accelerators, 2 ms a time
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


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


# --- the steps ------------------------------------------------------------------------------------------------

Slots = dict[int, Any]


def _fill(value: Any, slots: Slots) -> Any:
    """Replace slots by their values, at any depth."""
    if isinstance(value, wire.Slot):
        return slots[value.number]
    if isinstance(value, (list, tuple)):
        return type(value)(_fill(item, slots) for item in value)
    if isinstance(value, dict):
        return {key: _fill(item, slots) for key, item in value.items()}
    return value


def _tensor(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> torch.Tensor:
    tensor: torch.Tensor = step["value"].clone()
    return tensor.requires_grad_() if step["gradient"] else tensor


def _entry(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> Any:
    if step["name"] not in namespace:
        raise CaseError("no_entry", name=step["name"])
    return namespace[step["name"]]


def _library_module(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> Any:
    """A module of torch.nn that a check passes in, such as nn.Dropout(0.5)."""
    return getattr(torch.nn, step["name"])(*step["args"])


def _call(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> Any:
    target = slots[step["target"].number]
    if step["method"] == "__getitem__" and isinstance(step["args"][0], int):
        _part(target, step["args"][0])
    if step["method"]:
        target = getattr(target, step["method"])
    args = _fill(step["args"], slots)
    if type(target) is getattr(torch.nn, type(target).__name__, None):
        for value in args:
            _demand_tensor(value)
    return target(*args, **_fill(step["kwargs"], slots))


def _demand_tensor(value: Any) -> None:
    """A layer of torch's that a check passes the result through would name its own argument, not what came back."""
    if not isinstance(value, torch.Tensor):
        raise CaseError("no_tensor", what=_in_words(value))


def _in_words(value: Any) -> str:
    if value is None:
        return "None (is a `return` missing?)"
    if isinstance(value, torch.Tensor):
        return "a single tensor"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return wire.describe(value)


def _part(value: Any, number: int) -> None:
    """Check that the result has such a part: unpacking one tensor instead of two would fail with an unhelpful error."""
    if not isinstance(value, (tuple, list)) or number >= len(value):
        raise CaseError("no_part", what=_in_words(value))


def _load(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> None:
    """Copy given numbers into a module's parameters by name. Names and shapes must be exactly those of the contract."""
    module = _module(slots[step["target"].number])
    own = dict(module.named_parameters(remove_duplicate=False))
    given: dict[str, torch.Tensor] = step["weights"]
    missing = [name for name in given if name not in own]
    unexpected = [name for name in own if name not in given]
    if missing or unexpected:
        plain = [name for name in missing if _is_plain_tensor(module, name)]
        unknown = [str(name)[:80] for name in unexpected[:20]]
        raise CaseError("names", missing=missing[:20], unexpected=unknown, plain=plain[:20])
    for name, tensor in given.items():
        if own[name].shape != tensor.shape:
            raise CaseError("weight_shape", name=name, came=list(own[name].shape), expected=list(tensor.shape))
    with torch.no_grad():
        for name, tensor in given.items():
            own[name].copy_(tensor)


def _is_plain_tensor(module: torch.nn.Module, name: str) -> bool:
    """Whether the module has a tensor of that name that is not registered as a parameter."""
    held: Any = module
    try:
        for part in name.split("."):
            held = getattr(held, part)
    except Exception:
        return False
    return isinstance(held, torch.Tensor) and not isinstance(held, torch.nn.Parameter)


def _module(value: Any) -> torch.nn.Module:
    if not isinstance(value, torch.nn.Module):
        raise CaseError("not_a_module", what=wire.describe(value))
    return value


def _prepare(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> None:
    """Put a module into training or evaluation mode and, if asked, into another dtype."""
    module = _module(slots[step["target"].number])
    module.train(step["train"])
    if step["dtype"]:
        module.to(getattr(torch, step["dtype"]))


def _gradients(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> dict[str, Any]:
    """Gradients of sum(output * weights) for the named inputs and a module's parameters; None where none arrives."""
    outputs = _flat_tensors(_fill(step["of"], slots))
    pairs = [
        (out, weight)
        for out, weight in zip(outputs, step["cotangents"], strict=False)
        if _can_differentiate(out, weight)
    ]
    wanted: dict[str, torch.Tensor] = {name: slots[slot.number] for name, slot in step["inputs"].items()}
    if step["module"] is not None:
        wanted.update(_module(slots[step["module"].number]).named_parameters(remove_duplicate=False))
    arriving = {name: tensor for name, tensor in wanted.items() if tensor.requires_grad}
    if not pairs or not arriving:
        return dict.fromkeys(wanted)
    # a single scalar to start from: given several cotangents, torch imports sympy, half a second
    start = torch.stack([(out * weight).sum() for out, weight in pairs]).sum()
    grads = torch.autograd.grad(start, list(arriving.values()), allow_unused=True)
    return {**dict.fromkeys(wanted), **dict(zip(arriving, grads, strict=True))}


def _flat_tensors(value: Any) -> list[torch.Tensor]:
    parts = value if isinstance(value, (list, tuple)) else [value]
    return [part for part in parts if isinstance(part, torch.Tensor)]


def _can_differentiate(output: torch.Tensor, cotangent: torch.Tensor) -> bool:
    return output.requires_grad and output.shape == cotangent.shape and output.dtype == cotangent.dtype


def _value(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> Any:
    return _fill(step["value"], slots)


def _parameters(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> dict[str, Any]:
    """{name: [shape, requires_grad]} of a module's parameters."""
    module = _module(slots[step["target"].number])
    named = module.named_parameters(remove_duplicate=False)
    return {str(name): [list(tensor.shape), tensor.requires_grad] for name, tensor in named}


def _buffers(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> list[str]:
    return [str(name) for name, _ in _module(slots[step["target"].number]).named_buffers()]


def _attribute(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> Any:
    target = slots[step["target"].number]
    if not hasattr(target, step["name"]):
        raise CaseError("no_attribute", name=step["name"])
    return getattr(target, step["name"])


def _refuses(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> str:
    """How a call ends that should be refused: "refused" (assert or ValueError), "accepted", or another error's type."""
    try:
        _call(step, slots, namespace)
    except (AssertionError, ValueError):
        return "refused"
    except Exception as error:
        return str(type.__getattribute__(type(error), "__name__"))
    return "accepted"


def _observed(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> None:
    """Placeholder: `_run_case` fills in what its Observer has seen so far."""


KEPT = "models kept"
"""Key of the trained models among the file's names; no Python name contains a blank."""
MOST_KEPT = 4


def _train(step: Mapping[str, Any], slots: Slots, namespace: Namespace) -> None:
    """Train a model, or take one from the cache that was trained in exactly the same way."""
    assert isinstance(namespace, dict)
    kept: dict[str, torch.nn.Module] = namespace.setdefault(KEPT, {})
    target = step["target"].number
    if step["keep"] in kept:
        slots[target] = kept[step["keep"]]
    else:
        train(_module(slots[target]), step["batches"], step["rate"])
        if step["keep"]:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[step["keep"]] = slots[target]
    seed_everything(0)  # so that later steps draw the same numbers in both cases


STEPS: dict[str, Callable[[Mapping[str, Any], Slots, Namespace], Any]] = {
    "tensor": _tensor,
    "entry": _entry,
    "library_module": _library_module,
    "call": _call,
    "load": _load,
    "prepare": _prepare,
    "gradients": _gradients,
    "value": _value,
    "parameters": _parameters,
    "buffers": _buffers,
    "attribute": _attribute,
    "refuses": _refuses,
    "observed": _observed,
    "train": _train,
}


# --- in the worker --------------------------------------------------------------------------------------------


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
    exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    return module.__dict__
