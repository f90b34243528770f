"""The judge's own answers, to questions that some mistakes answer in forms no worker could send."""

import pytest
import torch

from grader.judge.case import Question, function
from grader.judge.trusted import TrustedModule


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return list(range(30_000))",
        "def f(x):\n    y = []\n    for _ in range(99):\n        y = [y]\n    return y",
    ],
    ids=["too-many-parts", "too-deep"],
)
def test_an_answer_that_could_not_be_sent_is_an_error_like_others(source):
    question = Question.of([function("f", torch.ones(2)), function("f", torch.ones(3))])
    answers = TrustedModule(source, "mistake").answer(question)
    assert [answer.error["kind"] for answer in answers] == ["too_large", "too_large"]


def test_answers_are_computed_once():
    source = "calls = []\ndef f(x):\n    calls.append(1)\n    return x * 2"
    module, question = TrustedModule(source, "reference"), Question.of([function("f", torch.ones(2))])
    assert module.answer(question)[0] is module.answer(Question.of([function("f", torch.ones(2))]))[0]
    assert module.namespace["calls"] == [1]


def test_rounded_questions_move_the_answer_a_little():
    module, question = (
        TrustedModule("def f(x):\n    return x * 2", "reference"),
        Question.of([function("f", torch.ones(9))]),
    )
    moved = (module.answer_rounded(question)[0]["output"] - 2).abs().max()
    assert 0 < float(moved) < 1e-5


REMEMBERS = "seen = []\n\n\ndef f(x):\n    seen.append(x)\n    return x * len(seen)\n"


def test_what_remembers_is_asked_all_cases_of_a_question_in_their_order():
    question = Question.of([function("f", torch.ones(1)), function("f", torch.ones(2)), function("f", torch.ones(3))])
    alone, remembering = TrustedModule(REMEMBERS, "m"), TrustedModule(REMEMBERS, "m", remembers=True)
    assert alone.answer_to(question, 2)["output"].tolist() == [1, 1, 1]
    assert remembering.answer_to(question, 2)["output"].tolist() == [3, 3, 3]
    assert remembering.answer_to(question, 0)["output"].tolist() == [1], "it was not asked again"
