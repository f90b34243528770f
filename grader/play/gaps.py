"""Models that guess hidden letters: larger and smaller scores, a padding mask, ever fewer heads of keys and values."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import torch
import torch.nn.functional as F

from grader.judge.questions import Case

from . import nets
from .catalogue import Off, Play
from .parts import Curve, Grid, Part, Slider, Words, Written
from .scene import LONGEST_TEXT, ModelScene, heat
from .stage import CLASSES, Attending, Class, Stage, Stopped, formed

HEADS = 8
MEASURED_TEXTS, MEASURED_LETTERS, HIDDEN_EVERY = 24, 36, 7


LogitsOf = Callable[[torch.Tensor], torch.Tensor]
"""Of a model: the logits (b, n, letters) for texts (b, n)."""


class GapsScene(ModelScene):
    """A scene in a model that guesses hidden letters."""

    known, has_gaps = nets.ALPHABET + nets.HIDDEN, True

    def reads(self, attend: nets.Attend) -> LogitsOf:
        """The model with this attention."""
        return partial(nets.run, self._model, attend=attend)

    def filled(self, letters: torch.Tensor, ways: Mapping[str, LogitsOf]) -> tuple[Written, dict[str, float]]:
        """What the model fills in, in each of these ways, and its loss on other sentences."""
        texts, losses = [], {}
        for way, logits_of in ways.items():
            self._stage.begin()
            texts.append((way, guessed(letters, logits_of)))
            losses[way] = gap_loss(logits_of)
        return Written("What the model fills in", "", tuple(texts)), losses


def guessed(letters: torch.Tensor, logits_of: LogitsOf) -> str:
    """The text of some letters (n,), with each hidden one as a model guesses it."""
    best = logits_of(letters[None])[0, : len(letters), : len(nets.ALPHABET)].nan_to_num(0.0).argmax(-1)
    return nets.decode(torch.where(letters == nets.GAP, best, letters).tolist())


@cache
def measured_gaps() -> tuple[torch.Tensor, torch.Tensor]:
    """Sentences (b, n) that no model was trained on, and which letters are hidden."""
    chance = random.Random(4)
    texts = [nets.story(chance, MEASURED_LETTERS, nets.known_name) for _ in range(MEASURED_TEXTS)]
    places = torch.arange(MEASURED_LETTERS)
    # a name's first occurrence stands at the beginning and cannot be guessed, so nothing is hidden there
    is_hidden = ((places + torch.arange(MEASURED_TEXTS)[:, None]) % HIDDEN_EVERY == 0) & (
        places > MEASURED_LETTERS // 3
    )
    return torch.tensor([nets.encode(text) for text in texts]), is_hidden


def gap_loss(logits_of: LogitsOf) -> float:
    """A model's loss in nats on hidden letters of those sentences."""
    texts, is_hidden = measured_gaps()
    logits = logits_of(texts.masked_fill(is_hidden, nets.GAP))
    return nets.loss_by_letter(logits[:, : texts.shape[1]], texts)[is_hidden].mean().item()


# --- larger and smaller scores ----------------------------------------------------------------------------------------

FACTORS = (0.125, 0.5, 1.0, 2.0, 8.0)
"""Factors of the queries. With heads 64 wide, leaving out 1/√d is a factor of 8."""


class ScaleScene(GapsScene):
    """`softmax`, `scaled_scores`, `attention`, `self_attention`: the learner's code computes the scores of one head."""

    model, heads = "gaps_1", 1

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """Where a hidden letter attends with ever larger scores, what the model guesses, and one row step by step."""
        root = self._layers[0].head_width ** 0.5
        place = int((letters == nets.GAP).nonzero()[0])
        factors = (1.0, root) if off else FACTORS
        names = [f"times {factor:g}" for factor in factors]
        yield Words(
            f"The queries are multiplied by a number: 1 is as the model was trained, {root:g} is what 1/√d "
            f"takes away (d is {root**2:g} here), so {root:g} is what you get without the scale."
        )
        layers = [[replace(each, query=each.query * factor) for each in self._layers] for factor in factors]
        weights = [self._weights(each, letters) for each in layers]
        rows = torch.stack([each[place] for each in weights])
        yield heat("Where the hidden letter looks, in the last layer", text, rows, rows=names)
        ways = {name: self.reads(self._attend(each)) for name, each in zip(names, layers, strict=True)}
        written, losses = self.filled(letters, ways)
        yield written
        due = [gap_loss(self.reads(nets.by_formula(each))) for each in layers]
        sharp = [each.amax(-1).mean().item() for each in weights]
        yield Grid.of(
            "The largest weight of a letter, on average, and the loss on other sentences (in nats; guessing is 3.26)",
            ("", "largest weight", "loss", "loss by the formula"),
            dict(zip(names, zip(sharp, losses.values(), due, strict=True), strict=True)),
        )
        maps = [
            heat(f"Who looks at whom, scores {name}", text, each) for name, each in zip(names, weights, strict=True)
        ]
        texts = [text for _, text in written.texts]
        yield Slider("The scores, smaller and larger", tuple(zip(names, maps, texts, strict=True)), factors.index(1.0))
        if not off:
            first, x = self._layers[0], self.first_input(letters)
            mixed = self._mixed(first, x)[0, place] if self._play.id in ("attention", "self_attention") else None
            yield from self.step_by_step(text, x, 0, place, self._looked(first, x)[0, place], mixed)

    def _weights(self, layers: Sequence[nets.Projections], letters: torch.Tensor) -> torch.Tensor:
        """The attention weights (n, n) of the last layer for one text."""
        *_, last = nets.layer_inputs(self._model, letters, self._attend(layers))
        return self._looked(layers[-1], last)[0]

    def _attend(self, layers: Sequence[nets.Projections]) -> nets.Attend:
        """The learner's code as attention with these weights. Raises Stopped."""
        return lambda layer, x: F.linear(self._mixed(layers[layer], x), layers[layer].out, layers[layer].out_bias)

    def _mixed(self, weights: nets.Projections, x: torch.Tensor) -> torch.Tensor:
        """The values as the learner's code mixes them (b, n, width), or by its weights."""
        if self._play.id == "self_attention":
            return Attending(self._stage, CLASSES["self_attention"], (weights,)).mixed(0, x)
        if self._play.id == "attention":
            return self._called(weights, x, 0, x.shape)
        return self._looked(weights, x) @ (x @ weights.value.T)

    def _looked(self, weights: nets.Projections, x: torch.Tensor) -> torch.Tensor:
        """The attention weights (b, n, n) that follow from what the learner's code returns; of a class, for b = 1."""
        if self._play.id == "self_attention":
            return Attending(self._stage, CLASSES["self_attention"], (weights,)).weights(0, x[0])
        told = self._called(weights, x, 1, (*x.shape[:2], x.shape[1]))
        return told.softmax(-1) if self._play.id == "scaled_scores" else told

    def _called(self, weights: nets.Projections, x: torch.Tensor, part: int, shape: tuple[int, ...]) -> torch.Tensor:
        """What the learner's function returns for x; part: of `attention`, which returns output and weights."""
        case, id, query, key = Case(), self._play.id, x @ weights.query.T, x @ weights.key.T
        given = {
            "softmax": [query @ key.mT / weights.head_width**0.5],
            "scaled_scores": [query, key],
            "attention": [query, key, x @ weights.value.T],
        }
        told = case.call(case.entry(id), *given[id])
        case.return_value(case.call(told, part, method="__getitem__") if id == "attention" else told, "told")
        return self._stage.tensors(case, [shape], x.dtype)[0]


# --- a padding mask ---------------------------------------------------------------------------------------------------

PADDING = 10
PAD, PAD_SIGN = 0, "-"
WAYS = ("alone", "padded, mask right", "padded, mask inverted", "padded, no mask")


class PaddingScene(GapsScene):
    """`padded_multi_head_attention`: the attention is the learner's class."""

    model, heads, longest = "gaps_8", HEADS, LONGEST_TEXT - PADDING

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """The attention weights in two of four ways, and the guesses in all."""
        for way in WAYS[1:3]:  # a third map would make the page too large
            padded, *mask = put(way, letters[None])
            seen = self.attending.weights(0, self.first_input(padded[0])[0], *mask).mean(0)
            yield heat(f"What is looked at: {way}", text + PAD_SIGN * PADDING, seen, high=0.5)
        written, losses = self.filled(letters, {way: partial(self._logits, way) for way in WAYS})
        yield written
        yield Grid.of(
            "How surprised the model is by the hidden letters of other sentences (loss in nats; guessing is 3.26)",
            ("", "loss"),
            {way: [loss] for way, loss in losses.items()},
        )

    def _logits(self, way: str, texts: torch.Tensor) -> torch.Tensor:
        """The model's logits for texts (b, n) with the learner's class, in one of the four ways."""
        padded, *mask = put(way, texts)
        return nets.run(self._model, padded, lambda layer, x: self.attending.attend(layer, x, *mask))


def put(way: str, texts: torch.Tensor) -> list[torch.Tensor]:
    """Texts (b, n) in one of the four ways: padded (b, n + PADDING) or not, and their mask if there is one."""
    if way == "alone":
        return [texts]
    padded = F.pad(texts, (0, PADDING), value=PAD)
    real = (torch.arange(padded.shape[1]) < texts.shape[1]).long().repeat(len(texts), 1)
    masks = {"padded, mask right": [real], "padded, mask inverted": [1 - real]}
    return [padded, *masks.get(way, [])]


# --- fewer heads of keys and values -----------------------------------------------------------------------------------

SHARED = (8, 4, 2, 1)
BYTES = 2
"""Bytes of one number in a cache (16-bit floats, as models are served)."""
TOKENS = 1000
UPTRAINED_STEPS, BATCH, RATE, SHARE_HIDDEN = 60, 24, 4e-3, 0.15
TRAINED = ("query", "key", "value", "out")
"""How a converted model is trained on: a little, as in the paper."""


class GroupedScene(GapsScene):
    """`grouped_query_attention`, `convert_to_gqa`: the model with ever fewer heads of keys and values."""

    model, heads = "gaps_8", HEADS

    def __init__(self, play: Play, stage: Stage) -> None:
        super().__init__(play, stage)
        self._converts = play.id == "convert_to_gqa"

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """Guessed letters, loss and size of the cache, by the number of heads; mean-pooled, and trained on briefly."""
        ways = {}
        for shared in SHARED:
            ways[f"heads: {shared}"] = self.reads(self.attend(shared))
            if self._converts and shared < HEADS:
                ways[f"heads: {shared}, trained on"] = self.reads(self._uptrained(shared))
        written, loss_of = self.filled(letters, ways)
        yield written
        losses = [loss_of[f"heads: {shared}"] for shared in SHARED]
        trained = [loss_of.get(f"heads: {shared}, trained on", loss_of[f"heads: {shared}"]) for shared in SHARED]
        due = [gap_loss(self.reads(self.right_attend(shared))) for shared in SHARED]
        width = self._layers[0].head_width
        sizes = [2 * len(self._layers) * shared * width * TOKENS * BYTES / 1024 for shared in SHARED]
        lines = {"mean-pooled": losses} | ({"trained on": trained} if self._converts else {})
        columns = {"mean-pooled": losses, "by the formula": due, **lines}
        across = "heads of keys and values"
        rows = zip(*columns.values(), (f"{size:.1f}" for size in sizes), strict=True)
        yield Grid.of(
            f"Loss on hidden letters of other sentences, in nats (guessing is 3.26), and the cache of {TOKENS} tokens",
            (across, *columns, "cache in KiB"),
            dict(zip(map(str, SHARED), rows, strict=True)),
        )
        places = tuple(map(float, reversed(SHARED)))
        drawn = tuple((name, tuple(reversed(line))) for name, line in lines.items())
        yield Curve("Fewer heads cost", across, "loss", places, drawn)
        yield Curve("Fewer heads save", across, "KiB", places, (("cache", tuple(reversed(sizes))),))

    def attend(self, shared: int) -> nets.Attend:
        """Attention with `shared` heads of keys and values, by the learner's code. Raises Stopped."""
        if not self._converts:
            fewer = tuple(averaged(each, shared) for each in self._layers)
            return Attending(self._stage, grouped(shared), fewer).attend
        return nets.by_formula([self._converted(each, shared) for each in self._layers])

    def right_attend(self, shared: int) -> nets.Attend:
        """The same by the formula."""
        return nets.by_formula([averaged(each, shared) for each in self._layers])

    def _uptrained(self, shared: int) -> nets.Attend:
        """Attention by the formula with the learner's converted weights after a few steps of training."""
        converted = [self._converted(each, shared) for each in self._layers]
        layers = [replace(each, **{name: getattr(each, name).clone() for name in TRAINED}) for each in converted]
        trained = [getattr(each, name).requires_grad_() for each in layers for name in TRAINED]
        chance, optimizer = random.Random(5), torch.optim.Adam(trained, lr=RATE)
        for _ in range(UPTRAINED_STEPS):
            stories = [nets.story(chance, LONGEST_TEXT - PADDING, nets.known_name) for _ in range(BATCH)]
            texts = torch.tensor([nets.encode(each) for each in stories])
            is_hidden = torch.tensor([[chance.random() < SHARE_HIDDEN for _ in row] for row in texts])
            logits = nets.run(self._model, texts.masked_fill(is_hidden, nets.GAP), nets.by_formula(layers))
            optimizer.zero_grad()
            torch.autograd.backward(F.cross_entropy(logits[is_hidden], texts[is_hidden]))
            optimizer.step()
        for each in trained:
            each.requires_grad_(False)
        return nets.by_formula(layers)

    def _converted(self, weights: nets.Projections, shared: int) -> nets.Projections:
        """A layer as the learner's function converts its keys and values. Raises Stopped for no set of weights."""
        case, state = Case(), grouped(HEADS).state(weights)
        given = {name: case.tensor(tensor) for name, tensor in state.items()}
        case.call(case.entry("convert_to_gqa"), given, HEADS, shared, return_as="state")
        came = self._stage.ask(case)[0]["state"]
        if not isinstance(came, dict) or came.keys() != state.keys():
            raise Stopped("Your function should return a dict with the names that it was given.")
        width, fewer = len(weights.query), shared * weights.head_width
        formed(came["q_proj.weight"], (width, width))
        key, value = (formed(came[f"{part}_proj.weight"], (fewer, width)) for part in "kv")
        return replace(weights, key=key, value=value)


def averaged(weights: nets.Projections, shared: int) -> nets.Projections:
    """Weights with `shared` heads of keys and values, each the average of a group."""
    size = (shared, weights.heads // shared, weights.head_width, len(weights.query))
    key, value = (matrix.view(size).mean(1).flatten(0, 1) for matrix in (weights.key, weights.value))
    return replace(weights, key=key, value=value)


def grouped(shared: int) -> Class:
    """`GroupQueryAttention(hidden_dim, nums_head, nums_key_value_head)`."""
    return Class("GroupQueryAttention", lambda w: (len(w.query), w.heads, shared))
