"""A mismatch: part of a wrong tensor in a visible check, with what came and what was expected.

Imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Plane = tuple[tuple[float, ...], ...]
"""Rows of numbers; may contain NaN and infinities."""


@dataclass(frozen=True)
class Mismatch:
    """One plane of a wrong tensor, cut to a size that a person can take in."""

    what: str
    """What it is part of, as the beginning of a sentence: "The output"."""
    axes: tuple[str, ...]
    """Names of the last two axes (rows, columns), of the columns only for a single row, or empty without names."""
    came: Plane
    expected: Plane
    wrong: tuple[tuple[bool, ...], ...]
    note: str
    """Sentences: which part of the tensor this is, and where it is wrong."""
    start: tuple[int, int] = (0, 0)
    """Indices of the first row and the first column in the whole tensor."""


Shown = Callable[[str, str, str, Mismatch], None]
"""Called with the names of submission, exercise and check, and the check's mismatch."""

Mismatches = Mapping[tuple[str, str], Mismatch]
"""Mismatches by exercise and check."""
