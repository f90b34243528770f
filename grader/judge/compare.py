"""Compares a value with the expected one; a difference is one sentence for the learner, without the right values.

Check authors do not set tolerances. A difference counts when it is larger than float32 rounding (1e-5 of the largest
expected number) and larger than what rounding the inputs would change in the result: so exact ways of writing the same
formula pass, and zeros never pass as small numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from grader.sandbox.inside.wire import Opaque

from .whereabouts import misplaced, where

RELATIVE = 1e-5
ULPS_OF_HALF = 4
"""Allowed error of float16 and bfloat16 results, in units in the last place."""

ROUNDING_SAFETY = 4.0
FAR = 0.05
"""Relative to the largest expected number: a value with a larger error is far off."""

DECIMALS = re.compile(r"[-+]?(?:(?<!\d)\d+)?\.\d+(?:[eE][-+]?\d+)?")
"""A match begins at the first digit of a run of digits: otherwise a text of 100,000 digits would take minutes."""

LONG_FRACTION = re.compile(r"\.\d{3,}")

FEW = {2: "two", 3: "three", 4: "four"}
ORDINALS = ("first", "second", "third", "fourth")

CUT_OFF = "The output is right, so part of the gradient may be cut off (detach, .data, no_grad)."

GENEROUS = 10.0
"""Factor on the tolerance between two of a learner's own values: two ways of computing the same round differently."""


def difference(
    came: Any, expected: Any, *, what: str, axes: Sequence[str] = (), slack: Any = None, scale: float | None = None
) -> str | None:
    """Return what is wrong with `came`, or None when it equals `expected`.

    `what` begins the sentence; if it is empty, the result only tells right from wrong, and is faster.
    `slack` has the structure of `expected` and holds, for each tensor, how far rounding alone may move it; `scale` is
    the magnitude that the tolerance is relative to (by default the largest finite expected number).
    """
    if isinstance(expected, torch.Tensor):
        return _tensor_difference(came, expected, what, axes, slack, scale)
    if isinstance(expected, (list, tuple)):
        return _sequence_difference(came, expected, what, axes, slack, scale)
    if isinstance(expected, Mapping):
        return _mapping_difference(came, expected, what, slack)
    if isinstance(expected, float):
        return _number_difference(came, expected, what)
    if type(came) is not type(expected) or came != expected:
        return f"{what} is not right: {in_words(came)} came back."
    return None


def in_words(value: Any) -> str:
    """Describe a value to a learner: a tensor by dtype and shape, anything else by its type."""
    if isinstance(value, torch.Tensor):
        dtype = dtype_name(value)
        return f"{'an' if dtype.startswith('i') else 'a'} {dtype} tensor of shape {shape_text(value.shape)}"
    if isinstance(value, Opaque):
        return without_decimals(value.what)  # it may name a class of the learner's, and that be called like an input
    if value is None:
        return "None (is a `return` missing?)"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, (bool, int)):
        return f"the {type(value).__name__} {value}"
    if isinstance(value, float):
        return "a float"
    return f"a {type(value).__name__}"


def without_decimals(text: str) -> str:
    """The text with its decimals blanked, which could be hidden inputs."""
    return DECIMALS.sub("…", text)


def plain_name(name: str) -> str:
    """A name without long decimals, which could be hidden inputs. Modules have short numbers: `heads.0.weight`."""
    return LONG_FRACTION.sub(".…", name)


def dtype_name(tensor: torch.Tensor) -> str:
    """float32, without torch's prefix."""
    return str(tensor.dtype).removeprefix("torch.")


def shape_text(shape: Sequence[int], axes: Sequence[str] = ()) -> str:
    """(2, 5, 8), followed by the axes' names when there is one for each."""
    sizes = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    return f"{sizes} = ({', '.join(axes)})" if axes and len(axes) == len(shape) else sizes


def same(came: Any, expected: Any) -> bool:
    """Whether two of a learner's own values agree up to rounding."""
    return difference(came, expected, what="", scale=_scale(expected, GENEROUS)) is None


def is_far_off(came: Any, expected: Any) -> bool:
    """Whether a value is so wrong that no rounding, not even bfloat16's, explains it."""
    if isinstance(expected, torch.Tensor) and expected.is_floating_point():
        if form_difference(came, expected, what=""):
            return True
        expected = expected.double()
        return difference(came.double(), expected, what="", scale=_scale(expected, FAR / RELATIVE)) is not None
    return difference(came, expected, what="") is not None


def scale_for(expected: Any, magnitude: float) -> float | None:
    """The scale for a tensor whose right computation rounds numbers as large as `magnitude`."""
    lost = ROUNDING_SAFETY * magnitude * torch.finfo(torch.float32).eps / RELATIVE
    return _scale(expected, max(1.0, lost))


def _scale(value: Any, factor: float) -> float | None:
    if isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel():
        return factor * _largest(value)
    return None


def _largest(tensor: torch.Tensor) -> float:
    """The largest finite absolute value in a tensor; 0 in an empty one."""
    largest = float(tensor.abs().max()) if tensor.numel() else 0.0
    if math.isfinite(largest):
        return largest
    return float(tensor.double().nan_to_num(0.0, 0.0, 0.0).abs().max())


def form_difference(came: Any, expected: torch.Tensor, *, what: str, axes: Sequence[str] = ()) -> str | None:
    """Return what is wrong with the form of `came` (not a tensor, shape, dtype), or None."""
    if not isinstance(came, torch.Tensor):
        return f"{what} should be a tensor, but {in_words(came)} came back."
    if came.shape != expected.shape:
        return f"{what} has shape {shape_text(came.shape)}; {shape_text(expected.shape, axes)} was expected."
    if came.dtype != expected.dtype:
        return f"{what} is {dtype_name(came)}; {dtype_name(expected)} was expected."
    return None


def _tensor_difference(
    came: Any, expected: torch.Tensor, what: str, axes: Sequence[str], slack: Any, scale: float | None
) -> str | None:
    wrong_form = form_difference(came, expected, what=what, axes=axes)
    if wrong_form:
        return wrong_form
    if torch.equal(came, expected):
        return None
    if not expected.is_floating_point():
        return _describe_wrong(came != expected, came, expected, what, axes, 0.0) if what else "wrong"
    off, room = (came.double() - expected.double()).abs(), _room(expected, slack, scale)
    most = float(off.max())
    if isinstance(room, float) and math.isfinite(most) and (most <= room or not what):
        return None if most <= room else "wrong"  # one number decides, and most of a judge's work is comparing
    wrong = _wrong_numbers(off, came, expected, room)
    if not bool(wrong.any()):
        return None
    return _describe_wrong(wrong, came, expected, what, axes, float(torch.as_tensor(room).max())) if what else "wrong"


def _room(expected: torch.Tensor, slack: Any, scale: float | None) -> float | torch.Tensor:
    """How far a number may be off; in half precision it differs from number to number."""
    room: float | torch.Tensor = RELATIVE * (_largest(expected) if scale is None else scale)
    if expected.dtype in (torch.float16, torch.bfloat16):
        size = expected.double().nan_to_num(0.0, 0.0, 0.0).abs()
        room = ULPS_OF_HALF * torch.finfo(expected.dtype).eps * (size + RELATIVE)
    if isinstance(slack, torch.Tensor) and slack.shape == expected.shape:
        room = room + ROUNDING_SAFETY * _largest(slack.double())
    return room


def _wrong_numbers(
    off: torch.Tensor, came: torch.Tensor, expected: torch.Tensor, room: float | torch.Tensor
) -> torch.Tensor:
    # infinities and NaN are right where they are expected
    return ~((off <= room) | (came == expected) | (came.isnan() & expected.isnan()))


def wrong_places(came: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Where a tensor of the right form is off by more than rounding, with the tolerance of `same`."""
    if not expected.is_floating_point():
        return came != expected
    off = (came.double() - expected.double()).abs()
    return _wrong_numbers(off, came, expected, _room(expected, None, _scale(expected, GENEROUS)))


def _describe_wrong(
    wrong: torch.Tensor, came: torch.Tensor, expected: torch.Tensor, what: str, axes: Sequence[str], room: float
) -> str:
    total, count = wrong.numel(), int(wrong.sum())
    if came.is_floating_point() and bool((nan := came.isnan() & ~expected.isnan()).any()):
        return f"{what} has NaN in {int(came.isnan().sum())} of {total} places{_bracketed(where(nan, axes))}."
    if came.is_floating_point() and bool((infinite := came.isinf() & ~expected.isinf()).any()):
        return f"{what} is infinite in {int(infinite.sum())} of {total} places{_bracketed(where(infinite, axes))}."
    if order := misplaced(came, expected, room, axes):
        return f"{what} has the right shape and the right numbers, but {order}."
    if count == total:
        return (
            f"{what} has the right shape, but none of its {total} numbers is right."
            if total > 1
            else f"{what} is the wrong number."
        )
    verb = "is" if count == 1 else "are"
    return (
        f"{what} has the right shape, but {count} of its {total} numbers {verb} wrong{_bracketed(where(wrong, axes))}."
    )


def _bracketed(text: str) -> str:
    return f" ({text})" if text else ""


def _sequence_difference(
    came: Any, expected: Sequence[Any], what: str, axes: Sequence[str], slack: Any, scale: float | None
) -> str | None:
    if not isinstance(came, (list, tuple)):
        return f"{what} should be {len(expected)} values, but {in_words(came)} came back."
    if len(came) != len(expected):
        return f"{what} should be {len(expected)} values, but {len(came)} came back."
    slacks = slack if isinstance(slack, (list, tuple)) and len(slack) == len(expected) else [None] * len(expected)
    for number, (one, other, room) in enumerate(zip(came, expected, slacks, strict=True)):
        part = what and one_of(number, len(expected), what)
        wrong = difference(one, other, what=part, axes=axes, slack=room, scale=scale)
        if wrong:
            return wrong
    return None


def one_of(number: int, count: int, what: str) -> str:
    """What to call one of several results, counted from 0."""
    which = f"The {ORDINALS[number]} of the {FEW[count]} results" if count in FEW else f"Result {number + 1} of {count}"
    return which if what == "The output" else f"{which} in {_within(what)}"


def _mapping_difference(came: Any, expected: Mapping[Any, Any], what: str, slack: Any) -> str | None:
    if not isinstance(came, Mapping):
        return f"{what} should be a dict, but {in_words(came)} came back."
    missing, extra = [k for k in expected if k not in came], [k for k in came if k not in expected]
    if missing or extra:
        return f"{what}: {names_text(missing, extra)}"
    for key, value in expected.items():
        room = slack.get(key) if isinstance(slack, Mapping) else None
        wrong = difference(came[key], value, what=what and f"`{key}` in {_within(what)}", slack=room)
        if wrong:
            return wrong
    return None


def names_text(missing: Sequence[Any], extra: Sequence[Any]) -> str:
    """Which names are missing and which are not expected."""
    parts = []
    if missing:
        parts.append("missing: " + ", ".join(f"`{plain_name(str(name))}`" for name in missing))
    if extra:
        parts.append("not expected: " + ", ".join(f"`{plain_name(str(name))}`" for name in extra))
    return "; ".join(parts) + "."


def _within(what: str) -> str:
    return what[:1].lower() + what[1:]


def _number_difference(came: Any, expected: float, what: str) -> str | None:
    if isinstance(came, torch.Tensor) and came.numel() == 1:
        came = came.item()
    if isinstance(came, bool) or not isinstance(came, (int, float)):
        return f"{what} should be a number, but {in_words(came)} came back."
    if not math.isclose(came, expected, rel_tol=RELATIVE):
        return f"{what} is not the right number."
    return None


def gradient_scale(gradients: Mapping[str, Any]) -> float:
    """The largest gradient of a case. Some are zero but for rounding (a key's bias), so all share one scale."""
    largest = [float(g.abs().max()) for g in gradients.values() if isinstance(g, torch.Tensor) and g.numel()]
    return max(largest, default=0.0)


def gradients_difference(came: Any, expected: Mapping[str, Any], slack: Any = None) -> str | None:
    """Compare gradients, of an output that is right, by the names of inputs and parameters."""
    if not isinstance(came, Mapping) or came.keys() != expected.keys():
        return "The gradients of the inputs and parameters could not be read."
    scale = gradient_scale(expected)
    for name, gradient in expected.items():
        if gradient is None:
            continue
        if came[name] is None:
            return f"No gradient reaches `{name}`: it is cut off (detach, .data, no_grad, a new tensor)."
        room = slack.get(name) if isinstance(slack, Mapping) else None
        wrong = difference(came[name], gradient, what=f"The gradient of `{name}`", slack=room, scale=10 * scale)
        if wrong:
            return f"{wrong} {CUT_OFF}" if _is_finite(came[name], gradient.shape) else wrong
    return None


def _is_finite(came: Any, shape: torch.Size) -> bool:
    """Whether it is a tensor of this shape without NaN and infinity."""
    return isinstance(came, torch.Tensor) and came.shape == shape and bool(came.isfinite().all())
