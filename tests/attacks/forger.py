"""A worker that owns its host: whatever it can know it says as the reference would, and every number it would have to
compute is wrong.

It can know: questions that are the same whatever the seed (they can be answered from a list), tensors that came with the
question, and all that is said of a file without numbers, such as the names of parameters, refusals and what was called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from grader.judge.case import Case, Question
from grader.judge.trusted import Expected

CLAIMS = frozenset(("parameters", "buffers", "attribute", "refuses", "observed"))
"""Steps whose answer says something of the file and holds no number that was computed from the inputs."""
CLAIMING_METHODS = frozenset(("__len__", "__lt__", "__gt__", "__contains__"))

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
"""Ways to be wrong. The first ones satisfy whatever a check asks of a learner's answers among each other."""


def spoilt(value: Any, spoil: Spoil, known: list[torch.Tensor]) -> Any:
    """An answer of the same form in which no number is right that the worker was not given."""
    if isinstance(value, torch.Tensor):
        if any(_is_same(value, other) for other in known):
            return value
        if value.dtype == torch.bool:
            return ~value if spoil not in (torch.zeros_like, torch.ones_like) else spoil(value)
        return spoil(value) if value.is_floating_point() else value + 1
    if isinstance(value, Mapping):
        return {key: spoilt(item, spoil, known) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(spoilt(item, spoil, known) for item in value)
    if isinstance(value, bool) or value is None:
        return value
    return value + 1 if isinstance(value, (int, float)) else value


def _is_same(value: torch.Tensor, other: torch.Tensor) -> bool:
    return value.shape == other.shape and value.dtype == other.dtype and bool((value == other).all())


def forged(case: Case, right: Mapping[str, Any], spoil: Spoil) -> dict[str, Any]:
    """What is told of a case: claims as the reference would make them, numbers spoilt."""
    known = [step["value"] for step in case.steps if step["do"] == "tensor"]
    told = {}
    for number, name in case.told.items():
        step = case.steps[number]
        is_claim = step["do"] in CLAIMS or step.get("method") in CLAIMING_METHODS
        # a tensor that came with the question is known only where it is asked back
        given = known if step["do"] == "value" else []
        told[str(number)] = right[name] if is_claim else spoilt(right[name], spoil, given)
    return told


class Forger:
    """Answers questions about one exercise. `by_heart` are the cases that are the same for every seed."""

    def __init__(self, expected: Expected, spoil: Spoil, by_heart: frozenset[bytes]) -> None:
        self.expected = expected
        self.spoil = spoil
        self.by_heart = by_heart
        self.asked: set[bytes] = set()

    def answer(self, question: Question) -> list[dict[str, Any]]:
        """A reply in good form."""
        reply = []
        for case, right in zip(question.cases, self.expected.due(question), strict=True):
            name = Question.of([case]).digest
            self.asked.add(name)
            if right.error is not None:
                reply.append({"answers": {}, "error": dict(right.error)})
                continue
            if name in self.by_heart:
                told = {str(number): right[label] for number, label in case.told.items()}
            else:
                told = forged(case, right.values, self.spoil)
            reply.append({"answers": told, "error": None})
        return reply
