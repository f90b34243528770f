"""Two known mistakes at once, of the real course: both are named, and nothing is where it would be a guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.judge import diagnosis
from grader.judge.bank import Mistake, both_from, load_bank
from grader.judge.course_code import CourseCode
from grader.judge.grading import Judge

from ..cases import table
from .graded import result

THOROUGH = ("self_attention", "multi_head_attention", "multi_head_wrapper")
TABLES = table(__file__, "pairs.yml")
Names = Callable[[str, str], list[str]]


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(Path(__file__).parents[2] / "course.yml")


@pytest.fixture(scope="module")
def names_of(course: Course) -> Iterator[Names]:
    judge = Judge(course, "process", seed=1, only=["softmax", *THOROUGH])

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


PAIRS = [
    pytest.param(*pair, id="-".join(pair[:3]), marks=pytest.mark.thorough if pair[0] in THOROUGH else ())
    for pair in TABLES["pairs"]
]


@pytest.mark.parametrize(("id", "one", "other", "named"), PAIRS)
def test_both_are_named_unless_one_hides_the_other(
    course: Course, names_of: Names, id: str, one: str, other: str, named: list[str]
) -> None:
    reference, bank = known(course, id)
    text = both_from(bank[one], bank[other], reference)
    assert text is not None
    assert set(names_of(id, text)) == set(named)


def test_something_unknown_beside_a_known_mistake_is_not_given_a_name_of_its_own(
    course: Course, names_of: Names
) -> None:
    reference, bank = known(course, "softmax")
    text = bank["minus-sign"].source_from(reference).replace("torch.exp(", "torch.exp(0.7 * ")

    assert names_of("softmax", text) == []


def test_few_pairs_are_tried_for_numbers_that_no_mistake_gives_anywhere(
    course: Course, names_of: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    combined: list[tuple[int, int]] = []
    monkeypatch.setattr(CourseCode, "both", lambda self, *places: combined.append(places))
    assert names_of("softmax", known(course, "softmax")[0] + "\n\n" + TABLES["noise"]) == []
    assert len(combined) <= diagnosis.STEPS_WITHOUT_A_SIGN / diagnosis.STEPS_OF_A_PAIR


def test_all_of_naming_has_one_budget(course: Course, names_of: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    reference, bank = known(course, "softmax")
    text = both_from(bank["float32-only"], bank["minus-sign"], reference)
    assert text is not None
    monkeypatch.setattr(diagnosis, "MOST_STEPS", 1)
    assert names_of("softmax", text) == []


def test_only_so_many_pairs_are_kept(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise, made = course.exercise("softmax"), list[tuple[Mistake, Mistake]]()
    monkeypatch.setattr("grader.judge.course_code.MAX_CACHED_PAIRS", 2)
    monkeypatch.setattr("grader.judge.course_code.both_from", lambda one, other, _: made.append((one, other)))
    code = CourseCode(course.solution_path(exercise), course.mistakes_path(exercise))
    for places in ((0, 1), (0, 1), (0, 2), (0, 3), (0, 3), (0, 1)):
        assert code.both(*places) is None
    first, *others = (mistake for mistake, _ in code.mistakes[:4])
    assert made == [(first, others[place]) for place in (0, 1, 2, 2)]


def test_an_edit_that_both_make_is_made_once(course: Course) -> None:
    reference, bank = known(course, "multi_head_wrapper")
    scale, order = bank["no-scale"], bank["softmax-over-queries"]
    assert set(scale.edits) & set(order.edits)
    text = both_from(scale, order, reference)
    assert text is not None and text not in (scale.source_from(reference), order.source_from(reference))


@pytest.mark.parametrize(
    ("id", "one", "other"),
    [
        pytest.param("self_attention", "no-scale", "scale-upside-down", id="both change the same line"),
        pytest.param("self_attention", "no-scale", "no-scale", id="twice the same"),
        pytest.param("to_linear", "not-transposed", "matrix-overwritten", id="a statement is torn apart"),
    ],
)
def test_edits_that_do_not_go_together_are_no_pair(course: Course, id: str, one: str, other: str) -> None:
    reference, bank = known(course, id)
    assert both_from(bank[one], bank[other], reference) is None
