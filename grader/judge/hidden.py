"""Hidden checks as a learner's bundle knows them: what they are called and are worth, nothing of what they ask."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .errors import GraderBroken
from .points import Role


class HiddenCheck(BaseModel):
    """A check that is not in the bundle; `title` is the sentence that a learner reads of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    points: float
    role: Role


_LIST = TypeAdapter(tuple[HiddenCheck, ...])


def read_hidden(path: Path) -> tuple[HiddenCheck, ...]:
    """Read a list of hidden checks. Raises GraderBroken when it is damaged, OSError when it is not there."""
    try:
        return _LIST.validate_json(path.read_bytes())
    except ValidationError:
        raise GraderBroken(f"{path.name} is damaged: unzip the bundle again") from None


def hidden_as_bytes(checks: tuple[HiddenCheck, ...]) -> bytes:
    """The list as a file that people can read too."""
    return _LIST.dump_json(checks, indent=1) + b"\n"
