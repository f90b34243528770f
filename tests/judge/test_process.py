"""A learner's process: one run for what is planned, or asked on the spot; replaced when it is lost, and charged for all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import torch

from grader.course import Exercise, load_course
from grader.judge.faults import CheckFailed
from grader.judge.plan import PlannedCheck
from grader.judge.process import MAX_LOSSES, WalledProcess
from grader.judge.questions import Answering, Exchange, Question, function
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import Budget

from ..cases import rows, table

SOURCES = table(__file__, "process.yml")
RIGHT, HANGS_AT_TWO, LOOKS_AHEAD = (SOURCES[name] for name in ("right", "hangs at two", "looks ahead"))

Open = Callable[..., WalledProcess]


def question(number: float) -> Question:
    return Question.of([function("share", torch.ones(2) * number)])


QUESTIONS = [question(number) for number in range(5)]


@pytest.fixture(scope="module")
def exercise(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Exercise:
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")
    course = load_course(root / "course.yml")
    limits = course.exercise("share").limits.model_copy(update={"request_seconds": 1.5, "seconds": 4.0})
    return course.exercise("share").model_copy(update={"limits": limits})


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with closing(Sandbox("process")) as sandbox:
        sandbox.await_ready()
        yield sandbox


@pytest.fixture
def opened(exercise: Exercise, sandbox: Sandbox) -> Iterator[Open]:
    with ExitStack() as made:

        def open_one(source: str, rounds: list[list[PlannedCheck]], whole: Budget | None = None) -> WalledProcess:
            return made.enter_context(closing(WalledProcess(exercise, source.encode(), sandbox, rounds, whole)))

        yield open_one


def check(name: str, *questions: Question) -> PlannedCheck:
    return PlannedCheck(name, is_visible=True, exchanges=[Exchange(each, []) for each in questions])


def outputs(process: WalledProcess, planned: PlannedCheck) -> list[float | str]:
    """What came for a check's questions: the first number of an output, or why there is none."""
    ask = process.answering(planned)
    return [_shown(ask, each.question) for each in planned.exchanges]


def _shown(ask: Answering, question: Question) -> float | str:
    try:
        (answers,) = ask(question.cases).answers
    except CheckFailed as failed:
        return str(failed)
    return float(answers["output"][0]) if answers.error is None else str(answers.error["message"])


ONE, TWO = check("one", *QUESTIONS[:2]), check("two", *QUESTIONS[2:])
SLOW = "No answer after 1.5 seconds of processor time, or 4.5 by the clock. Is there a loop that does not end, or far too much work?"


def test_planned_questions_are_answered_in_order_and_others_on_the_spot(opened: Open) -> None:
    process = opened(RIGHT, [[TWO], [ONE]])
    assert outputs(process, ONE) == [1.0, 2.0] and outputs(process, TWO) == [3.0, 4.0, 5.0]
    assert _shown(process.answering(PlannedCheck("talk", is_visible=True)), question(9)) == 10.0


def test_a_question_planned_twice_is_answered_twice(opened: Open) -> None:
    twice = check("twice", QUESTIONS[0], QUESTIONS[0])
    assert outputs(opened(SOURCES["counts"], [[twice]]), twice) == [1.0, 2.0]


def test_a_question_that_hangs_fails_alone(opened: Open) -> None:
    process = opened(HANGS_AT_TWO, [[ONE], [TWO]])
    assert outputs(process, ONE) == [1.0, 2.0] and outputs(process, TWO) == [SLOW, 4.0, 5.0]


def test_after_some_losses_nothing_more_is_asked(opened: Open) -> None:
    process = opened(SOURCES["ends"], [[ONE, TWO]])
    started = time.monotonic()
    told = {*outputs(process, ONE), *outputs(process, TWO)}
    assert told == {"Your code ended the Python process (exit or quit?)."} and process._losses == MAX_LOSSES
    assert time.monotonic() - started < 10


@pytest.mark.thorough
@rows(SOURCES["late"], "source")
def test_one_exercise_never_takes_much_more_than_its_time(opened: Open, source: str) -> None:
    process = opened(source, [[ONE], [TWO]])
    started = time.monotonic()
    assert all(isinstance(each, str) for each in (*outputs(process, ONE), *outputs(process, TWO)))
    process.close()
    # 4 seconds of work, or three times as many asleep, and the ends of processes
    assert time.monotonic() - started < 12 + 4


@pytest.mark.thorough
def test_what_the_judge_does_meanwhile_costs_the_learner_nothing_and_saves_nothing(opened: Open) -> None:
    quick, slow = opened(RIGHT, [[ONE], [TWO]]), opened(HANGS_AT_TWO, [[ONE], [TWO]])
    time.sleep(14.0)  # longer than the exercise may take
    assert outputs(quick, ONE) + outputs(quick, TWO) == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert outputs(slow, ONE) + outputs(slow, TWO) == [1.0, 2.0, SLOW, 4.0, 5.0]


@pytest.mark.thorough
def test_a_pause_in_each_call_costs_a_third_of_work(opened: Open) -> None:
    many = check("many", *(question(number) for number in range(12)))
    came = outputs(opened(SOURCES["naps"], [[many]]), many)
    assert 6 <= sum(isinstance(each, float) for each in came) <= 8  # of three times four seconds
    assert came[-1] == "The time for this exercise is used up: 4 seconds of processor time, or 12 by the clock."


@pytest.mark.thorough
def test_a_submission_has_a_time_of_its_own(opened: Open) -> None:
    whole = Budget(2.0, "submission time")
    used_up = "The time for the whole submission is used up: 2 seconds of processor time, or 6 by the clock."
    came = [
        outputs(opened(source, [[ONE]], whole), ONE)  # one after another: each begins when it is opened
        for source in ("while True: pass\n", "while True: pass\n", RIGHT)
    ]
    texts = [f"Your file cannot be loaded. {SLOW}", f"Your file cannot be loaded. {used_up}", used_up]
    assert came == [[text] * 2 for text in texts]


def test_a_process_that_is_closed_while_it_is_asked_ends_at_once(opened: Open) -> None:
    process = opened(SOURCES["never ends"], [[ONE], [TWO]])
    time.sleep(0.5)
    started = time.monotonic()
    process.close()
    assert (
        process._run.result()["one"][0]
        == "Your code sent no readable answer. It must leave the process's own descriptors alone."
    )
    assert time.monotonic() - started < 1.0


def test_nothing_is_asked_before_the_file_is_loaded(opened: Open) -> None:
    assert "there were 0 bytes" in str(outputs(opened(SOURCES["peeks"], [[ONE], [TWO]]), ONE)[0])


def test_a_hidden_question_is_asked_when_all_visible_ones_are_answered(opened: Open) -> None:
    """The code may see what is left of a round, but nothing of the next: what it is shown cannot hold a hidden input."""
    alone, beside = opened(LOOKS_AHEAD, [[ONE]]), opened(LOOKS_AHEAD, [[ONE], [TWO]])
    (first, _), (second, _) = outputs(alone, ONE), outputs(beside, ONE)
    assert first == second == f"there were {len(QUESTIONS[1].frame)} bytes"
