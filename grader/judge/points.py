"""What a check is worth."""

from __future__ import annotations

from typing import Literal

import pytest

CHECK_ERRORS = (
    Exception,
    pytest.fail.Exception,
    pytest.skip.Exception,
    pytest.xfail.Exception,
    pytest.exit.Exception,
)
"""Everything that a check may raise; pytest's own exceptions are not subclasses of Exception."""

Role = Literal["main", "behaviour", "manners", "repair"]


def points(
    value: float, *, role: Role = "behaviour", visible: bool = False, converses: bool = False
) -> pytest.MarkDecorator:
    """Give a check its points and its role.

    "main": what the exercise is about. "behaviour": whatever else must hold. "manners": any harmless function passes,
    so its points count only when every main check passes. "repair": the size of a debug task's repair; points (when the
    main checks pass), but not needed to pass the exercise. `visible` checks may show their numbers.
    What a check asks is known ahead, and never depends on answers; one that `converses` is exempt: it trains a model.
    """
    return pytest.mark.points(value, role=role, visible=visible, converses=converses)
