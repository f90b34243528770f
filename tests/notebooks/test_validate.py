"""nbgrader's own Validate on released notebooks: "Success!" for right answers, and for nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

UNIT = "01_parts"
RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
SUCCESS = "Success! Your notebook passes all the tests.\n"
Validate = Callable[..., str]


@pytest.fixture(scope="module")
def validate(
    tmp_path_factory: pytest.TempPathFactory,
    released_at: Callable[..., Any],
    folder_at: Callable[[Path], Any],
    edit: Any,
) -> Validate:
    """What `nbgrader validate` prints about a notebook with these answers, in a learner's folder of a small course.

    `second` answers `part`; the others are right. nbgrader counts a reflection that is left as it was given as failed.
    """
    root = tmp_path_factory.mktemp("validate")
    released = released_at(root, "--reflection", exercises=(f"{UNIT}/01_share", f"{UNIT}/02_part")).released(UNIT)
    (root / "tiny" / "mine").mkdir()

    def said(second: str | None = RIGHT, place: Path = root / "tiny" / "mine", **env: str) -> str:
        answers = {"share": RIGHT.format(id="share"), "reflection": "Shares sum to one."}
        folder, notebook = folder_at(place), released
        if second is not None:
            notebook = edit.filled(released, {**answers, "part": second.format(id="part")})
        (folder.root / f"{UNIT}.ipynb").write_text(json.dumps(notebook), "utf-8")
        return re.sub(r"[ \t\n]+", " ", folder.nbgrader("validate", f"{UNIT}.ipynb", **env).stdout)

    return said


def test_right_answers_are_a_success_and_only_in_a_course(validate: Validate, tmp_path: Path) -> None:
    assert validate().strip() == SUCCESS.strip()
    assert "Success" not in validate(place=tmp_path)


WRONG = {
    "mistake": ("def {id}(amounts):\n    return amounts / amounts.sum()\n", "Every amount is divided"),
    "raises": ("def {id}(amounts):\n    raise ValueError('mine')\n", "mine"),
    "no Python": ("def {id}(amounts:\n", "was never closed"),
    "deleted": ("", "has not been run"),
    "changes its input": ("def {id}(amounts):\n    amounts /= amounts.sum(-1, keepdim=True)\n    return amounts\n",
                          "are not changed"),
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "why"), WRONG.values(), ids=WRONG)
def test_wrong_answer_is_no_success_and_says_why(wrong: str, why: str, validate: Validate) -> None:
    said = validate(wrong)
    assert "VALIDATION FAILED ON 1 CELL(S)!" in said and "Success" not in said and why in said
    assert 'kata.validate("part")' in said and 'kata.validate("share")' not in said


def test_untouched_notebook_is_no_success(validate: Validate) -> None:
    said = validate(None)
    assert "VALIDATION FAILED ON 3 CELL(S)!" in said and "Success" not in said
    assert 'kata.validate("share")' in said and 'kata.validate("part")' in said


def test_learner_without_the_checks_is_told_so(validate: Validate, tmp_path: Path) -> None:
    (tmp_path / "grader.py").write_text("# some other grader\n")
    said = validate(place=tmp_path, PYTHONPATH=str(tmp_path))
    assert "VALIDATION FAILED ON 2 CELL(S)!" in said and "Success" not in said and "Traceback" not in said
    assert "Not checked: the checks are not installed where this notebook runs." in said
