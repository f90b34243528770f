"""otter-grader without its container: `otter.api.grade_submission`, one notebook after another in one process.

`otter grade` starts a Docker container for each submission and runs the same function in it; so this leaves out what
the container costs, and pays for loading otter only once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bare import FACTS
from hand_ins import HandIn
from marks import Scores
from sheets import Checks, Sheet, check_source, code, fill_in, write_notebook
from workplace import timed

NOTHING = {"pdf": False, "print_summary": False, "print_score": False, "logo": False}
TEST = """\
from otter.test_files import test_case

OK_FORMAT = False
name = "{id}"
points = {points}

@test_case(points={points}, hidden=True)
def test_all(env):
{body}
"""
GRADE = """\
import json
import sys
from pathlib import Path
from otter.api import grade_submission

told = {}
for notebook in sorted(Path("submitted").glob("*/*.ipynb")):
    points = told.setdefault(notebook.parent.name, {})
    try:
        results = grade_submission(str(notebook), f"autograders/{notebook.stem}.zip", quiet=True)
    except Exception as error:
        print(notebook, type(error).__name__, error)
    else:
        points.update({name: [test.score, test.possible] for name, test in results.results.items()})
Path("scores.json").write_text(json.dumps(told))
"""


def prepare(folder: Path, sheets: Sequence[Sheet], checks: Checks) -> None:
    """Make the notebooks and, with `otter generate`, an autograder for each."""
    for sheet in sheets:
        tests = {e.id: (e.points, check_source(e.id, "env", checks)) for e in sheet.exercises}
        add_sheet(folder, sheet.name, tests)


def add_sheet(folder: Path, name: str, tests: dict[str, tuple[float, str]]) -> None:
    """One notebook with these exercises, each with its points and the code of its test."""
    cells = [code("import otter\ngrader = otter.Notebook()", "start")]
    for id in tests:
        # the name is nbgrader's, so that answers are filled in the same way
        cells.append(code("pass", id, nbgrader={"grade_id": id}))
        cells.append(code(f'grader.check("{id}")', f"test-{id}"))
    write_notebook(folder / "release" / f"{name}.ipynb", cells)
    own = folder / "autograders" / name / "tests"
    own.mkdir(parents=True)
    for id, (points, source) in tests.items():
        body = "".join(f"    {line}\n" for line in source.splitlines())
        (own / f"{id}.py").write_text(TEST.format(id=id, points=points, body=body))
    (own.parent / "otter_config.json").write_text(json.dumps(NOTHING))
    told = ["-m", "otter", "generate", "--tests-dir", "tests", "--output-path", f"../{name}.zip"]
    timed([own.parent], told)


def hand_in(folder: Path, hand_ins: Sequence[HandIn]) -> None:
    """Put answers into the notebooks."""
    for each in hand_ins:
        for released in sorted((folder / "release").glob("*.ipynb")):
            fill_in(released, folder / "submitted" / each.learner / released.name, each.sources)


def grade(folders: Sequence[Path], facts: Path) -> float:
    """Grade what was handed in, all folders at the same time; the seconds it takes."""
    return timed(folders, ["-c", GRADE], **{FACTS: str(facts)})


def scores(folder: Path) -> Scores:
    """Points and most points by learner and exercise."""
    told = json.loads((folder / "scores.json").read_text())
    return {learner: {id: (got, most) for id, (got, most) in of.items()} for learner, of in told.items()}
