from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.answers import Answers, same_answers
from grader.judge.plan_file import _groups, fingerprint, has_fingerprint

from ..cases import rows
from .test_compare import RIGHT, WRONG


def of(value: Any, name: str = "output") -> Answers:
    return Answers({name: value})


def is_taken_for(came: Answers, other: Answers) -> bool:
    kept = json.loads(json.dumps(fingerprint(other), allow_nan=False))
    return has_fingerprint(came, kept)


NUMBERS = torch.randn(6, 50, generator=torch.Generator().manual_seed(1))


def off_by(amount: float, place: int = 7) -> torch.Tensor:
    changed = NUMBERS.clone()
    changed.view(-1)[place] += amount
    return changed


def with_number(number: float, place: int = 7) -> torch.Tensor:
    changed = NUMBERS.clone()
    changed.view(-1)[place] = number
    return changed


SAME = {
    **RIGHT,
    "many numbers": (NUMBERS, NUMBERS.clone()),
    "many rounded": (NUMBERS, NUMBERS * (1 + 1e-7)),
    "nothing in it": (torch.empty(0, 3), torch.empty(0, 3)),
    "zeros": (torch.zeros(40), torch.zeros(40)),
    "parts": ([NUMBERS, 1, "a", None], [NUMBERS, 1, "a", None]),
}
OTHER = {
    **{name: (came, other) for name, (came, other, _) in WRONG.items()},
    "one number of many": (off_by(0.01), NUMBERS),
    "two that cancel out": (NUMBERS.roll(1, 1), NUMBERS),
    "two that changed places": (NUMBERS.flip(1), NUMBERS),
    "transposed": (NUMBERS[:, :6].T.contiguous(), NUMBERS[:, :6].contiguous()),
    "NaN elsewhere": (with_number(float("nan"), 8), with_number(float("nan"))),
    "infinity with another sign": (with_number(float("inf")), with_number(float("-inf"))),
    "not zero": (torch.full((40,), 1e-9), torch.zeros(40)),
    "a float": (2.51, 2.5),
}


@rows(SAME, "came", "other")
def test_same_answer_has_the_fingerprint(came: Any, other: Any) -> None:
    assert same_answers(of(came), of(other)) and is_taken_for(of(came), of(other))


@rows(OTHER, "came", "other")
def test_other_answer_has_not(came: Any, other: Any) -> None:
    assert not same_answers(of(came), of(other)) and not is_taken_for(of(came), of(other))


def test_sums_are_only_worked_out_for_sizes_that_the_plan_has() -> None:
    before = _groups.cache_info().misses
    assert not any(
        is_taken_for(of(torch.ones(31, 7)), of(other)) for other in (1, None, torch.arange(217), NUMBERS > 0)
    )
    assert _groups.cache_info().misses == before


@given(st.integers(0, 299), st.sampled_from([-3.0, -0.02, 0.02, 0.5]))
def test_one_number_that_is_off_is_noticed_wherever_it_stands(place: int, amount: float) -> None:
    assert not is_taken_for(of(off_by(amount, place)), of(NUMBERS))


GRADIENTS = {"x": NUMBERS, "weight": None}


@pytest.mark.parametrize(
    ("came", "is_same"),
    [
        pytest.param({"x": NUMBERS.clone(), "weight": None}, True, id="same"),
        pytest.param({"x": NUMBERS, "weight": NUMBERS}, False, id="reaches more"),
        pytest.param({"x": None, "weight": None}, False, id="reaches less"),
        pytest.param({"x": off_by(0.1), "weight": None}, False, id="other numbers"),
        pytest.param({"x": NUMBERS}, False, id="other names"),
    ],
)
def test_gradients(came: dict[str, Any], is_same: bool) -> None:
    answers = of(came, "gradients")
    assert same_answers(answers, of(GRADIENTS, "gradients")) is is_same
    assert is_taken_for(answers, of(GRADIENTS, "gradients")) is is_same


def error(kind: str = "exception", **details: Any) -> Answers:
    return Answers({}, {"kind": kind, "step": 1, "type": "TypeError", "message": "no", **details})


@pytest.mark.parametrize(
    ("came", "is_same"),
    [
        pytest.param(error(), True, id="same"),
        pytest.param(error(message="other words"), True, id="other words"),
        pytest.param(error(type="ValueError"), False, id="another error"),
        pytest.param(of(NUMBERS), False, id="no error"),
    ],
)
def test_errors(came: Answers, is_same: bool) -> None:
    assert same_answers(came, error()) is is_same and is_taken_for(came, error()) is is_same
    assert not is_taken_for(error(), of(NUMBERS))
