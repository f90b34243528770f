"""What `pip install` of the wheel alone gives: all of the learner's commands, outside of any clone.

`kata release` makes both wheels of a tiny course; the one with answers is in a virtual environment of its own. That
holds what the wheel declares to need and nothing else: these packages are linked (or copied) from the project's
environment, file by file, as fetching torch again would take minutes. The program itself comes from the wheel alone;
neither the clone nor anything else of the project's environment is on the path there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pexpect
import pytest
from packaging.requirements import Requirement

from grader import __version__

from ..cases import table

BUILD_SECONDS = 400
pytestmark = [pytest.mark.thorough, pytest.mark.timeout(BUILD_SECONDS)]

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.amax()\n"
KNOWN = "def share(amounts):\n    return amounts / amounts.sum()\n"
FILE = "exercises/01_parts/01_share.py"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Run) -> dict[str, Path]:
    """The wheels with answers and without."""
    course = make_course(tmp_path_factory.mktemp("source") / "clone", "01_parts/01_share")
    made = {}
    for kind in ("answers", "plans"):
        option = "--with-answers" if kind == "answers" else "--without-answers"
        done = kata("release", "--out", course / kind, option, cwd=course)
        assert done.returncode == 0, done.stderr
        (made[kind],) = (course / kind).glob("*.whl")
    return made


@pytest.fixture(scope="module")
def install(run_command: Run) -> Callable[..., None]:
    """Has pip install a wheel for a Python: over another one, if that is there."""

    def install(python: Path, wheel: Path) -> None:
        pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
        done = run_command(*pip, cwd=wheel.parent, seconds=BUILD_SECONDS)
        assert done.returncode == 0, done.stderr

    return install


@pytest.fixture(scope="module")
def python(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, install: Callable[..., None]) -> Path:
    """The Python of an environment with the wheel with answers; two folders above it is one outside of every course."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=False)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "venv")}))
    for each in needed_by(wheels["answers"]):
        link_files(each, site)
    install(folder / "venv" / "bin" / "python", wheels["answers"])
    return folder / "venv" / "bin" / "python"


@pytest.fixture(scope="module")
def run(python: Path, run_command: Run) -> Run:
    """Runs a program of that environment, in the folder outside of every course if none is named."""

    def run(program: str, *words: object, cwd: Path = python.parents[2]) -> Done:
        return run_command(python.with_name(program), *words, cwd=cwd)

    return run


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Courses are unpacked into no folder of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield Path(os.environ["XDG_CACHE_HOME"])


def needed_by(wheel: Path) -> list[Distribution]:
    """The packages that the wheel says it needs, with what these need in turn, of this environment."""
    with zipfile.ZipFile(wheel) as pack:
        (metadata,) = (name for name in pack.namelist() if name.endswith(".dist-info/METADATA"))
    found: dict[str, Distribution] = {}
    asked = list(declared(PathDistribution(zipfile.Path(wheel, metadata.removesuffix("METADATA")))))
    for each in asked:
        if each.name.lower() not in found:
            found[each.name.lower()] = distribution(each.name)
            asked += declared(found[each.name.lower()], each.extras)
    return list(found.values())


def declared(package: Distribution, extras: Iterable[str] = ()) -> Iterable[Requirement]:
    """What a package needs here, with some of its extras."""
    for each in map(Requirement, package.requires or ()):
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield each


def link_files(package: Distribution, site: Path) -> None:
    """Give a package's files a second name in another environment; its commands stay behind."""
    for file in package.files or ():
        if ".." in file.parts:
            continue
        source, target = Path(str(package.locate_file(file))), site / file
        if source.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target)
            except OSError:  # on another disk
                shutil.copyfile(source, target)


# --- in that environment -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def workspace(python: Path, run: Run) -> Path:
    """A learner's folder, made by the installed program from the course in it."""
    folder = python.parents[2] / "attention"
    done = run("kata", "init", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{folder}: 1 new exercise, 0 renewed, 0 of yours kept.")
    return folder


def test_program_in_it_has_what_is_not_python(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels["answers"]) as pack:
        names = set(pack.namelist())
    assert {"grader/py.typed", "grader/render/templates/record.html.j2", "grader/render/templates/class.js"} <= names
    assert not [name for name in names if name.startswith(("tests/", "solutions/", "exercises/", "scripts/"))]


def test_program_runs_from_the_wheel_and_has_its_version(python: Path, wheels: dict[str, Path], run: Run) -> None:
    done = run("python", "-c", "import grader; print(grader.__file__)")
    assert Path(done.stdout.strip()).is_relative_to(python.parents[1])
    version = wheels["answers"].name.split("-")[1]
    assert version.startswith(f"{__version__}+answers.")
    assert run("kata", "--version").stdout == f"attention-kata {version}\n"


def test_course_is_unpacked_once_outside_of_the_installation(workspace: Path, own_cache: Path, run: Run) -> None:
    (folder,) = (path for path in (own_cache / "attention-kata" / "courses").iterdir() if path.is_dir())
    assert (folder / "solutions" / "01_parts" / "01_share.py").is_file()
    (folder / "tests" / "kits" / "01_parts" / "01_share" / "checks.py").unlink()
    assert run("kata", "check", "share", cwd=workspace).returncode in (0, 1)
    assert (folder / "tests" / "kits" / "01_parts" / "01_share" / "checks.py").is_file()
    done = run("kata", "check", cwd=folder / "exercises")
    assert (done.returncode, done.stdout) == (2, "") and "You are not in a workspace." in done.stderr


def test_outside_of_a_workspace_it_is_said_how_to_make_one(run: Run) -> None:
    done = run("kata")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "You are not in a workspace. Make one: kata init ~/attention\n"


def test_each_command_of_a_learner_works(workspace: Path, run: Run) -> None:
    for source, status, words, said in table(__file__, "cases.yml")["typed"]:
        if source is not None:
            (workspace / FILE).write_text(source, encoding="utf-8")
        done = run(*words, cwd=workspace)
        assert done.returncode == status and said in done.stdout, done.stdout + done.stderr


def test_watch_checks_what_is_saved(workspace: Path, python: Path) -> None:
    watching = pexpect.spawn(str(python.with_name("kata")), ["watch"], cwd=str(workspace), timeout=90)
    try:
        watching.expect_exact("Save a file to have it checked.")
        (workspace / FILE).write_text(RIGHT + "\n", encoding="utf-8")
        watching.expect_exact("4 / 4")
    finally:
        watching.close(force=True)


@pytest.mark.parametrize("command", [f"grade {FILE}", "grade-class exercises --out out"])
@pytest.mark.parametrize("course", ["the wheel's", "a clone's"])
def test_no_marks_are_given_where_learners_could_read_the_answers(
    command: str, course: str, workspace: Path, run: Run, wheels: dict[str, Path]
) -> None:
    named = () if course == "the wheel's" else ("--course", wheels["answers"].parents[1])
    done = run("kata", *command.split(), *named, "--isolation", "full", cwd=workspace)
    assert (done.returncode, done.stdout) == (2, "")
    assert "This program was installed from a wheel with answers" in done.stderr
    assert "No grade was recorded." in done.stderr and not (workspace / "out").exists()


@pytest.mark.parametrize(("code", "passes"), [(RIGHT, True), (WRONG, False)], ids=["right", "wrong"])
def test_a_notebook_in_no_folder_of_the_course_is_checked_by_the_course_in_it(
    python: Path, tmp_path: Path, code: str, passes: bool
) -> None:
    # as nbgrader fetches one into a learner's home; a learner's installation has no Jupyter, so the kernel's side is played
    question = {"exercise": "share", "cells": [[1, code]], "folder": str(tmp_path), "course": None, "seed": None}
    line = json.dumps({**question, "is_try": True, "has_magic": False}) + "\n"
    judging = (python, "-m", "grader.cli.check_cell")
    with subprocess.Popen(judging, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, text=True) as process:
        assert process.stdin and process.stdout
        process.stdin.write(line)
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
    assert answer["passed"] is passes, answer["text"]
    assert "The judge broke" not in answer["text"] and "kata init" not in answer["text"]
    assert list(tmp_path.iterdir()) == []


def test_each_wheel_is_installed_over_the_other_and_work_stays(
    workspace: Path, python: Path, wheels: dict[str, Path], install: Callable[..., None], run: Run
) -> None:
    (workspace / FILE).write_text(KNOWN, encoding="utf-8")
    for kind in ("plans", "answers"):  # that with answers was there before
        install(python, wheels[kind])
        assert run("kata", "init", workspace).returncode == 0
        done = run("kata", "check", "share", cwd=workspace)
        assert done.returncode == 1, done.stderr
        assert "Probably: You divided by one sum of everything." in done.stdout
        done = run("kata", "solution", "share", "--force", cwd=workspace)
        assert done.returncode == 0, done.stderr
        assert ("return amounts / total" in done.stdout) is (kind == "answers")
        assert ("The course's own answer is not in this installation" in done.stdout) is (kind == "plans")
        if kind == "plans":
            done = run("kata", "grade", FILE, cwd=workspace)
            assert done.returncode == 2 and "is a course without answers" in done.stderr
