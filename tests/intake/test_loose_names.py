"""Files that are not quite called as they should be: taken where one exercise alone can be meant, and said."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import Part, read_parts, read_submission
from grader.intake.loose_names import exercise_meant

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        pytest.param("03_softmax (1).py", "softmax", id="a browser's number"),
        pytest.param("softmax(2).py", "softmax", id="without a blank"),
        pytest.param("03_softmax (1) (2).py", "softmax", id="downloaded again"),
        pytest.param("Softmax.py", "softmax", id="a capital"),
        pytest.param("03_SOFTMAX.PY", "softmax", id="capitals alone"),
        pytest.param("03_softmax_final.py", "softmax", id="final"),
        pytest.param("03_softmax-final v2.py", "softmax", id="several words"),
        pytest.param("03_softmax - Copy.py", "softmax", id="a copy"),
        pytest.param("Copy of 03_softmax.py", "softmax", id="a copy of it"),
        pytest.param("03-softmax.py", "softmax", id="a hyphen"),
        pytest.param("causal mask.py", "causal_mask", id="a blank"),
        pytest.param("CausalMask.py", "causal_mask", id="words together"),
        pytest.param("causal_attention_v3.py", "causal_attention", id="of two that begin alike"),
    ],
)
def test_name_means_the_one_exercise_that_it_can(
    name: str, meant: str, write: Write, work: Path, course: Course
) -> None:
    write(name, "answer")
    submission = read_submission(work, course)
    assert {id: source.content for id, source in submission.sources.items()} == {meant: b"answer"}
    (note,) = submission.problems
    assert (note.kind, note.exercise) == ("renamed", meant) and "was taken as" in note.message


@pytest.mark.parametrize(
    "name",
    ["softmax_test.py", "softmax_old.py", "softmax_notes.py", "my_softmax.py", "soft.py", "causal.py", "helper.py"],
    ids=str,
)
def test_what_may_be_something_else_is_left_out_and_named(name: str, write: Write, work: Path, course: Course) -> None:
    write(name, "answer")
    submission = read_submission(work, course)
    assert not submission.sources and [each.kind for each in submission.problems] == ["unknown"]


def test_name_that_two_exercises_could_have_means_none() -> None:
    assert exercise_meant("SoftMax.py", ["soft_max", "softmax"]) == "softmax"
    assert exercise_meant("soft max_.py", ["so_ftmax", "s_oftmax"]) is None


def test_exact_name_wins_and_the_other_is_named(write: Write, work: Path, course: Course) -> None:
    write("03_softmax.py", "right")
    write("03_softmax (1).py", "other")
    submission = read_submission(work, course)
    assert submission.sources["softmax"].content == b"right"
    (problem,) = submission.problems
    assert problem.message == "03_softmax (1).py was left out, since 03_softmax.py answers softmax."


def test_two_that_differ_count_for_neither_and_are_both_named(write: Write, work: Path, course: Course) -> None:
    write("03_softmax (1).py", "one")
    write("03_softmax_final.py", "other")
    submission = read_submission(work, course)
    assert not submission.sources
    (problem,) = submission.problems
    assert (problem.kind, problem.exercise) == ("duplicate", "softmax")
    assert "03_softmax (1).py and 03_softmax_final.py both answer softmax and differ" in problem.message


def test_two_that_do_not_differ_are_one(write: Write, work: Path, course: Course) -> None:
    write("a/03_softmax (1).py", "same")
    write("b/Softmax.py", "same")
    submission = read_submission(work, course)
    assert submission.sources["softmax"].content == b"same"
    assert [each.kind for each in submission.problems] == ["renamed", "renamed"]


def test_file_of_such_a_name_that_is_no_text_is_told_of_the_exercise(write: Write, work: Path, course: Course) -> None:
    write("Softmax.py", b"\xff\xfe\x00")
    submission = read_submission(work, course)
    assert not submission.sources
    assert [(each.kind, each.exercise) for each in submission.problems] == [("unreadable", "softmax")]


def test_zip_is_read_alike(tmp_path: Path, course: Course) -> None:
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as packed:
        packed.writestr("week/Softmax (1).py", "answer")
    assert read_submission(tmp_path / "ada.zip", course).sources["softmax"].content == b"answer"


def test_lone_file_goes_by_what_it_defines_and_only_then_by_its_name(tmp_path: Path, course: Course) -> None:
    (tmp_path / "Softmax.py").write_text("def causal_mask(n): ...\n")
    assert list(read_submission(tmp_path / "Softmax.py", course).sources) == ["causal_mask"]
    (tmp_path / "softmax (1).py").write_text("x = 1\n")
    assert list(read_submission(tmp_path / "softmax (1).py", course).sources) == ["softmax"]


def test_file_among_those_of_others_goes_by_what_its_learner_called_it(tmp_path: Path, course: Course) -> None:
    (tmp_path / "byronada_5_77_softmax (1).py").write_text("x = 1\n")
    part = Part(tmp_path / "byronada_5_77_softmax (1).py", "softmax (1).py")
    assert list(read_parts([part], course).sources) == ["softmax"]
