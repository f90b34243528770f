"""What a learner's own code attended to in `kata play`, as data: stored with their progress, shown on pages.

It is not checked and does not count for points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

FILE_NAME = "maps.json"
"""The file in a workspace's progress folder."""
MOST_BYTES = 1024 * 1024
MOST_PLACES, MOST_MAPS, MOST_TEXTS, MOST_LETTERS = 64, 2, 4, 400
STEPS = 100
"""The number of steps from 0 to the darkest shade in which weights are stored."""

Label = Annotated[str, Field(max_length=16)]
Text = Annotated[str, Field(max_length=MOST_LETTERS)]
Row = Annotated[tuple[Annotated[int, Field(ge=-1, le=STEPS)], ...], Field(max_length=MOST_PLACES)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PlayedMap(_Frozen):
    """A map of attention weights: a row for each query, a column for each key. -1 stands for NaN."""

    title: Text
    rows: Annotated[tuple[Label, ...], Field(min_length=1, max_length=MOST_PLACES)]
    columns: Annotated[tuple[Label, ...], Field(min_length=1, max_length=MOST_PLACES)]
    steps: Annotated[tuple[Row, ...], Field(max_length=MOST_PLACES)]
    high: Annotated[float, Field(gt=0, le=1)] = 1.0

    @classmethod
    def of(
        cls, title: str, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], high: float
    ) -> PlayedMap:
        """The map of these weights, up to `high`."""

        def step(value: float) -> int:
            return round(min(max(value / high, 0.0), 1.0) * STEPS) if math.isfinite(value) else -1

        steps = tuple(tuple(map(step, row)) for row in values)
        return cls(title=title[:MOST_LETTERS], rows=tuple(rows), columns=tuple(columns), steps=steps, high=high)

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


class Played(_Frozen):
    """What one exercise showed when it was last played with nothing switched off.

    digest: of the source file. given, wrote: a text, and its continuations by several models, each with the model's
    name.
    """

    at: datetime
    digest: Annotated[str, Field(max_length=64)] = ""
    was_right: bool = False
    maps: Annotated[tuple[PlayedMap, ...], Field(max_length=MOST_MAPS)] = ()
    given: Text = ""
    wrote: Annotated[tuple[tuple[Text, Text], ...], Field(max_length=MOST_TEXTS)] = ()


NOTHING_PLAYED: Mapping[str, Played] = {}


class _File(_Frozen):
    version: int = 1
    played: dict[Annotated[str, Field(max_length=64)], Played] = Field(default_factory=dict, max_length=200)


def as_bytes(played: Mapping[str, Played]) -> bytes:
    """Encode the file's content."""
    return _File(played=dict(played)).model_dump_json(exclude_defaults=True).encode()


def from_bytes(content: bytes) -> dict[str, Played] | None:
    """Decode the file, by exercise; None if it is not valid."""
    with suppress(ValidationError):
        return _File.model_validate_json(content).played if len(content) <= MOST_BYTES else None
    return None


def read_kept(folder: Path) -> dict[str, Played]:
    """What a progress folder keeps, by exercise. An unreadable file counts as empty: the learner can play again."""
    with suppress(OSError):
        return from_bytes((folder / FILE_NAME).read_bytes()) or {}
    return {}
