"""Workers that compute nothing: one says anything at random, in good form; the other one owns its host.

That one says as the reference would whatever it can know, and every number that it would have to compute is wrong. It
can know: answers to questions that are the same whatever the seed, tensors that came with the question where they are
asked back, and all that is said of a file without numbers, such as the names of parameters, refusals and what was called.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from grader.judge.plan import Plan
from grader.judge.questions import Case, Question
from grader.sandbox.inside.wire import Opaque, Slot
from tests.cases import table

CLAIMS = frozenset(("parameters", "buffers", "attribute", "refuses"))
"""Steps whose answer says something of the file and holds no number that was computed from the inputs."""
CLAIMING_METHODS = frozenset(("__len__", "__lt__", "__gt__", "__contains__", "__repr__", "count"))

Spoil = Callable[[torch.Tensor], torch.Tensor]
OFF = 0.37


def _noise(value: torch.Tensor) -> torch.Tensor:
    return torch.randn(value.shape, dtype=torch.float64).to(value.dtype)


def _flat(value: torch.Tensor) -> torch.Tensor:
    """Every row the same throughout, as if all were weighed alike."""
    return value.mean(-1, keepdim=True).expand_as(value).contiguous() * (1 + OFF) if value.dim() else value + OFF


SPOILT: Mapping[str, Spoil] = {
    "zeros": torch.zeros_like,
    "ones": torch.ones_like,
    "enlarged": lambda value: value * (1 + OFF),
    "negative": lambda value: -value - OFF,
    "moved": lambda value: value + OFF,
    "flat": _flat,
    "noise": _noise,
    "reversed": lambda value: value.flip(list(range(value.dim()))) * (1 + OFF),
}
"""Ways to be wrong. Most satisfy whatever a check asks of a learner's answers among each other."""


def spoilt(value: Any, spoil: Spoil) -> Any:
    """An answer of the same form in which no number is right."""
    if isinstance(value, torch.Tensor):
        if value.dtype == torch.bool:
            return spoil(value) if spoil in (torch.zeros_like, torch.ones_like) else ~value
        if not value.is_floating_point():
            return value + 1
        wrong = spoil(value)
        return wrong if not torch.equal(wrong, value) else value + OFF
    if isinstance(value, Mapping):
        return {key: spoilt(item, spoil) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(spoilt(item, spoil) for item in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value + 1
    return value


class Forger:
    """Answers questions about one exercise. `by_heart` are the cases that are the same for every seed."""

    def __init__(self, expected: Plan, spoil: Spoil, by_heart: frozenset[bytes]) -> None:
        self.expected = expected
        self.asked: set[bytes] = set()
        self._spoil = spoil
        self._by_heart = by_heart

    def answer(self, question: Question) -> list[dict[str, Any]]:
        """A reply in good form."""
        pairs = zip(question.cases, self.expected.answers_to(question), strict=True)
        return [{"answers": self._told(case, right.values), "error": right.error} for case, right in pairs]

    def _told(self, case: Case, right: Mapping[str, Any]) -> dict[str, Any]:
        name = Question.of([case]).digest
        self.asked.add(name)
        known = {str(number): right[label] for number, label in case.returned.items() if label in right}
        if name in self._by_heart:
            return known
        given = [step["value"] for step in case.steps if step["do"] == "tensor"]
        return {number: self._forged(case.steps[int(number)], value, given) for number, value in known.items()}

    def _forged(self, step: Mapping[str, Any], value: Any, given: list[torch.Tensor]) -> Any:
        if step["do"] in CLAIMS or step.get("method") in CLAIMING_METHODS:
            return value
        if step["do"] == "value":
            return self._asked_back(value, given)
        return spoilt(value, self._spoil)

    def _asked_back(self, value: Any, given: list[torch.Tensor]) -> Any:
        if isinstance(value, Mapping):
            return {key: self._asked_back(item, given) for key, item in value.items()}
        is_given = isinstance(value, torch.Tensor) and any(_is_same(value, other) for other in given)
        return value if is_given else spoilt(value, self._spoil)


def _is_same(value: torch.Tensor, other: torch.Tensor) -> bool:
    return value.shape == other.shape and value.dtype == other.dtype and torch.equal(value, other)


# --- anything at random ---------------------------------------------------------------------------------------------

ODD: tuple[Any, ...] = (
    None, True, False, 0, 7, -1, 2**62, 1.5, float("nan"), float("inf"), "", "x", "\ud800", "passed", [], (), {}, [[None, [True]], (1,)],
    Opaque("a thing"), Slot(0), {Opaque("k"): 1, None: 2, 1.5: torch.ones(2), float("nan"): 3}, {"weight": torch.ones(2)}, [[[[[[[1]]]]]]],
    torch.tensor(1.0), torch.zeros(0), torch.zeros(0, 2**40), torch.ones(2, 3, dtype=torch.int64), torch.ones(2, 2, dtype=torch.bool),
    torch.zeros(1, 1, 1, 1, 1), torch.full((2, 3), float("nan")), torch.full((4, 4), float("inf")), torch.ones(2, 3, dtype=torch.bfloat16),
    (torch.ones(2, 3), None), (torch.ones(2, 2, 4),) * 3, [torch.zeros(3)] * 2, (None, "x", torch.zeros(0)),
)  # fmt: skip

ERRORS: Sequence[Mapping[str, Any]] = table(__file__, "forged_errors.yml")

IN_FORM: Mapping[str, tuple[Any, ...]] = {
    "parameters": ({}, {"w": [[2, 3], True]}, {"\ud800": [[], False]}),
    "gradients": ({}, {"a": None}, {"a": torch.zeros(0)}),
    "buffers": ([], ["mask", "\ud800"]),
    "refuses": ("refused", "accepted", "X" * 300),
}  # fmt: skip
"""What steps tell that always have a form of their own; what lacks it is refused."""


def odd_reply(question: Question, chance: random.Random) -> list[dict[str, Any]]:
    """A reply that says anything at random."""
    return [_odd(case, chance) for case in question.cases]


def _odd(case: Case, chance: random.Random) -> dict[str, Any]:
    values = {str(number): chance.choice(IN_FORM.get(case.steps[number]["do"], ODD)) for number in case.returned}
    error = {"step": 0, **chance.choice(ERRORS)} if chance.random() < 0.1 else None
    return {"answers": values, "error": error}
