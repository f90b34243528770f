"""Values are compared up to rounding; a difference is told without numbers, and where it is."""

import math
import random
from typing import Any

import pytest
import torch

from grader.judge.compare import (
    difference,
    form_difference,
    gradients_difference,
    is_far_off,
    misplaced,
    same,
    where,
    wrong_places,
)
from grader.sandbox.inside.wire import Opaque

from ..cases import rows, table

DUE = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])


def wrong(came, expected=DUE, **options):
    return difference(came, expected, what="The output", **options)


EYE, UPPER = torch.eye(4), torch.ones(4, 4).triu(1)
HIDDEN = torch.tensor([0.0, -math.inf])
HOLES = torch.tensor([[1.0, math.nan, 1], [1, 1, 1]])

RIGHT = {
    "the same": (DUE.clone(), DUE),
    "rounded differently": (DUE * (1 + 2e-6), DUE),
    "transposed twice": (DUE.T.contiguous().T, DUE),
    "an infinity where it is due": (HIDDEN.clone(), HIDDEN),
    "NaN where it is due, the rest rounded": (DUE * (1 + 2e-6) / HOLES, DUE / HOLES),
    "float16, by units in the last place": ((DUE * (1 + 2 * 2**-10)).half(), DUE.half()),
    "bfloat16, by units in the last place": ((DUE * (1 + 2 * 2**-7)).bfloat16(), DUE.bfloat16()),
    "truths": (EYE.bool(), EYE.bool()),
    "whole numbers": (EYE.long(), EYE.long()),
    "a list for a tuple": ([DUE, DUE], (DUE, DUE)),
    "a dict": ({"a": DUE}, {"a": DUE}),
    "a float": (0.25, 0.25),
    "a tensor of one number": (torch.tensor(0.25), 0.25),
    "a float, rounded": (0.2500001, 0.25),
    "an int": (8, 8),
}


@rows(RIGHT, "came", "expected")
def test_right_values_are_accepted(came, expected):
    assert wrong(came, expected) is None


WRONG = {
    "zeros": (torch.zeros(2, 3), DUE, "none of its 6 numbers"),
    "one off": (DUE + torch.tensor([[0, 0, 0], [0, 0, 1e-3]]), DUE, "1 of its 6 numbers"),
    "one row off": (DUE + torch.tensor([[0.0], [1e-3]]), DUE, "(only in row 1, counted from 0)"),
    "one column off": (DUE + torch.tensor([0, 1e-3, 0]), DUE, "(only in column 1, counted from 0)"),
    "above the diagonal": (EYE + UPPER, EYE, "above the diagonal"),
    "below the diagonal": (EYE + UPPER.T, EYE, "below the diagonal"),
    "another shape": (DUE.T.contiguous(), DUE, "shape (3, 2); (2, 3) was expected"),
    "a shape that broadcasts": (DUE[:1], DUE, "shape (1, 3)"),
    "empty": (torch.empty(0, 3), DUE, "shape (0, 3)"),
    "another dtype": (DUE.double(), DUE, "is float64; float32 was expected"),
    "NaN": (DUE * torch.nan, DUE, "NaN in 6 of 6"),
    "infinite": (DUE / torch.tensor([[1.0, 0, 1], [1, 1, 1]]), DUE, "infinite in 1 of 6"),
    "finite where an infinity is due": (torch.tensor([0.0, -1e9]), HIDDEN, "1 of its 2 numbers"),
    "NaN where it is due, the rest wrong": (DUE * 2 / HOLES, DUE / HOLES, "5 of its 6 numbers"),
    "another infinity": (torch.tensor([-math.inf, -math.inf]), HIDDEN, "infinite in 1 of 2"),
    "float16, further off": ((DUE * 1.1).half(), DUE.half(), "none of its 6 numbers"),
    "bfloat16, further off": ((DUE * 1.1).bfloat16(), DUE.bfloat16(), "none of its 6 numbers"),
    "other truths": (~EYE.bool(), EYE.bool(), "none of its 16 numbers"),
    "other whole numbers": (1 - EYE.long(), EYE.long(), "none of its 16 numbers"),
    "whole numbers for floats": (DUE.long(), DUE, "is int64; float32 was expected"),
    "a list": ([1.0], DUE, "a list of 1 came back"),
    "None": (None, DUE, "None (is a `return` missing?) came back"),
    "a module": (Opaque("a Linear object"), DUE, "a Linear object came back"),
    "true": (True, DUE, "the bool True came back"),
    "a whole number as a tensor": (torch.tensor(3), 8, "is not right: an int64 tensor of shape () came back"),
    "a tensor for a float": (DUE, 0.25, "should be a number, but a float32 tensor of shape (2, 3) came back"),
    "a part": ([DUE, DUE * 2], (DUE, DUE), "Result 2 of 2"),
    "too few parts": ([DUE], (DUE, DUE), "2 values, but 1"),
    "another name": ({"b": DUE}, {"a": DUE}, "missing: `a`; not expected: `b`"),
    "what has a name": ({"a": DUE + 1}, {"a": DUE}, "`a` in the output"),
    **{f"{came} for a float": (came, 0.25, "number") for came in (4.0, "x", True, math.nan)},
    **{f"{came!r} for an int": (came, 8, "is not right") for came in (8.0, True, 9)},
}


@rows(WRONG, "came", "expected", "message")
def test_wrong_values_are_told_apart(came, expected, message):
    text = wrong(came, expected)
    assert text is not None and message in text, text


def test_no_number_that_was_due_is_told():
    text = wrong(DUE + 1)
    assert text is not None and not any(ch in text for ch in ("0.1", "0.2", "0.7", "1.1"))


def test_tiny_numbers_beside_large_ones_may_be_rounded_but_zeros_of_the_main_scale_may_not():
    expected = torch.tensor([1000.0, 1e-4])
    assert wrong(torch.tensor([1000.0, 0.0]), expected) is None
    assert wrong(torch.tensor([0.0, 1e-4]), expected)


def test_slack_widens_the_tolerance():
    assert wrong(DUE + 1e-4) and wrong(DUE + 1e-4, slack=1e-4) is None


def test_a_gradient_that_is_zero_but_for_rounding_needs_no_relative_agreement():
    expected = {"weight": torch.ones(2, 2), "key.bias": torch.tensor([1e-9, -2e-9])}
    came = {"weight": torch.ones(2, 2), "key.bias": torch.tensor([-3e-9, 1e-9])}
    assert gradients_difference(came, expected) is None
    assert "`key.bias`" in str(gradients_difference({**came, "key.bias": torch.ones(2)}, expected))


def test_a_missing_gradient_is_named():
    expected = {"x": torch.ones(2)}
    assert "No gradient reaches `x`" in str(gradients_difference({"x": None}, expected))
    assert gradients_difference(None, expected) and gradients_difference({}, expected)


@pytest.mark.parametrize(
    ("came", "is_cut"),
    [(torch.zeros(2), True), (torch.full((2,), torch.nan), False), (torch.ones(3), False)],
    ids=["wrong", "not a number", "another shape"],
)
def test_a_gradient_with_wrong_numbers_may_be_cut_off_in_part(came, is_cut):
    assert ("may be cut off" in str(gradients_difference({"x": came}, {"x": torch.ones(2)}))) is is_cut


def test_form_alone_ignores_the_numbers():
    assert form_difference(DUE + 5, DUE, what="x") is None and form_difference(DUE[0], DUE, what="x")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_far_off_is_more_than_rounding(dtype):
    expected = DUE.to(dtype)
    assert not is_far_off((DUE * 1.01).to(dtype), expected) and is_far_off((DUE * 1.2).to(dtype), expected)
    assert is_far_off(torch.zeros(2, 3, dtype=dtype), expected) and is_far_off(None, expected)


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


# --- where it is wrong ---------------------------------------------------------------------------------------------------

AXES = ("batch", "head", "query", "key")


@rows(table(__file__, "patterns.yml"), "wrong", "told", "axes")
def test_pattern_is_named(wrong: Any, told: str, axes: list[str] | None) -> None:
    flags = torch.tensor(wrong).bool()
    assert where(flags, AXES[4 - flags.dim() :] if axes is None else axes) == told


COUNTED = torch.arange(24.0).reshape(2, 3, 4)
SQUARE = torch.arange(32.0).reshape(2, 4, 4) ** 1.5

ORDERS = {
    "square axes exchanged": (SQUARE.transpose(1, 2), SQUARE, "the axes query and key are exchanged"),
    "rows exchanged": (COUNTED[:, [2, 0, 1]], COUNTED, "the rows (along key) are in another order"),
    "view instead of transpose": (COUNTED.transpose(1, 2).reshape(2, 3, 4), COUNTED, "they are in other places"),
    "other numbers": (COUNTED + 1, COUNTED, ""),
    "equal numbers by chance": (torch.eye(4).flip(0), torch.eye(4), ""),
    "a mask": (torch.eye(4).flip(0).bool(), torch.eye(4).bool(), ""),
    "NaN": (COUNTED * torch.nan, COUNTED, ""),
    "nothing at all": (torch.empty(0, 3), torch.empty(0, 3), ""),
}


@rows(ORDERS, "came", "expected", "told")
def test_numbers_in_other_places_are_recognised(came: torch.Tensor, expected: torch.Tensor, told: str) -> None:
    assert misplaced(came, expected, 1e-5, AXES[4 - expected.dim() :]) == told


def test_numbers_too_close_to_tell_apart_are_not_called_misplaced() -> None:
    expected = torch.tensor([1.0, 1.001, 1.002, 1.003])
    assert misplaced(expected.flip(0), expected, 0.03) == ""


def test_message_of_the_comparison_says_it() -> None:
    assert wrong(SQUARE.transpose(1, 2).contiguous(), SQUARE, axes=AXES[1:]) == (
        "The output has the right shape and the right numbers, but the axes query and key are exchanged."
    )
    broken = COUNTED.clone()
    broken[1, 2] = torch.nan
    assert wrong(broken, COUNTED, axes=AXES[1:]) == (
        "The output has NaN in 4 of 24 places (only in head 1, in row (query) 2, counted from 0)."
    )


@pytest.mark.parametrize("shape", [(2, 4, 3), (2, 3), (4, 4)], ids=str)
def test_axes_are_named_only_of_the_shape_that_was_expected(shape: tuple[int, ...]) -> None:
    assert wrong(torch.zeros(shape), COUNTED, axes=AXES[1:]) == (
        f"The output has shape {shape}; (2, 3, 4) = (head, query, key) was expected."
    )
