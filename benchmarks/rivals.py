"""The same class graded by `kata grade-class`, nbgrader, otter-grader and plain pytest: `python benchmarks/rivals.py`.

Answers are the course's references, alternatives and, one in seven, known mistakes. Ours grades them with its own
checks behind the full wall, and names the mistakes. The others have the short tests of plain_tests.yml, which is less
work. All start-up counts. `--tools kata-in-nbgrader` is `nbgrader autograde` with our steps in it. nbgrader is the one
of `make instructor`; otter-grader comes with `benchmarks/set_up_otter.sh`, and runs without its container.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
import yaml
from answers import SIX, Learner, class_of, write_class
from figures import ROOT, Table, options_of, tell
from nbformat.v4 import new_code_cell, new_notebook

from grader.course import Course, Exercise, load_course
from grader.record import Record

PROGRAMS = Path(sys.executable).parent
OTTER = ROOT / "build" / "otter-venv" / "bin" / "python"
ASSIGNMENT = "homework"
CORES = 2
Scores = dict[str, dict[str, float | None]]
"""Points by learner and exercise; None where the tool gave no mark."""

PLAIN_TESTS: dict[str, str] = yaml.safe_load((ROOT / "benchmarks" / "plain_tests.yml").read_text(encoding="utf-8"))
PLAIN_TEST = """\
import torch

def near(came, due):
    assert came.shape == due.shape and torch.allclose(came, due, atol=1e-4)

def twins(*sizes):
    ours, due = mine(*sizes).eval(), right(*sizes).eval()
    ours.load_state_dict(dict(due.named_parameters()), strict=False)
    return ours, due

reference = {{}}
exec({reference!r}, reference)
right, mine = reference[{entry!r}], {names}[{entry!r}]
{test}"""


def plain_test(course: Course, exercise: Exercise, names: str) -> str:
    """The source of a short test. `names` is an expression for the variables that hold the learner's answer."""
    reference = course.solution_path(exercise).read_text(encoding="utf-8").replace("SOLUTION", "")
    entry = exercise.entry_points[0]
    return PLAIN_TEST.format(reference=reference, entry=entry, names=names, test=PLAIN_TESTS[exercise.id])


# --- commands -----------------------------------------------------------------------------------------------------


class Failed(Exception):
    """A command that did not end well, with what it said."""


def environment(home: Path) -> dict[str, str]:
    """Nothing of the user's settings, temporary files and warm judges in `home`."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "TMPDIR", "XDG_RUNTIME_DIR")
    settings = {name: str(home / name.lower()) for name in names}
    for folder in settings.values():
        Path(folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    # nbgrader calls `alembic`; pytest loads no plugin, for the project brings one
    path = os.pathsep.join([str(OTTER.parent), str(PROGRAMS), os.environ.get("PATH", os.defpath)])
    return {**os.environ, **settings, "PATH": path, "KATA_SERVICE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def timed(command: Sequence[object], *folders: Path) -> float:
    """Run a command in each folder at the same time: the seconds until the last has ended. Raises Failed."""
    words, running, started = list(map(str, command)), [], time.perf_counter()
    for folder in folders:
        with (folder / "said.txt").open("w") as said:
            running.append(subprocess.Popen(words, cwd=folder, env=environment(folder), stdout=said, stderr=said))
    codes = [process.wait() for process in running]
    seconds = time.perf_counter() - started
    for folder, code in zip(folders, codes, strict=True):
        if code:
            raise Failed(f"{' '.join(words)}: {code}\n{(folder / 'said.txt').read_text()[-3000:]}")
    return seconds


# --- notebooks ----------------------------------------------------------------------------------------------------


def code(source: str, id: str, **metadata: Any) -> Any:
    """A code cell."""
    return new_code_cell(source, id=id[:64], metadata=metadata)


def marks(name: str, points: float = 0) -> dict[str, object]:
    """nbgrader's metadata of an answer, or of a test when it has points."""
    kind = {"grade_id": name, "schema_version": 3, "cell_type": "code", "task": False}
    if points:
        return {**kind, "grade": True, "solution": False, "locked": True, "points": points}
    return {**kind, "grade": False, "solution": True, "locked": False}


def write_notebook(path: Path, cells: Sequence[Any]) -> None:
    """Write a notebook, and the folder around it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nbformat.write(new_notebook(cells=list(cells), metadata={"kernelspec": kernel}), path)


def fill_in(
    source: Path, target: Path, answers: Mapping[str, str], edit: Callable[[list[Any]], None] = lambda cells: None
) -> None:
    """Write a copy of a released notebook in which the answers' cells, named by exercise, hold these sources.

    `edit` changes the list of cells in place after that.
    """
    notebook = nbformat.read(source, as_version=4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        cell.source = answers.get(name, cell.source)
    edit(notebook.cells)
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)


# --- the tools ----------------------------------------------------------------------------------------------------


class Tool:
    """What grades a class. Its work is in a folder: prepared, handed in, graded, and then there are scores."""

    name = ""

    def __init__(self, course: Course, ids: Sequence[str]) -> None:
        self.course, self.exercises = course, [course.exercise(id) for id in ids]

    def prepare(self, folder: Path) -> None:
        """What a teacher does before a class starts."""
        folder.mkdir(parents=True, exist_ok=True)

    def hand_in(self, folder: Path, learners: Sequence[Learner]) -> None:
        """Put answers where the tool looks for them: one folder a learner, one file an exercise."""
        write_class(folder / "submitted", learners)

    def grade(self, *folders: Path) -> float:
        """Grade what was handed in, all folders at the same time; the seconds until the last is done. Raises Failed."""
        raise NotImplementedError

    def scores(self, folder: Path) -> Scores:
        """What the tool gave."""
        raise NotImplementedError


class Kata(Tool):
    """`kata grade-class`, fully isolated, with as many judges as it takes by itself."""

    name = "ours"

    def grade(self, *folders: Path) -> float:
        """One command a folder."""
        only = [part for each in self.exercises for part in ("--only", each.id)]
        command = [PROGRAMS / "kata", "grade-class", "submitted", "--out", "out", "--course", ROOT]
        return timed([*command, *only], *folders)

    def scores(self, folder: Path) -> Scores:
        """As they stand in the records."""
        lines = (folder / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines()
        records = map(Record.from_json, lines)
        return {record.submission: {each.id: each.points for each in record.exercises} for record in records}


class Nbgrader(Tool):
    """nbgrader as it comes: one notebook with an answer and a hidden test for each exercise."""

    name = "nbgrader"

    def prepare(self, folder: Path) -> None:
        """Make a course folder and release its assignment."""
        cells = []
        for exercise in self.exercises:
            test = f"### BEGIN HIDDEN TESTS\n{plain_test(self.course, exercise, 'globals()')}### END HIDDEN TESTS"
            cells.append(code("pass", exercise.id, nbgrader=marks(exercise.id)))
            cells.append(code(test, f"test-{exercise.id}", nbgrader=marks(f"test-{exercise.id}", exercise.points)))
        write_notebook(folder / "source" / ASSIGNMENT / "homework.ipynb", cells)
        self.release(folder)

    def release(self, folder: Path) -> None:
        """What an instructor does before a class starts."""
        (folder / "nbgrader_config.py").write_text("c = get_config()\n")
        timed([PROGRAMS / "nbgrader", "generate_assignment", ASSIGNMENT], folder)

    def hand_in(self, folder: Path, learners: Sequence[Learner]) -> None:
        """Put answers where nbgrader looks for them."""
        released = sorted((folder / "release").glob("*/*.ipynb"))
        for learner in learners:
            for path in released:
                fill_in(path, folder / "submitted" / learner.name / path.parent.name / path.name, learner.sources)

    def grade(self, *folders: Path) -> float:
        """`nbgrader autograde`."""
        return timed([PROGRAMS / "nbgrader", "autograde", ASSIGNMENT], *folders)

    def scores(self, folder: Path) -> Scores:
        """As they stand in the gradebook."""
        from nbgrader.api import Gradebook

        scores: Scores = {}
        with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
            for assignment in book.assignments:
                for submission in book.assignment_submissions(assignment.name):
                    marks = [grade for notebook in submission.notebooks for grade in notebook.grades]
                    points = {grade.name.removeprefix("test-"): grade.score for grade in marks}
                    scores.setdefault(submission.student.id, {}).update(points)
        return scores


class KataInNbgrader(Nbgrader):
    """nbgrader with our steps in it, on the whole units that have these exercises."""

    name = "kata-in-nbgrader"

    def prepare(self, folder: Path) -> None:
        """`kata notebooks`, and the release of each unit."""
        folder.mkdir(parents=True, exist_ok=True)
        timed([PROGRAMS / "kata", "notebooks", ".", "--course", ROOT], folder)
        for unit in self._units():
            timed([PROGRAMS / "nbgrader", "generate_assignment", unit], folder)

    def grade(self, *folders: Path) -> float:
        """`nbgrader autograde`, one unit after another."""
        return sum(timed([PROGRAMS / "nbgrader", "autograde", unit], *folders) for unit in self._units())

    def _units(self) -> list[str]:
        chosen = {each.id for each in self.exercises}
        return [unit.folder for unit in self.course.units if chosen & {each.id for each in unit.exercises}]


OTTER_TEST = """\
from otter.test_files import test_case

OK_FORMAT = False
name = "{id}"
points = {points}

@test_case(points={points}, hidden=True)
def test_all(env):
{body}
"""
OTTER_GRADE = """\
import json
from pathlib import Path
from otter.api import grade_submission

scores = {}
for notebook in sorted(Path("submitted").glob("*/*.ipynb")):
    points = scores.setdefault(notebook.parent.name, {})
    try:
        results = grade_submission(str(notebook), "homework.zip", quiet=True)
    except Exception as error:
        print(notebook, type(error).__name__, error)
    else:
        points.update({name: test.score for name, test in results.results.items()})
Path("scores.json").write_text(json.dumps(scores))
"""


class Otter(Tool):
    """otter-grader without its container: `otter.api.grade_submission`, one notebook after another in one process."""

    name = "otter-grader"

    def prepare(self, folder: Path) -> None:
        """Make the notebook and, with `otter generate`, its autograder."""
        self.write(folder, {each.id: (each.points, plain_test(self.course, each, "env")) for each in self.exercises})

    def write(self, folder: Path, tests: Mapping[str, tuple[float, str]]) -> None:
        """The same with the points and the source of each test given."""
        if not OTTER.exists():
            sys.exit("otter-grader is not installed: run benchmarks/set_up_otter.sh first.")
        cells = [code("import otter\ngrader = otter.Notebook()", "start")]
        own = folder / "autograder" / "tests"
        own.mkdir(parents=True)
        for id, (points, source) in tests.items():
            cells.append(code("pass", id, nbgrader={"grade_id": id}))  # nbgrader's name, so that `fill_in` finds it
            cells.append(code(f'grader.check("{id}")', f"test-{id}"))
            body = "".join(f"    {line}\n" for line in source.splitlines())
            (own / f"{id}.py").write_text(OTTER_TEST.format(id=id, points=points, body=body))
        write_notebook(folder / "release" / "homework.ipynb", cells)
        quiet = {"pdf": False, "print_summary": False, "print_score": False, "logo": False}
        (own.parent / "otter_config.json").write_text(json.dumps(quiet))
        generate = ["generate", "--tests-dir", "tests", "--output-path", "../homework.zip"]
        timed([OTTER, "-m", "otter", *generate], own.parent)

    def hand_in(self, folder: Path, learners: Sequence[Learner]) -> None:
        """Put answers into the notebooks."""
        for learner in learners:
            target = folder / "submitted" / learner.name / "homework.ipynb"
            fill_in(folder / "release" / "homework.ipynb", target, learner.sources)

    def grade(self, *folders: Path) -> float:
        """All in one process a folder."""
        return timed([OTTER, "-c", OTTER_GRADE], *folders)

    def scores(self, folder: Path) -> Scores:
        """As the process wrote them."""
        return dict(json.loads((folder / "scores.json").read_text()))


PYTEST_GRADE = """\
import subprocess
import sys
from pathlib import Path

for own in sorted(Path("submitted").iterdir()):
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir=.", "-p", "no:cacheprovider", "-c", "/dev/null"]
    subprocess.run([*command, "--junitxml=results.xml", "../../test_submission.py"], cwd=own)
"""


class Pytest(Tool):
    """No grader at all: one cold pytest for each submission, which loads every file into its own process."""

    name = "pytest"

    def prepare(self, folder: Path) -> None:
        """Write the tests."""
        tests = ["from pathlib import Path", "from runpy import run_path"]
        for exercise in self.exercises:
            body = plain_test(self.course, exercise, f'run_path("{exercise.id}.py")').splitlines()
            tests += ["", f"def test_{exercise.id}():", *(f"    {line}" for line in body)]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "test_submission.py").write_text("\n".join(tests) + "\n")

    def grade(self, *folders: Path) -> float:
        """One after another."""
        return timed([sys.executable, "-c", PYTEST_GRADE], *folders)

    def scores(self, folder: Path) -> Scores:
        """All points of an exercise or none."""
        points = {f"test_{each.id}": (each.id, each.points) for each in self.exercises}
        scores: Scores = {}
        for path in folder.glob("submitted/*/results.xml"):
            own = scores[path.parent.name] = {}
            for case in ElementTree.parse(path).iter("testcase"):
                id, most = points[case.attrib["name"]]
                own[id] = 0.0 if case.find("failure") is not None else most
        return scores


TOOLS: dict[str, type[Tool]] = {tool.name: tool for tool in (Kata, Nbgrader, KataInNbgrader, Otter, Pytest)}


# --- the comparison -----------------------------------------------------------------------------------------------


def measure(tool: Tool, folder: Path, learners: Sequence[Learner], at_once: int) -> tuple[float, int, int]:
    """Seconds for a class, graded by so many commands at once; wrong answers with full points, right ones without."""
    parts = [learners[number::at_once] for number in range(at_once)]
    folders = [folder / tool.name / f"{at_once}-{number}" for number in range(at_once)]
    for own, part in zip(folders, parts, strict=True):
        tool.prepare(own)
        tool.hand_in(own, part)
    seconds = tool.grade(*folders)
    scores: Scores = {}
    for own in folders:
        scores |= tool.scores(own)
    full = {
        (learner.name, each.id): scores[learner.name].get(each.id) == each.points
        for learner in learners
        for each in tool.exercises
    }
    wrong = {(learner.name, id) for learner in learners for id in learner.wrong}
    return seconds, sum(full[key] for key in wrong), sum(not passed for key, passed in full.items() if key not in wrong)


def main() -> None:
    """Measure and print the table."""
    parser = options_of(__doc__, "a class of two")
    parser.add_argument("--learners", type=int, default=20)
    parser.add_argument("--exercises", choices=["six", "first-unit"], default="six")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=[each for each in TOOLS if "-in-" not in each])
    options = parser.parse_args()
    course = load_course(ROOT / "course.yml")
    ids = SIX if options.exercises == "six" else [each.id for each in course.units[0].exercises]
    learners = class_of(course, ids, 2 if options.quick else options.learners)
    rows, ours = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name in options.tools:
            for at_once in (1,) if name == "ours" else (1, CORES):  # ours has a judge a core by itself
                print(f"  {name}, {at_once} at a time …", file=sys.stderr, flush=True)
                seconds, passed, refused = measure(TOOLS[name](course, ids), Path(folder), learners, at_once)
                ours = ours or seconds
                each = f"{seconds / len(learners):.2f}"
                rows.append(
                    (name, f"{at_once}", f"{seconds:.1f}", each, f"{seconds / ours:.1f}", f"{passed}", f"{refused}")
                )
    wrong = sum(len(each.wrong) for each in learners)
    note = f"{len(learners)} learners, {len(ids)} exercises each, {wrong} of {len(learners) * len(ids)} answers wrong."
    columns = ("tool", "commands at a time", "seconds", "a submission (s)", f"times {options.tools[0]}",
               "wrong answers with full points", "right answers without")  # fmt: skip
    tell(Table(columns, rows, note), options.json)


if __name__ == "__main__":
    main()
