"""Where a tensor is wrong, in words, and whether its numbers only stand in other places."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.judge.compare import difference, misplaced, where

from ..cases import rows, table

AXES = ("batch", "head", "query", "key")


@rows(table(__file__, "patterns.yml"), "wrong", "told", "axes")
def test_pattern_is_named(wrong: Any, told: str, axes: list[str] | None) -> None:
    flags = torch.tensor(wrong).bool()
    assert where(flags, AXES[4 - flags.dim() :] if axes is None else axes) == told


DUE = torch.arange(24.0).reshape(2, 3, 4)
SQUARE = torch.arange(32.0).reshape(2, 4, 4) ** 1.5

ORDERS = {
    "square axes exchanged": (SQUARE.transpose(1, 2), SQUARE, "the axes query and key are exchanged"),
    "rows exchanged": (DUE[:, [2, 0, 1]], DUE, "the rows (along key) are in another order"),
    "view instead of transpose": (DUE.transpose(1, 2).reshape(2, 3, 4), DUE, "they are in other places"),
    "other numbers": (DUE + 1, DUE, ""),
    "equal numbers by chance": (torch.eye(4).flip(0), torch.eye(4), ""),
    "a mask": (torch.eye(4).flip(0).bool(), torch.eye(4).bool(), ""),
    "NaN": (DUE * torch.nan, DUE, ""),
    "nothing at all": (torch.empty(0, 3), torch.empty(0, 3), ""),
}


@rows(ORDERS, "came", "expected", "told")
def test_numbers_in_other_places_are_recognised(came: torch.Tensor, expected: torch.Tensor, told: str) -> None:
    assert misplaced(came, expected, 1e-5, AXES[4 - expected.dim() :]) == told


def test_numbers_too_close_to_tell_apart_are_not_called_misplaced() -> None:
    expected = torch.tensor([1.0, 1.001, 1.002, 1.003])
    assert misplaced(expected.flip(0), expected, 0.03) == ""


def told(came: torch.Tensor, expected: torch.Tensor, axes: tuple[str, ...] = AXES[1:]) -> str:
    return str(difference(came, expected, what="The output", axes=axes))


def test_message_of_the_comparison_says_it() -> None:
    assert told(SQUARE.transpose(1, 2).contiguous(), SQUARE) == (
        "The output has the right shape and the right numbers, but the axes query and key are exchanged."
    )
    broken = DUE.clone()
    broken[1, 2] = torch.nan
    assert told(broken, DUE) == (
        "The output has NaN in 4 of 24 places (only in head 1, in row (query) 2, counted from 0)."
    )


@pytest.mark.parametrize("shape", [(2, 4, 3), (2, 3), (4, 4)], ids=str)
def test_axes_are_named_only_of_the_shape_that_was_expected(shape: tuple[int, ...]) -> None:
    assert told(torch.zeros(shape), DUE) == (
        f"The output has shape {shape}; (2, 3, 4) = (head, query, key) was expected."
    )
