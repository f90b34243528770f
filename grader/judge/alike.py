"""When are two answers to a case the same? For naming mistakes: which of them gives the learner's own answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .answers import Answers, error_identity
from .case import GRADIENTS, OBSERVED
from .compare import gradients_difference, same


def same_answers(came: Answers, other: Answers) -> bool:
    """Whether two answers to a case cannot be told apart: same numbers, same shapes, same kind of error."""
    if (came.error is None) != (other.error is None):
        return False
    if came.error is not None and other.error is not None:
        return error_identity(came.error) == error_identity(other.error)
    for name, value in other.values.items():
        if name == GRADIENTS and isinstance(value, Mapping):
            if gradients_difference(came[name], value) or reach(came[name]) != reach(value):
                return False
        elif name == OBSERVED:
            if bool(came[name]["printed"]) != bool(value["printed"]):
                return False
        elif not same(came[name], value):
            return False
    return True


def reach(gradients: Mapping[str, Any]) -> set[str]:
    """What a gradient reaches."""
    return {name for name, gradient in gradients.items() if gradient is not None}
