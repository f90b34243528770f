"""What a learner's own code attended to in `kata play`, as data: stored with their progress, shown by `kata report`.

It is not checked and does not count for points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError, model_validator

FILE_NAME = "maps.json"
"""The file in a workspace's progress folder."""
STEPS = 100
"""The number of steps from 0 to the darkest shade in which weights are stored."""


class PlayedMap(BaseModel):
    """A map of attention weights up to `high`: a row for each query, a column for each key. -1 stands for NaN."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    steps: tuple[tuple[Annotated[int, Field(ge=-1, le=STEPS)], ...], ...]
    high: Annotated[float, Field(gt=0, le=1)] = 1.0

    @classmethod
    def of(
        cls, title: str, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], high: float
    ) -> PlayedMap:
        """The map of these weights."""

        def step(value: float) -> int:
            return round(min(max(value / high, 0.0), 1.0) * STEPS) if math.isfinite(value) else -1

        steps = tuple(tuple(map(step, row)) for row in values)
        return cls(title=title, rows=tuple(rows), columns=tuple(columns), steps=steps, high=high)

    @model_validator(mode="after")
    def _is_whole(self) -> PlayedMap:
        if len(self.steps) != len(self.rows) or any(len(row) != len(self.columns) for row in self.steps):
            raise ValueError("a map has a number for each row and column")
        return self

    @property
    def size(self) -> int:
        """How many weights it has."""
        return len(self.rows) * len(self.columns)

    @property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """The weights as floats."""
        return tuple(tuple(math.nan if step < 0 else step / STEPS * self.high for step in row) for row in self.steps)


class Played(BaseModel):
    """What one exercise showed when it was last played with nothing switched off.

    given, wrote: a text, and its continuations by several models, each with the model's name.
    """

    at: datetime
    was_right: bool = False
    maps: tuple[PlayedMap, ...] = ()
    given: str = ""
    wrote: tuple[tuple[str, str], ...] = ()


class _File(BaseModel):
    version: int = 1
    played: dict[str, Played] = {}


def as_bytes(played: Mapping[str, Played]) -> bytes:
    """Encode the file's content."""
    return _File(played=dict(played)).model_dump_json(exclude_defaults=True).encode()


def read_kept(folder: Path) -> dict[str, Played]:
    """What a progress folder keeps, by exercise. An unreadable file counts as empty: the learner can play again."""
    with suppress(OSError, ValidationError):
        return _File.model_validate_json((folder / FILE_NAME).read_bytes()).played
    return {}
