"""The judge's own answers, to questions that some mistakes answer in forms no worker could send."""

import linecache
import warnings
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from grader.course import load_course
from grader.judge.bank import both_from, load_bank
from grader.judge.course_code import TrustedModule
from grader.judge.questions import Question, function


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
    module = TrustedModule("def f(x):\n    return x * 2", "reference")
    question = Question.of([function("f", torch.ones(9))])
    moved = (module.answer_rounded(question)[0]["output"] - 2).abs().max()
    assert 0 < float(moved) < 1e-5


REMEMBERS = "seen = []\n\n\ndef f(x):\n    seen.append(x)\n    return x * len(seen)\n"


def test_what_remembers_is_asked_all_cases_of_a_question_in_their_order():
    question = Question.of([function("f", torch.ones(1)), function("f", torch.ones(2)), function("f", torch.ones(3))])
    remembering = TrustedModule(REMEMBERS, "m")
    assert remembering.answer(question)[2]["output"].tolist() == [3, 3, 3]
    assert remembering.answer(question)[0]["output"].tolist() == [1], "it was not asked again"


WARNS = "def f(x):\n    return x if x is 1 else x * 2  # nobody reads this\n"


def said_while(load):
    """The warnings that loading says, and the lines that it keeps to be quoted."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        load()
    return [str(each) for each in said] + [name for name in linecache.cache if name.startswith("of the course")]


def test_a_text_that_warns_is_loaded_without_a_word(capfd):
    with pytest.warns(SyntaxWarning):
        compile(WARNS, "of the course", "exec")
    assert said_while(lambda: TrustedModule(WARNS, "of the course").namespace) == []
    assert capfd.readouterr() == ("", "")


def texts_of_the_course():
    """Each reference and mistake, and some mistakes in pairs."""
    course = load_course(Path(__file__).parents[2] / "course.yml")
    for exercise in course.exercises:
        reference, bank = course.solution_path(exercise).read_text(), load_bank(course.mistakes_path(exercise))
        alone = [mistake for mistake in bank if not mistake.source]
        pairs = [both_from(*pair, reference) for pair in pairwise(alone)]
        yield from (reference, *(mistake.source_from(reference) for mistake in bank), *filter(None, pairs))


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_loading_the_course_says_nothing_and_keeps_no_line_to_be_quoted(capfd):
    def load():
        for number, text in enumerate(texts_of_the_course()):
            with suppress(Exception):  # two edits may not go together
                TrustedModule(text, f"of the course {number}").namespace  # noqa: B018

    assert said_while(load) == []
    assert capfd.readouterr() == ("", "")
