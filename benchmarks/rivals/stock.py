"""nbgrader as it comes: one assignment, `nbgrader autograde`, the checks in hidden test cells."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bare import FACTS
from hand_ins import HandIn
from marks import Scores
from sheets import Checks, Sheet, check_source, code, fill_in, write_notebook
from workplace import PYTHON, environment, timed

ASSIGNMENT = "homework"
SCORES = """\
import json
import sys
from nbgrader.api import Gradebook

def told(folder):
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        return {
            submission.student.id: {
                grade.name.removeprefix("test-"): [grade.score, grade.max_score]
                for notebook in submission.notebooks for grade in notebook.grades
            }
            for submission in book.assignment_submissions(sys.argv[1])
        }

print(json.dumps([told(folder) for folder in sys.argv[2:]]))
"""


def prepare(folder: Path, sheets: Sequence[Sheet], checks: Checks) -> None:
    """Make a course folder and release its assignment."""
    for sheet in sheets:
        cells = []
        for exercise in sheet.exercises:
            cells.append(code("pass", exercise.id, nbgrader=marks(exercise.id)))
            test = f"### BEGIN HIDDEN TESTS\n{check_source(exercise.id, 'globals()', checks)}\n### END HIDDEN TESTS"
            cells.append(code(test, f"test-{exercise.id}", nbgrader=marks(f"test-{exercise.id}", exercise.points)))
        write_notebook(folder / "source" / ASSIGNMENT / f"{sheet.name}.ipynb", cells)
    release(folder)


def marks(name: str, points: float = 0) -> dict[str, object]:
    """nbgrader's metadata of an answer, or of a test when it has points."""
    kind = {"grade_id": name, "schema_version": 3, "cell_type": "code", "task": False}
    if points:
        return {**kind, "grade": True, "solution": False, "locked": True, "points": points}
    return {**kind, "grade": False, "solution": True, "locked": False}


def release(folder: Path) -> None:
    """What an instructor does before a class starts."""
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    timed([folder], ["-m", "nbgrader", "generate_assignment", ASSIGNMENT])


def hand_in(folder: Path, hand_ins: Sequence[HandIn]) -> None:
    """Put answers where nbgrader looks for them."""
    for each in hand_ins:
        for released in sorted((folder / "release" / ASSIGNMENT).glob("*.ipynb")):
            fill_in(released, folder / "submitted" / each.learner / ASSIGNMENT / released.name, each.sources)


def autograde(folders: Sequence[Path], facts: Path) -> float:
    """Grade what was handed in, all folders at the same time; the seconds it takes."""
    return timed(folders, ["-m", "nbgrader", "autograde", ASSIGNMENT], **{FACTS: str(facts)})


def scores(folder: Path) -> Scores:
    """Points and most points by learner and exercise, as they stand in the gradebook."""
    return all_scores([folder])[0]


def all_scores(folders: Sequence[Path], assignment: str = ASSIGNMENT) -> list[Scores]:
    """The same for several course folders."""
    command = [PYTHON, "-c", SCORES, assignment, *folders]
    done = subprocess.run(command, env=environment(folders[0]), capture_output=True, text=True, check=True)
    return [
        {learner: {id: (got, most) for id, (got, most) in of.items()} for learner, of in told.items()}
        for told in json.loads(done.stdout)
    ]
