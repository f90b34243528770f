"""A case for modules with a cache: one module reads texts chunk by chunk, and its caches stay on the learner's side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from grader.sandbox.inside.wire import Slot

from .case import Case


class TextReader(Case):
    """Makes one module, loads its weights and calls it as `forward(x, cache=None) -> (out, cache)`.

    What a cache is made of is the learner's own business, unless a check asks to be told.
    """

    def __init__(
        self,
        entry: str,
        *init: Any,
        weights: Mapping[str, torch.Tensor],
        axes: str = "",
        dtype: torch.dtype = torch.float32,
        train: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(axes=tuple(axes.split()), seed=seed)
        self.module = self.call(self.entry(entry), *init)
        self.load(self.module, weights)
        self.mode(train=train, dtype=dtype)

    def mode(self, *, train: bool, dtype: torch.dtype | None = None) -> None:
        """Go on in training or evaluation. A module that reads with a cache draws no random numbers in either."""
        assert self.module is not None
        self.prepare(self.module, train=train, dtype=dtype)
        self.is_random = False

    def read(
        self, x: torch.Tensor | Slot, cache: Slot | None = None, *, tell: str, name: str = "x", tell_cache: str = ""
    ) -> Slot:
        """Read a chunk after what `cache` stands for; tell the output, and the new cache if asked; return the cache."""
        assert self.module is not None
        chunk = self.tensor(x, name=name) if isinstance(x, torch.Tensor) else x
        pair = self.call(self.module, chunk) if cache is None else self.call(self.module, chunk, cache)
        self.output = self.call(pair, 0, method="__getitem__", tell=tell)
        return self.call(pair, 1, method="__getitem__", tell=tell_cache)

    def read_in_chunks(self, x: torch.Tensor, lengths: Sequence[int], *, tells_caches: bool = False) -> Slot:
        """Read a text in chunks of these lengths, each after the cache of those before; return the last cache."""
        cache = None
        for number, chunk in enumerate(torch.split(x, list(lengths), dim=1), start=1):
            told = f"cache after chunk {number}" if tells_caches else ""
            cache = self.read(chunk, cache, tell=f"out of chunk {number}", name=f"chunk {number}", tell_cache=told)
        assert cache is not None
        return cache
