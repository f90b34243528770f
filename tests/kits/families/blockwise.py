"""Checks of attention that is computed block by block."""

import torch
from families.drawn import query_key_value

from grader.judge.authoring import expect

WIDTH, VALUE_WIDTH = 3, 2
"""Of the cases whose tensors are watched: with these nothing legal holds queries * keys numbers, neither padded keys, a
row of scores, products of a block before they are summed, nor results, maxima and totals of all blocks in one. They have
one index of the leading axes at most, so that all numbers of a tensor count.
"""
STAYS_BELOW = "stays below"


def never_makes_the_full_matrix(learner, cases, shapes, more=""):
    """Check that no tensor made on the way has queries * keys numbers; `shapes`: (queries, keys, the blocks in words).

    Nothing else comes back: how far below that a tensor stays does not matter, nor what the output is.
    """
    for case, (queries, keys, _) in zip(cases, shapes, strict=True):
        case.keeps_to_itself(case.output)
        case.call(case.observed("largest"), queries * keys, method="__lt__", return_as=STAYS_BELOW)
    for answer, (queries, keys, blocks) in zip(learner.ask(*cases), shapes, strict=True):
        expect(
            answer[STAYS_BELOW] is True,
            f"With {queries} queries, {keys} keys and blocks of {blocks}, a tensor of {queries} · {keys} numbers or more was made. "
            f"Keep only what belongs to one block, and for each query its maximum, total and output.{more}",
        )


def large_scores(draw):
    """(query, key, value) with scores of ±1000, five times; in the first the largest are those of the last keys."""
    queries, keys, width, value_width = 4, 11, draw.integer(2, 6), draw.integer(2, 5)
    up = torch.linspace(-1000, 1000, keys)
    same_sign, both_signs = torch.ones(queries), torch.tensor([1.0, -1.0, 1.0, -1.0])
    large = [
        (same_sign, up),
        (same_sign, up.flip(0)),
        (both_signs, up[draw.order(keys)]),
        (same_sign, draw.uniform(keys, low=-996, high=-990)),
        (both_signs, draw.uniform(keys, low=990, high=996)),
    ]
    for signs, sizes in large:
        query, key, value = query_key_value(draw, (), queries, keys, width, value_width)
        # the first entries alone set how large the scores are
        query[:, 0], key[:, 0] = signs, sizes * width**0.5
        yield query, key, value
