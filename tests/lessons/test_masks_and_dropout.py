"""The numbers in the lesson of unit 3 are what torch gives today."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from reading import Recomputed, Said, counted, row, written
from torch import nn

LESSON = Recomputed("03_masks_and_dropout")

X = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]], dtype=torch.float64)
SCORES = X @ X.T
SHINY = SCORES[1]
LATER = torch.ones(3, 3, dtype=torch.bool).triu(1)
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
LARGEST_HALF = int(torch.finfo(torch.float16).max)


def masked(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    return scores.masked_fill(hidden, -torch.inf).softmax(-1)


def half_of(number: float) -> torch.Tensor:
    return torch.tensor(number, dtype=torch.float64).half()


@LESSON.section("01")
def causal_mask(said: Said) -> None:
    four, one = (int(torch.ones(n, n).triu(1).sum()) for n in (4, 1))
    said(f"so {four} of {4 * 4} for four tokens, and {one} of 1 for a single token")
    assert all(int(torch.ones(n, n).triu(1).sum()) == n * (n - 1) // 2 for n in range(1, 20))


@LESSON.section("02")
def additive_mask(said: Said) -> None:
    said(f"the scores {row(SHINY).replace(' ', ', ')},", f"| score | {row(SHINY).replace(' ', ' | ')} |")
    first, second, third = (SHINY + torch.tensor([0, 0, -math.inf])).tolist()
    said(f"| sum | {written(first)} | {written(second)} | -∞ |")
    assert third == -math.inf
    said(f"| softmax | {row(masked(SHINY, LATER[1])).replace(' ', ' | ')} |")
    assert torch.full((3, 3), -math.inf).triu(1).tril().eq(0).all(), "true zeros"


@LESSON.section("03")
def debug_nan_mask(said: Said) -> None:
    spoilt = torch.tensor([float(SHINY[0]), math.nan, float(SHINY[2])])
    assert spoilt.softmax(-1).isnan().all()
    said(f"of the scores {written(SHINY[0])}, NaN, {written(SHINY[2])} the softmax is NaN, NaN, NaN")
    said(f"are sound, {written(SHINY[0].exp())} and {written(SHINY[2].exp())},")
    said("scores up to ±1,000")  # the contract of the exercise


@LESSON.section("04")
def masked_softmax(said: Said) -> None:
    commas = row(SHINY).split()
    exps = SHINY.exp()
    right = masked(SHINY, LATER[1])
    said(f'"shiny" and "sun" are {commas[0]}, {commas[1]} and {commas[2]}, and')
    said(f"exp({commas[0]}) = {written(exps[0])} and exp({commas[1]}) = {written(exps[1])}")
    said(f"their sum is {written(exps[:2].sum())}, and the weights are {row(right).replace(' ', ', ')}.")
    late = SHINY.softmax(-1) * ~LATER[1]
    said(f"| weight set to 0 after the softmax | {row(late)} | they sum to {written(late.sum())} |")
    said(
        f"| the same, then divided by the new sum | {row(late / late.sum())} |",
        'the score of "sun" 1,000, the other two',
    )
    assert torch.tensor([*SHINY[:2].tolist(), 1000.0]).softmax(-1)[:2].eq(0).all()
    said(f"| score set to 0 | {row((SHINY * ~LATER[1]).softmax(-1))} |")
    assert (SHINY + LATER[1] * -math.inf).softmax(-1).isnan().all()
    rows = "; ".join(row(each) for each in masked(SCORES, LATER))
    said(f"Middle, their softmax: {rows};".replace("1.0000", "1"))
    sums = row((SCORES.softmax(-1) * ~LATER).sum(-1), 2).split()
    said(f"the rows sum to {sums[0]}, {sums[1]} and 1")
    said(f"float16 ends at {counted(LARGEST_HALF)}, so a fill value like -1e9")
    assert half_of(-1e9).isinf()
    said("for visible scores as low as -1,000")  # the contract of the exercise


@LESSON.section("05")
def padding_mask(said: Said) -> None:
    scores, padding = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([False, False, True])
    said(f"the weights are {row(masked(scores, padding)).replace(' ', ', ')}.")
    said(f"1, 2, 0 and the weights {row((scores * ~padding).softmax(-1)).replace(' ', ', ')}: a score")
    assert half_of(-1e20).isinf()
    said(f"-1e20 can't be stored in float16, which ends at {counted(LARGEST_HALF)}")
    alike = torch.full((2,), -1e20).softmax(-1)
    said(f"so the weights are {row(alike, 1).replace(' ', ' and ')}. It attends")


def runs(sequences: int, heads: int, queries: int, keys: int, axes: str) -> bool:
    """Whether torch takes the mask with these axes in the middle."""
    ways = {"none": (), "heads": (None,), "heads and queries": (None, None), "exchanged": (None, slice(None), None)}
    mask = torch.zeros(sequences, keys, dtype=torch.bool)
    try:
        torch.zeros(sequences, heads, queries, keys).masked_fill(mask[(slice(None), *ways[axes])], 0.0)
    except RuntimeError:
        return False
    return True


def test_wrong_axes_of_a_padding_mask_stop_when_the_lesson_says_so() -> None:
    heads = range(1, 5)
    assert all(runs(2, h, 2, 3, "none") and runs(2, h, 2, 3, "heads and queries") for h in heads)
    assert [h for h in heads if runs(2, h, 2, 3, "heads")] == [1, 2], "one head, or two"
    assert not any(runs(2, h, 2, 3, "exchanged") for h in heads), "an error here"
    assert all(runs(3, h, 3, 3, axes) for h in heads for axes in ("none", "exchanged", "heads and queries"))
    assert [h for h in heads if runs(3, h, 3, 3, "heads")] == [1, 3], "one or three heads"


@LESSON.section("06")
def attention_dropout(said: Said) -> None:
    weights = SHINY.softmax(-1)
    kept = [float(f"{weight:.4f}") / (1 - 0.5) for weight in weights]
    said(
        f"Take {row(weights).replace(' ', ', ')} and p = 0.5. Each of them becomes 0 or twice itself: {row(kept).replace(' ', ', ')}"
    )
    sums = [sum(each) for each in itertools.product(*((0.0, weight) for weight in (weights * 2).tolist()))]
    said("`nn.Dropout(p=0.5)` after the softmax")  # the document's
    said(
        f"That is {len(sums)} possible rows; their sums go from {min(sums):.0f} to {max(sums):.0f}, and the mean of these sums is {sum(sums) / len(sums):.0f}"
    )


@LESSON.section("07")
def causal_attention(said: Said) -> None:
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(123)
        queries, keys, values = (nn.Linear(3, 2, bias=False)(YOUR_JOURNEY) for _ in range(3))
    scores = queries @ keys.T
    weights = masked(scores / math.sqrt(2), torch.ones(6, 6, dtype=torch.bool).triu(1))
    result = weights @ values
    said("`torch.manual_seed(123)`")
    for of, numbers in (("value", values), ("result", result)):
        for word, each in zip(("Your", "journey"), numbers, strict=False):
            said(f'| {of} of "{word}" | {row(each).replace(" ", " | ")} |')
    first, second = scores[1, :2], weights[1, :2]
    said(f"has the scores {row(first).replace(' ', ' and ')} with the two")
    said(
        f"over √2 that is {row(first / math.sqrt(2)).replace(' ', ' and ')}, and the weights are {row(second).replace(' ', ' and ')}."
    )
    terms = " + ".join(f"{written(w)} · ({written(v)})" for w, v in zip(second, values[:2, 0], strict=True))
    said(f"the first column is {terms} = {written(result[1, 0])}")


@LESSON.section("Try this")
def try_this(said: Said) -> None:
    said("filled with -10, -100 and -1,000 beside a visible one of -100")  # the numbers in the code below it


@pytest.mark.parametrize("name", LESSON.with_numbers())
def test_every_number_of_a_section_is_recomputed(name: str) -> None:
    LESSON.check(name)
