"""Checks the form of the answers that came back for a case. From a learner's worker, all of it is a claim.

Some answers depend on the learner's own numbers, as with a model built from other parts. Then a check asks for raw
numbers, compares them with each other and with what only the judge knows, and keeps the result: a few plain values, its
reading. A known mistake is asked in the same way, and recognised by its reading instead of its numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import torch
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from .case import GRADIENTS, Case, Question
from .compare import gradients_difference, same

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


# --- answers that are read --------------------------------------------------------------------------------------------

NUMBERS = re.compile(r"[\d\s]+")


class Malformed(Exception):
    """An answer of invalid form."""


@dataclass(frozen=True)
class Answers:
    """The returned values of one case by name, and the error that ended it, if any."""

    values: Mapping[str, Any]
    error: Mapping[str, Any] | None = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def size(self) -> int:
        """Approximate size of the values in bytes."""
        return _size(self.values)


def _size(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, Mapping):
        return sum(_size(key) + _size(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return sum(map(_size, value))
    return len(value) if isinstance(value, str) else 8


def read_answers(reply: Any, cases: Sequence[Case]) -> list[Answers]:
    """Check the form of a reply to these cases. Raises Malformed when it is invalid."""
    if not isinstance(reply, list) or len(reply) != len(cases):
        raise Malformed("not one answer for each case")
    return [_read(item, case) for item, case in zip(reply, cases, strict=True)]


def _read(item: Any, case: Case) -> Answers:
    if not isinstance(item, dict) or item.keys() != {"answers", "error"}:
        raise Malformed("an answer without its parts")
    told, error = item["answers"], item["error"]
    if not isinstance(told, dict):
        raise Malformed("answers that are no mapping")
    if error is not None:
        return Answers({}, read_error(error))
    values = {}
    for number, name in case.returned.items():
        if str(number) not in told:
            raise Malformed(f"no answer for {name}")
        values[name] = told[str(number)]
        form = ANSWER_SCHEMAS.get(case.steps[number]["do"])
        if form is not None:
            _check_form(form, name, values[name])
    return Answers(values)


def _check_form(form: TypeAdapter[Any], name: str, value: Any) -> None:
    try:
        form.validate_python(value)
    except ValidationError as fault:
        raise Malformed(f"{name} is not told in its form: {_first_fault(fault)}") from None


def read_error(error: Any) -> dict[str, Any]:
    """Check the form of a reported error. Raises Malformed when it is invalid."""
    try:
        return ERROR.validate_python(error).model_dump()
    except ValidationError as fault:
        raise Malformed(_first_fault(fault)) from None


def _first_fault(fault: ValidationError) -> str:
    """What is wrong and where, without the value itself, which is the learner's."""
    first = fault.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['type']}"


def error_identity(error: Mapping[str, Any]) -> tuple[Any, ...]:
    """The key by which two errors count as the same, whatever the sizes and names in them."""
    details = {
        "exception": ("type", "step"),
        "names": ("missing",),
        "no_entry": ("name",),
        "weight_shape": ("name", "came"),
        "forbidden": ("name",),
    }.get(error["kind"], ())
    identity = (error["kind"], *(repr(error[name]) for name in details))
    if error.get("type") == "RuntimeError":
        # torch raises RuntimeError for everything; only its message, without the sizes in it, distinguishes them
        return (*identity, NUMBERS.sub("", error["message"].partition("\n")[0]))
    return identity


class Ask(Protocol):
    """Asks one question; raises Ended when the code asked ends with an error."""

    def __call__(self, *cases: Case) -> list[Answers]:
        """The answers, one a case."""
        ...


@dataclass(frozen=True)
class Exchange:
    """One question and the learner's answers, kept for the diagnosis."""

    question: Question
    answers: list[Answers]


Talk = Callable[[Ask], Mapping[str, Any]]
"""Asks one or more questions, a later one depending on earlier answers, and returns its reading of them: plain
values, the same for the same answers. It draws no random numbers, since it is run again for every known mistake."""


class Ended(Exception):
    """The code asked ended with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["kind"])
        self.error = error

    def reading(self) -> dict[str, Any]:
        """The reading of a case that ended with an error."""
        return {"error": error_identity(self.error)}


@dataclass(frozen=True)
class Reading:
    """A talk with the learner's code and the reading from it. The answers are not kept."""

    talk: Talk
    came: Mapping[str, Any]
    effort: int
    answers: tuple[Answers, ...] = ()


def read_from(talk: Talk, answer: Callable[[Question], list[Answers]]) -> Mapping[str, Any]:
    """The reading of a talk with the course's own code."""

    def ask(*cases: Case) -> list[Answers]:
        answers = answer(Question.of(cases))
        for each in answers:
            if each.error is not None:
                raise Ended(each.error)
        return answers

    try:
        return talk(ask)
    except Ended as ended:
        return ended.reading()


def same_answers(came: Answers, other: Answers) -> bool:
    """Whether two answers to a case are indistinguishable: same numbers, same shapes, same kind of error."""
    if (came.error is None) != (other.error is None):
        return False
    if came.error is not None and other.error is not None:
        return error_identity(came.error) == error_identity(other.error)
    for name, value in other.values.items():
        if name == GRADIENTS and isinstance(value, Mapping):
            if gradients_difference(came[name], value) or reach(came[name]) != reach(value):
                return False
        elif not same(came[name], value):
            return False
    return True


def reach(gradients: Mapping[str, Any]) -> set[str]:
    """The names that a gradient reaches."""
    return {name for name, gradient in gradients.items() if gradient is not None}
