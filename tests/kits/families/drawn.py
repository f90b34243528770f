"""Hidden inputs that several exercises draw, and a result of two parts that some ask for."""

import torch

from grader.judge.authoring import expect, fail


def query_key_value(draw, leading, queries, keys, width, value_width, *, dtype=torch.float32):
    """Normal numbers for a matching query, key and value, with the same leading axes."""
    sizes = ((queries, width), (keys, width), (keys, value_width))
    return tuple(draw.normal(*leading, *size, dtype=dtype) for size in sizes)


def drawn_mask(draw, rows, columns):
    """A mask (True: hidden) with at least one visible place in every row, and at least one hidden place."""
    mask = draw.uniform(rows, columns) < 0.4
    seen = [draw.integer(0, columns - 1) for _ in range(rows)]
    mask[torch.arange(rows), seen] = False
    if columns > 1:
        mask[0, (seen[0] + 1) % columns] = True
    return mask


def demand_pair(learner, case, result, sentence):
    """Check that the value in a slot has two parts; otherwise fail with this sentence."""
    case.call(result, method="__len__", return_as="parts")
    (answer,) = learner.ask_all(case)
    if answer.error is not None:
        # a value without a length is no pair; an error with frames was raised in the learner's own lines
        fail(learner.tell_error(answer.error) if answer.error.get("frames") else sentence)
    expect(type(answer["parts"]) is int and answer["parts"] == 2, sentence)
