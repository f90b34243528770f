"""Checks of a class with a cache, `forward(x, cache=None) -> (out, cache)`: one module reads texts chunk by chunk.

The caches stay on the learner's side, and may be of any type unless a check asks for their value.
"""

from dataclasses import dataclass

import torch
from families.drawn import demand_pair
from families.loud import HIGH, hides_the_last_token

from grader.judge.authoring import Case

PAIR = "forward should return two things: (out, cache)."


class TextReader(Case):
    """A case with one module that reads texts."""

    def mode(self, *, train, dtype=None):
        """Go on in training or evaluation mode. A module that reads with a cache draws no random numbers."""
        self.prepare(self.module, train=train, dtype=dtype)
        self.is_random = False

    def read(self, x, cache=None, *, return_as, name="x", return_cache_as=""):
        """Read a chunk after the given cache; return the new cache, and report the output (and the cache, if named)."""
        chunk = self.tensor(x, name=name)
        pair = self.call(self.module, chunk) if cache is None else self.call(self.module, chunk, cache)
        self.output = self.call(pair, 0, method="__getitem__", return_as=return_as)
        return self.call(pair, 1, method="__getitem__", return_as=return_cache_as)


@dataclass(frozen=True)
class Texts:
    """The usual cases: random weights, and texts of (batch, tokens, width).

    A check's own sizes have `batch`, `width` and `init`, the constructor's arguments.
    """

    entry: str

    def reader(self, draw, sizes, *, weights=None, dtype=torch.float32, train=False):
        """A module that has read nothing yet."""
        weights = weights or draw.weights(self.entry, *sizes.init)
        reading = TextReader(axes=("batch", "tokens", "hidden_dim"), seed=draw.seed())
        reading.module = reading.call(reading.entry(self.entry), *sizes.init)
        reading.load(reading.module, weights)
        reading.mode(train=train, dtype=dtype)
        return reading

    def text(self, draw, sizes, tokens, *, dtype=torch.float32):
        """A text with this many tokens."""
        return draw.normal(sizes.batch, tokens, sizes.width, dtype=dtype)

    def one_pass(self, draw, sizes, tokens, *, dtype=torch.float32, train=False):
        """A text read in one call."""
        reading = self.reader(draw, sizes, dtype=dtype, train=train)
        reading.read(self.text(draw, sizes, tokens, dtype=dtype), return_as="output")
        return reading

    def in_chunks(self, draw, sizes, lengths, *, dtype=torch.float32, returns_caches=False):
        """A text read in chunks of these lengths, each after the cache of those before."""
        reading, cache = self.reader(draw, sizes, dtype=dtype), None
        chunks = torch.split(self.text(draw, sizes, sum(lengths), dtype=dtype), list(lengths), dim=1)
        for number, chunk in enumerate(chunks, start=1):
            kept, name = f"cache after chunk {number}" if returns_caches else "", f"chunk {number}"
            cache = reading.read(chunk, cache, return_as=f"out of {name}", name=name, return_cache_as=kept)
        return reading

    def branching(self, draw, sizes):
        """A cache that several continuations start from, the first of them twice."""
        reading = self.reader(draw, sizes)

        def read(text, cache, what):
            return reading.read(text, cache, return_as=what, name=what)

        start = read(self.text(draw, sizes, 3), None, "the start")
        one, other = self.text(draw, sizes, 2), self.text(draw, sizes, 2)
        longer = read(one, start, "a continuation")
        read(other, start, "another continuation")
        read(one, start, "the first continuation again")
        read(other, longer, "the end of the first")
        return reading

    def start_and_rest(self, draw, sizes, x, weights, dtype):
        """A text read in two chunks, the first of two tokens; the output is the second chunk's."""
        reading = self.reader(draw, sizes, weights=weights, dtype=dtype)
        cache = reading.read(x[:, :2].to(dtype), return_as="the start", name="the start")
        reading.read(x[:, 2:].to(dtype), cache, return_as="the rest", name="the rest")
        return reading

    # --- whole checks -------------------------------------------------------------------------------------------------

    def returns_pairs(self, learner, draw, sizes):
        """Check that (out, cache) comes back for a text of five tokens."""
        reading = self.reader(draw, sizes)
        demand_pair(learner, reading, reading.call(reading.module, self.text(draw, sizes, 5)), PAIR)

    def hide_later_tokens(self, learner, draw, sizes, loud):
        """Check that the last of five tokens weighs nothing; `loud(draw, sizes, tokens, high)` makes weights and two texts."""
        for dtype, high in HIGH.items():
            weights, texts = loud(draw, sizes, 5, high)
            hides_the_last_token(learner, *[self.start_and_rest(draw, sizes, x, weights, dtype) for x in texts])

    def keep_inputs(self, learner, draw, drawn_sizes):
        """Check that x is left alone, in one pass and in chunks."""
        reading = self.in_chunks(draw, drawn_sizes(draw), [3, 2])
        reading.return_value(reading.output, "output")
        learner.keeps_inputs(self.one_pass(draw, drawn_sizes(draw), 5), reading)
