"""Names that look like an exercise's file, or that would do something where they are shown, in a folder and in a zip."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from grader.course import load_course
from grader.intake import Submission, read_submission

COURSE = load_course(Path(__file__).parents[2] / "course.yml")

NAMES = yaml.safe_load(Path(__file__).with_name("odd_names.yml").read_text(encoding="utf-8"))


def in_folder(name: str, place: Path) -> Submission:
    path = place / "alice" / name
    path.parent.mkdir(parents=True)
    path.write_text("answer")
    return read_submission(place / "alice", COURSE)


def in_zip(name: str, place: Path) -> Submission:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr(name, "answer")
    (place / "alice.zip").write_bytes(buffer.getvalue())
    return read_submission(place / "alice.zip", COURSE)


FORMS = pytest.mark.parametrize("read", [in_folder, in_zip], ids=["folder", "zip"])


@FORMS
@pytest.mark.parametrize("name", NAMES["no_answer"].values(), ids=NAMES["no_answer"])
def test_name_that_only_looks_like_an_exercise_is_told_and_not_guessed(
    name: str, read: Callable, tmp_path: Path
) -> None:
    submission = read(name, tmp_path)
    assert submission.sources == {}
    (problem,) = submission.problems
    assert problem.kind == "unknown"
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b\u202e]", problem.file + problem.message)


@FORMS
@pytest.mark.parametrize("name", NAMES["almost"].values(), ids=NAMES["almost"])
def test_name_that_can_mean_one_exercise_only_counts_and_is_told(name: str, read: Callable, tmp_path: Path) -> None:
    submission = read(name, tmp_path)
    assert list(submission.sources) == ["softmax"]
    assert [problem.kind for problem in submission.problems] == ["renamed"]


@FORMS
@pytest.mark.parametrize("name", NAMES["answer"].values(), ids=NAMES["answer"])
def test_name_of_an_exercise_counts_wherever_it_lies(name: str, read: Callable, tmp_path: Path) -> None:
    submission = read(name, tmp_path)
    assert list(submission.sources) == ["softmax"] and submission.problems == ()
