"""A plan as a file: what comes back of it, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.course import load_course
from grader.judge.bank import Mistake
from grader.judge.faults import GraderBroken, NotInPlan
from grader.judge.grading import Judge
from grader.judge.plan import (
    Kit,
    KnownAnswers,
    Plan,
    file_of,
    identity,
    packed_sample,
    plan_of,
    read_plan,
)
from grader.judge.questions import Answers, Question, function

from ..cases import rows

ABOUT = {"version": 4, "exercise": "share", "seed": 7}


def questions_of(plan: Plan) -> list[Question]:
    return [each.question for each in plan.asked.values()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Plan:
    course = load_course(make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share") / "course.yml")
    judge = Judge(course, "none", 7)
    return judge.expected(judge.kits["share"])


@pytest.fixture(scope="module")
def plan(whole: Plan) -> Plan:
    questions = questions_of(whole)
    samples = [packed_sample(Answers({"output": torch.randn(*shape)})) for shape in ((3, 4), (3, 40))]
    answers = {each.digest: [samples[0], *map(packed_sample, whole.answers_to(each)[1:])] for each in questions}
    others = {each.digest: samples[1:] * len(each.cases) for each in questions}
    known = {Mistake("upside-down", "You turned it round."): answers, Mistake("large", ""): others}
    mistakes = [(mistake, KnownAnswers(of)) for mistake, of in known.items()]
    return replace(whole, slacks={each.digest: whole.slack(each) for each in questions}, sampled=mistakes)


@pytest.fixture
def alone(plan: Plan) -> Plan:
    """What a course without answers knows: the plan as it comes out of its file, and no code."""
    about, read = plan_of(file_of(plan, ABOUT))
    assert about == ABOUT
    return read


def test_everything_comes_back_and_the_same_plan_gives_the_same_bytes(plan: Plan, alone: Plan) -> None:
    assert file_of(alone, ABOUT) == file_of(plan, ABOUT)
    for name, check in plan.checks.items():
        again = alone.checks[name]
        for part in ("name", "is_visible", "passes", "right"):
            assert getattr(again, part) == getattr(check, part), part
        assert repr(list(again.drawn)) == repr(check.drawn)
        asked = [[each.question.frame for each in of.exchanges] for of in (again, check)]
        assert asked[0] == asked[1]
    assert alone.sampled == plan.sampled
    for one, other in zip(questions_of(plan), questions_of(alone), strict=True):
        assert repr(one.cases) == repr(other.cases)


def test_answers_and_slack_are_the_references(whole: Plan, alone: Plan) -> None:
    for question in questions_of(whole):
        for known in ("answers_to", "slack"):
            pairs = zip(getattr(alone, known)(question), getattr(whole, known)(question), strict=True)
            outputs = [
                [torch.as_tensor(each["output"]) for each in pair] for pair in pairs if "output" in pair[0].values
            ]
            assert all(torch.equal(one, other) for one, other in outputs)


def test_what_is_not_in_the_plan_is_told_apart_from_a_wrong_answer(alone: Plan) -> None:
    other = Question.of([function("share", torch.tensor([1.0]))])
    (known, *_) = questions_of(alone)
    ((_, mistake), *_) = alone.mistakes
    for ask in (
        lambda: alone.answers_to(other),
        lambda: alone.slack(other),
        lambda: alone.draw("test_of_a_conversation").weights("Share"),
        lambda: mistake.gives(alone.answers_to(known)[0], other, 0),
    ):
        with pytest.raises(NotInPlan):
            ask()


def test_mistake_that_answers_as_the_reference_does_is_recognised(alone: Plan) -> None:
    ((mistake, module), *_) = alone.mistakes
    assert (mistake.id, mistake.message) == ("upside-down", "You turned it round.")
    question = next(each for each in questions_of(alone) if len(each.cases) > 1)
    right = alone.answers_to(question)
    assert module.gives(right[1], question, 1) and not module.gives(right[0], question, 0)


@pytest.fixture
def kit(tmp_path: Path, make_course: Callable[..., Path]) -> Kit:
    """An exercise with a place for the file of its plan."""
    course = load_course(make_course(tmp_path / "course", "01_parts/01_share") / "course.yml")
    kit = Kit(course, course.exercise("share"))
    course.plan_path(kit.exercise).parent.mkdir(parents=True)
    return kit


def refused(kit: Kit, content: bytes) -> None:
    kit.course.plan_path(kit.exercise).write_bytes(content)
    told = "the plan of share is missing, damaged or of other checks: install the wheel again"
    with pytest.raises(GraderBroken, match=told):
        read_plan(kit, 7)


FOREIGN = {
    "another exercise": {"exercise": "attention"},
    "another seed": {"seed": 8},
    "other checks": {"checks": "0" * 64},
    "another version": {"version": 1},
}


@rows(FOREIGN, "other")
def test_foreign_file_is_refused(other: dict[str, Any], plan: Plan, kit: Kit) -> None:
    refused(kit, file_of(plan, {**identity(kit, 7), **other}))


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "another file": lambda content: b"KAT1 and then something else",
    "cut short": lambda content: content[:-4],
    "cut in the header": lambda content: content[:60],
    "too long": lambda content: content + b"more",
    "words exchanged": lambda content: content.replace(b"share", b"shore"),
    "one bit": lambda content: content[:-3] + bytes([content[-3] ^ 1]) + content[-2:],
    "a giant header": lambda content: b"\xff" * 24 + content[24:],
}


@rows(DAMAGE, "damage")
def test_damaged_file_is_refused(damage: Any, plan: Plan, kit: Kit) -> None:
    refused(kit, damage(file_of(plan, identity(kit, 7))))


def test_another_torch_and_other_ends_of_lines_play_no_part(
    plan: Plan, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel's plans are made on another machine than the learner's."""
    kit.course.plan_path(kit.exercise).write_bytes(file_of(plan, identity(kit, 7)))
    monkeypatch.setattr(torch, "__version__", "1.0.0")
    kit.checks_path.write_bytes(kit.checks_path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_plan(kit, 7).checks.keys() == plan.checks.keys()


def test_a_plan_is_of_the_families_that_its_checks_take_from_and_of_no_other(kit: Kit) -> None:
    families = kit.course.root / "tests/kits/families"
    families.mkdir(parents=True)
    for name in ("loud", "kept"):
        (families / f"{name}.py").write_text("ONE = 1\n")
    kit.checks_path.write_text("from families.loud import ONE\n" + kit.checks_path.read_text())
    before = identity(kit, 7)
    (families / "kept.py").write_text("ONE = 2\n")
    assert identity(kit, 7) == before
    (families / "loud.py").write_text("ONE = 2\n")
    assert identity(kit, 7) != before
