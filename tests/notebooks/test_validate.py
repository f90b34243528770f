"""nbgrader's own Validate on released notebooks: "Success!" for right answers, and for nothing else.

What the test cells say of other answers: tests/in_notebook/shown.txt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import RIGHT, UNIT, Edit, Folder

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

WRONG = "def part(amounts):\n    return amounts / amounts.sum()\n"


def test_right_answers_in_a_course_are_a_success_and_nothing_else_is(
    tmp_path: Path, released_at: Callable[..., Folder], folder_at: Callable[[Path], Folder]
) -> None:
    made = released_at(tmp_path, "--reflection", exercises=(f"{UNIT}/01_share", f"{UNIT}/02_part"))
    released = made.released(UNIT)

    def said(part: str | None, place: Path, **env: str) -> str:
        """What Validate says with this answer to `part` and a right one to `share`, or of the notebook as given."""
        answers = {"share": RIGHT.format(id="share"), "part": part or "", "reflection": "Shares sum to one."}
        place.mkdir()
        notebook = released if part is None else Edit.filled(released, answers)
        (place / f"{UNIT}.ipynb").write_text(json.dumps(notebook), "utf-8")
        text = folder_at(place).nbgrader("validate", f"{UNIT}.ipynb", **env).stdout
        return re.sub(r"[ \t\n]+", " ", text).strip()

    right = RIGHT.format(id="part")
    assert said(right, made.course / "right") == "Success! Your notebook passes all the tests."
    # nbgrader counts a reflection that is left as it was given as failed
    for part, failed, why in ((WRONG, 1, "Every amount is divided"), ("", 1, "has not been run"), (None, 3, "")):
        text = said(part, made.course / f"failed-{why}")
        assert f"VALIDATION FAILED ON {failed} CELL(S)!" in text and "Success" not in text and why in text
        assert 'kata.validate("part")' in text and ('kata.validate("share")' in text) is (part is None)
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "grader.py").write_text("# some other grader\n")
    text = said(right, elsewhere, PYTHONPATH=str(tmp_path))
    assert "VALIDATION FAILED ON 2 CELL(S)!" in text and "Success" not in text and "Traceback" not in text
    assert "Not checked: the checks are not installed where this notebook runs." in text
