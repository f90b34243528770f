"""What a wheel without answers keeps of a mistake's answers tells the same from other ones, as comparing them does."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.plan import MOST_NUMBERS, KnownAnswers, packed_sample
from grader.judge.questions import Answers, Question, function, same_answers

from ..cases import rows
from .test_compare import DUE, RIGHT, WRONG


def of(value: Any) -> Answers:
    return value if isinstance(value, Answers) else Answers({"output": value})


QUESTION = Question.of([function("f")])


def is_taken_for(came: Answers, other: Answers) -> bool:
    return KnownAnswers({QUESTION.digest: [packed_sample(other)]}).gives(came, QUESTION, 0)


NUMBERS = torch.randn(6, 50, generator=torch.Generator().manual_seed(1))
FEW = NUMBERS[:2].contiguous()
assert FEW.numel() <= MOST_NUMBERS < NUMBERS.numel()


def off_by(numbers: torch.Tensor, amount: float, place: int = 7) -> torch.Tensor:
    changed = numbers.clone()
    changed.view(-1)[place] += amount
    return changed


GRADIENTS = {"x": NUMBERS, "key.bias": torch.full((120,), 1e-9), "weight": None}


def gradients(**changes: Any) -> Answers:
    return Answers({"gradients": GRADIENTS | changes})


def error(**details: Any) -> Answers:
    return Answers({}, {"kind": "exception", "step": 1, "type": "TypeError", "message": "no", **details})


SAME = {
    **RIGHT,
    "many numbers": (NUMBERS, NUMBERS.clone()),
    "many rounded": (NUMBERS, NUMBERS * (1 + 1e-7)),
    "nothing in it": (torch.empty(0, 3), torch.empty(0, 3)),
    "zeros": (torch.zeros(140), torch.zeros(140)),
    "parts": ([NUMBERS, 1, "a", None], [NUMBERS, 1, "a", None]),
    "rounded more than a right answer may be": (DUE * (1 + 5e-5), DUE),
    "gradients": (gradients(), gradients()),
    "gradients, other rounding of what is zero": (gradients(**{"key.bias": torch.full((120,), -2e-9)}), gradients()),
    "an error": (error(), error()),
    "an error in other words": (error(message="other words"), error()),
}
OTHER = {
    **{name: (came, other) for name, (came, other, _) in WRONG.items()},
    "a row off": (NUMBERS + torch.eye(6)[:, :1] / 9, NUMBERS),
    "a column off": (NUMBERS + torch.eye(50)[:1] / 9, NUMBERS),
    "moved": (NUMBERS.roll(1, 1), NUMBERS),
    "turned round": (NUMBERS.flip(1), NUMBERS),
    "another large shape": (NUMBERS.view(3, 100), NUMBERS),
    "NaN elsewhere": (off_by(NUMBERS, torch.nan, 8), off_by(NUMBERS, torch.nan)),
    "infinity with another sign": (off_by(NUMBERS, torch.inf), off_by(NUMBERS, -torch.inf)),
    "not zero": (torch.full((140,), 1e-9), torch.zeros(140)),
    "other whole numbers of many": (torch.arange(140), torch.arange(140) + 1),
    "another part": ([NUMBERS, FEW], [NUMBERS, FEW + 1]),
    "a float": (2.51, 2.5),
    "a tensor for None": (DUE, None),
    "gradients that reach more": (gradients(weight=NUMBERS), gradients()),
    "gradients that reach less": (gradients(x=None), gradients()),
    "gradients with other numbers": (gradients(x=NUMBERS * 1.1), gradients()),
    "gradients of other names": (gradients(more=None), gradients()),
    "another error": (error(type="ValueError"), error()),
    "no error": (NUMBERS, error()),
    "an error for numbers": (error(), NUMBERS),
}


@rows(SAME, "came", "other")
def test_same_answer_has_the_sample(came: Any, other: Any) -> None:
    assert same_answers(of(came), of(other)) and is_taken_for(of(came), of(other))


@rows(OTHER, "came", "other")
def test_other_answer_has_not(came: Any, other: Any) -> None:
    assert not same_answers(of(came), of(other)) and not is_taken_for(of(came), of(other))


@given(st.integers(0, FEW.numel() - 1), st.sampled_from([-3.0, -0.02, 0.02, 0.5]))
def test_of_few_numbers_one_that_is_off_is_noticed_wherever_it_stands(place: int, amount: float) -> None:
    assert not is_taken_for(of(off_by(FEW, amount, place)), of(FEW))


def test_a_sample_is_small() -> None:
    large = torch.zeros(1000, 1000, dtype=torch.float64)
    assert len(packed_sample(of(large))) < 4 * 8 * MOST_NUMBERS


def test_of_an_error_nothing_is_kept_that_quotes_the_code() -> None:
    sizes = [error(type="RuntimeError", message=f"sizes {n} and 2\nof a line", frames=[[3, "secret"]]) for n in (3, 7)]
    assert is_taken_for(*sizes) and same_answers(*sizes)
    assert b"secret" not in packed_sample(sizes[0]) and b"of a line" not in packed_sample(sizes[0])
