"""nbgrader's gradebook is the same whether nbgrader autogrades notebooks or a class is graded from files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]

LEARNERS = {f"s{number:02d}": f"Zoë Ilić {number}" for number in range(1, 13)}
"""By their ids, the names in the roster and of the folders."""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="nbgrader is not made for 3.10")
def test_what_nbgrader_collects_and_what_is_graded_from_files_is_the_same_gradebook(
    room: Any, kata: Kata, run_command: Kata
) -> None:
    """Twelve hand-ins as notebooks, autograded by nbgrader; and the same from files, put into a second gradebook."""
    from nbgrader.api import Gradebook

    for number, name in enumerate(LEARNERS.values()):
        room.hand_in({f"{name}/{exercise}.py": number % 3 != 2 for exercise in ("share", "split")})
    env = {f"JUPYTER_{name}_DIR": str(room.place / "home" / name) for name in ("CONFIG", "DATA", "RUNTIME")}

    def nbgrader(folder: str, command: str) -> None:
        words = (Path(sys.executable).with_name("nbgrader"), command, "01_parts")
        done = run_command(*words, cwd=room.place / folder, env=env, seconds=900)
        assert done.returncode == 0, done.stderr

    def typed(*words: object) -> None:
        done = kata(*words, "--course", room.root, cwd=room.place)
        assert done.returncode == 0, done.stderr

    for folder in ("collected", "exported"):
        typed("notebooks", folder)
        nbgrader(folder, "generate_assignment")
    released = json.loads((room.place / "collected/release/01_parts/01_parts.ipynb").read_text("utf-8"))
    for id, name in LEARNERS.items():
        (cell,) = (
            each for each in released["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "share"
        )
        cell["source"] = (room.folder / name / "share.py").read_text("utf-8")
        notebook = room.place / "collected/submitted" / id / "01_parts/01_parts.ipynb"
        notebook.parent.mkdir(parents=True)
        notebook.write_text(json.dumps(released), "utf-8")
    nbgrader("collected", "autograde")
    roster = "\n".join(["id,name", *map(",".join, LEARNERS.items())])
    (room.place / "roster.csv").write_text(roster, "utf-8")
    how = ("--isolation", "best", "--roster", "roster.csv", "--unit", "1")
    typed("grade-class", "class", "--out", "out", *how)
    typed("export", "out", "--format", "gradebook", "--to", "exported")
    scores: dict[str, dict[tuple[str, str], float | None]] = {}
    for folder in ("collected", "exported"):
        with Gradebook(f"sqlite:///{room.place / folder / 'gradebook.db'}") as book:
            scores[folder] = {
                (submission.student.id, grade.name): grade.auto_score
                for submission in book.assignment_submissions("01_parts")
                for notebook in submission.notebooks
                for grade in notebook.grades
                if grade.name.startswith("test-")
            }
    assert scores["exported"] == scores["collected"] and len(scores["exported"]) == 12
    points = {id: record.exercises[0].points for id, record in room.records.items()}
    assert {id: score for (id, _), score in scores["exported"].items()} == points
