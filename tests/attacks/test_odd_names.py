"""Names that look like an exercise's file, or that would do something where they are shown, in a folder and in a zip."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
import yaml

from grader.course import load_course
from grader.intake import read_submission

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
NAMES = yaml.safe_load(Path(__file__).with_name("odd_names.yml").read_text(encoding="utf-8"))
TAKEN = {"no_answer": ([], ["unknown"]), "almost": (["softmax"], ["renamed"]), "answer": (["softmax"], [])}
"""The exercises that a name of each kind counts for, and what is told of it."""


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize(
    ("kind", "name"), [pytest.param(kind, name, id=what) for kind in TAKEN for what, name in NAMES[kind].items()]
)
def test_a_name_counts_if_it_can_mean_one_exercise_only_and_else_is_told(
    kind: str, name: str, form: str, tmp_path: Path
) -> None:
    handed_in = tmp_path / ("alice.zip" if form == "zip" else "alice")
    if form == "zip":
        with zipfile.ZipFile(handed_in, "w") as made:
            made.writestr(name, "answer")
    else:
        (handed_in / name).parent.mkdir(parents=True)
        (handed_in / name).write_text("answer")
    submission = read_submission(handed_in, COURSE)
    assert (list(submission.sources), [problem.kind for problem in submission.problems]) == TAKEN[kind]
    for problem in submission.problems:
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b\u202e]", problem.file + problem.message)
