"""Everything that authors of checks and of known mistakes import: names, and what several exercises share.

In a loud case the hidden places have a score far above every visible one, and a huge value. Masked with minus infinity
they still get no weight. Anything weaker (-100, say) lets the value through. Scores stay within ±60, where a plain exp
is finite. In float32 they are closer together than in float64, so that it is also right to set hidden weights to 0
after the softmax and divide by the sum of the rest.

Cases for modules with a cache: one module reads texts chunk by chunk, and its caches stay on the learner's side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.sandbox.inside.wire import Slot

from .answers import Ask as Ask
from .answers import Ended as Ended
from .bank import Mistake as Mistake
from .bank import kept_from_the_last_call as kept_from_the_last_call
from .bank import kept_in_evaluation as kept_in_evaluation
from .bank import without as without
from .case import OUTPUT
from .case import Case as Case
from .case import called_again as called_again
from .case import function as function
from .case import module as module
from .checks import points as points
from .compare import same as same
from .draw import Draw
from .failure import expect as expect
from .failure import fail as fail
from .faults import CheckFailed as CheckFailed
from .learner import LearnerModule

STAYS_BELOW = "stays below"


def stay_below(learner: LearnerModule, cases: Sequence[Case], limits: Sequence[int]) -> list[bool]:
    """For each case, whether every tensor made on the way held fewer numbers than its limit.

    Nothing else comes back: how far below the limit does not matter, nor what the output is.
    """
    for case, limit in zip(cases, limits, strict=True):
        assert case.output is not None
        case.keeps_to_itself(case.output)
        case.call(case.observed("largest"), limit, method="__lt__", return_as=STAYS_BELOW)
    return [answer[STAYS_BELOW] is True for answer in learner.ask(*cases)]


LEAST_WIDTH = 3
VISIBLE = -55.0
LOUD = ((torch.float32, 20.0), (torch.float64, 55.0))
"""(dtype, score of the hidden places)."""
HUGE = 1e30
QUIET = 0.1
FAR = 100.0

LOW = -60.0
HIGH = {torch.float32: 20.0, torch.float64: 50.0}
HUGE_VALUE = 1e18
"""For checks whose own weights make the scores: the visible tokens' score (LOW), the hidden one's (HIGH), and its
value; in float32 a plain exp of the score times the value is still finite."""


Twice = tuple[torch.Tensor, torch.Tensor]
"""The same input twice, differing only in the values of the hidden tokens."""


def _loud(x: torch.Tensor, score: float, loud: float, value: float, hidden: int = 1) -> Twice:
    """An input (batch, tokens, width) with these scores in column 1; the last tokens' value, column 2, is 0 or huge."""
    before = x.clone()
    before[..., 0], before[..., 1], before[..., 2] = 1.0, score, 0.0
    before[:, -hidden:, 1] = loud
    after = before.clone()
    after[:, -hidden:, 2] = value
    return before, after


def loud_inputs(draw: Draw, batch: int, tokens: int, width: int, hidden: int = 1) -> list[Twice]:
    """Inputs (batch, tokens, width) of each dtype whose last tokens are loud. Column 1 is a token's score."""
    assert width >= LEAST_WIDTH
    drawn = [(draw.normal(batch, tokens, width, scale=QUIET, dtype=dtype), loud) for dtype, loud in LOUD]
    return [_loud(x, VISIBLE, loud, HUGE, hidden) for x, loud in drawn]


def loud_weights(
    weights: Mapping[str, torch.Tensor], query: str, key: str, value: str, head_dim: int
) -> dict[str, torch.Tensor]:
    """Weights with which column 1 of the input is a key's score for every query, and only values read column 2."""
    changed = {name: tensor.clone() for name, tensor in weights.items()}
    for name, columns in ((query, (1.0, 0.0, 0.0)), (key, (0.0, head_dim**-0.5, 0.0)), (value, (0.0, 0.0, 1.0))):
        matrix = changed[f"{name}.weight"]
        matrix *= 0.0 if name == query else QUIET
        matrix[:, :LEAST_WIDTH] = torch.tensor(columns)
        if f"{name}.bias" in changed:
            changed[f"{name}.bias"].zero_()
    return changed


def cut_off(case: Case) -> Case:
    """Return the output clamped to ±FAR: one huge row must not hide errors in the others."""
    assert case.output is not None
    case.keeps_to_itself(case.output)
    case.output = case.call(case.library_module("Hardtanh", -FAR, FAR), case.output, return_as=OUTPUT)
    return case


def ends_loudly(x: torch.Tensor, high: float) -> Twice:
    """A text for weights that read LOW times column 1 as a key's score and column 2 as its value: the last token scores
    `high`, all others LOW; its value is 0, and in the second text huge.
    """
    return _loud(x, 1.0, high / LOW, HUGE_VALUE)


def hides_the_last_token(learner: LearnerModule, before: Case, after: Case) -> None:
    """Check that no earlier output changes with the last token's value, a loud one: the cases differ only in that."""
    one, other = learner.outputs(cut_off(before), cut_off(after))
    expect(
        same(other[:, :-1], one[:, :-1]),
        "A later token whose score is far above the others, and whose value is huge, still comes through to earlier "
        "ones. Is it hidden from all of them, before the softmax? What is filled in must be far below every score: "
        "best of all minus infinity.",
    )


class TextReader(Case):
    """A case with one module, which is called as `forward(x, cache=None) -> (out, cache)`.

    The cache may be of any type, unless a check asks for its value.
    """

    def mode(self, *, train: bool, dtype: torch.dtype | None = None) -> None:
        """Go on in training or evaluation mode. A module that reads with a cache draws no random numbers."""
        assert self.module is not None
        self.prepare(self.module, train=train, dtype=dtype)
        self.is_random = False

    def read(
        self, x: torch.Tensor, cache: Slot | None = None, *, return_as: str, name: str = "x", return_cache_as: str = ""
    ) -> Slot:
        """Read a chunk after the given cache; return the new cache, and report the output (and the cache, if named)."""
        assert self.module is not None
        chunk = self.tensor(x, name=name)
        pair = self.call(self.module, chunk) if cache is None else self.call(self.module, chunk, cache)
        self.output = self.call(pair, 0, method="__getitem__", return_as=return_as)
        return self.call(pair, 1, method="__getitem__", return_as=return_cache_as)


@dataclass(frozen=True)
class Texts:
    """The usual cases for a class with a cache: random weights, and texts of (batch, tokens, width).

    A check's own sizes have `batch`, `width` and `init`, the constructor's arguments.
    """

    entry: str

    def reader(
        self,
        draw: Draw,
        sizes: Any,
        *,
        weights: Mapping[str, torch.Tensor] | None = None,
        dtype: torch.dtype = torch.float32,
        train: bool = False,
    ) -> TextReader:
        """A module that has read nothing yet."""
        weights = weights or draw.weights(self.entry, *sizes.init)
        reading = TextReader(axes=("batch", "tokens", "hidden_dim"), seed=draw.seed())
        reading.module = reading.call(reading.entry(self.entry), *sizes.init)
        reading.load(reading.module, weights)
        reading.mode(train=train, dtype=dtype)
        return reading

    def text(self, draw: Draw, sizes: Any, tokens: int, *, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """A text with this many tokens."""
        return draw.normal(sizes.batch, tokens, sizes.width, dtype=dtype)

    def one_pass(
        self, draw: Draw, sizes: Any, tokens: int, *, dtype: torch.dtype = torch.float32, train: bool = False
    ) -> TextReader:
        """A text read in one call."""
        reading = self.reader(draw, sizes, dtype=dtype, train=train)
        reading.read(self.text(draw, sizes, tokens, dtype=dtype), return_as="output")
        return reading

    def in_chunks(
        self,
        draw: Draw,
        sizes: Any,
        lengths: Sequence[int],
        *,
        dtype: torch.dtype = torch.float32,
        returns_caches: bool = False,
    ) -> TextReader:
        """A text read in chunks of these lengths, each after the cache of those before."""
        reading, cache = self.reader(draw, sizes, dtype=dtype), None
        chunks = torch.split(self.text(draw, sizes, sum(lengths), dtype=dtype), list(lengths), dim=1)
        for number, chunk in enumerate(chunks, start=1):
            kept, name = f"cache after chunk {number}" if returns_caches else "", f"chunk {number}"
            cache = reading.read(chunk, cache, return_as=f"out of {name}", name=name, return_cache_as=kept)
        return reading

    def branching(self, draw: Draw, sizes: Any) -> TextReader:
        """A cache that several continuations start from, the first of them twice."""
        reading = self.reader(draw, sizes)

        def read(text: torch.Tensor, cache: Slot | None, what: str) -> Slot:
            return reading.read(text, cache, return_as=what, name=what)

        start = read(self.text(draw, sizes, 3), None, "the start")
        one, other = self.text(draw, sizes, 2), self.text(draw, sizes, 2)
        longer = read(one, start, "a continuation")
        read(other, start, "another continuation")
        read(one, start, "the first continuation again")
        read(other, longer, "the end of the first")
        return reading

    def start_and_rest(
        self, draw: Draw, sizes: Any, x: torch.Tensor, weights: Mapping[str, torch.Tensor], dtype: torch.dtype
    ) -> TextReader:
        """A text read in two chunks, the first of two tokens; the output is the second chunk's."""
        reading = self.reader(draw, sizes, weights=weights, dtype=dtype)
        cache = reading.read(x[:, :2].to(dtype), return_as="the start", name="the start")
        reading.read(x[:, 2:].to(dtype), cache, return_as="the rest", name="the rest")
        return reading


def drops_in_training_only(learner: LearnerModule, case: Callable[..., Case]) -> None:
    """Check dropout through `case(dropout=, train=)`: with p = 1 nothing is left in training, everything in eval()."""
    learner.agrees(case(dropout=1.0), case(dropout=1.0, train=True), case(dropout=0.0, train=True))
    learner.agrees(case(dropout=0.5), case(dropout=0.1))


TOKENS = 6
"""The length of the texts in which each weight is looked at by itself."""
SIGMAS = 6.5
SHARED = (
    ((1,), "All heads drop the same weights."),
    ((0,), "All sequences of a batch drop the same weights."),
    ((2, 3), "All weights of one head and sequence are dropped at once, or none."),
    ((2,), "Whole keys are dropped: all queries of a sequence lose the same keys."),
    ((3,), "Whole rows are dropped: a query loses all of its keys, or none."),
)
"""(axes of (batch, heads, queries, keys), what a check says if weights along them are always dropped together)."""


def telling_input(batch: int, width: int) -> torch.Tensor:
    """An input (batch, TOKENS, width) for `telling_weights`: token j is j + 1 in columns 2j and 2j + 1, 0 elsewhere."""
    tokens = torch.eye(2 * TOKENS, width).reshape(TOKENS, 2, width).sum(dim=1) * torch.arange(1, TOKENS + 1)[:, None]
    return tokens.repeat(batch, 1, 1)


def telling_weights(weights: Mapping[str, torch.Tensor], value: str, last: str = "out_proj") -> dict[str, torch.Tensor]:
    """Weights with which all scores are 0; columns 2j and 2j + 1 of a head both hold j + 1 times token j's weight.

    A head is 2 * TOKENS wide; the layer `last`, if there is one, changes nothing.
    """
    told = {name: torch.zeros_like(tensor) for name, tensor in weights.items()}
    for name, tensor in told.items():
        if name.endswith(f"{last}.weight"):
            told[name] = torch.eye(len(tensor))
        elif name.endswith(f"{value}.weight"):
            told[name] = torch.eye(2 * TOKENS, tensor.shape[1]).repeat(len(tensor) // (2 * TOKENS), 1)
    return told


def drops_single_weights(learner: LearnerModule, case: Callable[..., Case], *, heads: int = 1, p: float = 0.25) -> None:
    """Check dropout on the weights through `case(dropout=, train=)`, which uses `telling_input` and `telling_weights`.

    A right answer fails with a probability below 1e-9: the share of the dropped may be off by SIGMAS, and hundreds of
    weights agree along an axis, or in two calls, only when they share their random numbers.
    """
    still, first, second = case(dropout=0.0), case(dropout=p, train=True), case(dropout=p, train=True)
    assert second.module is not None and second.output is not None
    second.seed = first.seed  # so that its first call is as the other's, and its second call is the next
    second.keeps_to_itself(second.output)
    second.output = second.call(second.module, *second.inputs.values(), return_as=OUTPUT)
    still.said = "in eval(); mend this first, then look at the dropout"
    learner.agrees(still)
    undropped, once, again = (
        output.reshape(-1, TOKENS, heads, TOKENS, 2).transpose(1, 2) for output in learner.outputs(still, first, second)
    )
    expect(not same(once, undropped), f"In training with dropout = {p:g} nothing is dropped.")
    expect(
        same(once[..., 0], once[..., 1]),
        "The columns of one head were not dropped together. Dropout belongs on the weights, not on the input, the "
        "values or the output.",
    )
    undropped, once, again = undropped[..., 0], once[..., 0], again[..., 0]
    visible, kept = undropped > 1 / (2 * TOKENS), once > undropped / 2
    expect(
        same(once, undropped * kept / (1 - p)),
        "In training a weight should be either 0 or divided by 1 - p. Apply dropout once, with p = `dropout`, after "
        "the softmax, and normalise nothing after it.",
    )
    expect(
        not same(again, once),
        "Two calls of one module in training drop the same weights. Draw anew in every call: not once in __init__, "
        "and not after setting a seed.",
    )
    for axes, what in SHARED:
        alike = (kept | ~visible).all(axes) | ~(kept & visible).any(axes)
        expect(
            not alike.all() or all(kept.shape[axis] == 1 for axis in axes),
            f"{what} Each single weight is dropped or kept by itself.",
        )
    share = float(kept[visible].double().mean())
    expect(
        abs(share - (1 - p)) < SIGMAS * math.sqrt(p * (1 - p) / int(visible.sum())),
        "The wrong share of the weights is dropped. `dropout` is the probability to drop a weight, not to keep it.",
    )


def has_mask_as_buffer(learner: LearnerModule, case: Case) -> None:
    """Check that a case's module has a buffer named `mask`."""
    assert case.module is not None
    case.buffers(case.module)
    (answer,) = learner.ask(case)
    expect(
        "mask" in answer["buffers"],
        'There is no buffer named `mask`. Make it with self.register_buffer("mask", …), so that it moves along with '
        "the module.",
    )


def leaves_dict_alone(state: object, given: Mapping[str, torch.Tensor], instead: str) -> None:
    """Check that a dict of tensors came back unchanged; `instead` says what to do rather than change a tensor."""
    expect(isinstance(state, Mapping), "The dict that was passed in could not be read afterwards.")
    assert isinstance(state, Mapping)
    missing = [name for name in given if name not in state]
    expect(
        not missing,
        f"Gone from the dict that was passed in: {', '.join(missing)}. Read with [...], not with pop or del.",
    )
    expect(len(state) == len(given), "The dict that was passed in has got new names. Put them into a dict of your own.")
    changed = [name for name, tensor in given.items() if not same(state[name], tensor)]
    expect(not changed, f"Changed in the dict that was passed in: {', '.join(changed)}. {instead}")
