from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import SubmissionError, find_submissions, read_submission


def test_every_learner_s_submission_is_found_in_order(tmp_path: Path) -> None:
    for name in ("zoe", "bob", ".hidden", "__pycache__"):
        (tmp_path / name).mkdir()
    for name in ("alice.zip", "carl.ipynb", "dora.py", "ed.ZIP", "grades.csv", "README.md", ".x.py", "notes"):
        (tmp_path / name).touch()
    found = find_submissions(tmp_path)
    assert [path.name for path in found] == ["alice.zip", "bob", "carl.ipynb", "dora.py", "ed.ZIP", "zoe"]
    assert all(path.parent == tmp_path for path in found)


def test_link_is_found_so_that_reading_it_says_what_is_wrong(tmp_path: Path, course: Course) -> None:
    (tmp_path / "alice").symlink_to("/etc")
    (tmp_path / "bob.zip").symlink_to("nowhere")
    found = find_submissions(tmp_path)
    assert [path.name for path in found] == ["alice", "bob.zip"]
    for path in found:
        with pytest.raises(SubmissionError, match="is a link"):
            read_submission(path, course)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        pytest.param("gone", "gone does not exist.", id="missing"),
        pytest.param("file.py", "file.py is not a folder; name the folder that holds the submissions.", id="file"),
        pytest.param(
            "empty",
            "empty holds no submission: no folder, .zip, .tar.gz, .ipynb or .py file. What is there: notes.txt. "
            "Expected is one of these a learner, such as empty/ada/03_softmax.py.",
            id="empty",
        ),
    ],
)
def test_folder_without_submissions_is_one_sentence(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "file.py").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").touch()
    with pytest.raises(SubmissionError) as error:
        find_submissions(tmp_path / name)
    assert str(error.value) == sentence
