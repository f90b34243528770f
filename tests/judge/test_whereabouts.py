"""Where a tensor is wrong, in words, and whether its numbers only stand in other places."""

from __future__ import annotations

import pytest
import torch

from grader.judge.compare import difference
from grader.judge.whereabouts import misplaced, where

from ..cases import rows

AXES = ("batch", "head", "query", "key")


def flags(*shape: int, at: list[tuple[object, ...]]) -> torch.Tensor:
    wrong = torch.zeros(shape, dtype=torch.bool)
    for place in at:
        wrong[place] = True
    return wrong


EVERY, FROM_2 = slice(None), slice(2, None)

PATTERNS = {
    "nothing": (flags(3, 4, at=[]), ""),
    "everything": (flags(3, 4, at=[(EVERY,)]), ""),
    "one row": (flags(3, 4, at=[(1,)]), "only in row (query) 1, counted from 0"),
    "rows": (flags(4, 5, at=[(1,), (3,)]), "only in rows (query) 1 and 3, counted from 0"),
    "part of a row": (flags(3, 4, at=[(1, FROM_2)]), "only in row (query) 1, counted from 0"),
    "column": (flags(3, 4, at=[(EVERY, 2)]), "only in column (key) 2, counted from 0"),
    "above": (torch.ones(4, 4).triu(1).bool(), "only above the diagonal"),
    "below": (torch.ones(4, 4).tril(-1).bool(), "only below the diagonal"),
    "diagonal": (torch.eye(4).bool(), "only on the diagonal"),
    "head": (flags(2, 3, 4, 5, at=[(EVERY, 1)]), "only in head 1, counted from 0"),
    "heads": (flags(2, 3, 4, 5, at=[(EVERY, 1), (EVERY, 2)]), "only in heads 1 and 2, counted from 0"),
    "head and rows": (
        flags(2, 3, 4, 5, at=[(EVERY, 1, FROM_2)]),
        "only in head 1, in rows (query) 2 and 3, counted from 0",
    ),
    "batch and triangle": (
        torch.stack([torch.zeros(4, 4), torch.ones(4, 4).triu(1)]).bool(),
        "only in axis 0, index 1, above the diagonal, counted from 0",
    ),
    "one axis": (flags(5, at=[(0,), (4,)]), "only in places (key) 0 and 4, counted from 0"),
    "many": (flags(20, 2, at=[(slice(1, None),)]), "only in rows (query) 1, 2, 3, 4, 5, 6, …, counted from 0"),
    "scattered": (flags(3, 3, at=[(0, 1), (1, 2), (2, 1), (1, 0)]), ""),
    "a number": (torch.tensor(True), ""),
}


@rows(PATTERNS, "wrong", "told")
def test_pattern_is_named(wrong: torch.Tensor, told: str) -> None:
    axes = () if wrong.dim() == 3 else AXES[4 - wrong.dim() :]
    assert where(wrong, axes) == told


def test_axis_that_is_called_rows_is_not_named_twice() -> None:
    assert where(flags(3, 4, at=[(1,)]), ("rows", "columns")) == "only in row 1, counted from 0"
    assert where(flags(4, at=[(1,)]), ("columns",)) == "only in column 1, counted from 0"


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
