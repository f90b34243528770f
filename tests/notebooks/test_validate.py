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


class Validating:
    """A learner's folder in a course that the learner has named, and a released notebook of two exercises."""

    def __init__(self, released: Any, place: Path, folder_at: Callable[[Path], Any], edit: Any) -> None:
        self._released, self._place, self._folder_at, self._edit = released, place, folder_at, edit

    def validate(self, answers: dict[str, str], place: Path | None = None, **env: str) -> str:
        """What `nbgrader validate` prints about the notebook with these answers."""
        folder = self._folder_at(place or self._place)
        notebook = self._edit.filled(self._released, answers)
        (folder.root / f"{UNIT}.ipynb").write_text(json.dumps(notebook), "utf-8")
        return str(folder.nbgrader("validate", f"{UNIT}.ipynb", **env).stdout)


@pytest.fixture(scope="module")
def learner(
    tmp_path_factory: pytest.TempPathFactory,
    released_at: Callable[..., Any],
    folder_at: Callable[[Path], Any],
    edit: Any,
) -> Validating:
    root = tmp_path_factory.mktemp("validate")
    folder = released_at(root, "--reflection", exercises=(f"{UNIT}/01_share", f"{UNIT}/02_part"))
    (root / "tiny" / "mine").mkdir()
    return Validating(folder.released(UNIT), root / "tiny" / "mine", folder_at, edit)


def answers(**others: str) -> dict[str, str]:
    """Right ones, but for these. nbgrader counts a reflection that is left as it was given as failed too."""
    code = {id: others.get(id, RIGHT).format(id=id) for id in ("share", "part")}
    return {**code, "reflection": "Shares sum to one."}


def test_right_answers_are_a_success(learner: Validating) -> None:
    assert learner.validate(answers()) == SUCCESS


WRONG = [
    pytest.param("def {id}(amounts):\n    return amounts / amounts.sum()\n", "Every amount is divided", id="mistake"),
    pytest.param("def {id}(amounts):\n    raise ValueError('mine')\n", "mine", id="raises"),
    pytest.param("def {id}(amounts:\n", "was never closed", id="no Python"),
    pytest.param("", "has not been run", id="deleted"),
    pytest.param(
        "import torch\n\n\ndef {id}(amounts):\n    amounts /= amounts.sum(-1, keepdim=True)\n    return amounts\n",
        "are not changed",
        id="changes its input",
        marks=pytest.mark.thorough,
    ),
]


@pytest.mark.parametrize(("wrong", "why"), WRONG)
def test_wrong_answer_is_no_success_and_says_why(wrong: str, why: str, learner: Validating) -> None:
    said = learner.validate(answers(part=wrong))
    assert "VALIDATION FAILED ON 1 CELL(S)!" in said and "Success" not in said
    assert why in re.sub(r"\s+", " ", said)
    assert 'kata.validate("part")' in said and 'kata.validate("share")' not in said


def test_untouched_notebook_is_no_success(learner: Validating) -> None:
    said = learner.validate({})
    assert "VALIDATION FAILED ON 3 CELL(S)!" in said and "Success" not in said
    assert 'kata.validate("share")' in said and 'kata.validate("part")' in said


def test_learner_without_the_checks_is_told_so(learner: Validating, tmp_path: Path) -> None:
    (tmp_path / "grader.py").write_text("# some other grader\n")
    said = learner.validate(answers(), tmp_path, PYTHONPATH=str(tmp_path))
    assert "VALIDATION FAILED ON 2 CELL(S)!" in said and "Success" not in said
    assert "Not checked: the checks are not installed where this notebook runs." in re.sub(r"\s+", " ", said)
    assert "Traceback" not in said


def test_folder_that_belongs_to_no_course_is_no_success(learner: Validating, tmp_path: Path) -> None:
    assert "Success" not in learner.validate(answers(), tmp_path)


def test_test_cells_give_nothing_to_the_answers(learner: Validating, tmp_path: Path) -> None:
    """They stand below `try`: neither `kata` nor `sys` is there for an answer that is graded."""
    cell = learner._edit.cell(learner._released, "test-share")
    text = "".join(cell["source"])
    code = [line for line in text.splitlines() if not line.startswith(("#", " "))]
    assert [line for line in code if line] == ["try:", "except ModuleNotFoundError:"]
