"""Going on with a class: the same roster and the same reading of names, whether or not they are given again."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

ROSTER = "id,name\n1001,Ada Byron\n1002,Bo Chen\n"


@pytest.fixture
def folder(tmp_path: Path, hand_in: Callable[..., Path], course_root: Path, kata: Kata) -> Path:
    """A class of two, graded with a roster whose ids are not the folders' names."""
    hand_in(tmp_path / "class", "Ada Byron")
    hand_in(tmp_path / "class", "Bo Chen", right=False)
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    done = graded(kata, tmp_path, course_root, "--roster", "roster.csv")
    assert done.returncode == 0, done.stderr
    return tmp_path


def graded(kata: Kata, folder: Path, course: Path, *arguments: object) -> Done:
    terms = ("--out", "out", "--course", course, "--isolation", "best", "--jobs", 1)
    return kata("grade-class", "class", *terms, *arguments, cwd=folder)


def test_roster_is_remembered_and_said(
    folder: Path, course_root: Path, kata: Kata, names_in: Callable[[Path], list[str]]
) -> None:
    before = (folder / "out" / "results.jsonl").read_bytes()
    done = graded(kata, folder, course_root, "--resume")
    assert done.returncode == 0, done.stderr
    assert f"The roster is that of the run before, {folder / 'roster.csv'}." in done.stderr
    assert (folder / "out" / "results.jsonl").read_bytes() == before
    assert names_in(folder / "out") == ["1001", "1002"]


def test_learner_who_joins_is_taken_from_the_roster_as_it_is_now(
    folder: Path, course_root: Path, kata: Kata, names_in: Callable[[Path], list[str]], hand_in: Callable[..., Path]
) -> None:
    (folder / "roster.csv").write_text(f"{ROSTER}1003,Cy Dee\n", "utf-8")
    hand_in(folder / "class", "Cy Dee")
    for _ in range(2):
        assert graded(kata, folder, course_root, "--resume").returncode == 0
        assert names_in(folder / "out") == ["1001", "1002", "1003"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("id,name\n1001,Ada Byron\n", "1002 would lose their row", id="a learner less"),
        pytest.param("id,name\n7,Ada Byron\n8,Bo Chen\n", "1001, 1002 would lose their row", id="other ids"),
        pytest.param("id,name\n1002,Ada Byron\n1001,Bo Chen\n", "would be another's", id="ids that are exchanged"),
    ],
)
def test_roster_that_would_move_a_row_is_refused(
    text: str, said: str, folder: Path, course_root: Path, kata: Kata
) -> None:
    before = (folder / "out" / "results.jsonl").read_bytes()
    (folder / "other.csv").write_text(text, "utf-8")
    done = graded(kata, folder, course_root, "--resume", "--roster", "other.csv")
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert (folder / "out" / "results.jsonl").read_bytes() == before


def test_roster_that_is_gone_is_asked_for(folder: Path, course_root: Path, kata: Kata) -> None:
    (folder / "roster.csv").rename(folder / "moved.csv")
    done = graded(kata, folder, course_root, "--resume")
    assert done.returncode == 2 and "--roster says where it is now" in done.stderr
    assert graded(kata, folder, course_root, "--resume", "--roster", "moved.csv").returncode == 0
    assert "moved.csv" in graded(kata, folder, course_root, "--resume").stderr


def test_roster_for_a_class_that_was_graded_without_one_is_refused_where_rows_would_get_other_names(
    tmp_path: Path, hand_in: Callable[..., Path], course_root: Path, kata: Kata
) -> None:
    hand_in(tmp_path / "class", "Ada Byron")
    assert graded(kata, tmp_path, course_root).returncode == 0
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    done = graded(kata, tmp_path, course_root, "--resume", "--roster", "roster.csv")
    assert done.returncode == 2 and "was graded with no roster" in done.stderr


def test_other_names_are_refused(folder: Path, course_root: Path, kata: Kata) -> None:
    done = graded(kata, folder, course_root, "--resume", "--names", "canvas")
    assert done.returncode == 2 and "was graded with the names of plain" in done.stderr


def test_exercises_of_the_run_before_are_taken_and_said(
    tmp_path: Path, hand_in: Callable[..., Path], make_course: Callable[..., Path], kata: Kata
) -> None:
    course = make_course(tmp_path / "course", "01_parts/01_share", "02_more/01_split")
    hand_in(tmp_path / "class", "ada")
    assert graded(kata, tmp_path, course, "--unit", "1").returncode == 0
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    done = graded(kata, tmp_path, course, "--resume")
    assert done.returncode == 0 and "The exercises are those of the run before: share." in done.stderr
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == before
