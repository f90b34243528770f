"""Checks the form of the answers that came back for a case. From a learner's worker, all of it is a claim.

Some answers depend on the learner's own numbers, as with a model built from other parts. Then a check asks for raw
numbers, compares them with each other and with what only the judge knows, and keeps the result: a few plain values, its
reading. A known mistake is asked in the same way, and recognised by its reading instead of its numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

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

STRICT = ConfigDict(strict=True, arbitrary_types_allowed=True)


def _form(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind, config=STRICT)


_TEXT, _NAMES, _SIZES, _FRAMES = map(_form, (Text, Names, Sizes, Frames))

ERRORS: Mapping[str, Mapping[str, TypeAdapter[Any]]] = {
    "exception": {"type": _TEXT, "message": _TEXT, "frames": _FRAMES, "tensors": _form(Shapes)},
    "memory": {"frames": _FRAMES},
    "forbidden": {"name": _TEXT},
    "no_entry": {"name": _TEXT},
    "no_attribute": {"name": _TEXT},
    "names": {"missing": _NAMES, "unexpected": _NAMES, "plain": _NAMES},
    "weight_shape": {"name": _form(Name), "came": _SIZES, "expected": _SIZES},
    "not_a_module": {"what": _TEXT},
    "no_part": {"what": _TEXT},
    "no_tensor": {"what": _TEXT},
}
"""The parts of an error of the learner's code, by its kind."""
MAY_BE_ABSENT = ("tensors", "plain")
_STEP = _form(int)

ANSWER_SCHEMAS: Mapping[str, TypeAdapter[Any]] = {
    "parameters": _form(dict[str, Parameter]),
    "gradients": _form(dict[str, torch.Tensor | None]),
    "buffers": _form(list[str]),
    "refuses": _form(str),
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
    if not isinstance(item, dict) or item.keys() != {"answers", "error"} or not isinstance(item["answers"], dict):
        raise Malformed("an answer without its parts")
    if item["error"] is not None:
        return Answers({}, read_error(item["error"]))
    values = {}
    for number, name in case.returned.items():
        if str(number) not in item["answers"]:
            raise Malformed(f"no answer for {name}")
        values[name] = item["answers"][str(number)]
        if form := ANSWER_SCHEMAS.get(case.steps[number]["do"]):
            _validated(form, values[name])
            values[name] = _with_plain_names(values[name])
    return Answers(values)


def _with_plain_names(value: Any) -> Any:
    if isinstance(value, dict):
        return {plain_name(name): item for name, item in value.items()}
    return [plain_name(name) for name in value] if isinstance(value, list) else value


def read_error(error: Any) -> dict[str, Any]:
    """Check the form of a reported error; other parts are dropped. Raises Malformed when it is invalid."""
    kind = error.get("kind") if isinstance(error, dict) else None
    if not isinstance(kind, str) or kind not in ERRORS:
        raise Malformed("an error of no kind")
    found: dict[str, Any] = {"step": _validated(_STEP, error.get("step", -1)), "kind": kind}
    for name, form in ERRORS[kind].items():
        found[name] = _validated(form, error.get(name, [] if name in MAY_BE_ABSENT else None))
    if "plain" in found:
        found["plain"] = [name for name in found["plain"] if name in found["missing"]]
    return found


def _validated(form: TypeAdapter[Any], value: Any) -> Any:
    try:
        return form.validate_python(value)
    except ValidationError as fault:  # told without the value itself, which is the learner's
        first = fault.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Malformed(f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['type']}") from None


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


def same_answers(came: Answers, other: Answers) -> bool:
    """Whether two answers to a case are indistinguishable: same numbers, same shapes, same kind of error."""
    if came.error is not None and other.error is not None:
        return error_identity(came.error) == error_identity(other.error)
    if came.error is not None or other.error is not None:
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
    """One question and the learner's answers, kept for the diagnosis."""

    question: Question
    answers: list[Answers]


Ask = Callable[..., list[Answers]]
"""Asks one question, made of its cases, and returns an answer to each; raises Ended when one is an error."""

Talk = Callable[[Ask], Mapping[str, Any]]
"""Asks one or more questions, a later one depending on earlier answers, and returns its reading of them: plain
values, the same for the same answers. It draws no random numbers, since it is run again for every known mistake."""


class Ended(Exception):
    """The code asked ended with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["kind"])
        self.error = error


@dataclass(frozen=True)
class Reading:
    """A talk with the learner's code and the reading from it. The answers are not kept."""

    talk: Talk
    came: Mapping[str, Any]
    effort: int
    answers: tuple[Answers, ...] = ()


def talked(
    talk: Talk, answer: Callable[[Sequence[Case]], list[Answers]]
) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """The reading of a talk with whoever gives these answers, and the error that ended it, if any."""

    def ask(*cases: Case) -> list[Answers]:
        answers = answer(cases)
        for each in answers:
            if each.error is not None:
                raise Ended(each.error)
        return answers

    try:
        return talk(ask), None
    except Ended as ended:
        return {"error": error_identity(ended.error)}, ended.error


def read_from(talk: Talk, answer: Callable[[Question], list[Answers]]) -> Mapping[str, Any]:
    """The reading of a talk with the course's own code."""
    return talked(talk, lambda cases: answer(Question.of(cases)))[0]
