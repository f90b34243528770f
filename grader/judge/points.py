"""What a check is worth."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

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


@dataclass(frozen=True)
class Worth:
    """What one check is worth."""

    points: float
    role: Role
    visible: bool
    title: str
    converses: bool = False


Function = TypeVar("Function", bound=Callable[..., object])


def points(
    value: float, *, role: Role = "behaviour", visible: bool = False, converses: bool = False
) -> Callable[[Function], Function]:
    """Give a check its points and its role; the first paragraph of its docstring is its title.

    "main": what the exercise is about. "behaviour": whatever else must hold. "manners": any harmless function passes,
    so its points count only when every main check passes. "repair": the size of a debug task's repair; points (when the
    main checks pass), but not needed to pass the exercise. `visible` checks may show their numbers.
    What a check asks is known ahead, and never depends on answers; one that `converses` is exempt: it trains a model.
    """

    def mark(function: Function) -> Function:
        title = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        vars(function)[_WORTH] = Worth(value, role, visible, title, converses)
        return function

    return mark


_WORTH = "worth of the check"
"""Where a function keeps what it is worth; no attribute of Python's has a blank."""


def worth_of(function: Callable[..., object]) -> Worth | None:
    """What a check is worth; None for a function that was given no points."""
    worth: Worth | None = vars(function).get(_WORTH)
    return worth
