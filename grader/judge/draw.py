"""The hidden inputs of a check: fresh numbers in every run, the same numbers for the same seed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import torch

from .faults import GraderBroken, NotInPlan

Item = TypeVar("Item")

ASKS_OTHERWISE = "it asks something else than it asks the reference"

Drawn = tuple[tuple[Any, ...], Any]
"""What was drawn: what was asked for, and what came: numbers, or the forms of what the reference has."""


class Draw:
    """Random numbers for one check of one exercise; `drawn` is what was drawn so far.

    `reference` is the reference solution's namespace; it is empty in a course without answers. `again`: give these
    once more, and raise GraderBroken for anything else.
    """

    def __init__(
        self, seed: int, exercise: str, check: str, reference: Mapping[str, Any], again: Sequence[Drawn] | None = None
    ) -> None:
        key = hashlib.blake2b(f"{seed}/{exercise}/{check}".encode(), digest_size=8).digest()
        self._chance = torch.Generator().manual_seed(int.from_bytes(key, "big") >> 1)
        self._of = (seed, exercise)
        self._reference = reference
        self._again = again
        self.drawn: list[Drawn] = []

    def common(self) -> Draw:
        """Numbers that all checks that converse share, for what they ask about together."""
        return Draw(*self._of, "", self._reference)

    def once(self, asked: tuple[Any, ...], fresh: Callable[[], Any]) -> Any:
        """What is drawn next, made by `fresh` when the plan is made, and again what it was from then on."""
        number = len(self.drawn)
        if self._again is None:
            self.drawn.append((asked, fresh()))
        elif number < len(self._again) and self._again[number][0] == asked:
            self.drawn.append(self._again[number])
        else:
            raise GraderBroken(ASKS_OTHERWISE)
        return self.drawn[-1][1]

    def _numbers(self, source: Callable[..., torch.Tensor], *sizes: Any, **form: Any) -> torch.Tensor:
        """All randomness comes from here."""
        asked = source.__name__, *sizes
        numbers: torch.Tensor = self.once(asked, lambda: source(*sizes, generator=self._chance, **form))
        return numbers.clone()

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Normally distributed numbers of this shape."""
        return (self._numbers(torch.randn, shape, dtype=torch.float64) * scale).to(dtype)

    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Uniformly distributed numbers from low to high."""
        return (self._numbers(torch.rand, shape, dtype=torch.float64) * (high - low) + low).to(dtype)

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return int(self._numbers(torch.randint, low, high + 1, ()))

    def distinct(self, count: int, low: int, high: int) -> list[int]:
        """Distinct whole numbers from low to high, so that mixing up two axes is noticed."""
        order = self._numbers(torch.randperm, high - low + 1)[:count]
        return [low + int(i) for i in order]

    def order(self, count: int) -> torch.Tensor:
        """A permutation of 0 … count-1 other than the identity (for count > 1)."""
        order = self._numbers(torch.randperm, count)
        return order if count < 2 or bool((order != torch.arange(count)).any()) else order.flip(0)

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in random order."""
        return [items[int(i)] for i in self._numbers(torch.randperm, len(items))]

    def seed(self) -> int:
        """A seed for the learner's side, for questions with dropout or random weights."""
        return self.integer(0, 2**31 - 1)

    def weights(self, entry: str, *init: Any, **keywords: Any) -> dict[str, torch.Tensor]:
        """Numbers for every parameter of the reference's class when made with these arguments, by name.

        Matrices are scaled by 1/√(inputs), so that scores stay moderate whatever the width. Raises NotInPlan where
        there is no reference.
        """

        def shapes() -> dict[str, list[int]]:
            if not self._reference:
                raise NotInPlan(f"the parameters of {entry} are not known here")
            made = self._reference[entry](*init, **keywords)
            return {name: list(tensor.shape) for name, tensor in made.named_parameters()}

        known = self.once(("shapes", repr((entry, init, sorted(keywords.items())))), shapes)
        return {
            name: self.normal(*shape, scale=1.5 / math.sqrt(shape[-1]) if len(shape) > 1 else 0.5)
            for name, shape in known.items()
        }
