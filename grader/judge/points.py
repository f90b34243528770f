"""What a check is worth, in the whole course and in a learner's bundle.

Of hidden checks a learner's bundle may contain names, titles and points, but not what they ask.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .faults import GraderBroken

CHECK_ERRORS = (
    Exception,
    pytest.fail.Exception,
    pytest.skip.Exception,
    pytest.xfail.Exception,
    pytest.exit.Exception,
)
"""Everything that a check may raise; pytest's own exceptions are not subclasses of Exception."""

Role = Literal["main", "behaviour", "manners", "repair"]


def points(value: float, *, role: Role = "behaviour", visible: bool = False) -> pytest.MarkDecorator:
    """Give a check its points and its role.

    "main": what the exercise is about. "behaviour": whatever else must hold. "manners": any harmless function passes,
    so its points count only when every main check passes. "repair": the size of a debug task's repair; points (when the
    main checks pass), but not needed to pass the exercise. `visible` checks may show their numbers.
    """
    return pytest.mark.points(value, role=role, visible=visible)


class HiddenCheck(BaseModel):
    """A check that is not in the bundle; `title` is the sentence that a learner reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    points: float
    role: Role


_LIST = TypeAdapter(tuple[HiddenCheck, ...])


def read_hidden(path: Path) -> tuple[HiddenCheck, ...]:
    """Read a list of hidden checks. Raises GraderBroken when it is damaged, OSError when it is missing."""
    try:
        return _LIST.validate_json(path.read_bytes())
    except ValidationError:
        raise GraderBroken(f"{path.name} is damaged: unzip the bundle again") from None


def hidden_as_bytes(checks: tuple[HiddenCheck, ...]) -> bytes:
    """The list as a file, indented for people to read."""
    return _LIST.dump_json(checks, indent=1) + b"\n"
