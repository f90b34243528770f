"""What a command and the warm judge send each other: JSON, as bytes. Nothing is ever unpickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, with_config

from grader.intake import Submission
from grader.mismatch import Mismatch


@with_config(ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"))
@dataclass(frozen=True)
class Request:
    """Asks for a submission's record, or, without a submission, for the judge's end. No exercises named: all."""

    seed: int = 0
    only: tuple[str, ...] = ()
    submission: Submission | None = None


@with_config(ConfigDict(ser_json_inf_nan="constants"))
@dataclass(frozen=True)
class Reply:
    """One message of an answer; all kinds but the first two are the last one."""

    kind: Literal["begun", "advance", "graded", "machine", "broken", "ended"]
    text: str = ""
    """The exercise that was done, the record as JSON, or the sentence of an error."""
    mismatches: tuple[tuple[str, str, Mismatch], ...] = ()
    """By exercise and check, with the record."""

    @property
    def is_last(self) -> bool:
        """Whether no more messages follow."""
        return self.kind not in ("begun", "advance")


REQUEST = TypeAdapter(Request)
REPLY = TypeAdapter(Reply)
