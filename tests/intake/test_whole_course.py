"""A learner who hands in the whole course folder hands in what is in its exercises."""

import shutil
import zipfile

import pytest

from grader.intake import read_submission


@pytest.fixture
def whole(tmp_path):
    root = tmp_path / "ana"
    for folder in ("exercises", "solutions", "tests/alternatives"):
        (root / folder).mkdir(parents=True)
        (root / folder / "03_softmax.py").write_text(f"# {folder}\n")
    (root / "course.yml").write_text("title: x\n")
    return root


@pytest.mark.parametrize("inside", ["", "unzipped/twice"], ids=["at-the-top", "further-down"])
@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_only_exercises_count(whole, course, kind, inside, tmp_path):
    handed_in = tmp_path / "handed_in"
    shutil.copytree(whole, handed_in / inside)
    if kind == "zip":
        path = tmp_path / "ana.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted(handed_in.rglob("*")):
                archive.write(file, file.relative_to(handed_in))
        handed_in = path
    submission = read_submission(handed_in, course)
    assert submission.sources["softmax"].content == b"# exercises\n"
    assert submission.problems == ()
