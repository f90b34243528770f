"""Names that are not quite an exercise's: taken where a system, a browser or Canvas made them so, and else named."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import LooseFile, read_loose_files, read_submission

Write = Callable[..., Path]


@pytest.mark.parametrize(
    "name", ["03_softmax (1).py", "softmax(2).py", "softmax-1.py", "Softmax.py", "03_SOFTMAX.PY"], ids=str
)
def test_file_saved_again_or_in_other_letters_is_taken_and_told(
    name: str, write: Write, work: Path, course: Course
) -> None:
    write(name, "answer")
    submission = read_submission(work, course)
    assert {id: source.content for id, source in submission.sources.items()} == {"softmax": b"answer"}
    (note,) = submission.problems
    assert (note.kind, note.exercise) == ("renamed", "softmax") and "was taken as 03_softmax.py" in note.message


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("03_softmax_final.py", "03_softmax.py"),
        ("soft_max.py", "03_softmax.py"),
        ("03-softmax.py", "03_softmax.py"),
        ("Copy of 03_softmax.py", "03_softmax.py"),
        ("CausalMask v2.py", "01_causal_mask.py"),
        ("causal_attention_old.py", "07_causal_attention.py"),
        ("sofmax.py", "03_softmax.py"),
        ("softmax.py.txt", "03_softmax.py"),
        ("softmax.pyc", "03_softmax.py"),
        ("soft.py", None),
        ("conftest.py", None),
        ("torch.py", None),
        ("notes.txt", None),
    ],
    ids=str,
)
def test_any_other_name_is_no_answer_and_a_person_is_told_what_to_call_it(
    name: str, meant: str | None, write: Write, work: Path, course: Course
) -> None:
    write(name, "answer")
    submission = read_submission(work, course)
    (problem,) = submission.problems
    assert not submission.sources and (problem.file, problem.kind, problem.exercise) == (name, "unknown", None)
    advice = f"; if it is an answer, call it {meant}" if meant else ""
    assert problem.message == f"{name} is not a file of this course and was left out{advice}."


def test_exact_name_wins_and_the_other_is_named(write: Write, work: Path, course: Course) -> None:
    write("03_softmax.py", "right")
    write("03_softmax (1).py", "other")
    submission = read_submission(work, course)
    assert submission.sources["softmax"].content == b"right"
    (problem,) = submission.problems
    assert problem.message == "03_softmax (1).py was left out, since 03_softmax.py answers softmax."


@pytest.mark.parametrize(
    ("second", "taken", "kinds"),
    [("one", {"softmax"}, ["renamed", "renamed"]), ("other", set(), ["duplicate"])],
    ids=["same", "different"],
)
def test_two_saved_again_count_if_they_are_the_same(
    second: str, taken: set[str], kinds: list[str], write: Write, work: Path, course: Course
) -> None:
    write("a/03_softmax (1).py", "one")
    write("b/Softmax.py", second)
    submission = read_submission(work, course)
    assert submission.sources.keys() == taken
    assert [(each.kind, each.exercise) for each in submission.problems] == [(kind, "softmax") for kind in kinds]


def test_file_of_such_a_name_that_is_no_text_is_told_of_the_exercise(write: Write, work: Path, course: Course) -> None:
    write("Softmax.py", b"\xff\xfe\x00")
    submission = read_submission(work, course)
    assert not submission.sources
    assert [(each.kind, each.exercise) for each in submission.problems] == [("unreadable", "softmax")]


def test_lone_file_goes_by_what_it_defines_and_only_then_by_its_name(tmp_path: Path, course: Course) -> None:
    (tmp_path / "Softmax.py").write_text("def causal_mask(n): ...\n")
    assert list(read_submission(tmp_path / "Softmax.py", course).sources) == ["causal_mask"]
    (tmp_path / "byronada_5_77_softmax-1.py").write_text("x = 1\n")
    part = LooseFile(tmp_path / "byronada_5_77_softmax-1.py", "softmax-1.py")
    assert list(read_loose_files([part], course).sources) == ["softmax"]


@pytest.mark.parametrize("inside", ["", "unzipped/twice/"], ids=["at the top", "further down"])
@pytest.mark.parametrize("kind", ["folder", "zip"])
@pytest.mark.parametrize("mark", ["course.yml", "review/03_softmax.py"], ids=["course", "workspace"])
def test_of_a_whole_course_only_exercises_count(
    kind: str, inside: str, mark: str, write: Write, work: Path, course: Course, tmp_path: Path
) -> None:
    for folder in ("exercises", "solutions", "tests/kits"):
        write(f"{inside}{folder}/03_softmax.py", folder)
    write(inside + mark, "")
    handed_in = work
    if kind == "zip":
        handed_in = tmp_path / "ana.zip"
        with zipfile.ZipFile(handed_in, "w") as archive:
            for file in sorted(work.rglob("*")):
                archive.write(file, file.relative_to(work))
    submission = read_submission(handed_in, course)
    assert submission.sources["softmax"].content == b"exercises"
    assert submission.problems == ()
