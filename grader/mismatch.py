"""A wrong tensor of a visible check as something to look at: what came, and what was expected.

Imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Plane = tuple[tuple[float, ...], ...]
"""Rows of numbers; NaN and infinities may be among them."""


@dataclass(frozen=True)
class Mismatch:
    """One plane of a wrong tensor, cut to a size that a person can take in."""

    what: str
    """What it is a part of, as a sentence begins: "The output"."""
    axes: tuple[str, ...]
    """The names of rows and columns, of the columns alone for a single row, or nothing when they have none."""
    came: Plane
    expected: Plane
    wrong: tuple[tuple[bool, ...], ...]
    note: str
    """Sentences: which part of the tensor this is, and where it is wrong."""
    start: tuple[int, int] = (0, 0)
    """The numbers that the first row and the first column have in the whole tensor."""


Shown = Callable[[str, str, str, Mismatch], None]
"""Takes the names of submission, exercise and check, and what there is to see of that check."""

Mismatches = Mapping[tuple[str, str], Mismatch]
"""Mismatches by the names of exercise and check."""
