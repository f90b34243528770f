"""Where the grader itself fails there is no grade: never a zero, and never the end of the batch."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

UNIT = "01_parts"
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
BREAKS_THE_CHECK = "def share(amounts):\n    return amounts * 0 + 7\n"

Kata = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory,
    make_course: Callable[..., Path],
    folder_at: Callable[[Path], Any],
    kata: Kata,
    edit: Any,
) -> Path:
    """A tiny course, and its notebook released, with three hand-ins of which the second breaks a check."""
    root = tmp_path_factory.mktemp("made")
    course = make_course(root / "tiny", "01_parts/01_share")
    checks = course / "tests" / "kits" / "01_parts" / "01_share" / "checks.py"
    text = checks.read_text("utf-8")
    assert "    expect(parts" in text
    checks.write_text(text.replace("    expect(parts", "    assert float(parts[0]) != 7\n    expect(parts"), "utf-8")
    done = kata("notebooks", root / "nbgrader", "--course", course, cwd=course)
    assert done.returncode == 0, done.stderr
    folder = folder_at(root / "nbgrader")
    folder.nbgrader("generate_assignment", UNIT)
    for student, source in {"ada": RIGHT, "bob": BREAKS_THE_CHECK, "cyd": RIGHT}.items():
        folder.hand_in(student, UNIT, edit.filled(folder.released(UNIT), {"share": source}))
    return root


@pytest.fixture
def folder(made: Path, tmp_path: Path, folder_at: Callable[[Path], Any]) -> Any:
    """A copy of it all, to break."""
    shutil.copytree(made, tmp_path / "copy")
    config = tmp_path / "copy" / "nbgrader" / "nbgrader_config.json"
    config.write_text(config.read_text("utf-8").replace(str(made), str(tmp_path / "copy")), "utf-8")
    return folder_at(tmp_path / "copy" / "nbgrader")


@pytest.fixture
def course(folder: Any) -> Path:
    return folder.root.parent / "tiny"


def test_broken_check_fails_one_submission_and_the_batch_goes_on(folder: Any) -> None:
    log = folder.nbgrader("autograde", UNIT, status=1).stderr
    assert "The grader itself failed, so there is no grade: share, test_example" in log
    assert [folder.scores(student, UNIT)["test-share"] for student in ("ada", "bob", "cyd")] == [4, None, 4]
    assert not (folder.root / "autograded" / "bob").is_dir() or not list(
        (folder.root / "autograded/bob").glob("*/*.ipynb")
    )


def test_nobody_is_graded_when_the_reference_does_not_get_full_marks(folder: Any, course: Path) -> None:
    solution = course / "solutions" / "01_parts" / "01_share.py"
    solution.write_text(
        solution.read_text("utf-8").replace("return amounts / total", "return total / amounts"), "utf-8"
    )
    log = folder.nbgrader("autograde", UNIT, status=1).stderr
    assert "The reference solution does not get full marks here: share (" in log
    assert [folder.scores(student, UNIT)["test-share"] for student in ("ada", "bob", "cyd")] == [None, None, None]


def test_nobody_is_graded_where_isolation_cannot_be_set_up(folder: Any) -> None:
    path = str(Path(sys.executable).parent)  # without bubblewrap
    log = folder.nbgrader("autograde", UNIT, status=1, PATH=path).stderr
    assert "This machine cannot isolate submissions (missing: bubblewrap is not installed)." in log
    assert [folder.scores(student, UNIT)["test-share"] for student in ("ada", "bob", "cyd")] == [None, None, None]


def test_old_points_stay_when_a_regrade_fails(folder: Any, course: Path) -> None:
    folder.nbgrader("autograde", UNIT, status=1)
    (course / "tests" / "kits" / "01_parts" / "01_share" / "checks.py").write_text("raise RuntimeError\n", "utf-8")
    log = folder.nbgrader("autograde", UNIT, "--force", status=1).stderr
    assert "hidden checks could not be collected" in log
    assert folder.scores("ada", UNIT)["test-share"] == 4
    assert f"As it was before: {folder.root / 'autograded' / 'ada' / UNIT}" in log
    assert folder.autograded("ada", UNIT)["cells"]


def test_newer_hand_in_is_not_taken_for_graded_when_its_grading_fails(folder: Any, course: Path) -> None:
    folder.nbgrader("autograde", UNIT, status=1)
    (course / "tests" / "kits" / "01_parts" / "01_share" / "checks.py").write_text("raise RuntimeError\n", "utf-8")
    folder.handed_in("ada", UNIT).with_name("timestamp.txt").write_text("2030-01-01 00:00:00 UTC", "utf-8")
    folder.nbgrader("autograde", UNIT, "--force", status=1)
    assert not (folder.root / "autograded" / "ada" / UNIT / f"{UNIT}.ipynb").exists()
    assert (folder.root / "autograded" / "cyd" / UNIT / f"{UNIT}.ipynb").exists()


def test_test_cell_of_no_exercise_is_refused_not_given_full_marks(folder: Any, edit: Any) -> None:
    source = folder.source(UNIT)
    own = json.loads(json.dumps(edit.cell(source, "test-share")))
    own["id"] = own["metadata"]["nbgrader"]["grade_id"] = "own-test"
    source["cells"].append(own)
    (folder.root / "source" / UNIT / f"{UNIT}.ipynb").write_text(json.dumps(source), "utf-8")
    folder.nbgrader("generate_assignment", UNIT, "--force")
    log = folder.nbgrader("autograde", UNIT, status=1).stderr
    assert "These test cells are of no exercise, so there are no checks for them: own-test." in log
    assert not (folder.root / "autograded").exists()


def test_released_notebook_that_is_gone_is_named(folder: Any) -> None:
    (folder.root / "release" / UNIT / f"{UNIT}.ipynb").unlink()
    log = folder.nbgrader("autograde", UNIT, status=1).stderr
    assert "run `nbgrader generate_assignment` first" in log


@pytest.mark.parametrize("kept", ["1", "0"], ids=["kept warm", "for itself alone"])
def test_judge_that_is_killed_costs_no_grade(
    kept: str, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.classroom import Terms
    from grader.intake import SourceFile, Submission
    from grader.notebooks.notebook_judge import close_judge, judge_for
    from grader.service.client import running_judges

    monkeypatch.setenv("KATA_SERVICE", kept)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    submission = Submission("ada", {"share": SourceFile("share", "share", RIGHT.encode())}, ())
    terms = Terms(course / "course.yml", "full", 5, ("share",))
    try:
        first = judge_for(terms)
        assert first.grade(submission).points == 4
        assert judge_for(terms) is first
        first.begin(submission)
        for judge in running_judges():
            os.kill(judge.pid, signal.SIGKILL)
        assert first.grade(submission).points == 4
        (course / "course.yml").touch()
        assert judge_for(terms) is not first
    finally:
        close_judge()
        assert len(running_judges(end=True)) == int(kept)
