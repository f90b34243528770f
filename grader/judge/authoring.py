"""All that the author of checks and mistake banks writes with."""

from __future__ import annotations

from .case import Case, function, module
from .compare import same
from .failure import CheckFailed, expect, fail
from .held import stay_below
from .mistakes import Mistake
from .points import points
from .reading import Ask, Ended
from .text_reader import TextReader

__all__ = [
    "Ask",
    "Case",
    "CheckFailed",
    "Ended",
    "Mistake",
    "TextReader",
    "expect",
    "fail",
    "function",
    "module",
    "points",
    "same",
    "stay_below",
]
