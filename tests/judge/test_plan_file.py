"""A plan as a file: what comes back of it, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from grader.judge import plan_file
from grader.judge.answers import Answers
from grader.judge.case import Question, function
from grader.judge.draw import COMMON
from grader.judge.expected import NotInPlan
from grader.judge.faults import GraderBroken
from grader.judge.fingerprint import fingerprint
from grader.judge.kept import MANY_NUMBERS, Kept, packed_expected, shortened
from grader.judge.plan_file import AS_REFERENCE, KnownMistake, PlanFile, PlannedDraws, digest_of_text
from grader.judge.trusted import Expected

SOLUTION = """\
import torch


def softmax(x):
    # BEGIN SOLUTION
    return torch.softmax(x, -1)
    # END SOLUTION
"""
CHECKS = "def test_one(learner): ...\n"
QUESTION = Question.of([function("softmax", torch.tensor([1.0, 2.0, 3.0])), function("softmax", "no tensor")])
DRAWN: list[Any] = [
    ("normal", (2, 3), torch.randn(2, 3).double()),
    ("normal", (40,), torch.randn(40).half().double()),
    ("uniform", (2,), torch.rand(2, dtype=torch.float64)),
    ("integer", (1, 9), torch.tensor(4)),
    ("share", (2, 2), torch.rand(2, 2)),
    ("order", (5,), torch.randperm(5)),
]


@pytest.fixture
def expected(tmp_path: Path) -> Expected:
    (tmp_path / "solution.py").write_text(SOLUTION)
    return Expected(tmp_path / "solution.py", tmp_path / "no_bank.py")


@pytest.fixture
def plan(expected: Expected) -> PlanFile:
    digest = QUESTION.digest.hex()
    return PlanFile(
        "softmax",
        7,
        digest_of_text(CHECKS),
        digest_of_text(CHECKS, SOLUTION),
        draws={"test_one": PlannedDraws(DRAWN, {"Scale": {"factor": [3, 3]}})},
        expected={digest: packed_expected(expected.answers_to(QUESTION), expected.slack(QUESTION))},
        mistakes=[KnownMistake("upside-down", "You turned it round.", {digest: [0, AS_REFERENCE]})],
        prints=[{"error": ["exception"]}, fingerprint(Answers({"output": torch.randn(3, 40)}))],
    )


def read_back(plan: PlanFile, folder: Path, **other: Any) -> PlanFile:
    path = folder / "03_softmax.plan"
    path.write_bytes(plan.to_bytes())
    return PlanFile.read(path, **{"exercise": "softmax", "seed": 7, "checks": CHECKS, **other})


def test_everything_comes_back(plan: PlanFile, tmp_path: Path) -> None:
    read = read_back(plan, tmp_path)
    for (kind, sizes, numbers), (kind_read, sizes_read, numbers_read) in zip(
        DRAWN, read.draws["test_one"].drawn, strict=True
    ):
        assert (kind_read, sizes_read) == (kind, sizes)
        torch.testing.assert_close(numbers_read, numbers, rtol=0, atol=0)
    assert read.draws["test_one"].shapes == plan.draws["test_one"].shapes
    assert (read.expected, read.mistakes, read.prints) == (plan.expected, plan.mistakes, plan.prints)
    assert read.course_digest == plan.course_digest


def test_plan_without_numbers_comes_back(tmp_path: Path) -> None:
    empty = PlanFile("softmax", 7, digest_of_text(CHECKS), "")
    assert read_back(empty, tmp_path) == empty


def test_same_plan_gives_the_same_bytes(plan: PlanFile) -> None:
    assert len({plan.to_bytes() for _ in range(20)}) == 1


def test_file_is_one_that_safetensors_reads(plan: PlanFile) -> None:
    tensors = safetensors.torch.load(plan.to_bytes())
    assert tensors["single"].shape[0] == 4 and tensors["half"].shape == (2, 40)  # planes of bytes


def test_answers_and_slack_are_the_references(plan: PlanFile, expected: Expected, tmp_path: Path) -> None:
    kept = Kept(read_back(plan, tmp_path))
    expected, slack = expected.answers_to(QUESTION), expected.slack(QUESTION)
    assert torch.equal(kept.answers_to(QUESTION)[0]["output"], expected[0]["output"])
    assert kept.answers_to(QUESTION)[1].error == expected[1].error and expected[1].error is not None
    moved = kept.slack(QUESTION)[0]["output"]
    assert moved.shape == (3,) and float(moved.max()) == float(slack[0]["output"].max())


def test_draws_come_back_and_go_on(plan: PlanFile, tmp_path: Path) -> None:
    kept = Kept(read_back(plan, tmp_path))
    draw = kept.draw(7, "softmax", "test_one")
    assert torch.equal(draw.normal(2, 3, dtype=torch.float64), DRAWN[0][2])
    assert torch.equal(draw.normal(40, dtype=torch.float64), DRAWN[1][2])
    once, again = (kept.draw(7, "softmax", "test_unknown").uniform(4) for _ in range(2))
    assert torch.equal(once, again)


def test_what_all_checks_draw_alike_comes_back_for_each_of_them(plan: PlanFile, tmp_path: Path) -> None:
    plan.draws[COMMON] = PlannedDraws(DRAWN[:1])
    kept = Kept(read_back(plan, tmp_path))
    for check in ("test_one", "test_unknown"):
        draw = kept.draw(7, "softmax", check)
        draw.uniform(1)  # a check's own numbers are no part of them
        assert torch.equal(draw.common().normal(2, 3, dtype=torch.float64), DRAWN[0][2])
    plan.draws[COMMON] = PlannedDraws()
    kept = Kept(read_back(plan, tmp_path))
    one, other = (kept.draw(7, "softmax", check).common() for check in ("test_one", "test_unknown"))
    assert torch.equal(one.normal(2, 3), other.normal(2, 3))


def test_numbers_beyond_the_plan_have_the_digits_of_those_in_it(
    plan: PlanFile, expected: Expected, tmp_path: Path
) -> None:
    kept = Kept(read_back(plan, tmp_path))
    beyond, whole = (each.draw(7, "softmax", "test_unknown") for each in (kept, expected))
    numbers = beyond.normal(3, dtype=torch.float64)
    assert torch.equal(numbers, shortened(whole.normal(3, dtype=torch.float64), "normal"))
    with pytest.raises(NotInPlan):
        beyond.common().weights("Other")


@pytest.mark.parametrize("count", [3, MANY_NUMBERS], ids=["few", "many"])
def test_shortened_numbers_hardly_move_and_stay_what_they_are(count: int) -> None:
    numbers = torch.randn(count, dtype=torch.float64)
    shorter = shortened(numbers, "normal")
    torch.testing.assert_close(shorter, numbers, rtol=2**-11 if count == MANY_NUMBERS else 2**-16, atol=1e-7)
    assert torch.equal(shortened(shorter, "normal"), shorter)


def test_what_nobody_wrote_down_is_told_apart_from_a_wrong_answer(plan: PlanFile, tmp_path: Path) -> None:
    kept = Kept(read_back(plan, tmp_path))
    other = Question.of([function("softmax", torch.tensor([1.0]))])
    ((_, mistake),) = kept.mistakes
    asks = (
        lambda: kept.answers_to(other),
        lambda: kept.slack(other),
        lambda: kept.draw(7, "softmax", "test_one").weights("Other"),
        lambda: mistake.gives(kept.answers_to(QUESTION)[0], other, 0),
    )
    for ask in asks:
        with pytest.raises(NotInPlan):
            ask()


def test_mistake_that_answers_as_the_reference_does_is_recognised(plan: PlanFile, tmp_path: Path) -> None:
    kept = Kept(read_back(plan, tmp_path))
    ((mistake, module),) = kept.mistakes
    assert (mistake.id, mistake.message, mistake.source, mistake.edits) == (
        "upside-down",
        "You turned it round.",
        "",
        (),
    )
    right = kept.answers_to(QUESTION)
    assert module.gives(right[1], QUESTION, 1) and not module.gives(right[0], QUESTION, 0)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: b"", id="empty"),
        pytest.param(lambda content: b"KAT1 and then something else", id="another file"),
        pytest.param(lambda content: content[:-4], id="cut short"),
        pytest.param(lambda content: content[:60], id="cut in the header"),
        pytest.param(lambda content: content + b"more", id="too long"),
        pytest.param(lambda content: content.replace(b"softmax", b"softmin"), id="words exchanged"),
        pytest.param(lambda content: content[:-3] + bytes([content[-3] ^ 1]) + content[-2:], id="one bit"),
        pytest.param(lambda content: b"\xff" * 8 + content[8:], id="a giant header"),
        pytest.param(lambda content: safetensors.torch.save({"a": torch.ones(2)}), id="other tensors"),
    ],
)
def test_damaged_file_is_refused(damage: Any, plan: PlanFile, tmp_path: Path) -> None:
    path = tmp_path / "03_softmax.plan"
    path.write_bytes(damage(plan.to_bytes()))
    with pytest.raises(GraderBroken, match=r"03_softmax\.plan is damaged: unzip the bundle again"):
        PlanFile.read(path, exercise="softmax", seed=7, checks=CHECKS)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        pytest.param({"exercise": "attention"}, "is the plan of something else", id="another exercise"),
        pytest.param({"seed": 8}, "is the plan of something else", id="another seed"),
        pytest.param(
            {"checks": CHECKS + "# more\n"}, "belongs to other checks than those of softmax", id="other checks"
        ),
    ],
)
def test_foreign_file_is_refused(other: dict[str, Any], sentence: str, plan: PlanFile, tmp_path: Path) -> None:
    with pytest.raises(GraderBroken, match=rf"03_softmax\.plan {sentence}.*: unzip the bundle again"):
        read_back(plan, tmp_path, **other)


@pytest.mark.parametrize("name", ["VERSION", "JUDGE"])
def test_stale_file_is_refused(name: str, plan: PlanFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = plan.to_bytes()
    (tmp_path / "03_softmax.plan").write_bytes(content)
    monkeypatch.setattr(plan_file, name, 99)
    with pytest.raises(GraderBroken, match="was made by another version of the program"):
        PlanFile.read(tmp_path / "03_softmax.plan", exercise="softmax", seed=7, checks=CHECKS)


def test_how_lines_end_plays_no_part(plan: PlanFile, tmp_path: Path) -> None:
    assert read_back(plan, tmp_path, checks=CHECKS.replace("\n", "\r\n")).seed == 7
