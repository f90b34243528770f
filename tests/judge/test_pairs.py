"""Two known mistakes at once, of the real course: both are named, and nothing is where it would be a guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.judge import diagnosis
from grader.judge.bank import Mistake, both_from, load_bank
from grader.judge.expected import Expected
from grader.judge.grading import Judge

from .graded import result

EXERCISES = ("softmax", "self_attention", "multi_head_attention", "multi_head_wrapper")
Named = Callable[[str, str], list[str]]


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(Path(__file__).parents[2] / "course.yml")


@pytest.fixture(scope="module")
def named(course: Course) -> Iterator[Named]:
    judge = Judge(course, "process", seed=1, only=EXERCISES)

    def of(id: str, source: str) -> list[str]:
        came = result(judge, source, id)
        assert came.status == "failed"
        return [each.mistake for each in came.diagnosis]

    yield of
    judge.close()


def known(course: Course, id: str) -> tuple[str, dict[str, Mistake]]:
    exercise = course.exercise(id)
    bank = load_bank(course.mistakes_path(exercise))
    return course.solution_path(exercise).read_text("utf-8"), {mistake.id: mistake for mistake in bank}


@pytest.mark.parametrize(
    ("id", "one", "other"),
    [
        ("softmax", "float32-only", "minus-sign"),
        pytest.param("self_attention", "no-scale", "softmax-over-queries", marks=pytest.mark.thorough),
        pytest.param("self_attention", "future-hidden", "input-added", marks=pytest.mark.thorough),
        pytest.param("multi_head_attention", "scale-from-d-out", "own-token-hidden-finite", marks=pytest.mark.thorough),
        pytest.param("multi_head_attention", "no-scale", "merge-without-transpose", marks=pytest.mark.thorough),
        pytest.param("multi_head_attention", "dropout-in-eval", "scale-from-d-in", marks=pytest.mark.thorough),
        pytest.param("multi_head_wrapper", "next-token-seen", "keys-as-values", marks=pytest.mark.thorough),
        pytest.param("multi_head_wrapper", "divided-by-d-out", "joined-along-the-tokens", marks=pytest.mark.thorough),
    ],
    ids=lambda text: text,
)
def test_both_are_named(course: Course, named: Named, id: str, one: str, other: str) -> None:
    reference, bank = known(course, id)
    text = both_from(bank[one], bank[other], reference)
    assert text is not None

    assert set(named(id, text)) == {one, other}


def test_a_mistake_that_hides_another_is_named_alone(course: Course, named: Named) -> None:
    reference, bank = known(course, "softmax")
    text = both_from(bank["dim-ignored"], bank["softmax-over-everything"], reference)
    assert text is not None

    assert named("softmax", text) == ["softmax-over-everything"]


def test_something_unknown_beside_a_known_mistake_is_not_given_a_name_of_its_own(course: Course, named: Named) -> None:
    reference, bank = known(course, "softmax")
    text = bank["minus-sign"].edited(reference).replace("torch.exp(", "torch.exp(0.7 * ")

    assert named("softmax", text) == []


NOISE = """

_right = softmax


def softmax(x):
    return _right(x) + 0.013 * torch.sin(torch.arange(x.numel(), dtype=x.dtype)).reshape(x.shape)
"""


def test_few_pairs_are_tried_for_numbers_that_no_mistake_gives_anywhere(
    course: Course, named: Named, monkeypatch: pytest.MonkeyPatch
) -> None:
    combined: list[tuple[int, int]] = []
    monkeypatch.setattr(Expected, "pair", lambda self, *places: combined.append(places))
    assert named("softmax", known(course, "softmax")[0] + NOISE) == []
    assert len(combined) <= diagnosis.STEPS_WITHOUT_A_SIGN / diagnosis.STEPS_OF_A_PAIR


def test_all_of_naming_has_one_budget(course: Course, named: Named, monkeypatch: pytest.MonkeyPatch) -> None:
    reference, bank = known(course, "softmax")
    text = both_from(bank["float32-only"], bank["minus-sign"], reference)
    assert text is not None
    monkeypatch.setattr(diagnosis, "MOST_STEPS", 1)
    assert named("softmax", text) == []


@pytest.mark.thorough
def test_an_edit_that_both_make_is_made_once(course: Course, named: Named) -> None:
    reference, bank = known(course, "multi_head_wrapper")
    scale, order = bank["no-scale"], bank["softmax-over-queries"]
    assert set(scale.edits) & set(order.edits), "both write the head by hand first"

    text = both_from(scale, order, reference)

    assert text is not None
    assert set(named("multi_head_wrapper", text)) == {scale.id, order.id}


@pytest.mark.parametrize(
    ("one", "other"),
    [("no-scale", "scale-upside-down"), ("no-scale", "no-scale")],
    ids=["both change the same line", "twice the same"],
)
def test_edits_that_do_not_go_together_are_no_pair(course: Course, one: str, other: str) -> None:
    reference, bank = known(course, "self_attention")

    assert both_from(bank[one], bank[other], reference) is None


def test_edits_that_tear_a_statement_apart_are_no_pair(course: Course) -> None:
    reference, bank = known(course, "to_linear")

    assert both_from(bank["not-transposed"], bank["matrix-overwritten"], reference) is None
