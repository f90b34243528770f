"""Checks the form of the answers that came back for a case. From a learner's worker, all of it is a claim.

Some answers depend on the learner's own numbers, as with a model built from other parts. Then a check asks for raw
numbers, compares them with each other and with what only the judge knows, and keeps the result: a few plain values, its
reading. A known mistake is asked in the same way, and recognised by its reading instead of its numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import torch
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from grader.sandbox.inside.wire import WireError

from .case import GRADIENTS, Case, Question
from .compare import gradients_difference, plain_name, same

MAX_TEXT = 600
MAX_NAME = 200
MAX_FUNCTION = 80
MAX_ITEMS = 40


def _cut(length: int) -> BeforeValidator:
    return BeforeValidator(lambda value: value[:length] if isinstance(value, (str, list)) else value)


Text = Annotated[str, _cut(MAX_TEXT)]
Function = Annotated[str, _cut(MAX_FUNCTION)]
Name = Annotated[str, _cut(MAX_NAME), AfterValidator(plain_name)]
Names = Annotated[list[Name], _cut(MAX_ITEMS)]
Sizes = Annotated[list[int], _cut(MAX_ITEMS)]
# pairs are sent as lists
Frames = Annotated[list[Annotated[tuple[int, Function], Field(strict=False)]], _cut(MAX_ITEMS)]
"""Line numbers and function names."""
Shapes = Annotated[list[Annotated[tuple[Function, Sizes], Field(strict=False)]], _cut(MAX_ITEMS)]
"""Names of tensors in the failing line, and their shapes."""
Parameter = Annotated[tuple[list[int], bool], Field(strict=False)]
"""A parameter's shape, and whether it is trained."""


def _form(**parts: Any) -> type[BaseModel]:
    """The form of a mapping: for each part its type, or its type and what it is when it is absent."""
    fields: dict[str, Any] = {name: part if isinstance(part, tuple) else (part, ...) for name, part in parts.items()}
    return create_model("Form", __config__=ConfigDict(strict=True, arbitrary_types_allowed=True), **fields)


def _error(**parts: Any) -> type[BaseModel]:
    return _form(step=(int, -1), kind=str, **parts)


ERRORS: Mapping[str, type[BaseModel]] = {
    "exception": _error(type=Text, message=Text, frames=Frames, tensors=(Shapes, [])),
    "memory": _error(frames=Frames),
    "forbidden": _error(name=Text),
    "no_entry": _error(name=Text),
    "no_attribute": _error(name=Text),
    "names": _error(missing=Names, unexpected=Names, plain=(Names, [])),
    "weight_shape": _error(name=Name, came=Sizes, expected=Sizes),
    "not_a_module": _error(what=Text),
    "no_part": _error(what=Text),
    "no_tensor": _error(what=Text),
}
"""The form of an error of the learner's code, by its kind."""

ANSWERS: Mapping[str, type[BaseModel]] = {
    "parameters": _form(answer=dict[str, Parameter]),
    "gradients": _form(answer=dict[str, torch.Tensor | None]),
    "buffers": _form(answer=list[str]),
    "refuses": _form(answer=str),
}
"""The form of the answer, by kind of step."""


# --- answers that are read --------------------------------------------------------------------------------------------

NUMBERS = re.compile(r"[\d\s]+")
NO_ANSWER = "it has not the form of an answer"


@dataclass(frozen=True)
class Answers:
    """The returned values of one case by name, and the error that ended it, if any."""

    values: Mapping[str, Any]
    error: Mapping[str, Any] | None = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def read_answers(reply: Any, cases: Sequence[Case]) -> list[Answers]:
    """Check the form of a reply to these cases. Raises WireError when it is invalid."""
    if not isinstance(reply, list) or len(reply) != len(cases):
        raise WireError(NO_ANSWER)
    return [_read(item, case) for item, case in zip(reply, cases, strict=True)]


def _read(item: Any, case: Case) -> Answers:
    if not isinstance(item, dict) or item.keys() != {"answers", "error"} or not isinstance(item["answers"], dict):
        raise WireError(NO_ANSWER)
    if item["error"] is not None:
        return Answers({}, read_error(item["error"]))
    values = {}
    for number, name in case.returned.items():
        if str(number) not in item["answers"]:
            raise WireError(NO_ANSWER)
        value = item["answers"][str(number)]
        if form := ANSWERS.get(case.steps[number]["do"]):
            _validated(form, {"answer": value})
            if isinstance(value, dict):
                value = {plain_name(key): part for key, part in value.items()}
            elif isinstance(value, list):
                value = [plain_name(part) for part in value]
        values[name] = value
    return Answers(values)


def read_error(error: Any) -> dict[str, Any]:
    """Check the form of a reported error; other parts are dropped. Raises WireError when it is invalid."""
    kind = error.get("kind") if isinstance(error, dict) else None
    if not isinstance(kind, str) or kind not in ERRORS:
        raise WireError(NO_ANSWER)
    found = _validated(ERRORS[kind], error).model_dump()
    if "plain" in found:
        found["plain"] = [name for name in found["plain"] if name in found["missing"]]
    return found


def _validated(form: type[BaseModel], value: Any) -> BaseModel:
    try:
        return form.model_validate(value)
    except ValidationError:
        raise WireError(NO_ANSWER) from None  # without its text, which quotes what the learner's code sent


RECOGNISED_BY: Mapping[str, Sequence[str]] = {
    "exception": ("type", "step"),
    "names": ("missing",),
    "no_entry": ("name",),
    "weight_shape": ("name", "came"),
    "forbidden": ("name",),
}


def error_identity(error: Mapping[str, Any]) -> dict[str, Any]:
    """What an error is recognised by, whatever the sizes and names in it. It is an error with this identity itself."""
    identity = {part: error[part] for part in ("kind", *RECOGNISED_BY.get(error["kind"], ()))}
    if identity.get("type") == "RuntimeError":
        # torch raises RuntimeError for everything; only its message, without the sizes in it, distinguishes them
        identity["message"] = NUMBERS.sub("", error["message"].partition("\n")[0])
    return identity


def same_answers(came: Answers, other: Answers) -> bool:
    """Whether two answers to a case are indistinguishable: same numbers, same shapes, same kind of error."""
    if came.error is not None and other.error is not None:
        return error_identity(came.error) == error_identity(other.error)
    if came.error is not None or other.error is not None:
        return False
    if came.values.keys() != other.values.keys():
        return False
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


# --- what a check asked ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exchange:
    """One question and the answers to it: a learner's, or, in a plan, the reference's."""

    question: Question
    answers: list[Answers]


Answering = Callable[[Sequence[Case]], Exchange]
"""Answers the next question, made of these cases."""

Ask = Callable[..., list[Answers]]
"""Asks one question, made of its cases, and returns an answer to each; raises Ended when one is an error."""


class Ended(Exception):
    """The code asked ended with an error: the only argument."""


@dataclass(kw_only=True)
class Talk(Case):
    """A case of several questions, a later one depending on earlier answers: its answers are what is read from theirs.

    read: asks them, and returns plain values, the same for the same answers. It draws no random numbers, since it is
    run again for every known mistake. asked: what the learner's code was asked.
    """

    read: Callable[[Ask], Mapping[str, Any]]
    asked: list[Case] = field(default_factory=list)

    @property
    def effort(self) -> int:
        """How much work there is, in steps."""
        return sum(case.effort for case in self.asked)

    @property
    def question(self) -> Question:
        """It as a question, which is never sent."""
        return Question((self,), b"", b"")

    def read_from(self, answer: Callable[[Sequence[Case]], list[Answers]]) -> Answers:
        """The reading of whoever gives these answers. Of the answers nothing else is kept."""

        def ask(*cases: Case) -> list[Answers]:
            answers = answer(cases)
            for each in answers:
                if each.error is not None:
                    raise Ended(each.error)
            return answers

        try:
            return Answers(self.read(ask))
        except Ended as ended:
            return Answers({}, *ended.args)
