"""What a learner's own code attended to in `kata play`, as data: kept with their progress, shown on pages.

It is a learner's own, like a drawing in a margin: nothing of it is judged, and nothing of it counts for points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

FILE_NAME = "maps.json"
"""In a workspace's folder of progress."""
MOST_BYTES = 1024 * 1024
MOST_PLACES, MOST_MAPS, MOST_TEXTS, MOST_LETTERS = 64, 2, 4, 400
STEPS = 100
"""Weights are kept in so many steps from 0 to the darkest."""

Label = Annotated[str, Field(max_length=16)]
Text = Annotated[str, Field(max_length=MOST_LETTERS)]
Row = Annotated[tuple[Annotated[int, Field(ge=-1, le=STEPS)], ...], Field(max_length=MOST_PLACES)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PlayedMap(_Model):
    """Who looked at whom: a row for each that asks, a column for each that is looked at. -1 is no number."""

    title: Text
    rows: Annotated[tuple[Label, ...], Field(min_length=1, max_length=MOST_PLACES)]
    columns: Annotated[tuple[Label, ...], Field(min_length=1, max_length=MOST_PLACES)]
    steps: Annotated[tuple[Row, ...], Field(max_length=MOST_PLACES)]
    high: Annotated[float, Field(gt=0, le=1)] = 1.0

    @model_validator(mode="after")
    def _is_whole(self) -> PlayedMap:
        if len(self.steps) != len(self.rows) or any(len(row) != len(self.columns) for row in self.steps):
            raise ValueError("a map has a number for each row and column")
        return self

    @property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """The weights."""
        return tuple(tuple(math.nan if step < 0 else step / STEPS * self.high for step in row) for row in self.steps)


class Played(_Model):
    """One exercise at work, as it was played last with nothing switched off.

    `digest` stands for the file's content. given, wrote: what a model wrote behind what, each text with who wrote it.
    """

    at: datetime
    digest: Annotated[str, Field(max_length=64)] = ""
    was_right: bool = False
    maps: Annotated[tuple[PlayedMap, ...], Field(max_length=MOST_MAPS)] = ()
    given: Text = ""
    wrote: Annotated[tuple[tuple[Text, Text], ...], Field(max_length=MOST_TEXTS)] = ()


class _File(_Model):
    version: int = 1
    played: dict[Annotated[str, Field(max_length=64)], Played] = Field(default_factory=dict, max_length=200)


def as_bytes(played: Mapping[str, Played]) -> bytes:
    """The file's content."""
    return _File(played=dict(played)).model_dump_json(exclude_defaults=True).encode()


def from_bytes(content: bytes) -> dict[str, Played] | None:
    """What was played, by exercise; None for what is no such file."""
    if len(content) > MOST_BYTES:
        return None
    try:
        return _File.model_validate_json(content).played
    except ValidationError:
        return None


def in_steps(values: tuple[tuple[float, ...], ...], high: float) -> tuple[tuple[int, ...], ...]:
    """Weights as they are kept."""
    return tuple(
        tuple(round(min(max(value / high, 0.0), 1.0) * STEPS) if math.isfinite(value) else -1 for value in row)
        for row in values
    )
