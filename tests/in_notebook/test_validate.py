"""`kata.validate`, what a notebook's test cell calls: it fails for whatever is not known to be right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(400)

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)"
WHOLE_SUM = "def share(amounts):\n    return amounts / amounts.sum()"


def validated(kernel: Any, exercise: str) -> Any:
    """What a program that runs the notebook sees of the test cell."""
    return kernel.run(f'kata.validate("{exercise}")', by_person=False)


def test_wrong_answer_fails_with_the_learners_message_alone(kernel: Any) -> None:
    kernel.run(WHOLE_SUM)
    said = validated(kernel, "share")
    assert said.error == "NotPassed" and not said.shown
    assert "Every amount is divided by the sum of its own row." in said.traceback
    assert "Traceback" not in said.traceback and "in_notebook" not in said.traceback
    assert max(map(len, said.traceback.splitlines())) <= 80


@pytest.mark.parametrize(
    ("exercise", "why"), [("rest", "There is nothing to check yet"), ("shares", "there is no exercise `shares`")]
)
def test_what_cannot_be_checked_fails_and_says_so(exercise: str, why: str, kernel: Any) -> None:
    said = validated(kernel, exercise)
    assert said.error == "NotPassed" and why in said.traceback


def test_folder_of_no_course_fails_and_says_so(open_kernel: Any, tmp_path: Path) -> None:
    kernel = open_kernel(tmp_path)
    kernel.run(RIGHT)
    said = validated(kernel, "share")
    assert said.error == "NotPassed" and "4 / 4" not in said.traceback


def test_person_who_runs_the_cell_is_told_what_it_is_for(kernel: Any) -> None:
    kernel.run(WHOLE_SUM)
    said = kernel.run('kata.validate("share")')
    assert said.printed.startswith("This cell gives the points when the notebook is graded.") and not said.error


@pytest.mark.thorough
def test_validating_is_no_try_of_the_learners(open_kernel: Any, make_course: Any, tmp_path: Path, kata: Any) -> None:
    course = make_course(tmp_path / "tiny", "01_parts/01_share")
    kernel = open_kernel(course)
    kernel.run(RIGHT)
    assert "4 / 4" in validated(kernel, "share").text
    assert "0 of 1" in kata("list", cwd=course).stdout
    kernel.check("share")
    assert "1 of 1" in kata("list", cwd=course).stdout


def test_check_cell_leaves_it_to_the_test_cell_while_nbgrader_validates(kernel: Any) -> None:
    kernel.run(f"{RIGHT}\nimport os; os.environ['NBGRADER_VALIDATING'] = '1'")
    try:
        said = kernel.run('kata.check("share")', by_person=False)
        assert said.printed == "Validate looks at the test cell below, which asks the same.\n" and not said.shown
        assert "4 / 4" in kernel.check("share").text, "a person's check is one, whatever is in the environment"
    finally:
        kernel.run("del os.environ['NBGRADER_VALIDATING']")


@pytest.mark.parametrize(
    ("asked", "status"), [("validate", 1), ("check", 0), ("play", 0)], ids=["validate", "check", "play"]
)
def test_outside_of_a_notebook_the_command_is_named(asked: str, status: int) -> None:
    program = f"import grader.in_notebook as kata; kata.{asked}('softmax')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    command = f"in a terminal, type: kata {asked.replace('validate', 'check')} softmax"
    assert done.returncode == status and command in done.stdout + done.stderr
