from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.judge.case import Question, function
from grader.judge.draw import Draw
from grader.judge.errors import GraderBroken
from grader.judge.recorded import NotRecorded, Numbers, Recorded
from grader.judge.trusted import Expected
from grader.release.recording import Recording

SOLUTION = """\
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.ones(width, width))

    def forward(self, x):
        return x @ self.factor


def softmax(x):
    # BEGIN SOLUTION
    return torch.softmax(x, -1)
    # END SOLUTION
"""


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    (tmp_path / "solution.py").write_text(SOLUTION)
    return Recording(Expected(tmp_path / "solution.py", tmp_path / "no_bank.py"))


def written(recording: Recording, folder: Path) -> Recorded:
    (folder / "softmax.numbers").write_bytes(recording.numbers.to_bytes())
    return Recorded(Numbers.read(folder / "softmax.numbers"))


def drawn(draw: Draw) -> list[object]:
    return [
        draw.normal(2, 3),
        draw.normal(2, 3, dtype=torch.float64),
        draw.uniform(4, low=-1.0),
        draw.integer(3, 9),
        draw.distinct(3, 2, 9),
        draw.booleans(2, 2),
        draw.hidden(3, 4),
        draw.order(5),
        draw.shuffled(["a", "b", "c", "d"]),
        draw.weights("Scale", 3),
    ]


def test_draws_come_back_to_the_bit(recording: Recording, tmp_path: Path) -> None:
    first = drawn(recording.draw(1, "softmax", "test_one"))
    again = drawn(written(recording, tmp_path).draw(2, "softmax", "test_one"))
    for one, other in zip(first, again, strict=True):
        torch.testing.assert_close(other, one, rtol=0, atol=0) if not isinstance(one, list) else None
        assert isinstance(one, torch.Tensor | dict) or one == other


def test_draws_do_not_depend_on_what_else_is_drawn(recording: Recording) -> None:
    one, other = (recording.draw(1, "softmax", "test_one") for _ in range(2))
    other.uniform(3)
    assert torch.equal(one.normal(2), other.normal(2))


def test_draws_differ_by_check_and_by_turn(recording: Recording) -> None:
    one, other = (recording.draw(1, "softmax", name) for name in ("test_one", "test_two"))
    first = one.normal(4)
    assert not torch.equal(first, other.normal(4))
    assert not torch.equal(first, one.normal(4))


def test_answers_and_slack_come_back(recording: Recording, tmp_path: Path) -> None:
    question = Question.of([function("softmax", torch.tensor([1.0, 2.0, 3.0])), function("softmax", "no tensor")])
    due, slack = recording.due(question), recording.slack(question)
    read = written(recording, tmp_path)
    assert torch.equal(read.due(question)[0]["output"], due[0]["output"])
    assert torch.equal(read.slack(question)[0]["output"], slack[0]["output"])
    assert read.due(question)[1].error == due[1].error and due[1].error is not None


def test_unknown_question_and_draw_are_told_apart_from_a_wrong_answer(recording: Recording, tmp_path: Path) -> None:
    read = written(recording, tmp_path)
    question = Question.of([function("softmax", torch.tensor([1.0]))])
    for ask in (lambda: read.due(question), lambda: read.draw(0, "softmax", "test_one").normal(2)):
        with pytest.raises(NotRecorded):
            ask()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"KAT1 and then something else", id="another file"),
        pytest.param(Numbers().to_bytes()[:-4], id="cut short"),
    ],
)
def test_damaged_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "softmax.numbers").write_bytes(content)
    with pytest.raises(GraderBroken, match=r"softmax\.numbers is damaged: unzip the bundle again"):
        Numbers.read(tmp_path / "softmax.numbers")
