"""Train the small models of `kata play`, on texts that are made here, and write them to grader/play/weights.

    python scripts/train_play.py [NAME ...]

Seeded, on one thread, in minutes: the same numbers come out on the same machine, and on another one models that do the
same, which is what tests/play holds them to.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

from grader.play import nets
from grader.play.nets import (
    ALPHABET,
    CONTEXT,
    GAP,
    TRAINED,
    Kind,
    encode,
    known_name,
    layers_of,
    repeat,
    right_places,
    story,
)
from grader.play.translator import DATE_LETTERS, DIGITS, LONGEST, SLOTS, date_pair, encode_date, translate

WIDTH = 64
CLIP = 1.0


def new_model(layers: int, vocabulary: int, context: int, seed: int) -> dict[str, torch.Tensor]:
    """A model's numbers before training."""
    chance = torch.Generator().manual_seed(seed)

    def drawn(*shape: int, spread: float = 0.0) -> torch.Tensor:
        return torch.randn(*shape, generator=chance) * (spread or 0.6 * shape[-1] ** -0.5)

    model = {
        "token": drawn(vocabulary, WIDTH, spread=0.3),
        "position": drawn(context, WIDTH, spread=0.3),
        "norm.weight": torch.ones(WIDTH),
        "norm.bias": torch.zeros(WIDTH),
        "unembed": drawn(vocabulary, WIDTH),
        "unembed_bias": torch.zeros(vocabulary),
    }
    for layer in range(layers):
        parts = {part: drawn(WIDTH, WIDTH) for part in ("query", "key", "value", "out")}
        parts |= {"out_bias": torch.zeros(WIDTH)}
        parts |= {"mlp_in": drawn(4 * WIDTH, WIDTH), "mlp_in_bias": torch.zeros(4 * WIDTH)}
        parts |= {"mlp_out": drawn(WIDTH, 4 * WIDTH), "mlp_out_bias": torch.zeros(WIDTH)}
        for name in ("norm_1", "norm_2"):
            parts |= {f"{name}.weight": torch.ones(WIDTH), f"{name}.bias": torch.zeros(WIDTH)}
        model |= {f"layer.{layer}.{name}": tensor for name, tensor in parts.items()}
    return model


def train(
    model: dict[str, torch.Tensor], loss_of: Callable[[int], torch.Tensor], steps: int, rate: float, name: str
) -> None:
    """Change a model's numbers in place, so that the loss of each step becomes smaller."""
    for tensor in model.values():
        tensor.requires_grad_()
    optimizer = torch.optim.AdamW(model.values(), rate, betas=(0.9, 0.98), weight_decay=0.01)
    for step in range(steps):
        warm = min(1.0, step / (0.1 * steps))
        for group in optimizer.param_groups:
            group["lr"] = rate * warm * 0.5 * (1 + math.cos(math.pi * step / steps))
        loss = loss_of(step)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.values(), CLIP)
        optimizer.step()
        if step % 250 == 0 or step == steps - 1:
            print(f"{name} step {step}: {loss.item():.3f}", flush=True)
    for tensor in model.values():
        tensor.requires_grad_(False)


# --- letters: reads from left to right, half stories, half repeats ------------------------------------------------

LETTERS_HEADS = 4
LETTERS_STEPS = 2500
FEW_HEADS = 3e-3
"""How much a head costs that is used at all: without a price two heads would share what one can do."""


def letters() -> dict[str, torch.Tensor]:
    """Two layers that learn to look one letter back, and from there to what followed the last time."""
    model, chance = new_model(2, len(ALPHABET), CONTEXT, seed=3), random.Random(3)
    before = nets.causal(CONTEXT)

    def loss_of(step: int) -> torch.Tensor:
        texts = [story(chance, CONTEXT + 1) for _ in range(16)]
        texts += [repeat(chance, CONTEXT + 1, chance.randint(4, 32)) for _ in range(16)]
        ids = torch.tensor([encode(text) for text in texts])
        layers = layers_of(model, LETTERS_HEADS)
        logits = nets.run(model, ids[:, :-1], nets.by_formula(layers, before))
        used = sum(each.out[:, each.places(head)].norm() for each in layers for head in range(LETTERS_HEADS))
        return nets.loss_by_letter(logits, ids[:, 1:]).mean() + FEW_HEADS * used

    train(model, loss_of, LETTERS_STEPS, 3e-3, "letters")
    return model


# --- places: as letters, on short texts, with no table of places of its own -----------------------------------------

PLACES_STEPS = 3000


def told_places(kind: Kind, seed: int) -> dict[str, torch.Tensor]:
    """Two layers as those of `letters` that are told places by a formula, and saw short texts only."""
    whole, chance = new_model(2, len(ALPHABET), 1, seed=seed), random.Random(seed)
    model = {name: tensor for name, tensor in whole.items() if name != "position"}
    known = right_places(kind, TRAINED, WIDTH)

    def loss_of(step: int) -> torch.Tensor:
        texts = [story(chance, TRAINED + 1) for _ in range(16)]
        texts += [repeat(chance, TRAINED + 1, chance.randint(4, TRAINED // 2)) for _ in range(16)]
        ids = torch.tensor([encode(text) for text in texts])
        attend = nets.by_formula(layers_of(model, nets.POSITION_HEADS), known)
        logits = nets.run(nets.placed(model, known), ids[:, :-1], attend)
        return nets.loss_by_letter(logits, ids[:, 1:]).mean()

    train(model, loss_of, PLACES_STEPS, 3e-3, kind)
    return model


# --- gaps: guesses hidden letters from both sides -----------------------------------------------------------------

GAPS_CONTEXT = 48
GAPS_STEPS = 3000
HIDDEN_SHARE = 0.15


def gaps(heads: int, seed: int) -> dict[str, torch.Tensor]:
    """Two layers that see a story from both sides, padded behind where it is shorter, and guess what is hidden."""
    model, chance = new_model(2, len(ALPHABET) + 1, GAPS_CONTEXT, seed=seed), random.Random(seed)
    drawn = torch.Generator().manual_seed(seed)

    def loss_of(step: int) -> torch.Tensor:
        lengths = torch.tensor([chance.randint(20, GAPS_CONTEXT) for _ in range(24)])
        ids = torch.tensor([encode(story(chance, GAPS_CONTEXT, known_name)) for _ in lengths])
        is_padding = torch.arange(GAPS_CONTEXT) >= lengths[:, None]
        is_hidden = (torch.rand(ids.shape, generator=drawn) < HIDDEN_SHARE) & ~is_padding
        shown = ids.masked_fill(is_hidden, GAP).masked_fill(is_padding, 0)
        attend = nets.by_formula(layers_of(model, heads), nets.masked(is_padding[:, None, None, :]))
        logits = nets.run(model, shown, attend)
        return F.cross_entropy(logits[is_hidden], ids[is_hidden])

    train(model, loss_of, GAPS_STEPS, 3e-3, f"gaps with {heads} heads")
    return model


# --- dates: ten slots ask the letters of a date ---------------------------------------------------------------------

DATES_STEPS = 1500


def translator() -> dict[str, torch.Tensor]:
    """One layer in which each place of 2024-05-03 finds its letters in "3 may 2024"."""
    chance, drawn = random.Random(5), torch.Generator().manual_seed(5)
    whole = new_model(1, len(DIGITS), 1, seed=5)
    model = {name: tensor for name, tensor in whole.items() if name not in ("token", "position")}
    model |= {"letter": torch.randn(len(DATE_LETTERS), WIDTH, generator=drawn) * 0.3}
    model |= {"place": torch.randn(LONGEST, WIDTH, generator=drawn) * 0.3}
    model |= {"slot": torch.randn(SLOTS, WIDTH, generator=drawn) * 0.3}
    for number in (1, 2):
        model |= {f"near_{number}": torch.randn(WIDTH, WIDTH, 3, generator=drawn) * (3 * WIDTH) ** -0.5}
        model |= {f"near_{number}_bias": torch.zeros(WIDTH)}
    model |= {"norm_memory.weight": torch.ones(WIDTH), "norm_memory.bias": torch.zeros(WIDTH)}

    def loss_of(step: int) -> torch.Tensor:
        pairs = [date_pair(chance) for _ in range(64)]
        sources = torch.tensor([encode_date(source) for source, _ in pairs])
        targets = torch.tensor([[DIGITS.index(sign) for sign in target] for _, target in pairs])
        (weights,) = layers_of(model, 1)
        logits = translate(model, sources, lambda x, memory: nets.right_attention(weights, x, memory=memory).output)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    train(model, loss_of, DATES_STEPS, 3e-3, "dates")
    return model


MODELS = {
    **{"letters": letters, "gaps_1": lambda: gaps(1, 11), "gaps_8": lambda: gaps(8, 12), "dates": translator},
    **{"rotary": lambda: told_places("rotary", 21), "alibi": lambda: told_places("alibi", 22)},
    "sinusoidal": lambda: told_places("sinusoidal", 23),
}


def main() -> None:
    """Train these models, all by default."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MODELS)}; all by default")
    names = parser.parse_args().names
    if unknown := set(names) - set(MODELS):
        parser.error(f"there is no model {', '.join(sorted(unknown))}")
    torch.set_num_threads(1)
    nets.WEIGHTS.mkdir(exist_ok=True)
    for name in names or MODELS:
        kept = {key: tensor.half().contiguous() for key, tensor in MODELS[name]().items()}
        save_file(kept, nets.WEIGHTS / f"{name}.safetensors")


if __name__ == "__main__":
    main()
