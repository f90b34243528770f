"""A term of twelve learners: at each of its turns every export agrees with the records, and so does nbgrader's gradebook."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.classroom.learner_requests import forget_learner, override_points

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]

POLICY = """\
policy:
  time_zone: Europe/London
  due: {01_parts: 2026-03-01 12:00}
  late_percent_per_day: 25
"""
NAMES = (
    "Ada Byron", "Bo Chen", "Carla Diaz", "Gabriel García Márquez", "Eve Evans", "Femi Fox",
    "Gus Grey", "Hana Sato", "Ivo Ilić", "Jo Jones", "Kim Kay", "Lu Li",
)  # fmt: skip
TITLES = (
    "Identifier,Full name,ID number,Email address,Grade,Maximum grade,Last modified (submission),"
    "Last modified (grade),Feedback comments,group,exempt,extra_days:01"
)
MORE = {"Bo Chen": "Red,,", "Carla Diaz": "Red,,", "Hana Sato": ",split,", "Eve Evans": ",,3"}
"""Groups, exemptions and extra days."""


def id_of(name: str) -> str:
    return f"s{NAMES.index(name) + 1:02d}"


def is_right(name: str) -> bool:
    return NAMES.index(name) % 3 != 2


def moodle_download(room: Any, names: tuple[str, ...]) -> str:
    """What these learners hand in, in folders as Moodle names them; returns its worksheet. Ivo hands in a day late."""
    rows = []
    for number, name in enumerate(NAMES, 9001):
        day = 2 if name == "Ivo Ilić" else 1
        when = f'"Sunday, {day} March 2026, 11:14 AM"' if name in names else "-"
        about = f"{id_of(name)},{id_of(name)}@x.example"
        rows.append(f"Participant {number},{name},{about},,8,{when},-,,{MORE.get(name, ',,')}")
        if name in names:
            folder = f"{name}_{number}_assignsubmission_file_"
            room.hand_in({f"{folder}/{id}.py": is_right(name) for id in ("share", "split")})
    return "\n".join([TITLES, *rows, ""])


def exported(room: Any, kata: Kata, form: str, *, to: str = "") -> Path:
    path = Path(room.place / (to or f"{form}.csv"))
    room.export(kata, form, to=path)
    return path


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))


def see_that_all_agree(room: Any, kata: Kata) -> None:
    """Open every export and page, and compare each with the records."""
    records = room.records
    counted = {name: record.counted_points for name, record in records.items()}
    rows = {row["submission"]: row for row in table(exported(room, kata, "csv")) if row["points"]}
    assert {name: float(row["points"]) for name, row in rows.items()} == pytest.approx(counted)
    for name, record in records.items():
        assert float(rows[name]["max_points"]) == record.counted_max_points
    shares = {name: points / records[name].counted_max_points for name, points in counted.items()}
    head, *canvas = table(exported(room, kata, "canvas"))
    worth = float(list(head.values())[-1])
    of_canvas = {row["SIS User ID"]: float(list(row.values())[-1]) / worth for row in canvas}
    assert of_canvas == pytest.approx(shares, abs=1e-4)
    moodle = {row["Email address"][:3]: float(list(row.values())[-1]) for row in table(exported(room, kata, "moodle"))}
    assert {id: points / worth for id, points in moodle.items()} == pytest.approx(shares, abs=1e-4)
    shown = {"gradescope": [share * worth for share in shares.values()], "github": list(counted.values())}
    for form, points in shown.items():
        shutil.rmtree(room.place / form, ignore_errors=True)
        files = [json.loads(path.read_text("utf-8")) for path in sorted(exported(room, kata, form, to=form).iterdir())]
        told = [each["score"] if form == "gradescope" else sum(one["score"] for one in each["tests"]) for each in files]
        assert told == pytest.approx(points, abs=1e-4)
    suites = ElementTree.parse(exported(room, kata, "junit", to="junit.xml")).getroot()
    properties = [{each.attrib["name"]: each.attrib["value"] for each in suite.iter("property")} for suite in suites]
    assert {each["submission"]: float(each["points"]) for each in properties} == pytest.approx(counted, abs=1e-4)
    page = (room.out / "class.html").read_text("utf-8")
    for name, points in counted.items():
        row = next(line for line in page.splitlines() if f"learner-{name}.html" in line and "<tr><td>" in line)
        assert re.search(rf"</th><td>{points:g}(?: /|<)", row), (name, points, row)
        mine = (room.out / f"learner-{name}.html").read_text("utf-8")
        assert all(reason.reason.split(":")[0] in mine for reason in records[name].adjustments or ())


def test_every_export_agrees_with_the_records_at_each_turn_of_a_term(room: Any, kata: Kata) -> None:
    """The first week, an appeal, a mended check, a withdrawn exercise, feedback, and one who wants to be forgotten."""
    room.edit("course.yml", "documents:\n", f"{POLICY}documents:\n")
    worksheet = moodle_download(room, tuple(name for name in NAMES if name not in ("Carla Diaz", "Lu Li")))
    run = room.grade({}, worksheet, pages=True)
    assert "Read as a download of Moodle; --from says otherwise." in run.remarks
    assert "Handed in by their group: Carla Diaz." in run.remarks
    first = room.records
    assert sorted(first) == [f"s{number:02d}" for number in range(1, 12)], "Lu has no record, and no zero"
    assert first["s03"].points == first["s02"].points == 8
    assert first["s09"].points == 0 and first["s08"].counted_max_points == 4, "Hana is exempt from half of it"
    see_that_all_agree(room, kata)

    override_points(room.out, "s06", "share", "2.5", "Talked about it with me.", room.course)
    room.be_generous("01_parts/01_share")
    moved = {str(each) for each in room.grade(resume=True).result.moves}
    assert moved == {
        "s06  share  2.5 -> 2.5  (the course; what counts stays, by the policy or as it is set by hand)",
        "s09  share  0 -> 3  (the course)",
    }
    see_that_all_agree(room, kata)

    catalogue = room.root / "course.yml"
    catalogue.write_text(catalogue.read_text("utf-8").partition("  - folder: 02_more")[0], "utf-8")
    run = room.grade(resume=True)
    assert "No longer part of the course, so it counts for nobody: split." in run.remarks
    assert {record.counted_max_points for record in room.records.values()} == {4}
    see_that_all_agree(room, kata)

    rows = table(exported(room, kata, "moodle-feedback", to="out/moodle-worksheet.csv"))
    counted = {name: points * 2 for name, points in room.points.items()}
    assert {row["ID number"]: float(row["Grade"]) for row in rows if row["Grade"]} == pytest.approx(counted, abs=1e-3)
    with zipfile.ZipFile(exported(room, kata, "pages", to="out/pages.zip")) as pack:
        assert len(pack.namelist()) == 11

    said = "\n".join(forget_learner(room.out, "s06", room.course))
    for export in ("moodle-worksheet.csv", "pages.zip"):  # what cannot be written without them is named
        assert export in said
        (room.out / export).unlink()
    shutil.rmtree(room.folder / "Femi Fox_9006_assignsubmission_file_")
    room.grade({}, "".join(row for row in worksheet.splitlines(keepends=True) if "Femi" not in row), resume=True)
    assert sorted(room.records) == sorted(set(first) - {"s06"})
    see_that_all_agree(room, kata)
    assert not [path for path in room.out.rglob("*") if path.is_file() and b"Femi" in path.read_bytes()]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="nbgrader is not made for 3.10")
def test_what_nbgrader_collects_and_what_is_graded_from_files_is_the_same_gradebook(
    room: Any, kata: Kata, run_command: Kata
) -> None:
    """Twelve hand-ins as notebooks, autograded by nbgrader; and the same from files, put into a second gradebook."""
    from nbgrader.api import Gradebook

    moodle_download(room, NAMES)
    env = {f"JUPYTER_{name}_DIR": str(room.place / "home" / name) for name in ("CONFIG", "DATA", "RUNTIME")}

    def nbgrader(folder: str, command: str) -> None:
        words = (Path(sys.executable).with_name("nbgrader"), command, "01_parts")
        done = run_command(*words, cwd=room.place / folder, env=env, seconds=900)
        assert done.returncode == 0, done.stderr

    def typed(*words: object) -> None:
        done = kata(*words, "--course", room.root, cwd=room.place, seconds=600)
        assert done.returncode == 0, done.stderr

    for folder in ("collected", "exported"):
        typed("notebooks", folder)
        nbgrader(folder, "generate_assignment")
    released = json.loads((room.place / "collected/release/01_parts/01_parts.ipynb").read_text("utf-8"))
    for number, name in enumerate(NAMES, 9001):
        (cell,) = (
            each for each in released["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "share"
        )
        cell["source"] = (room.folder / f"{name}_{number}_assignsubmission_file_" / "share.py").read_text("utf-8")
        notebook = room.place / "collected/submitted" / id_of(name) / "01_parts/01_parts.ipynb"
        notebook.parent.mkdir(parents=True)
        notebook.write_text(json.dumps(released), "utf-8")
    nbgrader("collected", "autograde")
    roster = "\n".join(["idnumber,name,email", *(f"{id_of(name)},{name},{id_of(name)}@x.example" for name in NAMES)])
    (room.place / "roster.csv").write_text(roster, "utf-8")
    how = ("--isolation", "best", "--roster", "roster.csv", "--unit", "1")  # it has no times: nobody is late, as there
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
