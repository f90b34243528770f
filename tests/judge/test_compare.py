import math
import random

import pytest
import torch

from grader.judge.compare import (
    difference,
    form_difference,
    gradients_difference,
    in_words,
    is_far_off,
    same,
    wrong_places,
)
from grader.sandbox.inside.wire import Opaque

DUE = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])


def wrong(came, expected=DUE, **options):
    return difference(came, expected, what="The output", **options)


EQUAL = {
    "the same": DUE.clone(),
    "rounded differently": DUE * (1 + 2e-6),
    "transposed twice": DUE.T.contiguous().T,
}


@pytest.mark.parametrize("came", EQUAL.values(), ids=EQUAL.keys())
def test_right_numbers_are_accepted(came):
    assert wrong(came) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param(torch.tensor(3), "an int64 tensor of shape ()", id="whole number"),
        pytest.param(torch.zeros(2, 3), "a float32 tensor of shape (2, 3)", id="float32"),
    ],
)
def test_tensor_is_described_by_dtype_and_shape(value, words):
    assert in_words(value) == words


WRONG = {
    "zeros": (torch.zeros(2, 3), "none of its 6 numbers"),
    "one off": (DUE + torch.tensor([[0, 0, 0], [0, 0, 1e-3]]), "1 of its 6 numbers"),
    "one row off": (DUE + torch.tensor([[0.0], [1e-3]]), r"\(only in row 1, counted from 0\)"),
    "one column off": (DUE + torch.tensor([0, 1e-3, 0]), r"\(only in column 1, counted from 0\)"),
    "another shape": (DUE.T.contiguous(), r"shape \(3, 2\); \(2, 3\) was expected"),
    "a shape that broadcasts": (DUE[:1], r"shape \(1, 3\)"),
    "empty": (torch.empty(0, 3), r"shape \(0, 3\)"),
    "another dtype": (DUE.double(), "is float64; float32 was expected"),
    "NaN": (DUE * torch.nan, "NaN in 6 of 6"),
    "infinite": (DUE / torch.tensor([[1.0, 0, 1], [1, 1, 1]]), "infinite in 1 of 6"),
    "whole numbers": (DUE.long(), r"is int64; float32 was expected"),
    "a list": ([1.0], "a list of 1 came back"),
    "None": (None, r"None \(is a `return` missing\?\) came back"),
    "a module": (Opaque("a Linear object"), "a Linear object came back"),
    "true": (True, "the bool True came back"),
}


@pytest.mark.parametrize(("came", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_values_are_told_apart(came, message):
    import re

    text = wrong(came)
    assert text is not None and re.search(message, text), text


def test_no_number_that_was_due_is_told():
    text = wrong(DUE + 1)
    assert text is not None and not any(ch in text for ch in ("0.1", "0.2", "0.7", "1.1"))


def test_axes_are_named_when_the_shape_is_wrong():
    assert "(2, 3) = (queries, keys) was expected" in str(wrong(DUE.T.contiguous(), axes=("queries", "keys")))


def test_tiny_numbers_beside_large_ones_may_be_rounded_but_zeros_of_the_main_scale_may_not():
    expected = torch.tensor([1000.0, 1e-4])
    assert wrong(torch.tensor([1000.0, 0.0]), expected) is None
    assert wrong(torch.tensor([0.0, 1e-4]), expected)


def test_triangles_are_named():
    expected = torch.eye(4)
    assert "above the diagonal" in str(wrong(expected + torch.ones(4, 4).triu(1), expected))
    assert "below the diagonal" in str(wrong(expected + torch.ones(4, 4).tril(-1), expected))


def test_infinities_and_nan_count_where_they_are_due():
    expected = torch.tensor([0.0, -math.inf])
    assert wrong(expected.clone(), expected) is None
    assert wrong(torch.tensor([0.0, -1e9]), expected)
    assert wrong(torch.tensor([-math.inf, -math.inf]), expected)


def test_slack_widens_the_tolerance():
    assert wrong(DUE + 1e-4) and wrong(DUE + 1e-4, slack=torch.full_like(DUE, 1e-4)) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_may_be_off_by_units_in_the_last_place(dtype):
    expected = DUE.to(dtype)
    near = (DUE * (1 + 2 * torch.finfo(dtype).eps)).to(dtype)
    assert wrong(near, expected) is None and wrong((DUE * 1.1).to(dtype), expected)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64], ids=str)
def test_whole_numbers_must_be_equal(dtype):
    expected, other = torch.eye(2).to(dtype), (1 - torch.eye(2)).to(dtype)
    assert wrong(expected.clone(), expected) is None and wrong(other, expected)


def test_tuples_and_lists_are_the_same():
    assert wrong([DUE, DUE], (DUE, DUE)) is None
    assert "Value 2 of 2" in str(wrong([DUE, DUE * 2], (DUE, DUE)))
    assert "2 values, but 1" in str(wrong([DUE], (DUE, DUE)))


def test_dicts_are_compared_by_key():
    assert wrong({"a": DUE}, {"a": DUE}) is None
    assert "missing: `a`; not expected: `b`" in str(wrong({"b": DUE}, {"a": DUE}))
    assert "`a` in the output" in str(wrong({"a": DUE + 1}, {"a": DUE}))


@pytest.mark.parametrize(
    ("came", "right"),
    [
        (0.25, True),
        (torch.tensor(0.25), True),
        (0.2500001, True),
        (4.0, False),
        ("x", False),
        (True, False),
        (math.nan, False),
    ],
    ids=str,
)
def test_numbers(came, right):
    assert (wrong(came, 0.25) is None) is right


@pytest.mark.parametrize(("came", "right"), [(8, True), (8.0, False), (True, False), (9, False)], ids=str)
def test_whole_python_numbers(came, right):
    assert (wrong(came, 8) is None) is right


def test_a_gradient_that_is_zero_but_for_rounding_needs_no_relative_agreement():
    expected = {"weight": torch.ones(2, 2), "key.bias": torch.tensor([1e-9, -2e-9])}
    came = {"weight": torch.ones(2, 2), "key.bias": torch.tensor([-3e-9, 1e-9])}
    assert gradients_difference(came, expected) is None
    assert "`key.bias`" in str(gradients_difference({**came, "key.bias": torch.ones(2)}, expected))


def test_a_missing_gradient_is_named():
    expected = {"x": torch.ones(2)}
    assert "No gradient reaches `x`" in str(gradients_difference({"x": None}, expected))
    assert gradients_difference(None, expected) and gradients_difference({}, expected)


def test_form_alone_ignores_the_numbers():
    assert form_difference(DUE + 5, DUE, what="x") is None and form_difference(DUE[0], DUE, what="x")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_far_off_is_more_than_rounding(dtype):
    expected = DUE.to(dtype)
    assert not is_far_off((DUE * 1.01).to(dtype), expected) and is_far_off((DUE * 1.2).to(dtype), expected)
    assert is_far_off(torch.zeros(2, 3, dtype=dtype), expected) and is_far_off(None, expected)


def test_same_takes_anything():
    assert same(DUE, DUE * (1 + 5e-5)) and not same(DUE, None) and not same(None, DUE)


ODD_NUMBERS = (0.0, -0.0, 1.0, -3.0, 1e-9, 2e30, math.nan, math.inf, -math.inf)
OFF_BY = (0.0, 1e-6, 9.9e-5, 1.01e-4, 0.5)
"""As parts of the largest number; 1e-4 may lie between two answers of learners."""


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.int64], ids=str)
def test_telling_same_from_other_in_short_agrees_with_looking_at_every_number(dtype):
    chosen = random.Random(5)
    seen = set()
    for _ in range(1500):
        expected = torch.tensor(
            [chosen.choice(ODD_NUMBERS[:6] if chosen.random() < 0.7 else ODD_NUMBERS) for _ in range(3)]
        )
        off = torch.tensor([chosen.choice(OFF_BY) for _ in range(3)]) * float(expected.nan_to_num(0, 0, 0).abs().max())
        came = expected + off * chosen.choice((0, 1, -1))
        if chosen.random() < 0.2:
            came[chosen.randrange(3)] = chosen.choice((math.nan, math.inf, -math.inf))
        if not dtype.is_floating_point:
            came, expected = (each.nan_to_num(0, 9, -9).clamp(-9, 9) for each in (came, expected))
        came, expected = came.to(dtype), expected.to(dtype)
        is_same = same(came, expected)
        assert is_same is not bool(wrong_places(came, expected).any()), f"{came} {expected}"
        seen.add(is_same)
    assert seen == {True, False}
