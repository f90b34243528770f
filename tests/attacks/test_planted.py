"""Whatever lies beside or above what is graded is data: a course, settings and modules. None is run, none gives points."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cases import table

ROOT = Path(__file__).parents[2]
TABLES = table(__file__, "planted.yml")
HONEST, WRONG = TABLES["honest"], TABLES["wrong"]
KIT = "01_soft_lookup/03_softmax"
SPY = "open({mark!r}, 'a').write(__file__ + '\\n')\n\n"
NOBODY = 65534

GRADE = ("--only", "softmax", "--isolation", "best", "--seed", "5")

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """The file that anything planted would write, if it was run."""
    yield tmp_path / "ran"
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()


def plant_course(root: Path, mark: Path, make_course: Callable[..., Path]) -> Path:
    """A whole course that nobody named, with `.kata` and conftest.py, every program of which leaves a mark."""
    make_course(root, KIT, named=False)
    spy = SPY.format(mark=str(mark))
    for path in [*(root / "tests").rglob("*.py"), *(root / "solutions").rglob("*.py")]:
        path.write_text(spy + path.read_text("utf-8"), encoding="utf-8")
    for folder in (root, root / "tests", root / "exercises", root / "exercises/01_soft_lookup"):
        (folder / "conftest.py").write_text(spy)
    shutil.copytree(root / "tests", root / ".kata/tests")
    shutil.copy(root / "course.yml", root / ".kata")
    told = {"course": str(root / "course.yml"), "given": {}}
    (root / ".kata/workspace.json").write_text(json.dumps(told))
    return root


def plant_files(root: Path, mark: Path) -> None:
    """Modules that would be imported, which leave a mark, and files that are some program's settings."""
    modules = [f"{name}.py" for name in [*TABLES["imported"], "planted", "os", "signal"]]
    for name in [*modules, "multiprocessing/__init__.py", "exercises/os.py", "exercises/multiprocessing.py"]:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(SPY.format(mark=str(mark)))
    for name, text in TABLES["settings"].items():
        (root / name).write_text(text)


def hand_in(folder: Path, answer: str) -> None:
    """The answer as a file of its own, and as one of the course that lies there."""
    (folder / "exercises" / f"{KIT}.py").write_text(answer)
    (folder / "03_softmax.py").write_text(answer)


@pytest.fixture
def sent(tmp_path: Path, mark: Path, make_course: Callable[..., Path]) -> Path:
    """A class's folder; in `mallory` only a course, as a workspace that somebody sends."""
    hand_in(plant_course(tmp_path / "class" / "mallory", mark, make_course), WRONG)
    return tmp_path / "class"


@pytest.fixture
def planted(sent: Path, mark: Path) -> Path:
    """A class's folder with an honest learner and two who bring all of that along."""
    plant_files(sent / "mallory", mark)
    hand_in(shutil.copytree(sent / "mallory", sent / "careless"), HONEST)
    (sent / "alice").mkdir()
    (sent / "alice/03_softmax.py").write_text(HONEST)
    return sent


@pytest.mark.thorough
@pytest.mark.parametrize("place", [".", "mallory", "mallory/exercises"], ids=["beside", "in it", "below it"])
def test_nothing_planted_in_a_class_is_run_or_obeyed(place: str, planted: Path, tmp_path: Path, cold_kata: Run) -> None:
    out = tmp_path / "out"
    done = cold_kata("grade-class", planted, "--out", out, "--jobs", "2", *GRADE, cwd=planted / place)
    assert done.returncode == 0, done.stderr
    records = map(json.loads, (out / "results.jsonl").read_text().splitlines())
    assert {each["submission"]: each["points"] for each in records} == {"alice": 5, "careless": 5, "mallory": 0}


def test_conftest_above_a_course_is_not_run_with_its_checks(
    tmp_path: Path, mark: Path, make_course: Callable[..., Path], cold_kata: Run
) -> None:
    course = make_course(tmp_path / "shared/course", KIT, named=False)
    (tmp_path / "shared/conftest.py").write_text(SPY.format(mark=str(mark)))
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice/03_softmax.py").write_text(HONEST)
    done = cold_kata("grade", "alice", "--course", course, *GRADE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1, 1 and 2 become .25, .25 and .5." in done.stdout, done.stdout  # by the checks of that course


COMMANDS = [
    pytest.param(each, id=each["what"], marks=pytest.mark.thorough if "takes_long" in each else ())
    for each in TABLES["commands"]
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_uses_the_course_of_the_folder_that_it_is_typed_in(
    command: Mapping[str, Any], planted: Path, tmp_path: Path, make_course: Callable[..., Path], cold_kata: Run
) -> None:
    def kits() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in (planted / "mallory" / "tests").rglob("*") if path.is_file()}

    before = kits()
    course = command.get("course", make_course(tmp_path / "own", KIT))
    env = {} if course is None else {"KATA_COURSE": str(course)}
    done = cold_kata(*command["types"], cwd=planted / command.get("in", "mallory"), env=env)
    assert done.returncode == command["status"], done.stdout + done.stderr
    for said in command.get("says", ()):
        assert said.replace("CLONE", str(ROOT)) in done.stdout + done.stderr
    assert done.returncode != 2 or not done.stdout
    assert kits() == before


@pytest.mark.thorough
@pytest.mark.parametrize("what", [[], [f"exercises/{KIT}.py"]], ids=["bare", "a file"])
def test_plain_pytest_in_such_a_workspace_runs_the_checks_of_the_program(
    what: list[str], sent: Path, run_command: Run
) -> None:
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *what, cwd=sent / "mallory")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "test_every_row_by_itself" not in done.stdout, "a check of the planted course"


@pytest.fixture
def shared(tmp_path: Path, mark: Path, make_course: Callable[..., Path]) -> Path:
    """A folder as the system's temporary one, in which somebody else has planted a course and a workspace."""
    folder = tmp_path / "shared"
    folder.mkdir()
    plant_course(folder, mark, make_course)
    if os.geteuid() == 0:
        for path in folder.rglob("*"):
            os.chown(path, NOBODY, NOBODY)
    return folder


@pytest.mark.thorough
def test_a_shared_folder_serves_nobody_below_it(shared: Path, cold_kata: Run) -> None:
    assert cold_kata("init", shared / "anna/work", cwd=shared).returncode == 0
    shutil.copy(ROOT / "solutions" / f"{KIT}.py", shared / "anna/work/exercises" / f"{KIT}.py")
    done = cold_kata("check", "softmax", cwd=shared / "anna/work/exercises")
    assert (done.returncode, "5 / 5" in done.stdout) == (0, True), done.stdout + done.stderr


def test_workspace_of_somebody_else_is_passed_over(shared: Path, cold_kata: Run) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make files that are somebody else's")
    (shared / "ben").mkdir()
    done = cold_kata("list", cwd=shared / "ben")
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("You are not in a workspace.")


@pytest.mark.parametrize("place", ["exercises", pytest.param("review", marks=pytest.mark.thorough)])
def test_plain_pytest_does_not_import_work_that_lies_in_no_workspace(
    place: str, shared: Path, mark: Path, run_command: Run
) -> None:
    shutil.rmtree(shared / ".kata")
    file = shared / "ben" / place / "03_softmax.py"
    file.parent.mkdir(parents=True)
    file.write_text(SPY.format(mark=str(mark)) + WRONG)
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", file, cwd=shared / "ben")
    assert done.returncode == 2, done.stdout
    assert "You are not in a workspace." in done.stdout and "passed" not in done.stdout


def test_plain_pytest_leaves_other_peoples_tests_alone(shared: Path, run_command: Run) -> None:
    file = shared / "ben/exercises/test_mine.py"
    file.parent.mkdir(parents=True)
    file.write_text("def test_it():\n    pass\n")
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", file, cwd=shared / "ben")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout


def test_a_program_without_a_course_looks_for_none(planted: Path, run_command: Run, tmp_path: Path) -> None:
    installed = tmp_path / "class/mallory/venv/lib"  # as a learner's environment within a folder with a course
    shutil.copytree(ROOT / "grader", installed / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from grader.cli import main; main()"
    done = run_command(sys.executable, "-c", program, installed, "list", cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert "without a course" in done.stderr and "--course PATH" in done.stderr
