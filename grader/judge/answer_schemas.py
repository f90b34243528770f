"""Validates what the code behind the wall reports about a learner's code. Anything else was forged or broken.

The decoder has already limited the total size; here texts and lists are cut to what a sentence can hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import torch
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator

MAX_TEXT = 600
MAX_NAME = 200
MAX_FUNCTION = 80
MAX_ITEMS = 40


def _cut(length: int) -> BeforeValidator:
    return BeforeValidator(lambda value: value[:length] if isinstance(value, (str, list)) else value)


Text = Annotated[str, _cut(MAX_TEXT)]
Names = Annotated[list[Annotated[str, _cut(MAX_NAME)]], _cut(MAX_ITEMS)]
Sizes = Annotated[list[int], _cut(MAX_ITEMS)]
Frame = Annotated[tuple[int, Annotated[str, _cut(MAX_FUNCTION)]], Field(strict=False)]
"""A line number and a function name; sent as a list."""
Frames = Annotated[list[Frame], _cut(MAX_ITEMS)]
NamedShape = Annotated[tuple[Annotated[str, _cut(MAX_FUNCTION)], Sizes], Field(strict=False)]
"""A tensor's name in the failing line and its shape; sent as a list."""

STRICT = ConfigDict(strict=True, arbitrary_types_allowed=True)


class _Error(BaseModel):
    model_config = STRICT

    step: int = -1


class _Exception(_Error):
    kind: Literal["exception"]
    type: Text
    message: Text
    frames: Frames
    tensors: Annotated[list[NamedShape], _cut(MAX_ITEMS)] = []


class _Memory(_Error):
    kind: Literal["memory"]
    frames: Frames


class _Named(_Error):
    kind: Literal["forbidden", "no_entry", "no_attribute"]
    name: Text


class _WrongNames(_Error):
    kind: Literal["names"]
    missing: Names
    unexpected: Names
    plain: Names = []

    @model_validator(mode="after")
    def _plain_ones_are_missing(self) -> _WrongNames:
        self.plain = [name for name in self.plain if name in self.missing]
        return self


class _WeightShape(_Error):
    kind: Literal["weight_shape"]
    name: Text
    came: Sizes
    expected: Sizes


class _Instead(_Error):
    kind: Literal["not_a_module", "no_part", "no_tensor"]
    what: Text


ERROR: TypeAdapter[_Error] = TypeAdapter(
    Annotated[
        _Exception | _Memory | _Named | _WrongNames | _WeightShape | _Instead,
        Field(discriminator="kind"),
    ]
)
"""An error of the learner's code."""


Pair = Annotated[tuple[list[int], bool], Field(strict=False)]
"""A parameter's shape, and whether it is trained; sent as a list."""

ANSWER_SCHEMAS: Mapping[str, TypeAdapter[Any]] = {
    "parameters": TypeAdapter(dict[str, Pair], config=STRICT),
    "gradients": TypeAdapter(dict[str, torch.Tensor | None], config=STRICT),
    "buffers": TypeAdapter(list[str], config=STRICT),
    "refuses": TypeAdapter(str, config=STRICT),
}
"""The form of the answer, by kind of step."""
