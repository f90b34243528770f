"""`--unit`: one week's assignment is graded, exported, released and packed as if there were nothing else."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course

pytestmark = pytest.mark.thorough

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
POLICY = """\
policy:
  due: {01_parts: 2026-03-01 12:00 +00:00, 02_more: 2026-03-08 12:00 +00:00}
  late_percent_per_day: 10
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Kata) -> Path:
    """A course of three units of which one is set; the whole of it was graded, ada a day late."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share", "02_more/01_split", "03_last/01_third")
    text = (root / "course.yml").read_text("utf-8").replace("documents:\n", f"{POLICY}documents:\n", 1)
    text = text.replace("id: split\n", "id: split\n", 1)
    before, mark, after = text.partition("id: split")
    (root / "course.yml").write_text(before + mark + after.replace("requires: []", "requires: [share]", 1), "utf-8")
    for name in ("ada", "bo"):
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "share.py").write_text(RIGHT.format(id="share"), "utf-8")
    (root / "roster.csv").write_text("id,handed_in\nada,2026-03-02 11:00 +00:00\nbo,2026-03-01 11:00 +00:00\n", "utf-8")
    done = kata(
        *("grade-class", "class", "--out", "out", "--isolation", "best", "--seed", 5, "--jobs", 1),
        *("--roster", "roster.csv"),
        cwd=root,
    )
    assert done.returncode == 0, done.stderr
    return root


def test_gradescope_and_junit_say_nothing_of_units_that_are_not_set(root: Path, kata: Kata, tmp_path: Path) -> None:
    assert (
        kata("export", "out", "--format", "gradescope", "--unit", "1", "--to", tmp_path / "g", cwd=root).returncode == 0
    )
    result = json.loads((tmp_path / "g" / "0001-ada.json").read_text("utf-8"))
    assert {tag for test in result["tests"] for tag in test["tags"]} == {"share"}
    assert {test["status"] for test in result["tests"]} == {"passed"} and result["score"] == 3.6
    done = kata("export", "out", "--format", "junit", "--unit", "1", "--to", "-", cwd=root)
    assert 'skipped="0"' in done.stdout and 'failures="0"' in done.stdout and "split" not in done.stdout


def test_autograders_grade_the_unit_alone(root: Path, kata: Kata, tmp_path: Path) -> None:
    packed = kata("autograder", "gradescope", tmp_path / "kata.zip", "--unit", "2", "--course", root, cwd=tmp_path)
    assert packed.returncode == 0, packed.stderr
    assert "worth 4 points" in packed.stdout and "02_more: 1 exercise, 4 points, due 8 March 2026" in packed.stderr
    with zipfile.ZipFile(tmp_path / "kata.zip") as archive:
        archive.extractall(tmp_path / "unzipped")
    course = load_course(tmp_path / "unzipped" / "course" / "course.yml")
    assert [(each.id, each.requires) for each in course.exercises] == [("split", ())]
    assert list(course.policy.due) == ["02_more"]
    made = kata("autograder", "github", "repo", "--repository", "a/b", "--unit", "02_more", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    workflow = (tmp_path / "repo" / ".github" / "workflows" / "classroom.yml").read_text("utf-8")
    assert "--course course/course.yml --unit 02_more --isolation full" in workflow
    made = kata("autograder", "github", "other", "--repository", "a/b", "--only", "softmax", cwd=tmp_path)
    workflow = (tmp_path / "other" / ".github" / "workflows" / "classroom.yml").read_text("utf-8")
    assert "--course course/course.yml --only softmax --isolation full" in workflow
    for option in ("--unit", "--only"):
        refused = kata("autograder", "github", "another", "--repository", "a/b", option, "x; rm", cwd=tmp_path)
        assert refused.returncode == 2 and "is no name of a unit or an exercise" in refused.stderr


def test_wheel_of_a_unit_holds_nothing_of_the_others(root: Path, kata: Kata, tmp_path: Path) -> None:
    done = kata("release", "--out", "out", "--without-answers", "--unit", "2", "--course", root, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 exercise, " in done.stdout
    (wheel,) = (tmp_path / "out").glob("*.whl")
    with zipfile.ZipFile(wheel) as pack:
        names = [name for name in pack.namelist() if name.startswith("grader/carried_course/")]
        catalogue = pack.read("grader/carried_course/course.yml").decode()
    assert "id: split" in catalogue and any("split" in name for name in names)
    assert not [name for name in names if "share" in name or "third" in name]
