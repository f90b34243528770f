"""Points in a real gradebook of nbgrader's, beside what nbgrader itself and people put there."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.roster import Learner
from grader.course import Course, load_course
from grader.errors import KataError
from grader.formats.results_table import ExportOptions, results_table
from grader.record import ExerciseResult, Record

from .conftest import BROKEN, enrolled, exercise, known_as, record, write_class

if sys.version_info < (3, 11):
    pytest.skip("nbgrader is not made for 3.10", allow_module_level=True)
from nbgrader.api import Gradebook

from grader.notebooks.gradebook import gradebook_at, write_gradebook

pytestmark = pytest.mark.timeout(300)

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Fill = Callable[..., str]
Scores = dict[str, tuple[float | None, bool]]

SHARE, PART, REST = "share", "part", "rest"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Course:
    """Two units, the first with two exercises."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share", "01_parts/02_part", "02_rest/01_rest")
    return load_course(root / "course.yml")


@pytest.fixture(scope="module")
def empty_book(tmp_path_factory: pytest.TempPathFactory, course: Course) -> Path:
    """A new gradebook, made by the first export into a folder that has none: making one starts a program."""
    folder = tmp_path_factory.mktemp("empty")
    write_class(folder, course.root / "course.yml", [record("ada", exercise(REST, 0.0, "missing"))])
    (folder / "nbgrader_config.py").touch()
    path = gradebook_at(folder)
    write(folder, course, path)
    with Gradebook(f"sqlite:///{path}") as opened:
        assert not opened.assignments
        opened.remove_student("ada")
    return path


@pytest.fixture
def book(empty_book: Path, tmp_path: Path) -> Path:
    """An empty gradebook of a test's own."""
    return Path(shutil.copy(empty_book, tmp_path / "gradebook.db"))


def write(out: Path, course: Course, book: Path, *, force: bool = False, **options: Any) -> str:
    with results_table(out, ExportOptions(course=course, **options)) as table:
        return write_gradebook(table, book, force=force)


@pytest.fixture
def fill(class_of: Callable[..., Path], course: Course, book: Path, said: list[str], tmp_path: Path) -> Fill:
    """Writes the results of a class with these records into the gradebook."""

    def filled(*records: Record, learners: Sequence[Learner] = (), force: bool = False) -> str:
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        return write(class_of(*records, learners=learners), course, book, force=force, say=said.append)

    return filled


def scores(path: Path, unit: str, learner: str) -> Scores:
    """Each cell's automatic score, and whether it waits for a person."""
    with Gradebook(f"sqlite:///{path}") as opened:
        (notebook,) = opened.find_submission(unit, learner).notebooks
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in notebook.grades}


def ada(*exercises: ExerciseResult) -> Record:
    return record("ada", *(exercises or (exercise(SHARE, 4), exercise(PART, 1), exercise(REST, 0.0, "missing"))))


def test_points_become_automatic_scores_however_often_they_are_written(fill: Fill, book: Path) -> None:
    for _ in range(2):
        assert fill(ada()) == f"2 scores of 1 learners are in {book}"
        assert scores(book, "01_parts", "ada") == {"test-share": (4, False), "test-part": (1, False)}
    with Gradebook(f"sqlite:///{book}") as opened:  # nothing of a unit that was not handed in
        assert [each.assignment.name for each in opened.student_submissions("ada")] == ["01_parts"]


def test_where_the_grader_failed_a_person_has_to_grade(fill: Fill, book: Path) -> None:
    broken = BROKEN.model_copy(update={"id": SHARE})
    fill(ada(broken, exercise(PART)))
    assert scores(book, "01_parts", "ada") == {"test-share": (None, True), "test-part": (4, False)}


def test_learner_has_the_rosters_name(fill: Fill, book: Path) -> None:
    person = known_as("Lovelace, Ada", login="al7", email="ada@example.org")
    fill(ada(), learners=[enrolled("ada", person)])
    with Gradebook(f"sqlite:///{book}") as opened:
        (student,) = opened.students
        assert (student.id, student.first_name, student.last_name, student.email) == (
            "ada", "Ada", "Lovelace", "ada@example.org"
        )  # fmt: skip


def test_whoever_the_roster_lacks_gets_nobodys_row(fill: Fill, book: Path, said: list[str]) -> None:
    """Graded before there was a roster, a hand-in may be called what is somebody else's id in it."""
    written = fill(ada(), learners=[enrolled("zoe", known_as("Zoe"))])
    assert "0 scores of 0 learners" in written
    assert said == ["Left out, since the roster does not list them: ada."]
    with Gradebook(f"sqlite:///{book}") as opened:
        assert not opened.students


def test_other_scores_are_kept_unless_forced(fill: Fill, book: Path) -> None:
    fill(ada())
    newer = (record("new", exercise(SHARE)), ada(exercise(SHARE, 4), exercise(PART, 4)))
    with pytest.raises(KataError, match=r"ada has 1 points for part .* With --force"):
        fill(*newer)
    with Gradebook(f"sqlite:///{book}") as opened:
        assert [student.id for student in opened.students] == ["ada"]  # nothing of the rest was written either
    fill(*newer, force=True)
    assert scores(book, "01_parts", "ada")["test-part"] == (4, False)


def test_what_a_person_gave_stays(fill: Fill, book: Path) -> None:
    fill(ada())
    with Gradebook(f"sqlite:///{book}") as opened:
        grade = opened.find_grade("test-part", "01_parts", "01_parts", "ada")
        grade.manual_score = 2.5
        opened.db.commit()
    fill(ada(exercise(SHARE, 4), exercise(PART, 4)), force=True)
    with Gradebook(f"sqlite:///{book}") as opened:
        grade = opened.find_grade("test-part", "01_parts", "01_parts", "ada")
        assert (grade.auto_score, grade.manual_score, grade.score) == (4, 2.5, 2.5)


def test_released_with_other_points_is_refused(fill: Fill, book: Path) -> None:
    with Gradebook(f"sqlite:///{book}") as opened:
        opened.add_assignment("01_parts")
        opened.add_notebook("01_parts", "01_parts")
        opened.add_grade_cell("test-share", "01_parts", "01_parts", max_score=9, cell_type="code")
    with pytest.raises(KataError, match="share is worth 9 points, in the course 4"):
        fill(ada())


def test_file_that_is_no_gradebook_is_left_alone(class_of: Callable[..., Path], course: Course, tmp_path: Path) -> None:
    path = tmp_path / "gradebook.db"
    path.write_bytes(b"no database")
    with pytest.raises(KataError, match="cannot be written"):
        write(class_of(ada()), course, path)
    assert path.read_bytes() == b"no database"
    with pytest.raises(KataError, match="no course folder of nbgrader"):
        gradebook_at(tmp_path)


@pytest.mark.thorough
def test_nbgrader_itself_reads_the_points_of_a_released_unit(
    class_of: Callable[..., Path], course: Course, tmp_path: Path, kata: Run, run_command: Run
) -> None:
    folder = tmp_path / "nbgrader"
    home = {f"JUPYTER_{name}_DIR": str(tmp_path / "jupyter") for name in ("CONFIG", "DATA", "RUNTIME")}

    def run(program: str, *arguments: object) -> Any:
        path = Path(sys.executable).with_name(program)
        done = run_command(path, *arguments, cwd=folder if folder.exists() else tmp_path, env=home, seconds=280)
        assert done.returncode == 0, done.stderr
        return done

    run("kata", "notebooks", folder, "--reflection", "--course", course.root)
    run("nbgrader", "generate_assignment", "01_parts")
    out = class_of(ada())
    done = run("kata", "export", out, "--format", "gradebook", "--to", folder, "--course", course.root)
    assert "2 scores of 1 learners" in done.stdout
    run("nbgrader", "export", "--to", "grades.csv")
    with (folder / "grades.csv").open(newline="") as lines:
        rows = {(row["assignment"], row["student_id"]): row for row in csv.DictReader(lines)}
    assert float(rows["01_parts", "ada"]["raw_score"]) == 5
    assert scores(folder / "gradebook.db", "01_parts", "ada") == {
        "test-share": (4, False), "test-part": (1, False), "reflection": (None, True)
    }  # fmt: skip


def test_points_go_to_the_assignment_in_which_an_exercise_was_released(book: Path, fill: Fill) -> None:
    with Gradebook(f"sqlite:///{book}") as opened:
        opened.add_assignment("week1")
        opened.add_notebook("week1", "week1")
        opened.add_grade_cell("test-share", "week1", "week1", max_score=4, cell_type="code")
    fill(ada())
    with Gradebook(f"sqlite:///{book}") as opened:
        assert opened.find_grade("test-share", "week1", "week1", "ada").auto_score == 4
        units = {
            (cell.name, cell.notebook.assignment.name)
            for cell in opened.find_notebook("01_parts", "01_parts").grade_cells
        }
    assert units == {("test-part", "01_parts")}
