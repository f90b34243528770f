"""Small transformers that read letters, whose attention is a parameter: everything around it is computed here.

`Attend` is the attention of one layer; a learner's class computes it behind the wall. Positions are of three kinds,
each by its formula; a learner's own (`apply_rotary`, `alibi_bias`, `sinusoidal_positions`) is passed in.

The texts are made here, too. Stories are about people with random names, new for each story, or, for some models, with
names that readers know: so a model gains little by learning names by heart, it copies them from an earlier place.
Repeats are random letters, written twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F
import yaml

ALPHABET = " .abcdefghijklmnopqrstuvwxyz"
CONTEXT = 64
"""The longest text of one run, in letters."""
GAP, HIDDEN = len(ALPHABET), "_"
"""Stands for a letter to be guessed, as a number and as it is typed."""


def encode(text: str, known: str = ALPHABET + HIDDEN) -> list[int]:
    """The number of each letter in this alphabet."""
    return [known.index(letter) for letter in text.lower()]


def decode(numbers: list[int]) -> str:
    """The text of some numbers."""
    return "".join(ALPHABET[number] for number in numbers)


LETTERS = ALPHABET[2:]
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
WORDS: Mapping[str, Sequence[str]] = yaml.safe_load(Path(__file__).with_name("stories.yml").read_text("utf-8"))


def name(chance: random.Random) -> str:
    """A random name of two or three syllables."""
    return "".join(chance.choice(CONSONANTS) + chance.choice(VOWELS) for _ in range(chance.choice((2, 2, 3))))


def known_name(chance: random.Random) -> str:
    """A name that readers know, or, as often, a random one: so nothing is gained by learning names by heart."""
    return chance.choice(WORDS["names"]) if chance.random() < 0.5 else name(chance)


def story(chance: random.Random, length: int, name: Callable[[random.Random], str] = name) -> str:
    """The first `length` letters of a random story."""
    a, b, text = name(chance), name(chance), ""
    while len(text) < length:
        first, second = chance.sample((a, b), 2)
        sentence = chance.choice(WORDS["sentences"])
        text += sentence.format(a=first, b=second, thing=chance.choice(WORDS["things"])) + " "
    return text[:length]


def repeat(chance: random.Random, length: int, period: int) -> str:
    """Random letters, repeated after every `period` letters."""
    said = "".join(chance.choice(LETTERS) for _ in range(period))
    return (said * (length // period + 1))[:length]


# --- the weights ------------------------------------------------------------------------------------------------------

WEIGHTS = Path(__file__).with_name("weights")

Parameters = Mapping[str, torch.Tensor]
Attend = Callable[[int, torch.Tensor], torch.Tensor]
"""attend(layer, x): from the normed input (b, n, width) of a layer to the attention output that is added to it."""


@dataclass(frozen=True)
class Projections:
    """The weights of one layer's attention, used as x @ matrixᵀ: (width, width), biases (width,)."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    out: torch.Tensor
    out_bias: torch.Tensor
    heads: int

    @property
    def head_width(self) -> int:
        """Entries of the width that belong to one head."""
        return len(self.query) // self.heads

    def places(self, head: int) -> slice:
        """The slice of the width that belongs to one head."""
        return slice(head * self.head_width, (head + 1) * self.head_width)

    def head(self, head: int) -> Projections:
        """The weights of one head alone."""
        part = self.places(head)
        return replace(self, query=self.query[part], key=self.key[part], value=self.value[part], heads=1)


@cache
def load(name: str) -> dict[str, torch.Tensor]:
    """The trained parameters of a model in float32; their files hold float16, which is half the size."""
    from safetensors.torch import load_file

    return {key: tensor.float() for key, tensor in load_file(WEIGHTS / f"{name}.safetensors").items()}


def layers_of(model: Parameters, heads: int) -> tuple[Projections, ...]:
    """The weights of the attention in each layer."""
    names = ("query", "key", "value", "out", "out_bias")
    parts = ({name: model[f"layer.{layer}.{name}"] for name in names} for layer in range(depth(model)))
    return tuple(Projections(**each, heads=heads) for each in parts)


def depth(model: Parameters) -> int:
    """How many layers a model has."""
    return sum(name.endswith(".query") for name in model)


# --- attention by the formula -----------------------------------------------------------------------------------------

Kind = Literal["rotary", "alibi", "sinusoidal"]


@dataclass(frozen=True)
class Places:
    """What the letters of a run see of each other, and where they stand.

    bias: added to the scaled scores (b, heads, n, m) or a part of these axes; -inf where a key is masked. turn: rotates
    queries and keys (b, heads, n, d). added: position embeddings (n, width) instead of the model's own.
    """

    bias: torch.Tensor | None = None
    turn: Callable[[torch.Tensor], torch.Tensor] | None = None
    added: torch.Tensor | None = None


ALL_SEEN = Places()


def masked(hidden: torch.Tensor) -> Places:
    """All keys are seen but the hidden ones, where this is True (n, m)."""
    return Places(bias=torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf))


def causal(n: int) -> Places:
    """No letter sees a later one."""
    return masked(torch.ones(n, n, dtype=torch.bool).triu(1))


class Attended(NamedTuple):
    """What attention puts out (b, n, width), and its weights (b, heads, n, m)."""

    output: torch.Tensor
    weights: torch.Tensor


def right_attention(
    layer: Projections, x: torch.Tensor, places: Places = ALL_SEEN, *, memory: torch.Tensor | None = None
) -> Attended:
    """The correct attention of a layer for x (b, n, width).

    memory: where keys and values come from (b, m, width), if not from x.
    """
    looked_at = x if memory is None else memory
    query, key, value = (
        F.linear(each, matrix).view(len(x), each.shape[1], -1, layer.head_width).transpose(1, 2)
        for each, matrix in ((x, layer.query), (looked_at, layer.key), (looked_at, layer.value))
    )
    if key.shape[1] < layer.heads:  # several heads share keys and values
        key, value = (each.repeat_interleave(layer.heads // key.shape[1], 1) for each in (key, value))
    if places.turn is not None:
        query, key = places.turn(query), places.turn(key)
    scores: torch.Tensor = query @ key.mT / layer.head_width**0.5
    weights = (scores if places.bias is None else scores + places.bias).softmax(-1)
    return Attended(F.linear((weights @ value).transpose(1, 2).flatten(2), layer.out, layer.out_bias), weights)


def by_formula(layers: Sequence[Projections], places: Places = ALL_SEEN) -> Attend:
    """The correct attention of these layers."""
    return lambda layer, x: right_attention(layers[layer], x, places).output


# --- the models around it ---------------------------------------------------------------------------------------------


def placed(model: Parameters, places: Places) -> Parameters:
    """The model with the position embeddings of these places, if they have any, instead of its own."""
    return model if places.added is None else {**model, "position": places.added}


def enter(model: Parameters, texts: torch.Tensor) -> torch.Tensor:
    """The input of the first layer for texts (b, n): token embeddings, and position embeddings where there are any."""
    h = model["token"][texts]
    return h + model["position"][: texts.shape[1]] if "position" in model else h


def norm(model: Parameters, name: str, h: torch.Tensor) -> torch.Tensor:
    """One of the model's layer norms."""
    return F.layer_norm(h, h.shape[-1:], model[f"{name}.weight"], model[f"{name}.bias"])


def feed_forward(model: Parameters, layer: int, h: torch.Tensor) -> torch.Tensor:
    """The feed-forward part of a layer."""
    inner = F.gelu(F.linear(h, model[f"layer.{layer}.mlp_in"], model[f"layer.{layer}.mlp_in_bias"]))
    return F.linear(inner, model[f"layer.{layer}.mlp_out"], model[f"layer.{layer}.mlp_out_bias"])


def run(model: Parameters, texts: torch.Tensor, attend: Attend, *, residual: bool = True) -> torch.Tensor:
    """The logits (b, n, letters) for texts (b, n). Without the residual a layer's output replaces its input."""
    h = enter(model, texts)
    for layer in range(depth(model)):
        attended = attend(layer, norm(model, f"layer.{layer}.norm_1", h))
        h = h + attended if residual else attended
        fed = feed_forward(model, layer, norm(model, f"layer.{layer}.norm_2", h))
        h = h + fed if residual else fed
    return F.linear(norm(model, "norm", h), model["unembed"], model["unembed_bias"])


def layer_inputs(model: Parameters, text: torch.Tensor, attend: Attend, *, residual: bool = True) -> list[torch.Tensor]:
    """The normed input (1, n, width) of each layer's attention, for one text (n,)."""
    seen: list[torch.Tensor] = []

    def record(layer: int, x: torch.Tensor) -> torch.Tensor:
        seen.append(x)
        return attend(layer, x) if layer + 1 < depth(model) else x  # what follows the last input is not needed

    run(model, text[None], record, residual=residual)
    return seen


def weights_by_formula(
    model: Parameters, layers: Sequence[Projections], text: torch.Tensor, places: Places
) -> torch.Tensor:
    """The correct attention weights (layers, heads, n, n) for one text (n,)."""
    inputs = layer_inputs(placed(model, places), text, by_formula(layers, places))
    return torch.stack([right_attention(layer, x, places).weights[0] for layer, x in zip(layers, inputs, strict=True)])


def loss_by_letter(logits: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
    """The cross-entropy loss, in nats, for each following letter (b, n)."""
    return F.cross_entropy(logits.transpose(1, 2), following, reduction="none")


# --- positions ------------------------------------------------------------------------------------------------------

POSITION_HEADS = 4
TRAINED = 32
"""The longest text that these models were trained on, in letters."""
BASE = 10000.0


def right_places(kind: Kind, n: int, width: int) -> Places:
    """The positions by the formula."""
    if kind == "rotary":
        return replace(causal(n), turn=turned)
    if kind == "alibi":
        return Places(bias=sloped(n))
    return replace(causal(n), added=clocks(n, width))


def turned(x: torch.Tensor) -> torch.Tensor:
    """Rotary positions: entry i is rotated with entry i + d/2."""
    n, half = x.shape[-2], x.shape[-1] // 2
    angles = torch.outer(torch.arange(n), BASE ** (-torch.arange(half) / half)).to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, first * sin + second * cos], -1)


def sloped(n: int) -> torch.Tensor:
    """ALiBi (POSITION_HEADS, n, n): the score falls with the distance of the key; later keys are masked."""
    back = torch.arange(n)[:, None] - torch.arange(n)
    slopes = 2.0 ** (-8 * torch.arange(1, POSITION_HEADS + 1) / POSITION_HEADS)
    return (-slopes[:, None, None] * back).masked_fill(back < 0, -torch.inf)


def clocks(n: int, width: int) -> torch.Tensor:
    """Sinusoidal positions (n, width): sines and cosines alternate."""
    angles = torch.outer(torch.arange(n), BASE ** (-2 * torch.arange(width // 2) / width))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
