"""What a learner's own code attended to in `kata play`: stored with their progress, shown by `kata report`.

It is not checked and does not count for points.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from .record import Plane

FILE_NAME = "maps.json"
"""The file in a workspace's progress folder."""


@dataclass(frozen=True)
class Heat:
    """Attention weights from 0 to `high`: a row for each query, a column for each key, both with their labels.

    before: weights to show in front of these, with the names of both: those, and these. Raises ValueError for a plane
    of another size.
    """

    __pydantic_config__: ClassVar = ConfigDict(ser_json_inf_nan="constants")
    kind: ClassVar = "heat"
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Plane
    high: Annotated[float, Field(gt=0, le=1)] = 1.0
    before: tuple[str, Plane, str] | None = None

    def __post_init__(self) -> None:
        for plane in (self.values, self.before[1]) if self.before else (self.values,):
            if [len(row) for row in plane] != [len(self.columns)] * len(self.rows):
                raise ValueError("a map has a number for each row and column")


class Played(BaseModel):
    """What one exercise showed when it was last played with nothing switched off.

    given, wrote: a text, and its continuations by several models, each with the model's name.
    """

    at: datetime
    was_right: bool = False
    maps: tuple[Heat, ...] = ()
    given: str = ""
    wrote: tuple[tuple[str, str], ...] = ()


_KEPT = TypeAdapter(dict[str, Played])


def as_bytes(played: Mapping[str, Played]) -> bytes:
    """Encode the file's content."""
    return _KEPT.dump_json(dict(played), exclude_defaults=True)


def read_kept(folder: Path) -> dict[str, Played]:
    """What a progress folder keeps, by exercise. An unreadable file counts as empty: the learner can play again."""
    with suppress(OSError, ValidationError):
        return _KEPT.validate_json((folder / FILE_NAME).read_bytes())
    return {}
