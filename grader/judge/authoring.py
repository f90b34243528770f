"""Everything that authors of checks and of known mistakes import."""

from __future__ import annotations

from .answers import Ask, Ended
from .case import Case, called_again, function, module
from .compare import same
from .failure import expect, fail
from .faults import CheckFailed
from .mistakes import Mistake, kept_from_the_last_call, kept_in_evaluation, without
from .points import points
from .shared_checks import (
    HIGH,
    HUGE_VALUE,
    LOW,
    TextReader,
    Texts,
    cut_off,
    drops_in_training_only,
    ends_loudly,
    has_mask_as_buffer,
    hides_the_last_token,
    leaves_dict_alone,
    loud_inputs,
    loud_weights,
    stay_below,
)

__all__ = [
    "HIGH",
    "HUGE_VALUE",
    "LOW",
    "Ask",
    "Case",
    "CheckFailed",
    "Ended",
    "Mistake",
    "TextReader",
    "Texts",
    "called_again",
    "cut_off",
    "drops_in_training_only",
    "ends_loudly",
    "expect",
    "fail",
    "function",
    "has_mask_as_buffer",
    "hides_the_last_token",
    "kept_from_the_last_call",
    "kept_in_evaluation",
    "leaves_dict_alone",
    "loud_inputs",
    "loud_weights",
    "module",
    "points",
    "same",
    "stay_below",
    "without",
]
