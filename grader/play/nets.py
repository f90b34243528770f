"""Small transformers whose attention is a parameter: everything around it is computed here.

`Attend` is the attention of one layer; a learner's class computes it behind the wall. Positions are of three kinds,
each by its formula; a learner's own (`apply_rotary`, `alibi_bias`, `sinusoidal_positions`) is passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
import torch.nn.functional as F

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


def load(name: str) -> dict[str, torch.Tensor]:
    """The trained parameters of a model in float32; their files hold float16, which is half the size."""
    from safetensors.torch import load_file

    return {key: tensor.float() for key, tensor in load_file(WEIGHTS / f"{name}.safetensors").items()}


def layers_of(model: Parameters) -> int:
    """How many layers a model has."""
    return sum(name.endswith(".query") for name in model)


def projections_of(model: Parameters, layer: int, heads: int) -> Projections:
    """The weights of a layer's attention."""
    query, key, value, out, bias = (
        model[f"layer.{layer}.{part}"] for part in ("query", "key", "value", "out", "out_bias")
    )
    return Projections(query, key, value, out, bias, heads)


def right_attention(
    weights: Projections, x: torch.Tensor, hidden: torch.Tensor | None = None, memory: torch.Tensor | None = None
) -> torch.Tensor:
    """Correct attention.

    hidden: True where a key is masked. memory: where keys and values come from, if not from x.
    """
    looked_at = x if memory is None else memory
    query, key, value = (
        F.linear(source, matrix).view(len(x), -1, weights.heads, weights.head_width).transpose(1, 2)
        for source, matrix in ((x, weights.query), (looked_at, weights.key), (looked_at, weights.value))
    )
    seen = None if hidden is None else ~hidden
    together = F.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    return F.linear(together.transpose(1, 2).flatten(2), weights.out, weights.out_bias)


def right_weights(weights: Projections, x: torch.Tensor, hidden: torch.Tensor | None) -> torch.Tensor:
    """The correct attention weights (heads, n, n), for one text (n, width)."""
    n = len(x)
    query, key = (
        F.linear(x, matrix).view(n, weights.heads, -1).transpose(0, 1) for matrix in (weights.query, weights.key)
    )
    scores: torch.Tensor = query @ key.mT / weights.head_width**0.5
    return (scores if hidden is None else scores.masked_fill(hidden, -torch.inf)).softmax(-1)


def later(n: int) -> torch.Tensor:
    """True where a token would see a later one: the causal mask."""
    return torch.ones(n, n, dtype=torch.bool).triu(1)


def enter(model: Parameters, texts: torch.Tensor, places: torch.Tensor | None = None) -> torch.Tensor:
    """The input of the first layer: token embedding plus position embedding of each letter (b, n).

    places: position embeddings (n, width) to use instead of the model's own.
    """
    return model["token"][texts] + (model["position"][: texts.shape[1]] if places is None else places)


def norm(model: Parameters, name: str, h: torch.Tensor) -> torch.Tensor:
    """One of the model's layer norms."""
    return F.layer_norm(h, h.shape[-1:], model[f"{name}.weight"], model[f"{name}.bias"])


def feed_forward(model: Parameters, layer: int, h: torch.Tensor) -> torch.Tensor:
    """The feed-forward part of a layer."""
    inner = F.gelu(F.linear(h, model[f"layer.{layer}.mlp_in"], model[f"layer.{layer}.mlp_in_bias"]))
    return F.linear(inner, model[f"layer.{layer}.mlp_out"], model[f"layer.{layer}.mlp_out_bias"])


def run(
    model: Parameters,
    texts: torch.Tensor,
    attend: Attend,
    *,
    residual: bool = True,
    places: torch.Tensor | None = None,
) -> torch.Tensor:
    """The logits (b, n, letters) for texts (b, n). Without the residual a layer's output replaces its input.

    places: as in `enter`.
    """
    h = enter(model, texts, places)
    for layer in range(layers_of(model)):
        attended = attend(layer, norm(model, f"layer.{layer}.norm_1", h))
        h = h + attended if residual else attended
        fed = feed_forward(model, layer, norm(model, f"layer.{layer}.norm_2", h))
        h = h + fed if residual else fed
    return F.linear(norm(model, "norm", h), model["unembed"], model["unembed_bias"])


def loss_by_letter(logits: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
    """The cross-entropy loss, in nats, for each following letter (b, n)."""
    return F.cross_entropy(logits.transpose(1, 2), following, reduction="none")


# --- a translator: slots that ask, letters that answer ------------------------------------------------------------

Across = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""Cross-attention from slots (b, slots, width) to a memory (b, n, width)."""


def remember(model: Parameters, sources: torch.Tensor) -> torch.Tensor:
    """The encoder: a vector for each letter of the sources (b, n)."""
    h = (model["letter"][sources] + model["place"][: sources.shape[1]]).mT
    for number in (1, 2):
        h = h + F.gelu(F.conv1d(h, model[f"near_{number}"], model[f"near_{number}_bias"], padding="same"))
    return norm(model, "norm_memory", h.mT)


def translate(model: Parameters, sources: torch.Tensor, across: Across) -> torch.Tensor:
    """The logits (b, slots, letters) of the translation, all slots at once."""
    memory = remember(model, sources)
    h = model["slot"].expand(len(sources), -1, -1)
    h = h + across(norm(model, "layer.0.norm_1", h), memory)
    h = h + feed_forward(model, 0, norm(model, "layer.0.norm_2", h))
    return F.linear(norm(model, "norm", h), model["unembed"], model["unembed_bias"])


# --- positions ------------------------------------------------------------------------------------------------------

POSITION_HEADS = 4
TRAINED = 32
"""The longest text that these models were trained on, in letters."""
BASE = 10000.0

Kind = Literal["rotary", "alibi", "sinusoidal"]
Tell = Callable[[torch.Tensor], torch.Tensor]
"""Rotary positions: rotates queries or keys (b, heads, n, d)."""


@dataclass(frozen=True)
class Places:
    """The positions of a run over n letters: one of three kinds is set, the others are None.

    turn: rotates queries and keys (b, heads, n, d). bias: added to the scaled scores (heads, n, n), includes the causal
    mask. added: added to the token embeddings (n, width).
    """

    turn: Tell | None = None
    bias: torch.Tensor | None = None
    added: torch.Tensor | None = None


def right_places(kind: Kind, n: int, width: int) -> Places:
    """The positions by the formula."""
    if kind == "rotary":
        return Places(turn=turned)
    if kind == "alibi":
        return Places(bias=sloped(n))
    return Places(added=clocks(n, width))


def turned(x: torch.Tensor, offset: int = 0) -> torch.Tensor:
    """Rotary positions: entry i is rotated with entry i + d/2."""
    n, half = x.shape[-2], x.shape[-1] // 2
    angles = torch.outer(torch.arange(n) + offset, BASE ** (-torch.arange(half) / half)).to(x.dtype)
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


def scores(weights: Projections, x: torch.Tensor, places: Places) -> torch.Tensor:
    """The scaled scores (b, heads, n, n) for x (b, n, width); later keys are -inf."""
    query, key = (_heads(weights, x, matrix) for matrix in (weights.query, weights.key))
    if places.turn is not None:
        query, key = places.turn(query), places.turn(key)
    found: torch.Tensor = query @ key.mT / weights.head_width**0.5
    if places.bias is not None:
        return found + places.bias
    return found.masked_fill(later(x.shape[1]), -torch.inf)


def attended(weights: Projections, x: torch.Tensor, places: Places) -> torch.Tensor:
    """Causal attention by the formula, with these positions."""
    together: torch.Tensor = scores(weights, x, places).softmax(-1) @ _heads(weights, x, weights.value)
    return F.linear(together.transpose(1, 2).flatten(2), weights.out, weights.out_bias)


def _heads(weights: Projections, x: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    return F.linear(x, matrix).view(len(x), -1, weights.heads, weights.head_width).transpose(1, 2)


def read(model: Parameters, texts: torch.Tensor, places: Places, attend: Attend | None = None) -> torch.Tensor:
    """The logits of a model without position embeddings of its own."""
    layers = [projections_of(model, layer, POSITION_HEADS) for layer in range(layers_of(model))]
    added = torch.zeros(1) if places.added is None else places.added
    return run(model, texts, attend or (lambda layer, x: attended(layers[layer], x, places)), places=added)
