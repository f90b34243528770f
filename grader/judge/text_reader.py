"""Cases for modules with a cache: one module reads texts chunk by chunk, and its caches stay on the learner's side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.sandbox.inside.wire import Slot

from .case import Case
from .draw import Draw


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


@dataclass(frozen=True)
class Texts:
    """The cases of one class with a cache, as most checks of it want them: random weights and texts.

    `init` and `width` say of a check's own sizes what the class is made with, and how wide texts are: so the file of
    checks names what it needs of them, also where it is cut down to the visible ones.
    """

    entry: str
    axes: str
    init: Callable[[Any], Sequence[Any]]
    width: Callable[[Any], int]

    def reader(
        self, draw: Draw, sizes: Any, *, weights: Mapping[str, torch.Tensor] | None = None, **options: Any
    ) -> TextReader:
        """A module that has read nothing yet; `options` are those of TextReader."""
        weights = weights or draw.weights(self.entry, *self.init(sizes))
        return TextReader(self.entry, *self.init(sizes), weights=weights, axes=self.axes, seed=draw.seed(), **options)

    def text(self, draw: Draw, sizes: Any, tokens: int, *, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """A text of so many tokens."""
        return draw.normal(sizes.batch, tokens, self.width(sizes), dtype=dtype)

    def one_pass(
        self, draw: Draw, sizes: Any, tokens: int, *, dtype: torch.dtype = torch.float32, train: bool = False
    ) -> TextReader:
        """A text that is read at once."""
        reading = self.reader(draw, sizes, dtype=dtype, train=train)
        reading.read(self.text(draw, sizes, tokens, dtype=dtype), tell="output")
        return reading

    def in_chunks(
        self,
        draw: Draw,
        sizes: Any,
        lengths: Sequence[int],
        *,
        dtype: torch.dtype = torch.float32,
        tells_caches: bool = False,
    ) -> TextReader:
        """A text that is read in chunks of these lengths."""
        reading = self.reader(draw, sizes, dtype=dtype)
        reading.read_in_chunks(self.text(draw, sizes, sum(lengths), dtype=dtype), lengths, tells_caches=tells_caches)
        return reading

    def branching(self, draw: Draw, sizes: Any) -> TextReader:
        """A cache that different continuations start from, the first of them twice."""
        reading = self.reader(draw, sizes)
        start = reading.read(self.text(draw, sizes, 3), tell="the start", name="the start")
        one, other = self.text(draw, sizes, 2), self.text(draw, sizes, 2)
        longer = reading.read(one, start, tell="a continuation", name="a continuation")
        reading.read(other, start, tell="another continuation", name="another continuation")
        reading.read(one, start, tell="the first continuation again", name="the first continuation again")
        reading.read(other, longer, tell="the end of the first", name="the end of the first")
        return reading

    def start_and_rest(
        self, draw: Draw, sizes: Any, x: torch.Tensor, weights: Mapping[str, torch.Tensor], dtype: torch.dtype
    ) -> TextReader:
        """A text that is read in two chunks, the first of two tokens; the output is that of the second."""
        reading = self.reader(draw, sizes, weights=weights, dtype=dtype)
        cache = reading.read(x[:, :2].to(dtype), tell="the start", name="the start")
        reading.read(x[:, 2:].to(dtype), cache, tell="the rest", name="the rest")
        return reading
