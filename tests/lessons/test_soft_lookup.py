"""The numbers in the lesson of unit 1 are what torch gives today."""

from __future__ import annotations

import math

import pytest
import torch
from reading import Recomputed, Said, counted, row, written

LESSON = Recomputed("01_soft_lookup")

WORDS = ("Hello", "shiny", "sun")
X = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]], dtype=torch.float64)
SHINY = 1
SCORES = X @ X[SHINY]
WEIGHTS = SCORES.softmax(-1)


@LESSON.section("House rules")
def house_rules(said: Said) -> None:
    said("Minus infinity does that, and so does -1e9; -100 does not.")
    for fill, weighs in ((-math.inf, False), (-1e9, False), (-100.0, True)):
        assert bool(torch.tensor([-110.0, fill]).softmax(-1)[1] > 0) is weighs  # what is seen may be as low as that


@LESSON.section("Why anybody wanted this")
def why(said: Said) -> None:
    said("Sutskever and others, 2014", "Bahdanau and others, 2014", "In 2017 the recurrence")  # years, from the papers


@LESSON.section("01")
def soft_lookup(said: Said) -> None:
    weights, values = [0.6, 0.4, 0.0], [10, 5, 2]
    keys = ("apple", "banana", "chair")
    for key, weight, value in zip(keys, weights, values, strict=True):
        said(f"| {key} | {written(weight, 1)} | {value} | {weight * value:.0f} |")
        said(f"{key.capitalize()}: {written(weight, 1)} times {value} is {weight * value:.0f}")
    total = sum(weight * value for weight, value in zip(weights, values, strict=True))
    said(f"| sum | {sum(weights):.0f} | | {total:.0f} |", f"The products add up to {total:.0f}")
    said(f"the weights 2 and -1 on the values 10 and 5 give 20 - 5 = {2 * 10 + -1 * 5}")
    said(f"numbers {written(weights[0], 1)}, {written(weights[1], 1)} and 0 ")


@LESSON.section("02")
def dot_scores(said: Said) -> None:
    said("products with " + row(X[SHINY], 2).replace(" ", ", "))
    for word, embedding, score in zip(WORDS, X, SCORES, strict=True):
        products = row(embedding * X[SHINY]).replace(" ", " + ")
        said(f"| {word} | {row(embedding, 2)} | {products} | {written(score)} |")
    said(f"these three sum to {written(SCORES.sum())}")
    assert SCORES.argsort(descending=True).tolist() == [1, 2, 0], "shiny is most like itself, then like sun, then Hello"
    assert (X > 0).all(), "all numbers are positive, so every product is"


@LESSON.section("03")
def softmax(said: Said) -> None:
    exps = SCORES.exp()
    total = written(exps.sum())
    for word, score, exp, weight in zip(WORDS, SCORES, exps, WEIGHTS, strict=True):
        said(f"| {word} | {written(score)} | {written(exp)} | {written(exp)} / {total} = {written(weight)} |")
    said(f"| sum | | {total} | {float(WEIGHTS.sum()):.4f} |", f"1 gets {written(math.e, 3)} times the weight")
    commas = [row(numbers).replace(" ", ", ") for numbers in (SCORES, exps, WEIGHTS)]
    said(
        f"Scores: {commas[0]}. After exp: {commas[1]}, together {total}. Divided by that sum, the weights: {commas[2]}"
    )
    shifted = (SCORES - SCORES.max()).exp()
    said(f"the exps become {written(shifted[0])}, 1 and {written(shifted[2])} with the sum {written(shifted.sum())}")
    assert float(shifted[1]) == 1 and torch.allclose(shifted / shifted.sum(), WEIGHTS)
    assert torch.tensor(89.0).exp().isinf() and torch.tensor(88.0).exp().isfinite()


@LESSON.section("04")
def context_vector(said: Said) -> None:
    for word, weight, embedding in zip(WORDS, WEIGHTS, X, strict=True):
        said(f"| {word} | {written(weight, 6)} | {row(weight * embedding, 6)} |")
    context = WEIGHTS @ X
    said(f"| sum | 1 | {row(context, 6)} |")
    added = sum(round(float(number), 6) for number in WEIGHTS * X[:, 0])
    assert round(added, 6) != round(float(context[0]), 6), "the last digit of the first"

    # HackTricks' own numbers, rounded by hand on the way
    document = torch.tensor([0.3992, 0.3858, 0.8610], dtype=torch.float64)
    said(f"HackTricks has {row(document)}", f"up to {written((document - context).abs().max())} off")
    said(f"begins with .2156, where {written(WEIGHTS[1])} · .53 is {written(WEIGHTS[1] * X[1, 0])},")
    said(f"is .1972, where {written(WEIGHTS[2])} · .54 is {written(WEIGHTS[2] * X[2, 1])}.")


@LESSON.section("05")
def simplified_self_attention(said: Said) -> None:
    scores = X @ X.T
    weights = scores.softmax(-1)
    for word, score, weight, result in zip(WORDS, scores, weights, weights @ X, strict=True):
        said(f"{word} {row(score)}", f"{word} {row(weight)}", f"| {word} | {row(result, 6)} |")
    said(f"weights between {written(weights.min(), 2)} and {written(weights.max(), 2)}")
    assert weights[0, 1] > weights[0, 0] and X[1].norm() > X[0].norm()
    assert torch.equal(scores, scores.T) and not torch.allclose(weights, weights.T)


@pytest.mark.parametrize("name", LESSON.with_numbers())
def test_every_number_of_a_section_is_recomputed(name: str) -> None:
    LESSON.check(name)


def test_thousands_are_read_as_one_number() -> None:
    said = Said("From 12,704 to .25, not 7; 1,000 and 2017 (1, 2, 300).")
    assert said.left() == ["12,704", ".25", "1,000", "2017", "300"]
    said(f"From {counted(12704)} to")
    said.number(".25", "1,000")
    assert said.left() == ["2017", "300"]
    with pytest.raises(AssertionError, match="does not say: 12,705"):
        said("12,705")
