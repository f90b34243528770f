"""The workflow for GitHub, held to the reporter's rules, and its grading step run as a runner would."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.errors import KataError
from grader.release.autograders import TOKEN, WORKFLOW, github_workflow
from grader.sandbox.doctor import strongest_level
from tests.cases import rows, table

pytestmark = pytest.mark.timeout(300)

Run = Callable[..., "subprocess.CompletedProcess[str]"]

CASES = table(__file__, "cases.yml")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path_factory.mktemp("runner") / "course", "01_parts/01_share")


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory, kata: Run) -> list[dict[str, Any]]:
    """The steps of the workflow that the command writes."""
    folder = tmp_path_factory.mktemp("template")
    done = kata("autograder", "github", ".", "--repository", "school/kata-course", cwd=folder)
    assert done.returncode == 0 and TOKEN in done.stdout, done.stderr
    read: dict[str, Any] = yaml.safe_load((folder / WORKFLOW).read_text("utf-8"))
    # the rules of classroom-resources/autograding-grading-reporter: otherwise no points reach GitHub Classroom
    assert WORKFLOW == ".github/workflows/classroom.yml"
    assert read["name"] == "Autograding Tests" and list(read["jobs"]) == ["run-autograding-tests"]
    assert set(read["on"]) == {"push", "workflow_dispatch", "repository_dispatch"}
    job = read["jobs"]["run-autograding-tests"]
    assert set(job) == {"runs-on", "timeout-minutes", "if", "steps"}
    made: list[dict[str, Any]] = job["steps"]
    return made


def test_every_step_is_one_that_actions_know(steps: list[dict[str, Any]]) -> None:
    for step in steps:
        assert ("uses" in step) != ("run" in step)
        assert step.keys() <= {"name", "id", "uses", "with", "run", "env"}
        if "uses" in step:
            action, _, version = step["uses"].partition("@")
            assert action.count("/") == 1 and version


def test_reporter_gets_the_output_of_the_grading_step(steps: list[dict[str, Any]]) -> None:
    reporter = steps[-1]
    assert reporter["uses"].startswith("classroom-resources/autograding-grading-reporter@")
    runners = reporter["with"]["runners"].split(",")
    assert runners == [step["id"] for step in steps if "id" in step]
    assert reporter["env"] == {f"{id.upper()}_RESULTS": f"${{{{ steps.{id}.outputs.result }}}}" for id in runners}


def test_course_is_read_with_its_own_token_that_no_step_keeps(steps: list[dict[str, Any]]) -> None:
    learner, course = (step["with"] for step in steps if step.get("uses", "").startswith("actions/checkout@"))
    assert (course["repository"], course["token"]) == ("school/kata-course", f"${{{{ secrets.{TOKEN} }}}}")
    assert "token" not in learner
    assert learner["persist-credentials"] is course["persist-credentials"] is False


def test_no_script_is_put_together_from_what_learners_write(steps: list[dict[str, Any]]) -> None:
    assert not [step["run"] for step in steps if "${{" in step.get("run", "")]


def graded(steps: list[dict[str, Any]], course: Path, files: dict[str, str], run: Run, place: Path) -> Any:
    """Run the grading step as a runner does (bash -e), with the course and the learner's work checked out."""
    (place / "submission").mkdir()
    for name, text in files.items():
        (place / "submission" / name).write_text(text, encoding="utf-8")
    (place / "course").symlink_to(course)
    (step,) = (step for step in steps if step.get("id") == "kata")
    temporary = place / "temp"
    temporary.mkdir()
    env = {
        "RUNNER_TEMP": str(temporary),
        "GITHUB_OUTPUT": str(place / "output"),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    done = run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], cwd=place, env=env, seconds=250)
    output = place / "output"
    name, _, value = output.read_text("utf-8").partition("=") if output.exists() else ("", "", "")
    return done, json.loads(base64.b64decode(value)) if name == "result" else None


@pytest.mark.thorough
@rows(CASES["pushed"], "files", "points", "status")
def test_learners_repository_is_graded(
    files: dict[str, str], points: float, status: str, steps: Any, course: Path, run_command: Run, tmp_path: Path
) -> None:
    if strongest_level() != "full":
        pytest.skip("this machine cannot isolate submissions in full")
    done, result = graded(steps, course, files, run_command, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (result["status"], sum(test["score"] for test in result["tests"])) == (status, points)
    assert result["max_score"] == 4


def test_grader_that_fails_reports_no_points_and_fails_the_step(steps: Any, tmp_path: Path, run_command: Run) -> None:
    done, result = graded(steps, tmp_path / "nowhere", CASES["pushed"]["right"][0], run_command, tmp_path)
    assert done.returncode == 2 and result is None


@rows(CASES["no names"], "name")
def test_names_that_are_none_are_refused(name: dict[str, Any]) -> None:
    with pytest.raises(KataError, match="is no"):
        github_workflow(**name)
