"""The plan: what checks ask with one seed, made with the reference alone, the same for every learner."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.authoring.verify import Trial, asked_otherwise
from grader.course import Course
from grader.judge.checks import Check, Draw, LearnerModule
from grader.judge.faults import GraderBroken
from grader.judge.grading import Judge
from grader.judge.plan import Plan
from grader.judge.process import LocalProcess
from tests.records import without_timings

from ..cases import table
from .graded import CHECKS, RIGHT, WRONG, graded

TABLES = table(__file__, "plan.yml")
OTHER_BITS, RANDOM = TABLES["other bits"], TABLES["random"]


@pytest.fixture
def judge(course: Course, open_judge: Callable[..., Judge]) -> Judge:
    return open_judge(course, "process", 7)


@pytest.mark.thorough
def test_the_same_for_every_learner_whoever_came_before(
    judge: Judge, course: Course, open_judge: Callable[..., Judge]
) -> None:
    in_class = graded(judge, WRONG, RIGHT, RANDOM, OTHER_BITS, "import os; os._exit(0)", RIGHT, OTHER_BITS, WRONG)
    alone = [graded(open_judge(course, "process", 7), source)[0] for source in (WRONG, RIGHT, OTHER_BITS)]
    texts = [without_timings(record).to_json() for record in in_class]
    assert [texts[0], texts[1], texts[3]] == [without_timings(record).to_json() for record in alone]
    assert (texts[0], texts[1], texts[3]) == (texts[7], texts[5], texts[6])
    assert in_class[1].points == in_class[3].points == 4


def test_a_check_runs_only_for_answers_that_are_not_the_references_own(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    run = Check.run

    def noted(self: Check, learner: LearnerModule, draw: Draw) -> None:
        ran.append(self.name)
        run(self, learner, draw)

    monkeypatch.setattr(Check, "run", noted)
    graded(judge, RIGHT)  # the plan is made
    ran.clear()
    graded(judge, RIGHT)
    assert ran == ["test_repair"]  # of which there are no answers
    graded(judge, OTHER_BITS)
    assert "test_main" in ran


def plan_of(judge: Judge) -> Plan:
    return judge.expected(judge.kits["share"])


def test_another_seed_asks_something_else(judge: Judge) -> None:
    graded(judge, RIGHT)
    before = list(plan_of(judge).asked)
    judge.seed = 8
    assert graded(judge, RIGHT, OTHER_BITS)[1].points == 4
    after = list(plan_of(judge).asked)
    assert len(before) == len(after) and before[0] == after[0]  # the visible one draws nothing
    assert not set(before[1:]) & set(after[1:])


def test_planned_questions_come_in_their_order_and_are_not_packed_again(judge: Judge, course: Course) -> None:
    planned = plan_of(judge).checks["test_main"]
    (known,) = planned.exchanges
    cases = [case.copied() for case in known.question.cases]
    process = LocalProcess(course.exercise("share"), RIGHT.encode())
    ask, other = process.answering(planned), process.answering(planned)
    assert ask(cases).question.frame is known.question.frame
    for again, asked in ((ask, cases), (other, cases[:-1])):
        with pytest.raises(GraderBroken, match="something else than it asks the reference"):
            again(asked)


def test_check_that_asks_others_something_else_is_found(judge_with: Callable[[str], Judge]) -> None:
    judge = judge_with(CHECKS + "\n" + TABLES["answers decide"])
    wrong, right = (Trial(judge.kits["share"].exercise, "one", source, lambda _: []) for source in (WRONG, RIGHT))
    told = "its question 2 is not the one that it asks the reference. Ask the same, whatever is answered"
    found = [f"test_depends_on_the_answer: {told}", f"test_asks_again: {told}"]
    assert asked_otherwise(judge, wrong) == found
    assert asked_otherwise(judge, right) == []
