"""The steps of a case, the same for a learner's code, the reference and the mistakes: they fill numbered slots."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch.optim.adamw import adamw

from . import wire

Namespace = Mapping[str, Any]
Slots = dict[int, Any]


class CaseError(Exception):
    """A step that fails for a reason we have our own message for, such as a missing entry point."""

    def __init__(self, kind: str, **details: Any) -> None:
        super().__init__(kind)
        self.details = {"kind": kind, **details}


def seed_everything(seed: int) -> None:
    """Seed all generators. Forks share the random state of their parent, so each case starts from its own seed."""
    random.seed(seed)
    torch.default_generator.manual_seed(seed)  # torch.manual_seed also looks for accelerators, 2 ms a time
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


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
        # a layer of torch's that a check passes the result through would name its own argument, not what came back
        for value in args:
            if not isinstance(value, torch.Tensor):
                raise CaseError("no_tensor", what=_in_words(value))
    return target(*args, **_fill(step["kwargs"], slots))


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
    module: Any = _module(slots[step["target"].number])
    module.train(step["train"])
    dtype = getattr(torch, step["dtype"]) if step["dtype"] else None
    held = [*module.parameters(), *module.buffers()]
    if dtype and any(each.is_floating_point() and each.dtype != dtype for each in held):  # mostly none
        module._apply(lambda one: one.to(dtype) if one.is_floating_point() else one)  # `to` spoils complex ones


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


# --- training: briefly, the same way for every learner ---------------------------------------------------------------

CLIP = 1.0
BETAS = (0.9, 0.999)
WEIGHT_DECAY = 0.01
EPSILON = 1e-8
"""AdamW's defaults in torch.optim."""


def train(model: torch.nn.Module, batches: torch.Tensor, rate: float) -> None:
    """One AdamW step for each batch of (steps, batch, tokens + 1): each token is predicted from those before it.

    AdamW as a plain function: torch.optim's class would import the compiler at its first step, a second of work.
    """
    parameters = list(model.parameters())
    first, second = (
        [torch.zeros_like(each, memory_format=torch.preserve_format) for each in parameters] for _ in range(2)
    )
    steps = [torch.zeros((), dtype=torch.float32) for _ in parameters]
    model.train()
    for texts in batches:
        logits = model(texts[:, :-1].contiguous())
        loss = F.cross_entropy(logits.flatten(0, 1), texts[:, 1:].flatten())
        for parameter in parameters:
            parameter.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        gradients = {number: each.grad for number, each in enumerate(parameters) if each.grad is not None}
        moved, means, squares, counts = ([of[n] for n in gradients] for of in (parameters, first, second, steps))
        with torch.no_grad():
            adamw(
                moved,
                list(gradients.values()),
                means,
                squares,
                [],  # AMSGrad's
                counts,
                # fused takes a quarter of the time of a loop over the parameters, but needs floating-point ones
                fused=all(each.is_floating_point() for each in parameters),
                amsgrad=False,
                beta1=BETAS[0],
                beta2=BETAS[1],
                lr=rate,
                weight_decay=WEIGHT_DECAY,
                eps=EPSILON,
                maximize=False,
            )


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
    "train": _train,
}
