"""Cases and values as text: Python that gives the same numbers, to the last bit."""

from __future__ import annotations

import pytest
import torch

from grader.judge.questions import Case, function, module
from grader.judge.shown import MOST_NUMBERS, case_text, value_text


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(torch.tensor([[0.1, 1 / 3], [1e-30, -2.0]]), id="float32"),
        pytest.param(torch.tensor([0.1, 1 / 3], dtype=torch.float64), id="float64"),
        pytest.param(torch.tensor([1.5, 0.1], dtype=torch.float16), id="float16"),
        pytest.param(torch.tensor([1, -7]), id="whole numbers"),
        pytest.param(torch.tensor([[True], [False]]), id="truths"),
        pytest.param(torch.tensor(2.5), id="a single number"),
        pytest.param(torch.empty(0, 3), id="empty"),
        pytest.param(torch.rand(4, 8, 8), id="of many lines"),
    ],
)
def test_tensor_is_read_back_to_the_last_bit(value: torch.Tensor) -> None:
    again = eval(value_text(value), {"torch": torch})
    assert again.dtype == value.dtype and again.shape == value.shape and torch.equal(again, value)


def test_of_a_large_tensor_the_beginning_is_shown_and_how_much_there_is() -> None:
    text = value_text(torch.ones(MOST_NUMBERS + 5))
    assert text.endswith("and 5 more>") and f"shape ({MOST_NUMBERS + 5},)" in text


def test_function_reads_as_its_call() -> None:
    case = function("softmax", torch.tensor([1.0, 2.0]), names=["scores"], dim=-1)
    assert list(case_text(case)) == ["scores = torch.tensor([1.0, 2.0])", "output = softmax(scores, dim=-1)"]


def test_module_reads_as_making_filling_and_calling_it() -> None:
    case = module(
        "Scale", 2, weights={"weight": torch.tensor([3.0, 4.0])}, inputs={"x": torch.tensor([1.0, 2.0])}, train=True
    )
    lines = list(case_text(case))
    assert lines[0].endswith("= Scale(2)")
    made = lines[0].partition(" ")[0]
    assert lines[1:3] == [f"{made}.weight = torch.tensor([3.0, 4.0])", f"{made}.train()"]
    assert lines[3:] == ["x = torch.tensor([1.0, 2.0])", f"output = {made}(x)"]


def test_what_must_be_refused_is_said() -> None:
    case = Case()
    case.refuses(case.entry("Heads"), 7, 2)
    assert list(case_text(case)) == ["refusal = Heads(7, 2)  # must be refused"]
