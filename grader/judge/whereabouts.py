"""Where a tensor is wrong, in words: places only, never a value, so that it can be shown for hidden checks too."""

from __future__ import annotations

from collections.abc import Sequence

import torch

MOST_NAMED = 6
MOST_ROWS = 256
"""Limit for the rows among which swapped ones are searched: each is compared with each."""

MOST_NUMBERS = 4096


def where(wrong: torch.Tensor, axes: Sequence[str] = ()) -> str:
    """Name a pattern that helps to find the fault: "only in head 1, in rows (query) 2 and 3, counted from 0", or "".

    Rows and columns are the last two axes; `axes` has the names of all.
    """
    if wrong.dim() == 0 or not bool(wrong.any()):
        return ""
    names = list(axes) if len(axes) == wrong.dim() else [""] * wrong.dim()
    parts = [*_leading(wrong, names), *_in_plane(wrong, names)]
    if not parts:
        return ""
    counted = ", counted from 0" if any(part[-1].isdigit() or part[-1] == "…" for part in parts) else ""
    return f"only {', '.join(parts)}{counted}"


def misplaced(came: torch.Tensor, expected: torch.Tensor, room: float, axes: Sequence[str] = ()) -> str:
    """Say how the right numbers (each within `room`) are in other places than expected.

    "" when they are not, or when that may be chance. Both tensors have the same shape.
    """
    if not expected.is_floating_point() or expected.dim() < 1 or not 2 < expected.numel() <= MOST_NUMBERS:
        return ""
    came, expected = came.double(), expected.double()
    if not bool(expected.isfinite().all() & came.isfinite().all()):
        return ""
    if abs(float(came.max() - expected.max())) > room or abs(float(came.min() - expected.min())) > room:
        return ""  # other numbers; this settles most wrong tensors, faster than sorting
    if len(set(expected.flatten().tolist())) <= expected.numel() // 2 or room * expected.numel() > float(
        expected.max() - expected.min()
    ):
        return ""  # numbers that can hardly be told apart match in other places by chance
    if not _agree(came.flatten().sort().values, expected.flatten().sort().values, room):
        return ""
    named = len(axes) == expected.dim()
    for one in range(expected.dim()):
        for other in range(one + 1, expected.dim()):
            if expected.shape[one] == expected.shape[other] and _agree(came.transpose(one, other), expected, room):
                pair = f"{axes[one]} and {axes[other]}" if named else f"{one} and {other}"
                return f"the axes {pair} are exchanged"
    if expected.dim() > 1 and _rows_exchanged(came, expected, room):
        rows = f"rows (along {axes[-1]})" if named else "rows"
        return f"the {rows} are in another order"
    return "they are in other places"


def _agree(one: torch.Tensor, other: torch.Tensor, room: float) -> bool:
    return bool(((one - other).abs() <= room).all())


def _rows_exchanged(came: torch.Tensor, expected: torch.Tensor, room: float) -> bool:
    came, expected = came.reshape(-1, came.shape[-1]), expected.reshape(-1, expected.shape[-1])
    if len(expected) > MOST_ROWS or expected.shape[1] < 2:
        return False
    equal = torch.cdist(came, expected, p=float("inf")) <= room
    return bool(equal.any(0).all() & equal.any(1).all())


def _leading(wrong: torch.Tensor, names: Sequence[str]) -> list[str]:
    """The wrong heads, batches and so on, for each leading axis along which some are right."""
    parts = []
    for axis in range(wrong.dim() - 2):
        flags = wrong.movedim(axis, 0).flatten(1).any(1)
        if not bool(flags.all()):
            name = names[axis] and _plural(names[axis], int(flags.sum()))
            parts.append(f"in {name or f'axis {axis}, index'} {listed(flags)}")
    return parts


def _plural(name: str, count: int) -> str:
    """The name of an axis for so many of its places; some are called heads or tokens already."""
    return name if count == 1 or name.endswith("s") else f"{name}{'es' if name.endswith('ch') else 's'}"


def _in_plane(wrong: torch.Tensor, names: Sequence[str]) -> list[str]:
    if wrong.dim() == 1:
        return [] if bool(wrong.all()) else [_counted("place", names[-1], wrong)]
    plane = wrong.reshape(-1, *wrong.shape[-2:]).any(0)
    rows, columns = plane.any(1), plane.any(0)
    in_rows, in_columns = _counted("row", names[-2], rows), _counted("column", names[-1], columns)
    if bool(plane.all()):
        return []
    if bool((plane == rows[:, None]).all()):
        return [in_rows]
    if bool((plane == columns[None, :]).all()):
        return [in_columns]
    for name, part in _triangles(plane).items():
        if not bool((plane & ~part).any()):
            return [name]
    # of the wrong rows and the wrong columns, the smaller share says more
    if rows.double().mean() < min(1.0, float(columns.double().mean()) + 1e-9):
        return [in_rows]
    return [] if bool(columns.all()) else [in_columns]


def _triangles(plane: torch.Tensor) -> dict[str, torch.Tensor]:
    if plane.shape[0] != plane.shape[1]:
        return {}
    ones = torch.ones_like(plane)
    return {
        "on the diagonal": ones.tril() & ones.triu(),
        "above the diagonal": ones.triu(1),
        "below the diagonal": ones.tril(-1),
    }


def _counted(noun: str, name: str, flags: torch.Tensor) -> str:
    if name in ("rows", "columns"):
        noun, name = name[:-1], ""  # an axis already called rows or columns
    return f"in {_plural(noun, int(flags.sum()))}{f' ({name})' if name else ''} {listed(flags)}"


def listed(flags: torch.Tensor) -> str:
    """The indices of what is flagged: "1", "0 and 2", "0, 2 and 5"."""
    numbers = [str(i) for i in flags.nonzero().flatten().tolist()]
    if len(numbers) > MOST_NAMED:
        return ", ".join(numbers[:MOST_NAMED]) + ", …"
    return " and ".join([", ".join(numbers[:-1]), numbers[-1]] if len(numbers) > 1 else numbers)
