"""A learner's process: asked what is planned or on the spot, replaced when it is lost, and charged for all that it does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from grader.course import Exercise, load_course
from grader.judge.answers import read_answers
from grader.judge.case import Question, function
from grader.judge.failure import CheckFailed
from grader.judge.process import MAX_LOSSES, WalledProcess
from grader.sandbox.clock import Allowance
from grader.sandbox.sandbox import Sandbox

RIGHT = "def share(amounts):\n    return amounts + 1\n"
HANGS_AT_TWO = "def share(amounts):\n    while amounts[0] == 2: pass\n    return amounts + 1\n"

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
    with Sandbox("process") as sandbox:
        sandbox.await_ready()
        yield sandbox


@pytest.fixture
def opened(exercise: Exercise, sandbox: Sandbox) -> Iterator[Open]:
    made: list[WalledProcess] = []

    def open_one(source: str, planned: list[Question] | None = None, whole: Allowance | None = None) -> WalledProcess:
        made.append(WalledProcess(exercise, source.encode(), lambda: sandbox, planned or [], whole))
        return made[-1]

    yield open_one
    for each in made:
        each.close()


def output(process: WalledProcess, asked: Question) -> float:
    (answers,) = read_answers(process.ask(asked), asked.cases)
    return float(answers["output"][0])


def failure(process: WalledProcess, asked: Question) -> str:
    with pytest.raises(CheckFailed) as failed:
        process.ask(asked)
    return str(failed.value)


def test_planned_questions_are_answered_in_any_order_and_others_on_the_spot(opened: Open) -> None:
    process = opened(RIGHT, QUESTIONS[:4])
    assert [output(process, QUESTIONS[number]) for number in (3, 4, 0, 2, 1)] == [4.0, 5.0, 1.0, 3.0, 2.0]


def test_a_question_planned_twice_is_answered_twice(opened: Open) -> None:
    counts = "asked = 0\n\ndef share(amounts):\n    global asked\n    asked += 1\n    return amounts + asked\n"
    process = opened(counts, [QUESTIONS[0], QUESTIONS[0]])
    assert process.answered([QUESTIONS[0], QUESTIONS[0]]) is not None
    assert [output(process, QUESTIONS[0]) for _ in range(3)] == [1.0, 2.0, 3.0]


def test_a_question_that_hangs_fails_alone(opened: Open) -> None:
    process = opened(HANGS_AT_TWO, QUESTIONS)
    assert [output(process, QUESTIONS[number]) for number in (0, 1)] == [1.0, 2.0]
    assert "No answer after 1.5 seconds" in failure(process, QUESTIONS[2])
    assert [output(process, QUESTIONS[number]) for number in (3, 4)] == [4.0, 5.0]


def test_after_some_losses_nothing_more_is_asked(opened: Open) -> None:
    process = opened("import os\n\ndef share(amounts):\n    os._exit(3)\n", QUESTIONS)
    started = time.monotonic()
    told = {failure(process, each) for each in QUESTIONS}
    assert told == {"Your code ended the Python process (exit or quit?)."} and process._losses == MAX_LOSSES
    assert time.monotonic() - started < 10


LATE = {
    "while it is loaded": "import time\ntime.sleep(60)\n\ndef share(amounts):\n    return amounts + 1\n",
    "in the call": "import time\n\ndef share(amounts):\n    time.sleep(60)\n",
    "busy in the call": "def share(amounts):\n    while True: pass\n",
    "busy in threads": (
        "import threading\n\ndef spin():\n    while True: pass\n\n"
        "def share(amounts):\n    for _ in range(8): threading.Thread(target=spin, daemon=True).start()\n    spin()\n"
    ),
    "while it is parsed": "x = f'" + "{1}" * 250_000 + "'\n\ndef share(amounts):\n    return amounts + 1\n",
}


@pytest.mark.thorough
@pytest.mark.parametrize("source", LATE.values(), ids=LATE.keys())
def test_one_exercise_never_takes_much_more_than_its_time(opened: Open, source: str) -> None:
    process = opened(source, QUESTIONS)
    started = time.monotonic()
    for each in (*QUESTIONS, question(9)):
        failure(process, each)
    process.close()
    # 4 seconds, at most as much again where the machine was busy, and the ends of processes
    assert time.monotonic() - started < 12


@pytest.mark.thorough
def test_what_the_judge_does_meanwhile_costs_the_learner_nothing_and_saves_nothing(opened: Open) -> None:
    quick, slow = opened(RIGHT, QUESTIONS), opened(HANGS_AT_TWO, QUESTIONS)
    quick.start()
    slow.start()
    time.sleep(6.0)  # longer than the exercise may take
    assert [output(quick, each) for each in QUESTIONS] == [1.0, 2.0, 3.0, 4.0, 5.0]
    # the same as for one who looks at once: 1.5 seconds lost to one question, and time for the others
    assert [output(slow, QUESTIONS[number]) for number in (0, 1)] == [1.0, 2.0]
    assert "No answer after 1.5 seconds" in failure(slow, QUESTIONS[2])
    assert [output(slow, QUESTIONS[number]) for number in (3, 4)] == [4.0, 5.0]


@pytest.mark.thorough
def test_a_pause_in_each_call_counts_whether_or_not_anybody_waits(opened: Open) -> None:
    many = [question(number) for number in range(12)]
    naps = "import time\n\ndef share(amounts):\n    time.sleep(0.5)\n    return amounts + 1\n"
    waited_for, left_alone = opened(naps, many), opened(naps, many)
    left_alone.start()
    time.sleep(8.0)

    def passed(process: WalledProcess) -> int:
        return sum(not _fails(process, each) for each in many)

    first, second = passed(waited_for), passed(left_alone)
    assert 5 <= first <= 8 and abs(first - second) <= 1


def _fails(process: WalledProcess, asked: Question) -> bool:
    try:
        process.ask(asked)
    except CheckFailed:
        return True
    return False


@pytest.mark.thorough
def test_a_submission_has_a_time_of_its_own(opened: Open) -> None:
    whole = Allowance(seconds=2.0)
    hanging, following = opened("while True: pass\n", QUESTIONS, whole), opened(RIGHT, QUESTIONS, whole)
    assert "No answer after 1.5 seconds" in failure(hanging, QUESTIONS[0])
    hanging.close()
    second = opened("while True: pass\n", QUESTIONS, whole)
    assert "The 2 seconds for the whole submission are used up" in failure(second, QUESTIONS[0])
    second.close()
    assert "The 2 seconds for the whole submission are used up." in failure(following, QUESTIONS[0])


PEEKS = """
import os, select

seen = b""
if select.select([3], [], [], 0.5)[0]:
    seen = os.read(3, 65536)
raise ValueError(f"there were {len(seen)} bytes")
"""


def test_nothing_is_asked_before_the_file_is_loaded(opened: Open) -> None:
    assert "there were 0 bytes" in failure(opened(PEEKS, QUESTIONS), QUESTIONS[0])


PEEKS_IN_THE_CALL = """
import os, select

def share(amounts):
    ready = select.select([3], [], [], 0.5)[0]
    raise ValueError(f"there were {len(os.read(3, 65536)) if ready else 0} bytes")
"""


def test_each_question_is_asked_when_the_one_before_is_answered(opened: Open) -> None:
    process = opened(PEEKS_IN_THE_CALL, QUESTIONS)
    (answers,) = read_answers(process.ask(QUESTIONS[0]), QUESTIONS[0].cases)
    assert answers.error is not None and answers.error["message"] == "there were 0 bytes"
