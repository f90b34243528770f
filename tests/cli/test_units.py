"""`--unit`: one week's assignment is exported, packed and released as if there were nothing else. Tables: tests/transcripts."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course

pytestmark = pytest.mark.thorough

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
POLICY = """\
policy:
  due: {01_parts: 2026-03-01 12:00 +00:00, 02_more: 2026-03-08 12:00 +00:00}
  late_percent_per_day: 10
documents:
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    """A course of three units, the second of which asks for the first."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share", "02_more/01_split", "03_last/01_third")
    text = (root / "course.yml").read_text("utf-8").replace("documents:\n", POLICY, 1)
    before, mark, after = text.partition("id: split")
    (root / "course.yml").write_text(before + mark + after.replace("requires: []", "requires: [share]", 1), "utf-8")
    return root


def done(kata: Kata, cwd: Path, *words: object) -> str:
    run = kata(*words, cwd=cwd)
    assert run.returncode == 0, run.stderr
    return run.stdout + run.stderr


def test_gradescope_and_junit_say_nothing_of_units_that_are_not_set(root: Path, kata: Kata, tmp_path: Path) -> None:
    (root / "class" / "ada").mkdir(parents=True)
    (root / "class" / "ada" / "share.py").write_text(RIGHT, "utf-8")
    (root / "roster.csv").write_text("id,handed_in\nada,2026-03-02 11:00 +00:00\n", "utf-8")  # a day late
    done(kata, root, "grade-class", "class", "--out", "out", "--isolation", "best", "--roster", "roster.csv")
    done(kata, root, "export", "out", "--format", "gradescope", "--unit", "1", "--to", tmp_path / "g")
    result = json.loads((tmp_path / "g" / "0001-ada.json").read_text("utf-8"))
    assert {tag for test in result["tests"] for tag in test["tags"]} == {"share"}
    assert {test["status"] for test in result["tests"]} == {"passed"} and result["score"] == 3.6
    told = done(kata, root, "export", "out", "--format", "junit", "--unit", "1", "--to", "-")
    assert 'skipped="0"' in told and 'failures="0"' in told and "split" not in told


def test_gradescopes_autograder_grades_the_unit_alone(root: Path, kata: Kata, tmp_path: Path) -> None:
    told = done(kata, tmp_path, "autograder", "gradescope", "kata.zip", "--unit", "2", "--course", root)
    assert "worth 4 points" in told and "02_more: 1 exercise, 4 points, due 8 March 2026" in told
    with zipfile.ZipFile(tmp_path / "kata.zip") as archive:
        archive.extractall(tmp_path / "unzipped")
    course = load_course(tmp_path / "unzipped" / "course" / "course.yml")
    assert [(each.id, each.requires) for each in course.exercises] == [("split", ())]
    assert list(course.policy.due) == ["02_more"]


@pytest.mark.parametrize(("option", "name"), [("--unit", "02_more"), ("--only", "softmax")])
def test_githubs_workflow_grades_what_is_named_alone(option: str, name: str, kata: Kata, tmp_path: Path) -> None:
    words = ("autograder", "github", "repo", "--repository", "a/b", option)
    done(kata, tmp_path, *words, name)
    workflow = (tmp_path / "repo" / ".github" / "workflows" / "classroom.yml").read_text("utf-8")
    assert f"--course course/course.yml {option} {name} --isolation full" in workflow
    refused = kata(*words, "x; rm", "--force", cwd=tmp_path)
    assert refused.returncode == 2 and "is no name of a unit or an exercise" in refused.stderr


def test_wheel_of_a_unit_holds_nothing_of_the_others(root: Path, kata: Kata, tmp_path: Path) -> None:
    words = ("release", "--out", "out", "--without-answers", "--unit", "2", "--course", root)
    assert "1 exercise, " in done(kata, tmp_path, *words)
    (wheel,) = (tmp_path / "out").glob("*.whl")
    with zipfile.ZipFile(wheel) as pack:
        names = [name for name in pack.namelist() if name.startswith("grader/carried_course/")]
        catalogue = pack.read("grader/carried_course/course.yml").decode()
    assert "id: split" in catalogue and any("split" in name for name in names)
    assert not [name for name in names if "share" in name or "third" in name]
