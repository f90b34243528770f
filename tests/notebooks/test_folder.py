"""`kata notebooks`: a course folder that nbgrader accepts, made from the same exercises as the files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from grader.course import load_course
from grader.course.stubs import make_stub, same_as_stub
from grader.errors import KataError
from grader.intake import read_submission
from grader.notebooks.course_folder import assignments_of, write_folder
from tests.cases import rows, table

from .conftest import RIGHT, UNIT, Edit, Folder

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
COURSE = load_course(ROOT / "course.yml")
UNITS = [unit.folder for unit in COURSE.units]

WITH_ALEMBIC = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
"""As in an environment that is activated, for settings that do not see to it."""
EACH_UNIT = pytest.mark.parametrize("unit", COURSE.units, ids=UNITS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, folder_at: Callable[[Path], Folder]) -> Folder:
    """Every unit, released by nbgrader."""
    folder = folder_at(tmp_path_factory.mktemp("nbgrader") / "course")
    list(write_folder(COURSE, folder.root, assignments_of(COURSE, [], (), "")))
    folder.nbgrader("generate_assignment", "*")
    return folder


def files(root: Path) -> dict[str, bytes]:
    made_by_us = [root / "nbgrader_config.py", root / "nbgrader_config.json", *root.glob("source/*/*")]
    return {str(path.relative_to(root)): path.read_bytes() for path in made_by_us}


def test_one_notebook_a_unit_and_the_same_bytes_each_time(folder: Folder, tmp_path: Path) -> None:
    list(write_folder(COURSE, tmp_path, assignments_of(COURSE, [], (), "")))
    assert files(tmp_path) == files(folder.root)
    assert sorted(files(folder.root)) == [
        "nbgrader_config.json", "nbgrader_config.py", *(f"source/{unit}/{unit}.ipynb" for unit in UNITS)
    ]  # fmt: skip


@EACH_UNIT
def test_source_holds_the_references_and_released_are_stubs_checks_and_points(unit: Any, folder: Folder) -> None:
    source, released = folder.source(unit.folder), folder.released(unit.folder)
    nbformat.validate(source)
    ids = [cell["id"] for cell in source["cells"]]
    assert (source["nbformat"], source["nbformat_minor"]) == (4, 5) and len(set(ids)) == len(ids)
    for exercise in unit.exercises:
        solution = COURSE.solution_path(exercise).read_text("utf-8")
        assert "# BEGIN SOLUTION" in solution
        assert "".join(Edit.cell(source, exercise.id)["source"]) == solution.strip("\n")
        assert "".join(Edit.cell(released, exercise.id)["source"]) == make_stub(solution).strip("\n")
        check = Edit.cell(released, f"check-{exercise.id}")
        assert f'kata.check("{exercise.id}")' in "".join(check["source"])
        assert (check["metadata"]["editable"], check["metadata"]["deletable"]) == (False, False)
    marks = [cell["metadata"].get("nbgrader", {}) for cell in released["cells"]]
    points = {each["grade_id"]: (each["points"], each["locked"]) for each in marks if each.get("grade")}
    assert points == {f"test-{each.id}": (each.points, True) for each in unit.exercises}


@EACH_UNIT
def test_nothing_hidden_is_released(unit: Any, folder: Folder) -> None:
    text = json.dumps(folder.released(unit.folder))
    assert "SOLUTION" not in text and "learner.agrees" not in text and str(ROOT) not in text
    assert "pip install" not in text and "attention-kata" not in text, "nothing is installed by its name"


@EACH_UNIT
def test_released_notebook_as_given_is_not_started(unit: Any, folder: Folder) -> None:
    submission = read_submission(folder.root / "release" / unit.folder / f"{unit.folder}.ipynb", COURSE)
    assert not submission.problems
    for exercise in unit.exercises:
        stub = make_stub(COURSE.solution_path(exercise).read_text("utf-8"))
        assert same_as_stub(submission.sources[exercise.id].content, stub)


@EACH_UNIT
def test_lesson_is_whole_and_its_pictures_are_in_it(unit: Any, folder: Folder) -> None:
    cells = folder.released(unit.folder)["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    lesson = COURSE.lesson_path(unit).read_text("utf-8")
    into_the_course = re.compile(r"(?<!!)\[([^\]]+)\]\(\.\./[^)]*\)")  # a notebook lies elsewhere: the words stay
    for line in lesson.splitlines():
        assert into_the_course.sub(r"\1", line) in text or line.startswith("![")
    assert "](../" not in text
    assert not re.findall(r"\]\((?!https?://)[^)]*\.(?:svg|png)\)", text)
    shown, given = re.findall(r"!\[[^\]]*\]\[([^\]]+)\]", text), re.findall(r"^\[([^\]]+)\]: data:", text, re.MULTILINE)
    assert sorted(shown) == sorted(given) and len(shown) == lesson.count("![")


def test_check_cell_without_the_grader_is_a_kind_sentence(folder: Folder) -> None:
    unit = COURSE.units[0]
    cell = Edit.cell(folder.released(unit.folder), f"check-{unit.exercises[0].id}")
    program = "import sys; sys.modules['grader'] = None\n" + "".join(cell["source"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("The checks are not installed where this notebook runs.")
    assert (
        "ask your instructor for the file to install.\nDo not install it by a name" in done.stdout and not done.stderr
    )


def test_check_cells_play_no_part_in_what_is_handed_in(folder: Folder, tmp_path: Path) -> None:
    unit = COURSE.units[0]
    answers = {each.id: f"def {each.entry_points[0]}(*given):\n    return kata(given), sys" for each in unit.exercises}
    handed_in = tmp_path / "ada.ipynb"
    handed_in.write_text(json.dumps(Edit.filled(folder.released(unit.folder), answers)), "utf-8")
    submission = read_submission(handed_in, COURSE)
    assert {id: source.content.decode() for id, source in submission.sources.items()} == answers


def test_examples_run_once_the_answers_are_right(folder: Folder) -> None:
    unit = COURSE.units[0]
    answers = {each.id: COURSE.solution_path(each).read_text("utf-8") for each in unit.exercises}
    cells = Edit.filled(folder.released(unit.folder), answers)["cells"]
    shown: dict[str, Any] = {}
    for cell in (cell for cell in cells if cell["cell_type"] == "code" and not cell["id"].endswith("-test")):
        *lines, last = [line for line in "".join(cell["source"]).split("\n") if not line.startswith("#")] or [""]
        if "example" not in cell["id"]:
            exec("".join(cell["source"]), shown)
            continue
        exec("\n".join(lines), shown)
        due = [line[3:] for line in "".join(cell["source"]).split("\n") if line.startswith("#> ")]
        assert repr(eval(last, shown)).split("\n") == due


def write(folder: Path, only: tuple[str, ...] = (), name: str = "", **options: Any) -> list[str]:
    """What `kata notebooks` prints, without the folder's path: for unit 1, or for these exercises."""
    units = [] if only else [COURSE.units[0]]
    assignments = assignments_of(COURSE, units, only, name, reflection=options.pop("reflection", False))
    return [line.replace(f"{folder}/", "") for line in write_folder(COURSE, folder, assignments, **options)]


def edit_source(path: Path, id: str, source: str) -> bytes:
    """Edit one cell as Jupyter saves it: keys in another order, sources as lists, outputs."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        text = source if cell["id"] == id else "".join(cell["source"])
        cell["source"] = text.splitlines(keepends=True)
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [{"output_type": "stream", "name": "stdout", "text": "1"}], 3
    path.write_text(json.dumps(notebook, sort_keys=True, indent=1), "utf-8")
    return path.read_bytes()


def test_edited_source_notebook_is_never_overwritten_and_named(tmp_path: Path) -> None:
    source = "source/week1/week1.ipynb"
    write(tmp_path, only=("softmax", "dot_scores"), name="week1")
    edited = edit_source(tmp_path / source, "02-task", "My own words.")
    assert write(tmp_path, only=("softmax", "dot_scores"), name="week1") == [
        "nbgrader_config.json",
        f"{source} was edited and stays as it is. To have it anew, move it away and run this again.",
    ]
    assert (tmp_path / source).read_bytes() == edited


def test_source_notebook_that_was_only_run_is_written_anew(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "source" / UNITS[0] / f"{UNITS[0]}.ipynb"
    before = path.read_bytes()
    assert edit_source(path, "none", "") != before
    assert write(tmp_path) == ["nbgrader_config.json", f"source/{UNITS[0]}/{UNITS[0]}.ipynb"]
    assert path.read_bytes() == before


def test_notebook_that_is_not_from_here_stays(tmp_path: Path) -> None:
    path = tmp_path / "source" / UNITS[0] / f"{UNITS[0]}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text("{}", "utf-8")
    assert "stays as it is" in write(tmp_path)[-1]
    assert path.read_text("utf-8") == "{}"


def test_week_holds_the_chosen_exercises_with_their_lesson(tmp_path: Path) -> None:
    write(tmp_path, only=("softmax", "dot_scores"), name="week1")
    cells = json.loads((tmp_path / "source/week1/week1.ipynb").read_text("utf-8"))["cells"]
    tests = [cell["metadata"]["nbgrader"]["grade_id"] for cell in cells if cell["id"].endswith("-test")]
    assert tests == ["test-dot_scores", "test-softmax"]  # in the course's order
    assert {"header", "01-unit", "02-lesson", "03-lesson"} <= {cell["id"] for cell in cells}
    assert "reflection" not in {cell["id"] for cell in cells}


def test_units_and_exercises_that_were_chosen_are_one_notebook_together() -> None:
    (two,) = assignments_of(COURSE, COURSE.units[:1], ["softmax", "dot_scores"], "week2")
    assert [each.id for each in two.exercises] == ["dot_scores", "softmax"]
    (both,) = assignments_of(COURSE, COURSE.units[:2], (), "weeks")
    assert both.exercises == (*COURSE.units[0].exercises, *COURSE.units[1].exercises)
    assert [each.name for each in assignments_of(COURSE, COURSE.units[:2], (), "")] == UNITS[:2]
    assert assignments_of(COURSE, (), (), "term")[0].exercises == COURSE.exercises


def test_reflection_is_there_when_asked_for(tmp_path: Path) -> None:
    write(tmp_path, reflection=True)
    cells = json.loads((tmp_path / "source" / UNITS[0] / f"{UNITS[0]}.ipynb").read_text("utf-8"))["cells"]
    marks = cells[-1]["metadata"]["nbgrader"]
    assert (marks["grade_id"], marks["points"], marks["grade"], marks["solution"]) == ("reflection", 2, True, True)
    assert "and a question at the end for 2 more, which a person reads" in "".join(cells[0]["source"])


@pytest.mark.parametrize(
    ("only", "name", "why"),
    [
        pytest.param(("softmax",), "", "Say what the assignment with these exercises is called", id="no name"),
        pytest.param((), "../week1", "cannot be an assignment's name", id="a path"),
        pytest.param((), "7_week", "cannot be an assignment's name", id="a number that Canvas could have written"),
    ],
)
def test_choice_that_makes_no_assignment_is_refused(only: tuple[str, ...], name: str, why: str) -> None:
    with pytest.raises(KataError, match=re.escape(why)):
        assignments_of(COURSE, [COURSE.units[0]], only, name)


def test_own_settings_are_kept_and_count(tmp_path: Path, folder_at: Callable[[Path], Folder]) -> None:
    write(tmp_path)
    settings = tmp_path / "nbgrader_config.py"
    own = settings.read_text("utf-8") + 'c.CourseDirectory.release_directory = "given"\nc.KataAutograde.seed = 5\n'
    settings.write_text(own, "utf-8")
    write(tmp_path)
    assert settings.read_text("utf-8") == own
    folder_at(tmp_path).nbgrader("generate_assignment", UNITS[0])
    assert (tmp_path / "given" / UNITS[0] / f"{UNITS[0]}.ipynb").is_file()


def test_nbgrader_does_nothing_without_our_settings(tmp_path: Path, folder_at: Callable[[Path], Folder]) -> None:
    """It would run learners' code in a kernel else."""
    write(tmp_path)
    (tmp_path / "nbgrader_config.json").unlink()
    said = folder_at(tmp_path).nbgrader("generate_assignment", UNITS[0], status=1).stderr
    assert f"nbgrader_config.json is missing in {tmp_path}; `kata notebooks {tmp_path}` writes it." in said
    assert not (tmp_path / "release").exists()


def test_error_in_own_settings_lets_no_solution_out(tmp_path: Path, folder_at: Callable[[Path], Folder]) -> None:
    """nbgrader passes over such a file and goes on without it; what ours says counts over theirs."""
    write(tmp_path)
    with (tmp_path / "nbgrader_config.py").open("a", encoding="utf-8") as settings:
        settings.write("c.KataAutograde.seed = = 5\n")
    folder_at(tmp_path).nbgrader("generate_assignment", UNITS[0], PATH=WITH_ALEMBIC)
    assert "SOLUTION" not in (tmp_path / "release" / UNITS[0] / f"{UNITS[0]}.ipynb").read_text("utf-8")


WHEEL = "https://example.org/attention_kata-1.0-py3-none-any.whl"


def test_wheel_is_named_in_the_notebooks_and_remembered(tmp_path: Path) -> None:
    write(tmp_path, wheel=WHEEL)
    first = files(tmp_path)
    assert f"%pip install {WHEEL}".encode() in first[f"source/{UNITS[0]}/{UNITS[0]}.ipynb"]
    write(tmp_path)
    assert files(tmp_path) == first


@rows(table(__file__, "wheels.yml"), "wheel")
def test_anything_but_a_certain_wheel_is_refused(wheel: str, tmp_path: Path) -> None:
    with pytest.raises(KataError, match="is no wheel that a notebook can install"):
        write(tmp_path, wheel=wheel)
    assert not list(tmp_path.iterdir())


def test_folder_that_learners_code_could_read_is_refused() -> None:
    place = Path(sys.prefix) / "course-folder"
    with pytest.raises(KataError, match=r"Learners' code can read .* move it elsewhere"):
        write(place)
    assert not place.exists()


def test_nothing_else_imports_nbgrader() -> None:
    program = (
        "import sys, pathlib, importlib, grader\n"
        "root = pathlib.Path(grader.__path__[0])\n"
        "for file in sorted(root.rglob('*.py')):\n"
        "    name = '.'.join(file.relative_to(root.parent).with_suffix('').parts).removesuffix('.__init__')\n"
        "    apart = ('grader.notebooks', 'grader.notebooks.gradebook', 'grader.sandbox.inside', 'grader.__main__')\n"
        "    if not name.startswith(apart):\n"
        "        importlib.import_module(name)\n"
        "print(sorted({'nbgrader', 'nbformat', 'nbconvert', 'traitlets', 'IPython'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_missing_extra_is_one_sentence(tmp_path: Path) -> None:
    program = "import sys; sys.modules['nbformat'] = None; from grader.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "notebooks", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "nbformat is not installed; notebooks need the instructor's extra: "
        "`make instructor` in a copy of the course, or pip install '.[instructor]' there (Python 3.11 or newer).\n"
    )


# --- nbgrader's own Validate: "Success!" for right answers, and for nothing else --------------------------------------
# What the test cells say of other answers: tests/in_notebook/shown.txt.

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
