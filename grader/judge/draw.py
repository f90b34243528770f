"""The hidden inputs of a check: other numbers in every run, the same numbers for the same seed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import torch

Item = TypeVar("Item")


class Draw:
    """Random numbers for one check of one exercise. `reference` are the names of the reference solution."""

    def __init__(self, seed: int, exercise: str, check: str, reference: Mapping[str, Any]) -> None:
        key = hashlib.blake2b(f"{seed}/{exercise}/{check}".encode(), digest_size=8).digest()
        self._random = torch.Generator().manual_seed(int.from_bytes(key, "big") >> 1)
        self._reference = reference

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Normally distributed numbers of this shape."""
        numbers = torch.randn(shape, generator=self._random, dtype=torch.float64) * scale
        return numbers.to(dtype)

    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Evenly distributed numbers from low to high."""
        numbers = torch.rand(shape, generator=self._random, dtype=torch.float64) * (high - low) + low
        return numbers.to(dtype)

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return int(torch.randint(low, high + 1, (), generator=self._random))

    def distinct(self, count: int, low: int, high: int) -> list[int]:
        """Different whole numbers from low to high, so that no two axes can be mixed up unnoticed."""
        order = torch.randperm(high - low + 1, generator=self._random)[:count]
        return [low + int(i) for i in order]

    def booleans(self, *shape: int, share: float = 0.5) -> torch.Tensor:
        """True with the given share."""
        return torch.rand(shape, generator=self._random) < share

    def hidden(self, rows: int, columns: int, share: float = 0.4) -> torch.Tensor:
        """A mask (True: hidden) that leaves every row at least one visible place and hides at least one."""
        mask = self.booleans(rows, columns, share=share)
        seen = torch.randint(0, columns, (rows,), generator=self._random)
        mask[torch.arange(rows), seen] = False
        if columns > 1:
            mask[0, (seen[0] + 1) % columns] = True
        return mask

    def order(self, count: int) -> torch.Tensor:
        """A permutation of 0 … count-1 that moves at least one (for count > 1)."""
        order = torch.randperm(count, generator=self._random)
        return order if count < 2 or bool((order != torch.arange(count)).any()) else order.flip(0)

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in another order."""
        return [items[int(i)] for i in torch.randperm(len(items), generator=self._random)]

    def seed(self) -> int:
        """A seed for the learner's side, for questions that involve dropout or random weights."""
        return self.integer(0, 2**31 - 1)

    def weights(self, entry: str, *init: Any, gain: float = 1.5, **keywords: Any) -> dict[str, torch.Tensor]:
        """Numbers for every parameter that the reference's class has when made with these arguments, by name.

        Matrices are scaled by 1/√(inputs), so that scores stay moderate whatever the width.
        """
        module = self._reference[entry](*init, **keywords)
        return {name: self._parameter(tensor.shape, gain) for name, tensor in module.named_parameters()}

    def _parameter(self, shape: torch.Size, gain: float) -> torch.Tensor:
        fan_in = shape[-1] if len(shape) > 1 else 1
        return self.normal(*shape, scale=gain / math.sqrt(fan_in) if len(shape) > 1 else 0.5)
