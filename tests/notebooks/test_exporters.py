"""The real `nbgrader export` with each of our exporters, after a class was graded, in part or not at all."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(dim=-1, keepdim=True)\n"
WRONG = "def {id}(amounts):\n    raise ValueError\n"
UNIT, NEXT = "01_parts", "02_more"
EXPORTERS = ("PerLearner", "PerExercise", "Canvas", "Moodle")

STRANGE = {"first_name": '=HYPERLINK("x"), "A"', "last_name": "Berg, +1\nof two", "email": "@strange.org"}
NAMES: dict[str, dict[str, str]] = {
    "right": {"first_name": "Rita", "last_name": "Right", "email": "rita@example.org", "lms_user_id": "4711"},
    "zero": STRANGE,
    "writes": {"first_name": "Will", "last_name": "Ölström", "email": "will@example.org"},
    "marked": {"first_name": "Mary", "last_name": "Marked", "email": "mary@example.org"},
    "regraded": {"first_name": "Rea", "last_name": "Regraded", "email": "rea@example.org"},
    "again": {"first_name": "Ada", "last_name": "Again", "email": "ada@example.org"},
    "absent": {"first_name": "Abe", "last_name": "Absent", "email": "abe@example.org"},
}


class Exported:
    """A class's course folder, with what each exporter wrote about it."""

    def __init__(self, folder: Any) -> None:
        self.folder = folder
        self.said: dict[str, str] = {}

    def export(self, exporter: str, to: str, *options: str, status: int = 0) -> str:
        plugin = f"grader.notebooks.exporters.{exporter}"
        done = self.folder.nbgrader("export", "--exporter", plugin, "--to", to, *options, status=status)
        return done.stderr

    def rows(self, name: str) -> list[list[str]]:
        with (self.folder.root / name).open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    def table(self, name: str) -> list[dict[str, str]]:
        header, *rows = self.rows(name)
        assert {len(row) for row in rows} == {len(header)} and len(set(header)) == len(header)
        return [dict(zip(header, row, strict=True)) for row in rows]

    def learner(self, id: str) -> dict[str, str]:
        (row,) = [row for row in self.table("PerLearner.csv") if row["id"] == id]
        return row

    def exercises(self, id: str) -> dict[tuple[str, str], dict[str, str]]:
        rows = [row for row in self.table("PerExercise.csv") if row["id"] == id]
        return {(row["unit"], row["exercise"]): row for row in rows}


@pytest.fixture(scope="module")
def exported(
    tmp_path_factory: pytest.TempPathFactory, make_course: Any, kata: Any, folder_at: Callable[[Path], Any], edit: Any
) -> Exported:
    from nbgrader.api import Gradebook

    root = tmp_path_factory.mktemp("export")
    course = make_course(root / "tiny", f"{UNIT}/01_share", f"{UNIT}/02_other", f"{NEXT}/01_third")
    assert kata("notebooks", root / "course", cwd=course).returncode == 0
    folder = folder_at(root / "course")
    folder.nbgrader("generate_assignment", "*")
    released = folder.released(UNIT)
    right = edit.filled(released, {id: RIGHT.format(id=id) for id in ("share", "other")})
    text = {"reflection": "What I think."}
    folder.hand_in("right", UNIT, right)
    folder.hand_in("zero", UNIT, edit.filled(released, {id: WRONG.format(id=id) for id in ("share", "other")}))
    folder.hand_in("writes", UNIT, edit.filled(right, text))
    folder.hand_in("marked", UNIT, edit.filled(right, text))
    folder.hand_in("regraded", UNIT, edit.filled(right, text))
    folder.hand_in("again", UNIT, right)
    folder.nbgrader("autograde", UNIT)

    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as book:
        for id, names in NAMES.items():
            book.update_or_create_student(id, **names)
        marked = book.find_grade("reflection", UNIT, UNIT, "marked")
        marked.manual_score, marked.extra_credit, marked.needs_manual_grade = 1.5, 0.25, False
        regraded = book.find_grade("reflection", UNIT, UNIT, "regraded")
        regraded.manual_score, regraded.needs_manual_grade = 2.0, True  # as nbgrader leaves a person's mark then
        book.find_submission_notebook(UNIT, UNIT, "marked").late_submission_penalty = 3.0
        book.find_submission_notebook(UNIT, UNIT, "zero").late_submission_penalty = 3.0
        book.db.commit()
    # handed in since: something newer, by somebody new, and for a unit that nobody has graded yet
    folder.handed_in("again", UNIT).with_name("timestamp.txt").write_text("2030-01-01 00:00:00 UTC")
    folder.hand_in("stranger", UNIT, released)
    folder.hand_in("right", NEXT, folder.released(NEXT))

    exported = Exported(folder)
    for exporter in EXPORTERS:
        exported.said[exporter] = exported.export(exporter, f"{exporter}.csv")
    return exported


EVERYBODY = [
    "stranger",
    "absent",
    "again",
    "zero",
    "marked",
    "regraded",
    "right",
    "writes",
]  # by last name, Ö after all


def test_one_row_a_learner_in_the_order_of_names(exported: Exported) -> None:
    assert [row["id"] for row in exported.table("PerLearner.csv")] == EVERYBODY


@pytest.mark.parametrize(
    ("id", "state", "raw", "late", "points"),
    [
        ("right", "graded", "8", "0", "8"),
        ("zero", "graded", "0", "3", "0"),
        ("marked", "graded", "9.75", "3", "6.75"),
        ("writes", "waits for a person", "", "", ""),
        ("regraded", "waits for a person", "", "", ""),
        ("again", "not autograded", "", "", ""),
        ("stranger", "not autograded", "", "", ""),
        ("absent", "not handed in", "", "", ""),
    ],
)
def test_mark_of_a_unit(id: str, state: str, raw: str, late: str, points: str, exported: Exported) -> None:
    row = exported.learner(id)
    found = [row[f"{UNIT} {what}"] for what in ("state", "raw", "late", "points", "max")]
    assert found == [state, raw, late, points, "10"]


def test_sum_is_of_what_is_there(exported: Exported) -> None:
    sums = {id: [exported.learner(id)[name] for name in ("points", "max", "units without a mark")] for id in EVERYBODY}
    assert sums == {
        "right": ["8", "16", "1"],
        "zero": ["0", "16", "1"],
        "marked": ["6.75", "16", "1"],
        **{id: ["", "16", "2"] for id in ("writes", "regraded", "again", "stranger", "absent")},
    }


def test_unit_that_is_not_graded_yet_is_no_zero(exported: Exported) -> None:
    assert exported.learner("right")[f"{NEXT} state"] == "not autograded"
    assert exported.learner("marked")[f"{NEXT} state"] == "not handed in"
    assert exported.learner("right")[f"{NEXT} points"] == exported.learner("marked")[f"{NEXT} points"] == ""


def test_nbgraders_own_exporter_says_zero_there(exported: Exported) -> None:
    exported.folder.nbgrader("export", "--to", "stock.csv")
    lines = (exported.folder.root / "stock.csv").read_text("utf-8").splitlines()
    assert any(
        line.startswith(f"{UNIT},") and ",absent,Absent,Abe," in line and ",0.0,0.0,0.0," in line for line in lines
    )


def test_names_come_back_as_they_are_but_compute_nothing(exported: Exported) -> None:
    row = exported.learner("zero")
    assert row["first name"] == '\'=HYPERLINK("x"), "A"'
    assert row["last name"] == "Berg, '+1\nof two"
    assert row["email"] == "'@strange.org"
    assert exported.learner("writes")["last name"] == "Ölström"


def test_row_for_every_learner_and_exercise(exported: Exported) -> None:
    rows = exported.table("PerExercise.csv")
    cells = [(UNIT, "reflection"), (UNIT, "other"), (UNIT, "share"), (NEXT, "reflection"), (NEXT, "third")]
    assert [(row["id"], row["unit"], row["exercise"]) for row in rows] == [
        (id, *cell) for id in EVERYBODY for cell in cells
    ]


@pytest.mark.parametrize(
    ("id", "exercise", "found"),
    [
        ("right", "share", ["graded", "4", "", "", "4", "4", "no"]),
        ("right", "reflection", ["graded", "0", "", "", "0", "2", "no"]),
        ("zero", "share", ["graded", "0", "", "", "0", "4", "no"]),
        ("writes", "share", ["graded", "4", "", "", "4", "4", "no"]),
        ("writes", "reflection", ["waits for a person", "", "", "", "", "2", "yes"]),
        ("marked", "reflection", ["graded", "", "1.5", "0.25", "1.75", "2", "no"]),
        ("regraded", "reflection", ["waits for a person", "", "2", "", "", "2", "yes"]),
        ("again", "share", ["not autograded", "", "", "", "", "4", "no"]),
        ("absent", "share", ["not handed in", "", "", "", "", "4", "no"]),
    ],
)
def test_mark_of_an_exercise(id: str, exercise: str, found: list[str], exported: Exported) -> None:
    row = exported.exercises(id)[UNIT, exercise]
    what = ("state", "auto", "manual", "extra", "points", "max", "needs manual grading")
    assert [row[name] for name in what] == found


def test_canvas(exported: Exported) -> None:
    header, possible, *rows = exported.rows("Canvas.csv")
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", UNIT, NEXT]
    assert possible == ["    Points Possible", "", "", "", "", "10", "6"]
    assert [row[3] for row in rows] == EVERYBODY
    assert ["Right, Rita", "4711", "", "right", "", "8", ""] in rows
    assert ["Ölström, Will", "", "", "writes", "", "", ""] in rows
    assert ['Berg, \'+1 of two, \'=HYPERLINK("x"), "A"', "", "", "zero", "", "0", ""] in rows


def test_moodle(exported: Exported) -> None:
    header, *rows = exported.rows("Moodle.csv")
    assert header == ["First name", "Last name", "Email address", UNIT, NEXT]
    assert {row[2]: row[3:] for row in rows} == {
        "abe@example.org": ["-", "-"],
        "ada@example.org": ["-", "-"],
        "'@strange.org": ["0", "-"],
        "mary@example.org": ["6.75", "-"],
        "rea@example.org": ["-", "-"],
        "rita@example.org": ["8", "-"],
        "will@example.org": ["-", "-"],
    }


def test_who_cannot_be_in_the_file_for_moodle_is_named(exported: Exported) -> None:
    assert "stranger is left out: the gradebook holds no email" in exported.said["Moodle"]


def test_exporting_again_gives_the_same_bytes(exported: Exported) -> None:
    exported.export("PerExercise", "again.csv")
    root = exported.folder.root
    assert (root / "again.csv").read_bytes() == (root / "PerExercise.csv").read_bytes()


def test_settings_of_the_platforms(exported: Exported) -> None:
    exported.export("Moodle", "names.csv", "--Moodle.identifier=username")
    assert exported.rows("names.csv")[0][2] == "Username"
    assert [row[2] for row in exported.rows("names.csv")[1:]] == EVERYBODY
    exported.export("Canvas", "ids.csv", f"--Canvas.assignments={UNIT}=88", "--Canvas.lms_user_id=SIS User ID")
    assert exported.rows("ids.csv")[0][5:] == [f"{UNIT} (88)", NEXT]
    assert ["Right, Rita", "", "4711", "right", "", "8", ""] in exported.rows("ids.csv")


def test_some_learners_and_units_alone(exported: Exported) -> None:
    exported.export("PerLearner", "some.csv", f"--assignment=['{NEXT}']", "--student=['right', 'absent']")
    assert [row["id"] for row in exported.table("some.csv")] == ["absent", "right"]
    assert not [name for name in exported.rows("some.csv")[0] if name.startswith(UNIT)]


@pytest.mark.parametrize(
    ("to", "options", "sentence"),
    [
        ("bad.csv", ["--student=['nobody']"], "There is no student called 'nobody' in the gradebook."),
        ("bad.csv", ["--assignment=['09']"], "There is no assignment called '09' in the gradebook."),
        ("no/such/folder.csv", [], "no/such/folder.csv cannot be written: No such file or directory."),
    ],
    ids=["student", "assignment", "folder"],
)
def test_what_cannot_be_done_is_one_sentence(to: str, options: list[str], sentence: str, exported: Exported) -> None:
    said = exported.export("PerLearner", to, *options, status=1)
    assert sentence in said and "Traceback" not in said
    assert not (exported.folder.root / to).exists()


def test_settings_name_the_exporter(exported: Exported) -> None:
    config = exported.folder.root / "nbgrader_config.py"
    text = config.read_text("utf-8")
    (line,) = re.findall(r"^# (c\.ExportApp\.plugin_class = .*)$", text, re.MULTILINE)
    config.write_text(text + line + "\n", "utf-8")
    exported.folder.nbgrader("export", "--to", "set.csv")
    config.write_text(text, "utf-8")
    assert exported.rows("set.csv") == exported.rows("PerLearner.csv")
