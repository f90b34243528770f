"""A case as the Python code that it stands for: for answering an appeal, and for a script beside the learner's file.

Numbers are written with full precision; of a large tensor only the beginning and the size are shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy
import torch

from grader.sandbox.inside.wire import Opaque, Slot

from .case import Case
from .compare import dtype_name, in_words, shape_text

MOST_NUMBERS = 256
"""Limit for the numbers of one tensor."""
SHORT = 96
"""A tensor of at most this many characters is written on one line."""


def case_text(case: Case) -> Iterator[str]:
    """A case as lines of Python."""
    text = CaseText(case)
    if case.seed:
        yield f"torch.manual_seed({case.seed})"
    for number, step in enumerate(case.steps):
        yield from text.lines(number, step)
    if case.said:
        yield f"# {case.said}"


class CaseText:
    """Writes the steps of a case, with readable names for its slots."""

    def __init__(self, case: Case, write: Callable[[str, Any], str] = lambda name, value: value_text(value)) -> None:
        """write: the expression for the value that is to have a name."""
        self._named = {slot.number: python_name(name) for name, slot in case.inputs.items()}
        self._returned, self._module = case.returned, case.module.number if case.module else None
        self._write = write
        self._texts: dict[int, str] = {}

    def lines(self, number: int, step: Mapping[str, Any]) -> Iterator[str]:
        """The lines of one step; tensors and results get a name, looked-up things are written where they are used."""
        do, target = step["do"], self.text(step["target"]) if "target" in step else ""
        if do == "entry":
            self._texts[number] = step["name"]
        elif do == "tensor":
            self._texts[number] = name = self._named.get(number, f"tensor_{number}")
            gradient = ".requires_grad_()" if step["gradient"] else ""
            yield f"{name} = {self._write(name, step['value'])}{gradient}"
        elif do == "library_module":
            self._texts[number] = f"torch.nn.{step['name']}({', '.join(map(repr, step['args']))})"
        elif do in ("call", "refuses"):
            called, unnamed = self._call(target, step), "module" if number == self._module else f"value_{number}"
            self._texts[number] = name = python_name(self._returned.get(number, unnamed))
            yield f"{name} = {called}{'  # must be refused' if do == 'refuses' else ''}"
        elif do == "load":
            for key, value in step["weights"].items():
                yield f"{target}.{key} = {value_text(value)}"
        elif do == "prepare":
            dtype = f".to(torch.{step['dtype']})" if step["dtype"] else ""
            yield f"{target}.{'train' if step['train'] else 'eval'}(){dtype}"
        elif do == "gradients":
            for place, cotangent in enumerate(step["cotangents"], 1):
                yield f"weighting_{place} = {value_text(cotangent)}"
            yield "# gradients of the sum of the output, so weighted"
        elif do == "train":
            yield f"# {target} is trained at the rate {step['rate']:g} on {in_words(step['batches'])}:"
            yield f"batches = {value_text(step['batches'])}"
        elif do in ("attribute", "parameters", "buffers"):
            yield f"{target}.{step['name'] if do == 'attribute' else f'{do}()'}"

    def _call(self, target: str, step: Mapping[str, Any]) -> str:
        parts = [self.text(each) for each in step["args"]]
        passed = ", ".join(parts + [f"{key}={self.text(each)}" for key, each in step["kwargs"].items()])
        method = step["method"]
        if method == "__getitem__":
            return f"{target}[{passed}]"
        return f"len({target})" if method == "__len__" else f"{target}{'.' if method else ''}{method}({passed})"

    def text(self, value: Any) -> str:
        """A value, or what a slot holds, as an expression."""
        if isinstance(value, Slot):
            return self._texts.get(value.number, f"value_{value.number}")
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(self.text, value))}]"
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{key!r}: {self.text(each)}" for key, each in value.items()) + "}"
        return self._write("value", value)


def python_name(label: str) -> str:
    """The name of an input or a result as a Python name."""
    return "".join(each if each.isalnum() else "_" for each in label)


# --- values -------------------------------------------------------------------------------------------------------


def value_text(value: Any) -> str:
    """A value as a Python expression, with its numbers to the last bit."""
    if isinstance(value, torch.Tensor):
        return _tensor_text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {value_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, Opaque):
        return f"<{value.what}>"
    return repr(value)


def _tensor_text(tensor: torch.Tensor) -> str:
    kind = "" if tensor.dtype in (torch.float32, torch.int64, torch.bool) else f", dtype=torch.{dtype_name(tensor)}"
    if tensor.numel() > MOST_NUMBERS:
        first = ", ".join(_number(each, tensor.dtype) for each in tensor.flatten()[:MOST_NUMBERS].tolist())
        rest = tensor.numel() - MOST_NUMBERS
        return f"<{in_words(tensor)}, its numbers row by row: {first} ... and {rest} more>"
    if not tensor.numel():
        return f"torch.empty({shape_text(tensor.shape)}{kind})"
    flat = _nested(tensor.tolist(), tensor.dtype, "")
    text = flat if len(flat) <= SHORT else _nested(tensor.tolist(), tensor.dtype, "\n    ")
    return f"torch.tensor({text}{kind})"


def _nested(value: Any, dtype: torch.dtype, line: str) -> str:
    if not isinstance(value, list):
        return _number(value, dtype)
    apart = f",{line} " if line and value and isinstance(value[0], list) else ", "
    inner = apart.join(_nested(each, dtype, line and f"{line} ") for each in value)
    return f"[{inner}]"


def _number(number: Any, dtype: torch.dtype) -> str:
    if not isinstance(number, float):
        return repr(number)
    if not math.isfinite(number):
        return f"torch.{number}" if number > 0 or math.isnan(number) else "-torch.inf"
    # as few digits as give this number
    return repr(number) if dtype == torch.float64 else str(numpy.float32(number))
