"""Edits of a source text: pairs of a passage and what stands there instead."""

from __future__ import annotations

from collections.abc import Sequence

from .faults import BankError

Edit = tuple[str, str]


def edited(text: str, edits: Sequence[Edit], whose: str, *, everywhere: bool = False) -> str:
    """Apply edits one after another; each passage occurs exactly once, or at least once with `everywhere`.

    Raises BankError, which begins with `whose`, when a passage does not fit.
    """
    for old, new in edits:
        count = text.count(old)
        if count == 0 or (count > 1 and not everywhere):
            remedy = "take more of the line, or set everywhere=True" if count else "copy it from there"
            raise BankError(f"{whose}: {old!r} occurs {count} times in the reference: {remedy}")
        text = text.replace(old, new)
    return text
