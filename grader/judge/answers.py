"""What came back for one case. From a learner's side everything in it is a claim and is checked for its form here.

Some answers have numbers of the learner's own, as those of a model with other parts. A check then asks for raw
numbers, compares them with each other and with what only the judge knows, and keeps what came of it: a few plain
values. By these, not by the numbers, a known mistake is recognised: it is asked in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from .case import GRADIENTS, OBSERVED, Case, Question
from .compare import gradients_difference, same

MAX_TEXT = 600
NUMBERS = re.compile(r"[\d\s]+")


class Malformed(Exception):
    """An answer that does not have the form of one."""


@dataclass(frozen=True)
class Answers:
    """The told values of one case by name, and the error that ended it, if any."""

    values: Mapping[str, Any]
    error: Mapping[str, Any] | None = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def size(self) -> int:
        """Roughly the bytes that the values take."""
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
    """Check the form of a reply to these cases. Raises Malformed when it isn't one."""
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
    for number, name in case.told.items():
        if str(number) not in told:
            raise Malformed(f"no answer for {name}")
        values[name] = told[str(number)]
        has_form = FORMS.get(case.steps[number]["do"])
        if has_form is not None and not has_form(values[name]):
            raise Malformed(f"{name} is not told in its form")
    return Answers(values)


def _is_parameters(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str)
        and isinstance(about, list)
        and len(about) == 2
        and _is_list_of(about[0], int)
        and isinstance(about[1], bool)
        for name, about in value.items()
    )


def _is_gradients(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str) and (gradient is None or isinstance(gradient, torch.Tensor))
        for name, gradient in value.items()
    )


def _is_observed(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"largest", "functions", "printed"}
        and isinstance(value["largest"], int)
        and isinstance(value["printed"], int)
        and _is_list_of(value["functions"], str)
    )


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


FORMS: dict[str, Callable[[Any], bool]] = {
    "parameters": _is_parameters,
    "gradients": _is_gradients,
    "observed": _is_observed,
    "buffers": lambda value: _is_list_of(value, str),
    "refuses": lambda value: isinstance(value, str),
}
"""What our own side tells of a learner's code always has a form; whatever lacks it was not told by our side."""


def read_error(error: Any) -> dict[str, Any]:
    """Check the form of a told error. Raises Malformed when it isn't one."""
    if not isinstance(error, dict):
        raise Malformed("an error that is no mapping")
    kind = error.get("kind")
    forms: dict[str, dict[str, type]] = {
        "exception": {"type": str, "message": str, "frames": list},
        "memory": {"frames": list},
        "forbidden": {"name": str},
        "no_entry": {"name": str},
        "no_attribute": {"name": str},
        "names": {"missing": list, "unexpected": list},
        "weight_shape": {"name": str, "came": list, "expected": list},
        "not_a_module": {"what": str},
        "no_part": {"what": str},
    }
    if not isinstance(kind, str) or kind not in forms:
        raise Malformed("an unknown kind of error")
    read: dict[str, Any] = {
        "kind": kind,
        "step": error.get("step") if isinstance(error.get("step"), int) else -1,
    }
    for name, form in forms[kind].items():
        value = error.get(name)
        if isinstance(value, str) and form is str:
            read[name] = value[:MAX_TEXT]
        elif isinstance(value, list) and form is list:
            read[name] = _flat(value)
        else:
            raise Malformed(f"an error without its {name}")
    if kind == "names":
        plain = error.get("plain")
        read["plain"] = [name for name in _flat(plain) if name in read["missing"]] if isinstance(plain, list) else []
    return read


def _flat(values: list[Any]) -> list[Any]:
    """Lists in errors hold texts, whole numbers and pairs (line, function); anything else is dropped."""
    kept: list[Any] = []
    for value in values[:40]:
        if isinstance(value, str):
            kept.append(value[:200])
        elif isinstance(value, int):
            kept.append(value)
        elif isinstance(value, list) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], str):
            kept.append((value[0], value[1][:80]))
    return kept


def error_identity(error: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes two errors the same one, whatever the sizes and names in them."""
    details = {
        "exception": ("type", "step"),
        "names": ("missing",),
        "no_entry": ("name",),
        "weight_shape": ("name", "came"),
        "forbidden": ("name",),
    }.get(error["kind"], ())
    identity = (error["kind"], *(repr(error[name]) for name in details))
    if error.get("type") == "RuntimeError":
        # torch raises this one for everything; what it says tells one from the other, but for the sizes in it
        return (*identity, NUMBERS.sub("", error["message"].partition("\n")[0]))
    return identity


class Ask(Protocol):
    """Puts one question; raises Ended when the code that is asked ends with an error."""

    def __call__(self, *cases: Case) -> list[Answers]:
        """The answers, one a case."""
        ...


Talk = Callable[[Ask], Mapping[str, Any]]
"""Asks, perhaps more than once, a later question depending on earlier answers, and returns what it reads from them:
plain values, the same for the same answers. It draws nothing, as it is run again for every known mistake."""


class Ended(Exception):
    """The code that was asked ended with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["kind"])
        self.error = error

    def reading(self) -> dict[str, Any]:
        """What is read from it."""
        return {"error": error_identity(self.error)}


@dataclass(frozen=True)
class Reading:
    """A talk with the learner's code and what was read from it. No answers are kept."""

    talk: Talk
    came: Mapping[str, Any]
    effort: int
    answers: tuple[Answers, ...] = ()


def read_from(talk: Talk, answer: Callable[[Question], list[Answers]]) -> Mapping[str, Any]:
    """What a talk reads from code of the course's own."""

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
    """Whether two answers to a case cannot be told apart: same numbers, same shapes, same kind of error."""
    if (came.error is None) != (other.error is None):
        return False
    if came.error is not None and other.error is not None:
        return error_identity(came.error) == error_identity(other.error)
    for name, value in other.values.items():
        if name == GRADIENTS and isinstance(value, Mapping):
            if gradients_difference(came[name], value) or reach(came[name]) != reach(value):
                return False
        elif name == OBSERVED:
            if bool(came[name]["printed"]) != bool(value["printed"]):
                return False
        elif not same(came[name], value):
            return False
    return True


def reach(gradients: Mapping[str, Any]) -> set[str]:
    """What a gradient reaches."""
    return {name for name, gradient in gradients.items() if gradient is not None}
