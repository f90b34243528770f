"""Fingerprints of a known mistake's answers: enough to recognise them, in a few numbers a tensor.

A tensor's elements are distributed over a few groups, and each group's sum with alternating signs is stored. A wrong
element changes its group's sum, wherever it is; and answers that `same_answers` accepts cannot differ in a sum by more
than the group's tolerances together. So whatever the judge would recognise by comparing is recognised here too.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import torch

from .answers import Answers, error_identity, reach
from .case import GRADIENTS
from .compare import GENEROUS, RELATIVE, ULPS_OF_HALF, dtype_name, gradient_scale

GROUPS = 16
GROUPS_OF_GRADIENTS = 8
"""Fewer, as most sums would be theirs: nearly always what came back is told apart already."""
STEPS = 2**12
"""A sum is stored as a whole number of steps, of which this many are the largest number in it."""
ROUNDING_OF_SUMS = 1 / STEPS
"""A sum is rounded once, by half a step at most."""
DIGITS_OF_LARGEST = 3
"""What is stored is relative to this number as it is stored, so a few digits lose nothing."""

Print = dict[str, Any]
"""Plain data that can be written as JSON."""


def fingerprint(answers: Answers) -> Print:
    """The fingerprint of an answer."""
    if answers.error is not None:
        return {"error": list(error_identity(answers.error))}
    return {"values": {name: _of_value(name, value) for name, value in answers.values.items()}}


def has_fingerprint(came: Answers, kept: Print) -> bool:
    """Whether an answer matches a fingerprint."""
    if came.error is not None or "error" in kept:
        return came.error is not None and list(error_identity(came.error)) == kept.get("error")
    return all(
        name in came.values and _value_fits(name, came.values[name], each) for name, each in kept["values"].items()
    )


def _of_value(name: str, value: Any) -> Print:
    if name == GRADIENTS and isinstance(value, Mapping):
        scale = gradient_scale({key: each for key, each in value.items() if each is not None})
        return {
            "keys": sorted(value),
            "scale": _few_digits(scale) if math.isfinite(scale) else 0.0,
            "gradients": {
                key: _of_tensor(gradient, GROUPS_OF_GRADIENTS)
                for key, gradient in value.items()
                if gradient is not None
            },
        }
    return _of(value)


def _value_fits(name: str, came: Any, kept: Print) -> bool:
    if "gradients" in kept:
        if not isinstance(came, Mapping) or sorted(came) != kept["keys"] or reach(came) != set(kept["gradients"]):
            return False
        scale = GENEROUS * kept["scale"]
        return all(_fits(came[key], each, scale) for key, each in kept["gradients"].items())
    is_tensor = "dtype" in kept
    return _fits(came, kept, GENEROUS * kept.get("largest", 0.0) if is_tensor else None)


def _of(value: Any) -> Print:
    if isinstance(value, torch.Tensor):
        return _of_tensor(value, GROUPS)
    if isinstance(value, (list, tuple)):
        return {"list": [_of(each) for each in value]}
    if isinstance(value, Mapping):
        return {"map": {_key(key): _of(each) for key, each in value.items()}}
    if isinstance(value, float):
        return {"float": repr(value)}
    return {"is": _key(value)}


def _key(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"


def _fits(came: Any, kept: Print, scale: float | None = None) -> bool:
    """With the tolerances of `compare.difference`; `scale` is the magnitude that they are relative to."""
    if "dtype" in kept:
        return isinstance(came, torch.Tensor) and _tensor_fits(came, kept, scale)
    if "list" in kept:
        return (
            isinstance(came, (list, tuple)) and len(came) == len(kept["list"]) and all(map(_fits, came, kept["list"]))
        )
    if "map" in kept:
        if not isinstance(came, Mapping):
            return False
        named = {_key(key): value for key, value in came.items()}
        return named.keys() == kept["map"].keys() and all(_fits(named[key], each) for key, each in kept["map"].items())
    if "float" in kept:
        if isinstance(came, torch.Tensor) and came.numel() == 1:
            came = came.item()
        is_number = isinstance(came, (int, float)) and not isinstance(came, bool)
        return is_number and math.isclose(came, float(kept["float"]), rel_tol=RELATIVE)
    return bool(_key(came) == kept["is"])


# --- tensors ----------------------------------------------------------------------------------------------------


def _of_tensor(tensor: torch.Tensor, groups: int) -> Print:
    kept: Print = {"dtype": dtype_name(tensor), "shape": list(tensor.shape)}
    if not tensor.is_floating_point():
        return {**kept, "digest": _digest(tensor)}
    numbers = tensor.double()
    finite = numbers.nan_to_num(0.0, 0.0, 0.0)
    largest = _few_digits(float(finite.abs().max())) if finite.numel() else 0.0
    if odd := _odd_places(numbers):
        kept["odd"] = odd
    return {**kept, "largest": largest, "sums": (_sums(finite, largest, groups) * STEPS).round().long().tolist()}


def _few_digits(number: float) -> float:
    """The number with the digits that are stored; the very largest there is stays finite."""
    rounded = float(f"{number:.{DIGITS_OF_LARGEST}g}")
    return rounded if math.isfinite(rounded) else number


def _tensor_fits(came: torch.Tensor, kept: Print, scale: float | None) -> bool:
    if dtype_name(came) != kept["dtype"] or list(came.shape) != kept["shape"]:
        return False
    if "digest" in kept:
        return bool(_digest(came) == kept["digest"])
    numbers = came.double()
    if _odd_places(numbers) != kept.get("odd", ""):
        return False
    largest = kept["largest"]
    allowed = RELATIVE * (largest if scale is None else scale)
    if came.dtype in (torch.float16, torch.bfloat16):
        allowed = ULPS_OF_HALF * torch.finfo(came.dtype).eps * (largest + RELATIVE)
    if largest == 0.0:
        return bool((numbers.nan_to_num(0.0, 0.0, 0.0).abs() <= allowed).all())
    sums = torch.tensor(kept["sums"], dtype=torch.float64) / STEPS
    moved = (_sums(numbers.nan_to_num(0.0, 0.0, 0.0), largest, sums.numel()) - sums).abs()
    counts = _dealt(numbers.numel(), sums.numel())[2]
    return bool((moved <= counts * allowed / largest + ROUNDING_OF_SUMS).all())


def _digest(tensor: torch.Tensor) -> str:
    content = (
        tensor.detach().clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8).numpy().tobytes()
    )
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _odd_places(numbers: torch.Tensor) -> str:
    """Digest of the places of NaN and infinity; "" when all numbers are finite."""
    if bool(numbers.isfinite().all()):
        return ""
    return _digest(numbers.isnan() + 2 * numbers.isposinf() + 3 * numbers.isneginf())


def _sums(finite: torch.Tensor, largest: float, groups: int) -> torch.Tensor:
    """The sum of each group, relative to the largest number."""
    places, signs, counts = _dealt(finite.numel(), groups)
    parts = finite.reshape(-1) / (largest or 1.0) * signs
    return torch.zeros(counts.numel(), dtype=torch.float64).index_add_(0, places, parts)


@lru_cache(maxsize=256)
def _dealt(count: int, groups: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Group and sign of each of `count` elements, and the size of each group: the same on every machine.

    Each element is a group of its own if there are no more of them than groups.
    """
    if count <= groups:
        return torch.arange(count), torch.ones(count, dtype=torch.float64), torch.ones(count, dtype=torch.float64)
    # multiplying by a large odd number puts neighbours, and a matrix's columns, into different groups
    mixed = (torch.arange(count, dtype=torch.int64) * 2654435761) % 2**32
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) % 2**32
    places, signs = (mixed >> 16) % groups, ((mixed >> 8) % 2).double() * 2 - 1
    return places, signs, torch.bincount(places, minlength=groups).double()
