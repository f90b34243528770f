"""What lies in a class's folder: a submission a learner, and everything else with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.class_listing import look_into, nothing_in
from grader.course import load_course
from grader.intake import SubmissionError, read_submission

COURSE = Path(__file__).parents[2] / "course.yml"


def test_every_learner_s_submission_is_found_in_order(tmp_path: Path) -> None:
    for name in ("zoe", "bob", ".hidden", "__pycache__"):
        (tmp_path / name).mkdir()
    for name in ("alice.zip", "carl.ipynb", "dora.py", "ed.ZIP", "fay.tar.gz", "grades.csv", "README.md", "notes"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "link.zip").symlink_to("nowhere")
    found, course = look_into(tmp_path), load_course(COURSE)
    names = [path.name for path in found.submissions]
    assert names == ["alice.zip", "bob", "carl.ipynb", "dora.py", "ed.ZIP", "fay.tar.gz", "link", "link.zip", "zoe"]
    assert [each.name for each in found.others if not each.is_usual] == ["grades.csv", "notes"]
    for name in ("link", "link.zip"):  # found, so that reading them says what is wrong
        with pytest.raises(SubmissionError, match="is a link"):
            read_submission(tmp_path / name, course)


def test_folder_without_submissions_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file.py").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").touch()
    with pytest.raises(SubmissionError, match=r"^gone does not exist\.$"):
        look_into(tmp_path / "gone")
    with pytest.raises(
        SubmissionError, match=r"^file.py is not a folder; name the folder that holds the submissions\.$"
    ):
        look_into(tmp_path / "file.py")
    assert nothing_in(tmp_path / "empty", look_into(tmp_path / "empty").others) == (
        "empty holds no submission: no folder, .zip, .ipynb or .py file. What is there: notes.txt. "
        "Expected is one of these a learner, such as empty/ada/03_softmax.py."
    )
