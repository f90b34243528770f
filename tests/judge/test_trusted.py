"""The judge's own answers, to questions that some mistakes answer in forms no worker could send."""

import linecache
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch

from grader.judge.case import Question, function
from grader.judge.expected import TrustedModule


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
    alone, remembering = TrustedModule(REMEMBERS, "m"), TrustedModule(REMEMBERS, "m", remembers=True)
    assert alone.answer_to(question, 2)["output"].tolist() == [1, 1, 1]
    assert remembering.answer_to(question, 2)["output"].tolist() == [3, 3, 3]
    assert remembering.answer_to(question, 0)["output"].tolist() == [1], "it was not asked again"


WARNS = "def f(x):\n    return x if x is 1 else x * 2  # nobody reads this\n"
LOADS = """
import linecache
from contextlib import suppress
from pathlib import Path
from grader.course import load_course
from grader.judge.bank import both_from, load_bank
from grader.judge.expected import TrustedModule

course = load_course(Path({root!r}) / "course.yml")
for exercise in course.exercises:
    reference = course.solution_path(exercise).read_text()
    bank = load_bank(course.mistakes_path(exercise))
    texts = [mistake.source_from(reference) for mistake in bank]
    alone = [mistake for mistake in bank if not mistake.source]
    texts += [text for pair in zip(alone, alone[1:]) if (text := both_from(*pair, reference))]
    for number, text in enumerate([reference, *texts]):
        with suppress(Exception):  # two edits may not go together
            TrustedModule(text, f"of the course {{number}}").namespace
assert not [name for name in linecache.cache if name.startswith("of the course")]
print("loaded")
"""


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_loading_the_course_says_nothing_and_keeps_no_line_to_be_quoted():
    words = [sys.executable, "-W", "always", "-c", LOADS.format(root=str(Path(__file__).parents[2]))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    of_the_course = [line for line in done.stderr.splitlines() if "of the course" in line or "two mistakes" in line]
    assert (done.stdout, of_the_course, "SyntaxWarning" in done.stderr) == ("loaded\n", [], False), done.stderr


def test_a_text_that_warns_is_loaded_without_a_word(capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert TrustedModule(WARNS, "of the course").namespace
    assert capfd.readouterr() == ("", "") and "of the course" not in linecache.cache
