"""A course that changes in mid-term (docs/teach.md): a new version of the course while learners work, an exercise withdrawn, points changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.stubs import make_stub

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

UNIT = "01_parts"
CARRIED = "grader/carried_course"
KITS = [f"{UNIT}/01_share", f"{UNIT}/02_split", f"{UNIT}/03_cut"]
RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"


def answer(folder: Path, number: int, id: str, text: str = RIGHT) -> Path:
    path = folder / f"{number:02d}_{id}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(id=id), "utf-8")
    return path


def renew(course: Path) -> Path:
    """The new version: `split` is withdrawn, `share` has another contract and more points, `cut` another stub, `new` is new."""
    new = f"{UNIT}/04_new"
    kit = course / "tests/kits" / new
    shutil.copytree(course / f"tests/kits/{UNIT}/03_cut", kit)
    solution = Path(shutil.copy(course / f"solutions/{UNIT}/03_cut.py", course / f"solutions/{new}.py"))
    for path in (solution, kit / "checks.py", kit / "mistakes.py"):
        path.write_text(path.read_text("utf-8").replace("cut", "new"), "utf-8")
    for id in ("01_share", "03_cut"):
        solution = course / "solutions" / UNIT / f"{id}.py"
        solution.write_text(solution.read_text("utf-8").replace("is divided by", "is now divided by"), "utf-8")
    for id in ("01_share", "03_cut", "04_new"):
        solution = course / "solutions" / UNIT / f"{id}.py"
        (course / "exercises" / UNIT / f"{id}.py").write_text(make_stub(solution.read_text("utf-8")), "utf-8")
    checks = course / "tests/kits" / UNIT / "01_share" / "checks.py"
    checks.write_text(checks.read_text("utf-8").replace('@points(2, role="main")', '@points(4, role="main")'), "utf-8")
    catalogue = course / "course.yml"
    head, *blocks = catalogue.read_text("utf-8").split("      - id: ")
    share, _, cut = blocks
    added = cut.replace("cut", "new").replace("number: 3", "number: 4")
    text = "      - id: ".join([head, share.replace("points: 4", "points: 6"), cut, added])
    catalogue.write_text(text.replace('version: "1"', 'version: "2"'), "utf-8")
    return course


@pytest.fixture
def place(tmp_path: Path, make_course: Callable[..., Path], use_course: Callable[[Path, Path], None]) -> Path:
    """A course in its first version, beside it room for all else."""
    course = make_course(tmp_path / "course", *KITS)
    use_course(tmp_path, course)
    return tmp_path


def begin(place: Path, kata: Kata, course: str) -> Path:
    """A learner's folder, with `share` passed, `split` wrong, and `cut` as it was given."""
    done = kata("init", "work", "--course", course, cwd=place)
    assert done.returncode == 0, done.stderr
    work = place / "work"
    answer(work / "exercises" / UNIT, 1, "share")
    answer(work / "exercises" / UNIT, 2, "split", WRONG)
    assert kata("check", "share", cwd=work).returncode == 0
    return work


def see_what_an_update_does(place: Path, work: Path, kata: Kata, course: str) -> None:
    mine = {path: path.read_bytes() for path in (work / "exercises" / UNIT).glob("0[12]_*.py")}
    done = kata("init", "work", "--course", course, cwd=place)
    assert done.returncode == 0, done.stderr
    assert ": 1 new exercise, 1 renewed, 1 of yours kept." in done.stdout
    assert "The course has changed share since; yours stays as it is. `kata reset share`" in done.stdout
    assert "No longer part of the course, your files stay: split." in done.stdout
    assert {path: path.read_bytes() for path in mine} == mine
    assert "is now divided by" in (work / "exercises" / UNIT / "03_cut.py").read_text("utf-8")
    assert (work / "exercises" / UNIT / "04_new.py").exists()
    listed = kata("list", cwd=work).stdout
    assert {"(share)", "(cut)", "(new)"} <= set(listed.split()) and "split" not in listed
    assert json.loads((work / ".kata/progress.json").read_text("utf-8"))["exercises"]["share"]["passed_at"]
    assert kata("check", "share", cwd=work).returncode == 0
    refused = kata("check", "split", cwd=work)
    assert refused.returncode == 2 and "there is no exercise `split`" in refused.stderr
    told = kata("reset", "share", cwd=work)
    assert told.returncode == 0, told.stderr
    assert "is now divided by" in (work / "exercises" / UNIT / "01_share.py").read_text("utf-8")
    put_aside = work / told.stdout.partition("Your old work is in ")[2].strip()
    assert put_aside.read_bytes() == mine[work / "exercises" / UNIT / "01_share.py"]


@pytest.mark.thorough
def test_a_clone_is_updated_under_a_learner_who_works(place: Path, kata: Kata) -> None:
    work = begin(place, kata, "course")
    renew(place / "course")
    see_what_an_update_does(place, work, kata, "course")


@pytest.mark.thorough
def test_a_newer_wheel_takes_the_place_of_the_older(
    place: Path, kata: Kata, use_course: Callable[[Path, Path], None]
) -> None:
    def released(version: str) -> str:
        done = kata("release", "--out", version, "--without-answers", "--course", "course", cwd=place)
        assert done.returncode == 0, done.stderr
        (wheel,) = (place / version).glob("*.whl")
        with zipfile.ZipFile(wheel) as pack:
            pack.extractall(place / version)
        use_course(place / "work", place / version / CARRIED)
        return f"{version}/{CARRIED}"

    work = begin(place, kata, released("one"))
    renew(place / "course")
    see_what_an_update_does(place, work, kata, released("two"))


NBGRADER = Path(sys.executable).with_name("nbgrader")


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.version_info < (3, 11), reason="nbgrader is not made for 3.10")
def test_a_notebook_of_the_old_version_is_graded_by_the_new_course(place: Path, kata: Kata, run_command: Kata) -> None:
    folder = place / "nbgrader"
    env = {f"JUPYTER_{name}_DIR": str(place / "home" / name) for name in ("CONFIG", "DATA", "RUNTIME")}

    def nbgrader(*arguments: str) -> None:
        done = run_command(NBGRADER, *arguments, cwd=folder, env=env, seconds=300)
        assert done.returncode == 0, done.stderr

    assert kata("notebooks", folder, "--course", place / "course", cwd=place).returncode == 0
    nbgrader("generate_assignment", UNIT)
    released = json.loads((folder / "release" / UNIT / f"{UNIT}.ipynb").read_text("utf-8"))
    for cell in released["cells"]:
        id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if id in ("share", "split", "cut"):
            cell["source"] = RIGHT.format(id=id)
    old = json.dumps(released)

    renew(place / "course")
    assert kata("notebooks", folder, "--course", place / "course", cwd=place).returncode == 0
    nbgrader("generate_assignment", UNIT, "--force")
    submitted = folder / "submitted" / "ada" / UNIT / f"{UNIT}.ipynb"
    submitted.parent.mkdir(parents=True)
    submitted.write_text(old, "utf-8")
    nbgrader("autograde", UNIT)
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        (notebook,) = book.find_submission(UNIT, "ada").notebooks
        scores = {grade.name: grade.auto_score for grade in notebook.grades if grade.name.startswith("test-")}
    assert scores == {"test-share": 6, "test-cut": 4, "test-new": 0}
    shutil.rmtree(folder / "autograded")
