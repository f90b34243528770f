"""Compares a value with the expected one; a difference is one sentence for the learner, without the right values.

Check authors do not set tolerances. A difference counts when it is larger than float32 rounding (1e-5 of the largest
expected number) and larger than what rounding the inputs would change in the result: so exact ways of writing the same
formula pass, and zeros never pass as small numbers.

Where a tensor is wrong is said in places only, never in values, so that it can be shown for hidden checks too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from grader.sandbox.inside.wire import Opaque

OUTPUT = "output"
"""The name of the value that a case is about."""
RELATIVE = 1e-5
ULPS_OF_HALF = 4
"""Allowed error of float16 and bfloat16 results, in units in the last place."""
ROUNDING_SAFETY = 4.0
FAR = 0.05
"""Relative to the largest expected number: a value with a larger error is far off."""
GENEROUS = 10.0
"""Factor on the tolerance between two of a learner's own values: two ways of computing the same round differently."""

DECIMALS = re.compile(r"[-+]?(?:(?<!\d)\d+)?\.\d+(?:[eE][-+]?\d+)?")
"""A match begins at the first digit of a run of digits: otherwise a text of 100,000 digits would take minutes."""
LONG_FRACTION = re.compile(r"\.\d{3,}")

CUT_OFF = "The output is right, so part of the gradient may be cut off (detach, .data, no_grad)."

MOST_NAMED = 6
MOST_NUMBERS = 4096
"""Of a larger tensor it is not looked whether its numbers are in other places."""


def difference(
    came: Any, expected: Any, *, what: str, axes: Sequence[str] = (), slack: Any = None, scale: float | None = None
) -> str | None:
    """Return what is wrong with `came`, or None when it equals `expected`.

    `what` begins the sentence; if it is empty, the result only tells right from wrong, and is faster.
    `slack` has the structure of `expected` and holds, for each tensor, how far rounding may move a number; `scale` is
    the magnitude that a tensor's tolerance is relative to (by default the largest finite expected number).
    """
    wrong = form_difference(came, expected, what=what, axes=axes)
    if wrong or (isinstance(expected, torch.Tensor) and torch.equal(came, expected)):
        return wrong
    if isinstance(expected, torch.Tensor):
        return _numbers_difference(came, expected, _room(expected, slack, scale), what, axes)
    if isinstance(expected, (list, tuple, Mapping)):
        axes = () if isinstance(expected, Mapping) else axes
        for key, part in named_parts(expected, what).items():
            room = None if slack is None else slack[key]
            if wrong := difference(came[key], expected[key], what=what and part, axes=axes, slack=room):
                return wrong
        return None
    if isinstance(expected, float):
        if isinstance(came, torch.Tensor) and came.numel() == 1:
            came = came.item()
        if isinstance(came, bool) or not isinstance(came, (int, float)):
            return f"{what} should be a number, but {in_words(came)} came back."
        return None if math.isclose(came, expected, rel_tol=RELATIVE) else f"{what} is not the right number."
    if type(came) is not type(expected) or came != expected:
        return f"{what} is not right: {in_words(came)} came back."
    return None


def same(came: Any, expected: Any) -> bool:
    """Whether two of a learner's own values agree up to rounding."""
    return difference(came, expected, what="", scale=GENEROUS * largest(expected)) is None


def is_far_off(came: Any, expected: Any) -> bool:
    """Whether a value is so wrong that no rounding, not even bfloat16's, explains it."""
    if isinstance(expected, torch.Tensor) and expected.is_floating_point():
        if form_difference(came, expected, what=""):
            return True
        came, expected = came.double(), expected.double()
    return difference(came, expected, what="", scale=FAR / RELATIVE * largest(expected)) is not None


def scale_for(expected: Any, magnitude: float) -> float:
    """The scale for a tensor whose right computation rounds numbers as large as `magnitude`."""
    return max(1.0, ROUNDING_SAFETY * magnitude * torch.finfo(torch.float32).eps / RELATIVE) * largest(expected)


def largest(value: Any) -> float:
    """The largest finite absolute value in a tensor; 0 in an empty one, and in anything but a tensor of floats."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return 0.0
    largest = float(value.abs().max())
    return largest if math.isfinite(largest) else float(value.double().nan_to_num(0.0, 0.0, 0.0).abs().max())


def gradients_difference(came: Any, expected: Mapping[str, Any], slack: Any = None) -> str | None:
    """Compare gradients, of an output that is right, by the names of inputs and parameters."""
    if not isinstance(came, Mapping) or came.keys() != expected.keys():
        return "The gradients of the inputs and parameters could not be read."
    # some are zero but for rounding (a key's bias), so all share one scale
    scale = max(map(largest, expected.values()), default=0.0)
    for name, gradient in expected.items():
        if gradient is None:
            continue
        if came[name] is None:
            return f"No gradient reaches `{name}`: it is cut off (detach, .data, no_grad, a new tensor)."
        room = slack.get(name) if slack else None
        wrong = difference(came[name], gradient, what=f"The gradient of `{name}`", slack=room, scale=10 * scale)
        if wrong:
            is_number = came[name].shape == gradient.shape and bool(came[name].isfinite().all())
            return f"{wrong} {CUT_OFF}" if is_number else wrong
    return None


# --- form and parts ---------------------------------------------------------------------------------------------------


def form_difference(came: Any, expected: Any, *, what: str, axes: Sequence[str] = ()) -> str | None:
    """Return what is wrong with the form of `came`, or None: shape and dtype, the number of parts, or their names."""
    if isinstance(expected, torch.Tensor):
        if not isinstance(came, torch.Tensor):
            return f"{what} should be a tensor, but {in_words(came)} came back."
        if came.shape != expected.shape:
            return f"{what} has shape {shape_text(came.shape)}; {shape_text(expected.shape, axes)} was expected."
        if came.dtype != expected.dtype:
            return f"{what} is {dtype_name(came)}; {dtype_name(expected)} was expected."
    elif isinstance(expected, Mapping):
        if not isinstance(came, Mapping):
            return f"{what} should be a dict, but {in_words(came)} came back."
        if came.keys() != expected.keys():
            missing, extra = [k for k in expected if k not in came], [k for k in came if k not in expected]
            return f"{what}: {names_text(missing, extra)}"
    elif isinstance(expected, (list, tuple)):
        came_back = len(came) if isinstance(came, (list, tuple)) else in_words(came)
        if came_back != len(expected):
            return f"{what} should be {len(expected)} values, but {came_back} came back."
    return None


def value_name(name: str) -> str:
    """What to call a returned value at the start of a sentence."""
    return "The output" if name == OUTPUT else f"`{name}`"


def named_parts(value: Sequence[Any] | Mapping[Any, Any], what: str) -> dict[Any, str]:
    """What to call each part of a sequence or a mapping, which is itself called `what`."""
    within = f" in {what[:1].lower()}{what[1:]}"
    if isinstance(value, Mapping):
        return {key: f"`{key}`{within}" for key in value}
    within = "" if what == value_name(OUTPUT) else within
    return {n: f"Result {n + 1} of {len(value)}{within}" for n in range(len(value))}


# --- numbers ----------------------------------------------------------------------------------------------------------


def _numbers_difference(
    came: torch.Tensor, expected: torch.Tensor, room: float | torch.Tensor, what: str, axes: Sequence[str]
) -> str | None:
    most = float((came.double() - expected.double()).abs().max())
    if isinstance(room, float) and math.isfinite(most) and (most <= room or not what):
        return None if most <= room else "wrong"  # one number decides, and most of a judge's work is comparing
    wrong = _wrong_numbers(came, expected, room)
    if not bool(wrong.any()):
        return None
    return _describe_wrong(wrong, came, expected, what, axes, float(torch.as_tensor(room).max())) if what else "wrong"


def _room(expected: torch.Tensor, slack: float | None = None, scale: float | None = None) -> float | torch.Tensor:
    """How far a number may be off; in half precision it differs from number to number."""
    if not expected.is_floating_point():
        return 0.0
    room: float | torch.Tensor = RELATIVE * (largest(expected) if scale is None else scale)
    if expected.dtype in (torch.float16, torch.bfloat16):
        size = expected.double().nan_to_num(0.0, 0.0, 0.0).abs()
        room = ULPS_OF_HALF * torch.finfo(expected.dtype).eps * (size + RELATIVE)
    return room + ROUNDING_SAFETY * (slack or 0.0)


def _wrong_numbers(came: torch.Tensor, expected: torch.Tensor, room: float | torch.Tensor) -> torch.Tensor:
    off = (came.double() - expected.double()).abs()
    # infinities and NaN are right where they are expected
    return ~((off <= room) | (came == expected) | (came.isnan() & expected.isnan()))


def wrong_places(came: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Where a tensor of the right form is off by more than rounding, with the tolerance of `same`."""
    return _wrong_numbers(came, expected, _room(expected, scale=GENEROUS * largest(expected)))


def _describe_wrong(
    wrong: torch.Tensor, came: torch.Tensor, expected: torch.Tensor, what: str, axes: Sequence[str], room: float
) -> str:
    total, count = wrong.numel(), int(wrong.sum())

    def places(flags: torch.Tensor) -> str:
        pattern = where(flags, axes)
        return f" ({pattern})" if pattern else ""

    for verb, is_such in (("has NaN", torch.isnan), ("is infinite", torch.isinf)):
        if bool((such := is_such(came) & ~is_such(expected)).any()):
            return f"{what} {verb} in {int(such.sum())} of {total} places{places(such)}."
    if order := misplaced(came, expected, room, axes):
        return f"{what} has the right shape and the right numbers, but {order}."
    if total == 1:
        return f"{what} is the wrong number."
    if count == total:
        return f"{what} has the right shape, but none of its {total} numbers is right."
    verb = "is" if count == 1 else "are"
    return f"{what} has the right shape, but {count} of its {total} numbers {verb} wrong{places(wrong)}."


# --- values in words --------------------------------------------------------------------------------------------------


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
    return f"a {type(value).__name__}"


def names_text(missing: Sequence[Any], extra: Sequence[Any]) -> str:
    """Which names are missing and which are not expected."""
    told = {"missing": missing, "not expected": extra}
    listed = {kind: ", ".join(f"`{plain_name(str(name))}`" for name in names) for kind, names in told.items() if names}
    return "; ".join(f"{kind}: {names}" for kind, names in listed.items()) + "."


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
    sizes = str(tuple(shape))
    return f"{sizes} = ({', '.join(axes)})" if axes and len(axes) == len(shape) else sizes


# --- where it is wrong ------------------------------------------------------------------------------------------------


def where(wrong: torch.Tensor, axes: Sequence[str] = ()) -> str:
    """Name a pattern that helps to find the fault: "only in head 1, in rows (query) 2 and 3, counted from 0", or "".

    Rows and columns are the last two axes; `axes` has the names of all.
    """
    if wrong.dim() == 0 or not bool(wrong.any()):
        return ""
    names, parts = list(axes) if len(axes) == wrong.dim() else [""] * wrong.dim(), []
    for axis in range(wrong.dim() - 2):  # the wrong heads, batches and so on, if some are right
        flags = wrong.movedim(axis, 0).flatten(1).any(1)
        parts += [_counted(names[axis] or f"axis {axis}, index", "", flags)]
    if wrong.dim() == 1:
        parts.append(_counted("place", names[0], wrong))
    else:
        parts.append(_in_plane(wrong.reshape(-1, *wrong.shape[-2:]).any(0), *names[-2:]))
    parts = list(filter(None, parts))
    counted = ", counted from 0" if any(part[-1].isdigit() or part[-1] == "…" for part in parts) else ""
    return f"only {', '.join(parts)}{counted}" if parts else ""


def _in_plane(plane: torch.Tensor, row: str, column: str) -> str:
    rows, columns = plane.any(1), plane.any(0)
    in_rows, in_columns = _counted("row", row, rows), _counted("column", column, columns)
    if bool((plane == rows[:, None]).all()):
        return in_rows
    if bool((plane == columns[None, :]).all()):
        return in_columns
    if len(rows) == len(columns):
        ones = torch.ones_like(plane)
        for place, part in (("on", ones.tril().triu()), ("above", ones.triu(1)), ("below", ones.tril(-1))):
            if not bool((plane & ~part).any()):
                return f"{place} the diagonal"
    # of the wrong rows and the wrong columns, the smaller share says more
    return in_rows if in_rows and rows.double().mean() < columns.double().mean() + 1e-9 else in_columns


def _counted(noun: str, name: str, flags: torch.Tensor) -> str:
    """What is flagged: "in row (query) 1", "in heads 0 and 2"; "" if it is all. Some names are plural already."""
    if bool(flags.all()):
        return ""
    if name in ("rows", "columns"):
        noun, name = name[:-1], ""  # an axis already called rows or columns
    numbers = [str(i) for i in flags.nonzero().flatten().tolist()]
    if len(numbers) > 1 and not noun.endswith(("s", "index")):
        noun += "es" if noun.endswith("ch") else "s"
    if len(numbers) > MOST_NAMED:
        listed = ", ".join(numbers[:MOST_NAMED]) + ", …"
    else:
        listed = " and ".join(filter(None, [", ".join(numbers[:-1]), numbers[-1]]))
    return f"in {noun}{f' ({name})' if name else ''} {listed}"


def misplaced(came: torch.Tensor, expected: torch.Tensor, room: float, axes: Sequence[str] = ()) -> str:
    """Say how the right numbers (each within `room`) are in other places than expected.

    "" when they are not, or when that may be chance. Both tensors have the same shape.
    """
    if not expected.is_floating_point() or expected.dim() < 1 or not 2 < expected.numel() <= MOST_NUMBERS:
        return ""
    came, expected = came.double(), expected.double()
    if not (abs(float(came.max() - expected.max())) <= room and abs(float(came.min() - expected.min())) <= room):
        return ""  # other numbers, or NaN or an infinity; this settles most wrong tensors, faster than sorting
    numbers = expected.flatten().sort().values
    if len(set(numbers.tolist())) <= len(numbers) // 2 or room * len(numbers) > float(numbers[-1] - numbers[0]):
        return ""  # numbers that can hardly be told apart match in other places by chance

    def agree(one: torch.Tensor, other: torch.Tensor) -> bool:
        return bool(((one - other).abs() <= room).all())

    if not agree(came.flatten().sort().values, numbers):
        return ""
    named = axes if len(axes) == expected.dim() else ()
    for one in range(expected.dim()):
        for other in range(one + 1, expected.dim()):
            if expected.shape[one] == expected.shape[other] and agree(came.transpose(one, other), expected):
                pair = f"{named[one]} and {named[other]}" if named else f"{one} and {other}"
                return f"the axes {pair} are exchanged"
    came, expected = (each.reshape(-1, each.shape[-1]) for each in (came, expected))
    equal = torch.cdist(came, expected, p=math.inf) <= room
    if expected.shape[0] > 1 < expected.shape[1] and bool(equal.any(0).all() & equal.any(1).all()):
        return f"the {f'rows (along {named[-1]})' if named else 'rows'} are in another order"
    return "they are in other places"
