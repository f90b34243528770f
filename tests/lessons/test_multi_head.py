"""The numbers in the lesson of unit 4 are what torch gives today."""

from __future__ import annotations

import math

import pytest
import torch
from reading import Recomputed, Said, counted, row, written
from torch import nn

LESSON = Recomputed("04_multi_head")

YOUR_JOURNEY = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
WORDS = ("Your", "journey")
LATER = torch.ones(6, 6, dtype=torch.bool).triu(1)
A = torch.tensor(
    [
        [
            [[0.2745, 0.6584, 0.2775, 0.8573], [0.8993, 0.0390, 0.9268, 0.7388], [0.7179, 0.7058, 0.9156, 0.4340]],
            [[0.0772, 0.3565, 0.1479, 0.5331], [0.4066, 0.2318, 0.4545, 0.9737], [0.4606, 0.5159, 0.4220, 0.5786]],
        ]
    ],
    dtype=torch.float64,
)
"""Day 15's example."""
SEED = 123
NUMBERS = torch.arange(12)


def layers_after_the_seed(number: int) -> list[nn.Linear]:
    """Layers from 3 to 2 without bias, and then one from 2 to 2 with bias, drawn after the documents' seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return [nn.Linear(3, 2, bias=False) for _ in range(number)] + [nn.Linear(2, 2)]


def attend(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Causal weights, and what they make of the values."""
    scores = (queries @ keys.T / math.sqrt(queries.shape[-1])).masked_fill(LATER, -torch.inf)
    return scores.softmax(-1), scores.softmax(-1) @ values


@LESSON.section("")
def opening(said: Said) -> None:
    # the scores of the picture: ln 36 for what a head looks for, 0 for the other words
    wanted = math.log(36)
    one = torch.tensor([wanted, 0, 0, 0, 0]).softmax(-1)
    two = torch.tensor([wanted, wanted, 0, 0, 0]).softmax(-1)
    said(f"the largest weight of each row is {written(one[0], 2)}", f"with {written(one[0], 2)} each")
    said(f"with {written(two[0], 2)} each")
    mixtures = [(first + second) / 2 for first, second in ((8, 4), (7, 5), (12, 0))]
    assert set(mixtures) == {6}
    said("It gets 6, and 6 could have come from 8 and 4, from 7 and 5, from 12 and 0.")


@LESSON.section("01")
def multi_head_wrapper(said: Said) -> None:
    *layers, _ = layers_after_the_seed(6)
    with torch.no_grad():
        heads = [attend(*(layer(YOUR_JOURNEY) for layer in layers[place : place + 3]))[1] for place in (0, 3)]
    said(f"`torch.manual_seed({SEED})`")
    for word, first, second in zip(WORDS, *heads, strict=False):
        said(f'| "{word}" | {row(first)} | {row(second)} | {row(torch.cat([first, second]))} |')
    batch = torch.stack([heads[0], heads[0]])
    for dim, shape in ((-1, "(2, 6, 4)"), (1, "(2, 12, 2)"), (0, "(4, 6, 2)")):
        assert str(tuple(torch.cat([batch, batch], dim=dim).shape)) == shape
        said(shape)


@LESSON.section("02")
def head_scores(said: Said) -> None:
    scores = A @ A.transpose(2, 3)
    for head in range(2):
        said(f"| head {head}, token 0 | {row(scores[0, head, 0]).replace(' ', ' | ')} |")
    zero, one = A[0, 0, 0], A[0, 0, 1]
    commas = [row(token).replace(" ", ", ") for token in (zero, one)]
    said(f"Token 0 of head 0 is ({commas[0]}), token 1 is ({commas[1]})")
    products = " + ".join(f"{written(x)} · {written(y)}" for x, y in zip(zero, one, strict=True))
    said(f"{products} = {row(zero * one).replace(' ', ' + ')}, which rounds to {written(zero @ one)}.")


@LESSON.section("03")
def split_heads(said: Said) -> None:
    said(f"{128} columns make 8 heads of {128 // 8}")
    heads = NUMBERS.view(2, 2, 3).transpose(0, 1)
    assert heads.tolist() == [[[0, 1, 2], [6, 7, 8]], [[3, 4, 5], [9, 10, 11]]]
    said("head 0 holds 0 1 2 and 6 7 8, head 1 holds 3 4 5 and 9 10 11")


@LESSON.section("04")
def merge_heads(said: Said) -> None:
    heads = NUMBERS.view(2, 2, 3).transpose(0, 1).contiguous()
    memory = " ".join(map(str, heads.flatten().tolist()))
    said(f"head by head: {memory}.", f"the first six, {memory[:11]}: two tokens of head 0")
    assert heads.transpose(0, 1).reshape(2, 6).tolist() == NUMBERS.view(2, 6).tolist()


@LESSON.section("06")
def combine_heads(said: Said) -> None:
    first, second, x = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[5, 6], [7, 8]]), torch.tensor([1, 1])
    together, dealt = torch.cat([first, second]), torch.stack([first, second], dim=1).flatten(0, 1)
    said(f"x · W_0ᵀ = {tuple((first @ x).tolist())} x · W_1ᵀ = {tuple((second @ x).tolist())}")
    said(f"makes {tuple((together @ x).tolist())} of x", f"it would be {tuple((dealt @ x).tolist())}")


@LESSON.section("05")
def multi_head_attention(said: Said) -> None:
    W_query, W_key, W_value, out_proj = layers_after_the_seed(3)
    with torch.no_grad():
        queries, keys, values = (layer(YOUR_JOURNEY) for layer in (W_query, W_key, W_value))
        heads = [attend(*(each[:, head : head + 1] for each in (queries, keys, values))) for head in range(2)]
        side_by_side = torch.cat([result for _, result in heads], dim=-1)
        result = out_proj(side_by_side)
    said(f"After `torch.manual_seed({SEED})`")
    for word, value in zip(WORDS, values, strict=False):
        said(f'| value of "{word}" | {row(value).replace(" ", " | ")} |')
    scores = [row(queries[1, head] * keys[:2, head]) for head in range(2)]
    said(f'| scores of "journey" against both | {scores[0]} | {scores[1]} |')
    weights = [row(weights[1, :2]) for weights, _ in heads]
    said(f'| weights of "journey" on both | {weights[0]} | {weights[1]} |')
    said(f"is its value, ({row(side_by_side[0]).replace(' ', ', ')}), and")
    said(f"`out_proj` makes ({row(result[0]).replace(' ', ', ')}) of it")
    first, second = weights[0].split()
    said(f"{first} · ({written(values[0, 0])}) + {second} · ({written(values[1, 0])}) = {written(side_by_side[1, 0])}")


@LESSON.section("07")
def padded_multi_head_attention(said: Said) -> None:
    scores, mask = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1, 1, 0])
    said(f"| nothing hidden | {row(scores.softmax(-1))} |")
    said(
        f"| padding filled with -inf before the softmax | {row(scores.masked_fill(mask == 0, -torch.inf).softmax(-1))} |"
    )
    said(f"| scores multiplied by the mask (1, 2, 0) | {row((scores * mask).softmax(-1))} |")
    said(f"| weights multiplied by the mask afterwards | {row(scores.softmax(-1) * mask)} |")
    said(f"the weights {row(torch.full((2,), -1e20).softmax(-1), 1).replace(' ', ' and ')}. Sequences")
    said(f"whose numbers end at {counted(int(torch.finfo(torch.float16).max))}")
    said("the dropout is always 0.1; here it is an argument, and 0.1 its default")  # the document's


@LESSON.section("08")
def debug_model_args(said: Said) -> None:
    said(f"10 // 4 = {10 // 4} columns, four heads make {4 * (10 // 4)}")
    mask = torch.full((6, 6), -torch.inf).triu(1)
    said(f"For max_seq_len = 6 the mask has {mask.numel()} places, and {int(mask.isinf().sum())} of them are -inf")


@LESSON.section("09")
def from_torch_mha(said: Said) -> None:
    width = 8
    state = nn.MultiheadAttention(width, 2).state_dict()
    sizes = [tensor.numel() for tensor in state.values()]
    said(f"Four tensors with {' + '.join(map(str, sizes))} = {sum(sizes)} numbers go in")
    said(f"eight with 4 · ({width * width} + {width}) = {4 * (width * width + width)} come out")
    assert state["in_proj_bias"].eq(0).all() and state["out_proj.bias"].eq(0).all()


@LESSON.section("Try this")
def try_this(said: Said) -> None:
    said.number("1.2", "1.3", "2.3")  # names of heads; tests/play/test_lessons.py sees what they do


@pytest.mark.parametrize("name", LESSON.with_numbers())
def test_every_number_of_a_section_is_recomputed(name: str) -> None:
    LESSON.check(name)
