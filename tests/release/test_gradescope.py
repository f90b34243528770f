"""The zip for Gradescope, unpacked as Gradescope does it, and its `run_autograder` on real submissions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.course import load_course
from grader.release import autograders
from grader.release.autograders import gradescope_zip
from grader.release.wheel import course_files
from grader.sandbox.doctor import Finding, strongest_level
from grader.sandbox.levels import GRADING_LEVELS
from tests.cases import rows, table

pytestmark = pytest.mark.timeout(300)

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

CAN_ISOLATE = pytest.mark.skipif(
    strongest_level() not in GRADING_LEVELS, reason="this machine cannot isolate submissions"
)
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"


@dataclass
class Container:
    """Gradescope's folder /autograder, at another place."""

    root: Path
    run: Run

    @classmethod
    def unpacked(cls, packed: Path, root: Path, run: Run) -> Container:
        """The zip in source/, and run_autograder copied out of it, as the specification has it."""
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(root / "source")
            program = archive.getinfo("run_autograder")
            (root / "run_autograder").write_bytes(archive.read(program))
        (root / "run_autograder").chmod(program.external_attr >> 16 & 0o777)
        return cls(root, run)

    @property
    def course(self) -> Path:
        return self.root / "source" / "course"

    def grade(self, submission: dict[str, bytes], **environment: str) -> tuple[dict[str, Any], Done]:
        """Hand in these files; what results.json says then, and what the program printed."""
        for name in ("submission", "results"):
            shutil.rmtree(self.root / name, ignore_errors=True)
            (self.root / name).mkdir()
        for name, content in submission.items():
            (self.root / "submission" / name).write_bytes(content)
        program = self.root / "run_autograder"
        environment |= {"KATA_AUTOGRADER": str(self.root), "KATA_PYTHON": sys.executable}
        done = self.run(program, cwd=self.root, env=environment, seconds=250)
        return json.loads((self.root / "results" / "results.json").read_text("utf-8")), done


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Run) -> Path:
    """The zip that the command makes for a tiny course."""
    course = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")
    done = kata("autograder", "gradescope", "grader.zip", "--course", course, cwd=course)
    assert done.returncode == 0, done.stderr
    assert "worth 4 points" in done.stdout and "keep it from learners" in done.stdout
    return course / "grader.zip"


@pytest.fixture(scope="module")
def container(packed: Path, tmp_path_factory: pytest.TempPathFactory, run_command: Run) -> Container:
    return Container.unpacked(packed, tmp_path_factory.mktemp("autograder"), run_command)


@CAN_ISOLATE
@pytest.mark.thorough
@rows(table(__file__, "cases.yml")["gradescope"], "files", "score", "says")
def test_work_gets_its_points_and_the_reasons(
    files: dict[str, str | bytes], score: float, says: list[str], container: Container
) -> None:
    result, done = container.grade(
        {name: text if isinstance(text, bytes) else text.encode() for name, text in files.items()}
    )
    assert done.returncode == 0, done.stderr
    assert result["score"] == score == sum(test["score"] for test in result["tests"] if "score" in test)
    assert all(test["output"] for test in result["tests"] if test["status"] != "passed")
    assert {"passed"} == {test["status"] for test in result["tests"]} or score < 4
    level = result["extra_data"]["isolation"]
    assert level in GRADING_LEVELS
    assert f"Isolation: {level}" in result["output"] and f"Isolation: {level}" in done.stdout
    told = "\n".join([result["output"], *(test["output"] for test in result["tests"])])
    assert [each for each in says if each not in told] == []


@CAN_ISOLATE
@pytest.mark.thorough
def test_work_that_looks_for_the_answers_finds_none(container: Container) -> None:
    source = container.course / "solutions" / "01_parts" / "01_share.py"
    assert source.is_file()
    thief = f"exec(open({str(source)!r}).read())\n"
    result, _ = container.grade({"share.py": thief.encode()})
    assert result["score"] == 0


@pytest.mark.parametrize("part", ["Landlock", "seccomp", "fork"])
def test_without_a_wall_there_is_no_grade(
    part: str, container: Container, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("bubblewrap", "Landlock", "seccomp", "fork")
    findings = [Finding(name, name != part, "not in this container" if name == part else "") for name in names]
    monkeypatch.setattr(autograders, "examine", lambda: findings)
    assert autograders.grade_submission(container.root) == 1
    result = json.loads((container.root / "results" / "results.json").read_text("utf-8"))
    assert list(result) == ["output"] and "not a zero" in result["output"]
    assert f"{part} (not in this container)" in capsys.readouterr().out


@CAN_ISOLATE
@pytest.mark.thorough
def test_container_without_namespaces_grades_at_the_reduced_level(container: Container, tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    result, done = container.grade({"share.py": RIGHT.encode()}, PATH=path)
    assert done.returncode == 0, done.stderr
    assert (result["score"], result["extra_data"]["isolation"]) == (4, "reduced")
    assert "Isolation: reduced" in done.stdout


@CAN_ISOLATE
@pytest.mark.thorough
def test_score_is_out_of_what_the_assignment_is_worth_where_a_unit_is_dropped(
    tmp_path: Path, make_course: Callable[..., Path], kata: Run, run_command: Run
) -> None:
    course = make_course(tmp_path / "course", "01_parts/01_share", "02_more/01_split", "02_more/02_cut")
    catalogue = course / "course.yml"
    policy = "policy: {drop_lowest_units: 1, exempt: [cut]}\n"
    catalogue.write_text(catalogue.read_text("utf-8").replace("documents:\n", f"{policy}documents:\n", 1), "utf-8")
    done = kata("autograder", "gradescope", "grader.zip", "--course", course, cwd=course)
    assert done.returncode == 0 and "worth 8 points" in done.stdout, done.stderr
    container = Container.unpacked(course / "grader.zip", tmp_path / "root", run_command)
    result, _ = container.grade({"share.py": RIGHT.encode()})
    assert result["score"] == 8 and "In proportion, 4 of 4 points are 8 of 8." in result["output"]
    assert {test["tags"][0] for test in result["tests"] if "score" in test} == {"share"}


@CAN_ISOLATE
@pytest.mark.thorough
def test_course_that_is_broken_gives_no_grade(packed: Path, tmp_path: Path, run_command: Run) -> None:
    container = Container.unpacked(packed, tmp_path, run_command)
    (container.course / "tests" / "kits" / "01_parts" / "01_share" / "checks.py").unlink()
    result, done = container.grade({"share.py": RIGHT.encode()})
    assert done.returncode == 1
    assert list(result) == ["output"] and "no checks for share" in result["output"]


@CAN_ISOLATE
@pytest.mark.thorough
def test_machine_where_right_work_loses_points_grades_nobody(
    packed: Path, tmp_path: Path, run_command: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    container = Container.unpacked(packed, tmp_path, run_command)
    assert autograders.try_solutions(container.course / "course.yml") == 0
    assert "Right work" not in capsys.readouterr().out
    solution = container.course / "solutions" / "01_parts" / "01_share.py"
    # something that the judge may do and a learner's code may not stands for what a machine has too little of
    solution.write_text(f"{solution.read_text('utf-8')}\n\nusers = open('/etc/passwd').read()\n", "utf-8")
    assert autograders.try_solutions(container.course / "course.yml") == 1
    assert "share" in capsys.readouterr().out


def test_zip_holds_what_gradescope_asks_for_at_its_root(packed: Path, container: Container) -> None:
    with zipfile.ZipFile(packed) as archive:
        assert archive.testzip() is None
        modes = {name: archive.getinfo(name).external_attr >> 16 & 0o777 for name in ("setup.sh", "run_autograder")}
        names = archive.namelist()
        setup = archive.read("setup.sh")
        assert b"Isolation" in archive.read("README.txt")
    assert modes == {"setup.sh": 0o755, "run_autograder": 0o755}
    assert len(set(names)) == len(names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("/") or ".." in name]
    assert setup.startswith(b"#!/usr/bin/env bash\n") and b"\r" not in setup
    for script in modes:
        assert subprocess.run(["bash", "-n", container.root / "source" / script]).returncode == 0


@pytest.mark.thorough
def test_setup_installs_what_the_zip_brings(container: Container, tmp_path: Path, run_command: Run) -> None:
    """The program as setup.sh installs it, from the zip alone, without what it depends on."""
    target = tmp_path / "site"
    (wheel,) = (container.root / "source").glob("*.whl")
    assert f'"$root/source/{wheel.name}"' in (container.root / "source" / "setup.sh").read_text("utf-8")
    done = run_command(
        sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", target, wheel, cwd=tmp_path,
        seconds=250,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(wheel) as archive:
        brought = [name for name in archive.namelist() if name.startswith("grader/")]
    assert len(brought) > 100 and not [name for name in brought if not (target / name).is_file()]
    assert not [name for name in brought if "carried_course" in name]
    (metadata,) = target.glob("attention_kata-*.dist-info/METADATA")
    assert "Requires-Dist: torch" in metadata.read_text("utf-8")


def test_same_course_gives_the_same_bytes(packed: Path) -> None:
    course = load_course(packed.parent / "course.yml")
    assert gradescope_zip(course) == gradescope_zip(course)
    with zipfile.ZipFile(packed) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_whole_course_is_packed() -> None:
    course = load_course(Path(__file__).parents[2] / "course.yml")
    names = set(course_files(course))
    for exercise in course.exercises:
        for folder in ("exercises", "solutions"):
            assert f"{folder}/{exercise.relative_path}" in names
        for part in ("checks", "mistakes"):
            assert f"tests/kits/{exercise.unit}/{exercise.stem}/{part}.py" in names
    assert "tests/kits/families/scale.py" in names
