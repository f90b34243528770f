"""Finds what to show of a failed visible check: the first plane of numbers (rows and columns) with a wrong one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from grader.mismatch import Mismatch

from .answers import Exchange, Reading
from .case import GRADIENTS, OUTPUT
from .compare import form_difference, wrong_places
from .expected import Expected
from .whereabouts import where

MOST = 12
"""Limit for the rows, and for the columns, that are shown."""


def mismatch_of(exchanges: Sequence[Exchange | Reading], expected: Expected) -> Mismatch | None:
    """The first tensor of the right form with wrong numbers. Only for checks whose numbers may be seen.

    None when there is no such tensor, or when the learner's code raised an error, which is then the thing to look at.
    """
    if any(answers.error is not None for exchange in exchanges for answers in exchange.answers):
        return None
    for exchange in exchanges:
        if isinstance(exchange, Reading):
            continue  # its numbers are the learner's own
        cases = zip(exchange.question.cases, exchange.answers, expected.answers_to(exchange.question), strict=True)
        for case, came, rights in cases:
            if case.is_random:
                continue  # the right output depends on the order in which random numbers are drawn
            for name, right in rights.values.items():
                if name == GRADIENTS:
                    continue
                what = "The output" if name == OUTPUT else f"`{name}`"
                for part, one, other in _tensors(came.values.get(name), right, what):
                    if _is_worth_seeing(one, other):
                        return _mismatch(part, one, other, case.axes)
    return None


def _tensors(came: Any, expected: Any, what: str) -> Iterator[tuple[str, Any, torch.Tensor]]:
    """The expected tensors, each with the value that came in its place."""
    if isinstance(expected, torch.Tensor):
        yield what, came, expected
    elif isinstance(expected, (list, tuple)) and isinstance(came, (list, tuple)) and len(came) == len(expected):
        inner = what[0].lower() + what[1:]
        for number, (one, other) in enumerate(zip(came, expected, strict=True), start=1):
            yield from _tensors(one, other, f"Value {number} of {len(expected)} of {inner}")
    elif isinstance(expected, Mapping) and isinstance(came, Mapping):
        for key, value in expected.items():
            yield from _tensors(came.get(key), value, f"`{key}`")


def _is_worth_seeing(came: Any, expected: torch.Tensor) -> bool:
    """Whether anything is wrong, in more than a single number."""
    return (
        expected.dim() > 0
        and expected.shape[-2:].numel() > 1
        and not expected.is_complex()
        and form_difference(came, expected, what="") is None
        and bool(wrong_places(came, expected).any())
    )


def _mismatch(what: str, came: torch.Tensor, expected: torch.Tensor, axes: Sequence[str]) -> Mismatch:
    names = tuple(axes) if len(axes) == expected.dim() else ()
    wrong = wrong_places(came, expected)
    leading, notes = _first_wrong(wrong), []
    if leading:
        notes.append(_place(leading, wrong, names))
    came, expected, wrong = came[leading], expected[leading], wrong[leading]
    notes.append(_summary(wrong, names[-wrong.dim() :]))
    if wrong.dim() == 1:
        came, expected, wrong = came[None], expected[None], wrong[None]
    rows, columns = (_window(wrong.any(other), size) for other, size in ((1, wrong.shape[0]), (0, wrong.shape[1])))
    if len(rows) < wrong.shape[0] or len(columns) < wrong.shape[1]:
        notes.append(f"Shown are {len(rows)} of {wrong.shape[0]} rows and {len(columns)} of {wrong.shape[1]} columns.")
    window = (slice(rows.start, rows.stop), slice(columns.start, columns.stop))
    return Mismatch(
        what=what,
        axes=names[-2:],
        came=_rows(came[window].double()),
        expected=_rows(expected[window].double()),
        wrong=_rows(wrong[window]),
        note=" ".join(notes),
        start=(rows.start, columns.start),
    )


def _first_wrong(wrong: torch.Tensor) -> tuple[int, ...]:
    """Indices of the first plane with a wrong number, along all axes but the last two."""
    if wrong.dim() <= 2:
        return ()
    return tuple(wrong.flatten(-2).any(-1).nonzero()[0].tolist())


def _place(leading: Sequence[int], wrong: torch.Tensor, names: Sequence[str]) -> str:
    labels = names or [f"axis {axis}, index" for axis in range(len(leading))]
    place = ", ".join(f"{label} {number}" for label, number in zip(labels, leading, strict=False))
    planes = wrong.flatten(-2).any(-1)
    first = f", the first of {int(planes.sum())} wrong parts of {planes.numel()}" if planes.numel() > 1 else ""
    return f"Shown is {place} (counted from 0){first}."


def _summary(wrong: torch.Tensor, names: Sequence[str]) -> str:
    pattern = where(wrong, names)
    if bool(wrong.all()):
        return "Both numbers are off." if wrong.numel() == 2 else f"All {wrong.numel()} numbers are off."
    count = int(wrong.sum())
    off = f"{count} of {wrong.numel()} numbers {'is' if count == 1 else 'are'} off"
    return f"{off}, {pattern}; the others are right." if pattern else f"{off}; the others are right."


def _window(flags: torch.Tensor, size: int) -> range:
    """Up to MOST neighbours, among them the first wrong one."""
    first = int(flags.nonzero()[0])
    start = 0 if first < MOST else min(first, size - MOST)
    return range(start, min(start + MOST, size))


def _rows(plane: torch.Tensor) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row) for row in plane.tolist())
