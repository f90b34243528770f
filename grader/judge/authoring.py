"""All that the author of checks and mistake banks writes with."""

from __future__ import annotations

from .case import Case, called_again, function, module
from .compare import same
from .errors import CheckFailed
from .failure import expect, fail
from .held import stay_below
from .loud import cut_off, loud_inputs, loud_weights
from .mistakes import Mistake, kept_from_the_last_call, kept_in_evaluation
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
    "called_again",
    "cut_off",
    "expect",
    "fail",
    "function",
    "kept_from_the_last_call",
    "kept_in_evaluation",
    "loud_inputs",
    "loud_weights",
    "module",
    "points",
    "same",
    "stay_below",
]
