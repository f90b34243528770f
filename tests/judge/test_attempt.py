"""What the judge does while a learner's process works on a question."""

import time

import pytest
import torch

from grader.course import load_course
from grader.judge.answers import read_answers
from grader.judge.case import Question, function
from grader.judge.grading import Judge

TAKES_SECONDS = 0.6
SLOW = f"import time\n\ndef share(amounts):\n    time.sleep({TAKES_SECONDS})\n    return amounts + 1\n"
QUESTION = Question.of([function("share", torch.ones(2))])


@pytest.fixture
def attempt(tiny_course):
    judge = Judge(load_course(tiny_course / "course.yml"), "process", seed=7)
    judge.await_ready()
    attempt = judge.attempt(judge.course.exercise("share"), SLOW.encode())
    yield attempt
    attempt.close()
    judge.close()


def output(attempt, meanwhile):
    (answers,) = read_answers(attempt.ask(QUESTION, meanwhile), QUESTION.cases)
    return answers["output"].tolist()


def test_the_reference_is_asked_before_the_answer_is_there(attempt):
    asked = []
    output(attempt, lambda: None)  # the file is loaded
    started = time.monotonic()
    assert output(attempt, lambda: asked.append(time.monotonic())) == [2.0, 2.0]
    assert asked[0] - started < TAKES_SECONDS <= time.monotonic() - started


def test_a_fault_of_the_reference_leaves_the_answers_in_their_order(attempt):
    def fault():
        raise RuntimeError("the reference")

    assert output(attempt, fault) == [2.0, 2.0]
    doubled = Question.of([function("share", torch.ones(1) * 4)])
    (answers,) = read_answers(attempt.ask(doubled), doubled.cases)
    assert answers["output"].tolist() == [5.0]
