"""`--unit`: one week's assignment is graded, exported, released and packed as if there were nothing else."""

from __future__ import annotations

import csv
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


def test_unit_is_graded_alone_and_said_with_its_points_and_due_date(root: Path, kata: Kata) -> None:
    done = kata("grade", "class/ada", "--unit", "01_parts", "--isolation", "best", "--json", "-", cwd=root)
    assert "01_parts: 1 exercise, 4 points, due 1 March 2026, 12:00 UTC." in done.stderr
    record = json.loads(done.stdout)
    assert [each["id"] for each in record["exercises"]] == ["share"] and record["max_points"] == 4


def test_unknown_unit_is_one_sentence(root: Path, kata: Kata) -> None:
    done = kata("grade", "class/ada", "--unit", "9", cwd=root)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == ["There is no unit '9': take 01_parts, 02_more, 03_last."]


def test_class_of_a_unit_has_that_maximum(root: Path, kata: Kata, tmp_path: Path) -> None:
    out = tmp_path / "week"
    how = ("--isolation", "best", "--jobs", 1, "--roster", "roster.csv")
    assert kata("grade-class", "class", "--out", out, "--unit", "1", *how, cwd=root).returncode == 0
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]
    assert [(each["final_points"], each["final_max_points"]) for each in lines] == [(3.6, 4), (4, 4)]


@pytest.mark.parametrize("format", ["csv", "canvas", "moodle"], ids=str)
def test_table_of_a_unit_has_its_points_alone(format: str, root: Path, kata: Kata) -> None:
    done = kata("export", "out", "--format", format, "--unit", "01_parts", "--to", "-", cwd=root)
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(done.stdout.splitlines()))
    text = done.stdout
    assert "3.6" in text and "split" not in text and "third" not in text
    assert any("4" in row for row in rows) and not any("12" in row for row in rows)
    if format == "canvas":
        assert "01_parts" in rows[0]


def test_gradescope_and_junit_say_nothing_of_units_that_are_not_set(root: Path, kata: Kata, tmp_path: Path) -> None:
    assert (
        kata("export", "out", "--format", "gradescope", "--unit", "1", "--to", tmp_path / "g", cwd=root).returncode == 0
    )
    result = json.loads((tmp_path / "g" / "0001-ada.json").read_text("utf-8"))
    assert {tag for test in result["tests"] for tag in test["tags"]} == {"share"}
    assert {test["status"] for test in result["tests"]} == {"passed"} and result["score"] == 3.6
    done = kata("export", "out", "--format", "junit", "--unit", "1", "--to", "-", cwd=root)
    assert 'skipped="0"' in done.stdout and 'failures="0"' in done.stdout and "split" not in done.stdout


def test_whole_course_names_the_units_that_count_as_zeros(root: Path, kata: Kata) -> None:
    whole = kata("export", "out", "--format", "csv", "--to", "-", cwd=root)
    assert "Nobody has handed in anything of 02_more, 03_last" in whole.stderr and "--unit 01_parts." in whole.stderr
    part = kata("export", "out", "--format", "csv", "--to", "-", "--unit", "1", cwd=root)
    assert "Nobody has handed in" not in part.stderr


def test_unit_that_was_not_graded_is_no_zero(root: Path, kata: Kata, tmp_path: Path) -> None:
    out = tmp_path / "week"
    how = ("--isolation", "best", "--jobs", 1)
    assert kata("grade-class", "class", "--out", out, "--unit", "1", *how, cwd=root).returncode == 0
    done = kata("export", out, "--format", "csv", "--unit", "2", "--to", "-", cwd=root)
    assert (done.returncode, done.stdout) == (2, "") and "Nothing of 02_more was graded" in done.stderr


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
