"""A course that lies beside or above what is graded is data: none of it is run, and nobody's points come from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KIT = "01_soft_lookup/03_softmax"
SPY = "open({mark!r}, 'a').write(__file__ + '\\n')\n\n"
NOBODY = 65534

HONEST = """
import torch


def softmax(scores, dim=-1):
    exps = torch.exp(scores - scores.max(dim=dim, keepdim=True).values)
    return exps / exps.sum(dim=dim, keepdim=True)
"""
WRONG = "def softmax(scores, dim=-1):\n    return scores\n"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Planted:
    """A class with an honest learner and one who brings a course along, and the file that this course would write."""

    folder: Path
    mark: Path

    @property
    def mallory(self) -> Path:
        return self.folder / "mallory"


def plant(root: Path, mark: Path, make_course: Callable[..., Path]) -> Path:
    """A whole course that nobody named, every program of which leaves a mark."""
    make_course(root, KIT, named=False)
    for path in [*(root / "tests").rglob("*.py"), *(root / "solutions").rglob("*.py")]:
        path.write_text(SPY.format(mark=str(mark)) + path.read_text("utf-8"), encoding="utf-8")
    return root


def plant_workspace(root: Path, course: Path) -> None:
    """What `kata init` of old left, and what it leaves now, for another's course."""
    (root / ".kata").mkdir(exist_ok=True)
    told = {"course": str(course / "course.yml"), "given": {}}
    (root / ".kata/workspace.json").write_text(json.dumps(told))


@pytest.fixture
def planted(tmp_path: Path, make_course: Callable[..., Path]) -> Planted:
    here = Planted(tmp_path / "class", tmp_path / "ran")
    plant(here.mallory, here.mark, make_course)
    (here.mallory / "exercises" / f"{KIT}.py").write_text(WRONG)
    (here.mallory / "03_softmax.py").write_text(WRONG)
    (here.folder / "alice").mkdir()
    (here.folder / "alice/03_softmax.py").write_text(HONEST)
    return here


GRADE = ("--only", "softmax", "--isolation", "best", "--seed", "5")


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["03_softmax.py", f"exercises/{KIT}.py"], ids=["a file", "a file of its course"])
def test_work_is_graded_from_within_by_the_course_of_the_program(what: str, planted: Planted, kata: Run) -> None:
    done = kata("grade", what, *GRADE, "--json", planted.folder / "record.json", cwd=planted.mallory)
    assert done.returncode == 0, done.stderr
    assert not planted.mark.exists(), planted.mark.read_text()
    record = json.loads((planted.folder / "record.json").read_text())
    assert record["course"]["title"] != "Tiny" and record["points"] == 0
    assert f"what lies in {planted.mallory} names none" in done.stderr

    honest = kata("grade", "../alice", *GRADE, cwd=planted.mallory)
    assert "5 of 5 points" in honest.stdout and not planted.mark.exists(), honest.stdout + honest.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(".", id="beside", marks=pytest.mark.thorough),
        pytest.param("mallory", id="in it"),
        pytest.param("mallory/exercises", id="below it", marks=pytest.mark.thorough),
    ],
)
def test_a_class_is_graded_by_the_course_of_the_program(
    place: str, planted: Planted, tmp_path: Path, kata: Run
) -> None:
    out = tmp_path / "out"
    done = kata("grade-class", planted.folder, "--out", out, *GRADE, "--raw", cwd=planted.folder / place)
    assert done.returncode == 0, done.stderr
    assert not planted.mark.exists(), planted.mark.read_text()
    records = map(json.loads, (out / "results.jsonl").read_text().splitlines())
    assert {each["submission"]: each["points"] for each in records} == {"alice": 5, "mallory": 0}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "module",
    [
        "multiprocessing/__init__.py",
        pytest.param("multiprocessing.py", marks=pytest.mark.thorough),
        pytest.param("os.py", marks=pytest.mark.thorough),
        pytest.param("signal.py", marks=pytest.mark.thorough),
    ],
)
def test_module_in_the_current_folder_is_imported_into_no_judge(
    module: str, planted: Planted, tmp_path: Path, kata: Run
) -> None:
    path = planted.mallory / module
    path.parent.mkdir(exist_ok=True)
    path.write_text(SPY.format(mark=str(planted.mark)))
    out = tmp_path / "out"
    done = kata("grade-class", "..", "--out", out, "--jobs", "2", *GRADE, "--raw", cwd=planted.mallory)
    assert done.returncode == 0, done.stderr
    assert not planted.mark.exists(), planted.mark.read_text()
    records = map(json.loads, (out / "results.jsonl").read_text().splitlines())
    assert {each["submission"]: each["points"] for each in records} == {"alice": 5, "mallory": 0}


def test_conftest_above_a_course_is_not_run_with_its_checks(
    tmp_path: Path, make_course: Callable[..., Path], kata: Run
) -> None:
    course = make_course(tmp_path / "shared/course", KIT, named=False)
    mark = tmp_path / "ran"
    (tmp_path / "shared/conftest.py").write_text(SPY.format(mark=str(mark)))
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice/03_softmax.py").write_text(HONEST)
    done = kata("grade", "alice", "--course", course, *GRADE, cwd=tmp_path)
    assert (done.returncode, mark.exists()) == (0, False), done.stderr
    assert "3 of 4 points" in done.stdout, done.stdout  # by the checks of that course


PRACTICE = {
    "bare": [],
    "check": ["check"],
    "check by id": ["check", "softmax"],
    "check by file": ["check", "03_softmax.py"],
    "watch": ["watch"],
    "list": ["list"],
    "next": ["next"],
    "hint": ["hint", "softmax"],
    "reset": ["reset", "softmax"],
    "solution": ["solution", "softmax", "--force"],
    "review": ["review", "softmax"],
    "report": ["report"],
    "verify": ["verify"],
    "verify that writes": ["verify", "--write-stubs"],
    "new": ["new", "halve", "--unit", "01_soft_lookup"],
    "release": ["release", "--out", "bundle"],
    "notebooks": ["notebooks", "folder"],
    "autograder": ["autograder", "gradescope", "packed.zip"],
    "init": ["init", "work"],
    "init here": ["init", "."],
}
TAKE_LONG = {"notebooks", "autograder", "release"}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(words, id=name, marks=pytest.mark.thorough if name in TAKE_LONG else ())
        for name, words in PRACTICE.items()
    ],
)
def test_no_command_for_ones_own_course_uses_one_that_was_not_named(
    arguments: list[str], planted: Planted, kata: Run
) -> None:
    before = contents(planted.folder)
    done = kata(*arguments, cwd=planted.mallory)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith(f"{planted.mallory} holds a course that you have not named")
    assert f"--course {planted.mallory}" in sentence
    assert not planted.mark.exists() and contents(planted.folder) == before


@pytest.mark.parametrize("arguments", [["check"], ["list"], []], ids=["check", "list", "bare"])
def test_a_workspace_that_somebody_else_made_names_nothing(
    arguments: list[str], tmp_path: Path, make_course: Callable[..., Path], kata: Run
) -> None:
    mark = tmp_path / "ran"
    hidden = plant(tmp_path / "sent/.kata/course", mark, make_course)
    plant_workspace(tmp_path / "sent", hidden)
    shutil.copytree(hidden / "exercises", tmp_path / "sent/exercises")
    (tmp_path / "sent/exercises" / f"{KIT}.py").write_text(WRONG)
    done = kata(*arguments, cwd=tmp_path / "sent/exercises")
    assert (done.returncode, done.stdout, mark.exists()) == (2, "", False)
    assert f"{tmp_path / 'sent'} is no workspace of yours" in done.stderr and "kata init" in done.stderr


@pytest.fixture
def shared(tmp_path: Path, make_course: Callable[..., Path]) -> Iterator[Path]:
    """A folder as the system's temporary one, in which somebody else has planted a course and a workspace."""
    folder = tmp_path / "shared"
    folder.mkdir()
    plant(folder, tmp_path / "ran", make_course)
    plant_workspace(folder, folder)
    if os.geteuid() == 0:
        for path in folder.rglob("*"):
            os.chown(path, NOBODY, NOBODY)
    yield folder
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()


def test_a_shared_folder_serves_nobody_below_it(shared: Path, make_course: Callable[..., Path], kata: Run) -> None:
    course = make_course(shared / "anna/course", "01_parts/01_share")
    assert kata("init", shared / "anna/work", "--course", course, cwd=shared).returncode == 0
    (shared / "anna/work/exercises/01_parts/01_share.py").write_text("def share(a):\n    return a / a.sum(-1, True)\n")
    done = kata("check", cwd=shared / "anna/work/exercises")
    assert done.returncode == 0, done.stderr
    assert "4 of 4 points" in done.stdout
    (shared / "ben").mkdir()
    assert "softmax" in kata("list", "--course", ROOT, cwd=shared / "ben").stdout


def test_what_others_planted_in_a_shared_folder_is_no_obstacle(shared: Path, kata: Run) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make files that are somebody else's")
    (shared / "ben").mkdir()
    done = kata("list", cwd=shared / "ben")
    assert (done.returncode, "soft_lookup" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize("place", ["exercises", "review"])
def test_plain_pytest_runs_no_planted_check_and_not_the_file_either(
    place: str, shared: Path, tmp_path: Path, run_command: Run
) -> None:
    file = shared / "ben" / place / "03_softmax.py"
    file.parent.mkdir(parents=True)
    file.write_text(SPY.format(mark=str(tmp_path / "ran")) + WRONG)
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", file, cwd=shared / "ben")
    assert done.returncode == 2, done.stdout
    assert f"{shared} holds a course that you have not named" in done.stdout and "passed" not in done.stdout


def test_plain_pytest_leaves_other_peoples_tests_alone(shared: Path, run_command: Run) -> None:
    file = shared / "ben/exercises/test_mine.py"
    file.parent.mkdir(parents=True)
    file.write_text("def test_it():\n    pass\n")
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", file, cwd=shared / "ben")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout


def test_a_workspace_stays_with_the_course_that_it_was_made_for(
    tmp_path: Path, make_course: Callable[..., Path], kata: Run
) -> None:
    course = make_course(tmp_path / "course", "01_parts/01_share")
    assert kata("init", "work", "--course", course, cwd=tmp_path).returncode == 0
    bad = plant(tmp_path / "bad", tmp_path / "ran", make_course)
    plant_workspace(tmp_path / "work", bad)
    done = kata("list", cwd=tmp_path / "work")
    assert (done.returncode, "(share)" in done.stdout) == (0, True), done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("value", ["", ".", "config"], ids=["empty", "the current folder", "relative"])
def test_no_configuration_is_taken_from_the_current_folder(value: str, planted: Planted, kata: Run) -> None:
    told = {str(planted.mallory): {"course": str(planted.mallory / "course.yml"), "owner": os.geteuid()}}
    for place in (planted.mallory / value, planted.mallory / ".config"):
        folder = place / "attention-kata"
        folder.mkdir(parents=True)
        (folder / "workspaces.json").write_text(json.dumps({"version": 1, "workspaces": told}))
    done = kata("check", "softmax", cwd=planted.mallory, env={"XDG_CONFIG_HOME": value, "HOME": value})
    assert (done.returncode, planted.mark.exists()) == (2, False), done.stdout


def test_a_program_without_a_course_looks_for_none(planted: Planted, run_command: Run, tmp_path: Path) -> None:
    installed = tmp_path / "class/mallory/venv/lib"  # as a learner's environment within a folder with a course
    shutil.copytree(ROOT / "grader", installed / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from grader.cli import main; main()"
    done = run_command(sys.executable, "-c", program, installed, "list", cwd=tmp_path)
    assert (done.returncode, planted.mark.exists()) == (2, False), done.stdout
    assert "without a course" in done.stderr and "kata init DIR --course PATH" in done.stderr
