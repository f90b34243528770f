"""Hidden inputs: the same for a seed, other ones for another check, and drawn again as they were."""

import pytest
import torch

from grader.judge.checks import Draw
from grader.judge.faults import GraderBroken


def draws(seed=1, check="test_x"):
    return Draw(seed, "softmax", check, {"Linear": torch.nn.Linear})


def test_another_seed_or_check_gives_other_numbers():
    first = draws().normal(3, 4)
    assert torch.equal(first, draws().normal(3, 4))
    assert not torch.equal(first, draws(seed=2).normal(3, 4))
    assert not torch.equal(first, draws(check="test_y").normal(3, 4))


def test_distinct_sizes_are_distinct():
    for seed in range(50):
        sizes = draws(seed).distinct(3, 2, 5)
        assert len(set(sizes)) == 3 and all(2 <= size <= 5 for size in sizes)


def test_an_order_moves_something():
    for seed in range(50):
        order = draws(seed).order(3)
        assert order.sort().values.tolist() == [0, 1, 2] and order.tolist() != [0, 1, 2]


def test_weights_have_the_references_names_and_shapes():
    weights = draws().weights("Linear", 4, 2)
    assert {name: tuple(tensor.shape) for name, tensor in weights.items()} == {"weight": (2, 4), "bias": (2,)}


def drawn(draw):
    return [draw.weights("Linear", 4, 2), draw.common().uniform(3), draw.integer(2, 9), draw.shuffled("abcd")]


def test_what_was_drawn_is_drawn_again_and_nothing_else():
    first = draws()
    before = drawn(first)
    again = Draw(1, "softmax", "test_x", {}, again=first.drawn)
    assert repr(drawn(again)) == repr(before)
    for draw in (again, Draw(1, "softmax", "test_x", {}, again=first.drawn)):
        with pytest.raises(GraderBroken, match="something else than it asks the reference"):
            draw.normal(7)
