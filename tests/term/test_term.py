"""A term of twelve learners played through, as a teacher would type it: every file that is made agrees with the records.

Moodle and Canvas downloads, lateness, an exemption, a group, appeals, a check that was unfair, an update, a withdrawn
exercise, a dropped unit, nbgrader's gradebook, and one learner who wants to be forgotten.
"""

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
from xml.etree import ElementTree

import pytest

from grader.classroom.results import read_results
from grader.record import Record

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]

KITS = ("01_parts/01_share", "01_parts/02_split", "02_more/01_cut")
RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
PLAIN = "def {id}(amounts):\n    return amounts / amounts.sum(-1, True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"
FAIR = 'learner.keeps_inputs(function("{id}", draw.uniform(3, 4, low=1.0), names=["amounts"]))'
UNFAIR = 'expect("keepdim" in learner.source, "Write keepdim.")'
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
    "Last modified (grade),Feedback comments"
)


def id_of(name: str) -> str:
    return f"s{NAMES.index(name) + 1:02d}"


def source(name: str, id: str) -> str:
    """Every third learner is wrong, every fourth writes it as the unfair check will not have it."""
    number = NAMES.index(name)
    return (WRONG if number % 3 == 2 else PLAIN if number % 4 == 1 else RIGHT).format(id=id) + f"# {number} {id}\n"


class Term:
    """A teacher at the keyboard."""

    def __init__(self, place: Path, kata: Kata) -> None:
        self.place, self._kata = place, kata

    def type(self, *words: object, status: int = 0) -> Done:
        done = self._kata(*words, "--course", "course", cwd=self.place, seconds=600)
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        return done

    def grade(self, folder: str, out: str, *more: object, status: int = 0) -> Done:
        return self.type("grade-class", folder, "--out", out, "--isolation", "best", *more, status=status)

    def records(self, out: str) -> dict[str, Record]:
        return {each.learner.id: each.record for each in read_results(self.place / out)}

    def table(self, out: str, form: str, *more: object) -> list[dict[str, str]]:
        self.type("export", out, "--format", form, "--force", "--to", f"{form}.csv", *more)
        text = (self.place / f"{form}.csv").read_text("utf-8-sig")
        return list(csv.DictReader(text.splitlines()))

    def see_that_all_agree(self, out: str) -> None:
        """Open every export, and compare each with the records."""
        records = self.records(out)
        counted = {name: record.counted_points for name, record in records.items()}
        rows = {row["submission"]: row for row in self.table(out, "csv") if row["points"]}
        assert {name: float(row["points"]) for name, row in rows.items()} == pytest.approx(counted)
        for name, record in records.items():
            assert float(rows[name]["max_points"]) == record.counted_max_points
        shares = {name: points / records[name].counted_max_points for name, points in counted.items()}
        head, *canvas = self.table(out, "canvas")
        worth = float(list(head.values())[-1])
        assert {row["SIS User ID"]: float(list(row.values())[-1]) / worth for row in canvas} == pytest.approx(
            shares, abs=1e-4
        )
        moodle = self.table(out, "moodle")
        assert {row["Email address"][:3]: float(list(row.values())[-1]) / worth for row in moodle} == pytest.approx(
            shares, abs=1e-4
        )
        shown = {"gradescope": [share * worth for share in shares.values()], "github": list(counted.values())}
        for form, points in (("gradescope", lambda each: each["score"]), ("github", _sum_of_scores)):
            shutil.rmtree(self.place / form, ignore_errors=True)
            self.type("export", out, "--format", form, "--to", form)
            told = [points(json.loads(path.read_text("utf-8"))) for path in sorted((self.place / form).iterdir())]
            assert told == pytest.approx(shown[form], abs=1e-4)
        self.type("export", out, "--format", "junit", "--force", "--to", "junit.xml")
        suites = ElementTree.parse(self.place / "junit.xml").getroot()
        told = {_property(suite, "submission"): float(_property(suite, "points")) for suite in suites}
        assert told == pytest.approx(counted, abs=1e-4)
        self.grade("moodle", out, "--resume", "--html")
        page = (self.place / out / "class.html").read_text("utf-8")
        for name, points in counted.items():
            row = next(line for line in page.splitlines() if f"learner-{name}.html" in line and "<tr><td>" in line)
            assert re.search(rf"</th><td>{points:g}(?: /|<)", row), (name, points, row)
            mine = (self.place / out / f"learner-{name}.html").read_text("utf-8")
            assert all(reason.reason.split(":")[0] in mine for reason in records[name].adjustments or ())


def _sum_of_scores(result: dict[str, list[dict[str, float]]]) -> float:
    return sum(test["score"] for test in result["tests"])


def _property(suite: ElementTree.Element, name: str) -> str:
    return next(each.attrib["value"] for each in suite.iter("property") if each.attrib["name"] == name)


@pytest.fixture
def term(tmp_path: Path, make_course: Callable[..., Path], kata: Kata) -> Term:
    course = make_course(tmp_path / "course", *KITS)
    _edit(course / "tests/kits/01_parts/01_share/checks.py", FAIR.format(id="share"), UNFAIR)
    _edit(course / "course.yml", "units:\n", f"{POLICY}units:\n")
    (tmp_path / "roster.csv").write_text(
        "\n".join(["idnumber,name,email", *(f"{id_of(name)},{name},{id_of(name)}@x.example" for name in NAMES)]),
        "utf-8",
    )
    return Term(tmp_path, kata)


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def moodle_download(place: Path, names: tuple[str, ...]) -> None:
    """The first unit, in folders as Moodle names them, and its worksheet; Ivo hands in a day late."""
    rows = []
    for number, name in enumerate(NAMES, 9001):
        day = 2 if name == "Ivo Ilić" else 1
        when = f'"Sunday, {day} March 2026, 11:14 AM"' if name in names else "-"
        rows.append(f"Participant {number},{name},{id_of(name)},{id_of(name)}@x.example,,8,{when},-,")
        folder = place / "moodle" / f"{name}_{number}_assignsubmission_file_"
        for id, stem in (("share", "01_share"), ("split", "02_split")) if name in names else ():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{stem}.py").write_text(source(name, id), "utf-8")
    (place / "worksheet.csv").write_text("\n".join([TITLES, *rows, ""]), "utf-8")


def canvas_download(place: Path, names: tuple[str, ...]) -> None:
    """The second unit, in files as Canvas names them, and its gradebook."""
    rows = ["Student,ID,SIS User ID,SIS Login ID,Section", "    Points Possible,,,,"]
    (place / "canvas").mkdir()
    for number, name in enumerate(NAMES, 101):
        given, _, family = name.partition(" ")
        rows.append(f'"{family}, {given}",{number},{id_of(name)},{id_of(name)}@x.example,A')
        if name in names:
            shown = "".join(each for each in f"{family}{given}".lower() if each.isalnum())
            path = place / "canvas" / f"{shown}_{number}_{5000 + number}_01_cut.py"
            path.write_text(source(name, "cut"), "utf-8")
    (place / "gradebook.csv").write_text("\n".join([*rows, ""]), "utf-8")


def test_a_term(term: Term) -> None:
    """Eight weeks, in the order in which they come up."""
    place = term.place
    # Week 1: the first unit, from Moodle. Bo and Carla are a group, Carla hands in nothing herself; Lu is absent.
    moodle_download(place, tuple(name for name in NAMES if name not in ("Carla Diaz", "Lu Li")))
    more = {"Bo Chen": "Red,,", "Carla Diaz": "Red,,", "Hana Sato": ",split,", "Eve Evans": ",,3"}
    head, *rows = (place / "worksheet.csv").read_text("utf-8").splitlines()
    rows = [f"{row},{more.get(row.split(',')[1], ',,')}" for row in rows]
    (place / "class.csv").write_text("\n".join([f"{head},group,exempt,extra_days:01", *rows, ""]), "utf-8")
    done = term.grade("moodle", "week1", "--roster", "class.csv", "--unit", "1", "--seed", 7)
    assert "Read as a download of Moodle" in done.stderr and "Handed in by their group: Carla Diaz." in done.stderr
    first = term.records("week1")
    assert sorted(first) == [f"s{number:02d}" for number in range(1, 12)], "Lu has no record, and no zero"
    assert first["s03"].points == first["s02"].points
    late = first["s09"]
    assert late.counted_points == pytest.approx(late.points * 0.75)
    assert first["s08"].counted_max_points == 4, "Hana is exempt from half of it"
    term.see_that_all_agree("week1")

    # Week 2: three appeals; one of them is right, and it is not hers alone.
    for who, what in (("Bo Chen", "Write keepdim."), ("s06", "share"), ("Jo Jones", "share")):
        told = term.type("explain", "week1", who, "share")
        assert what in told.stdout and "as recorded" in told.stdout and ": seed 7" in told.stdout
    term.type("override", "week1", "s06", "share", "2.5", "--reason", "Talked about it with me.")
    assert term.records("week1")["s06"].exercises[0].counted_points == 2.5

    # Week 3: the check is mended, and this exercise graded again for everybody.
    shutil.copytree(place / "week1", place / "before")
    _edit(place / "course/tests/kits/01_parts/01_share/checks.py", UNFAIR, FAIR.format(id="share"))
    done = term.grade("moodle", "week1", "--resume", "--only", "share")
    moved = re.findall(r"^  (s\d\d)  (\w+)  \S+ -> \S+  \((.*)\)$", done.stdout, re.MULTILINE)
    assert {who for who, *_ in moved} >= {"s02", "s03"} and {what for _, what, _ in moved} == {"share"}
    assert all(why.startswith("the course") for *_, why in moved)
    after = term.records("week1")
    for name, record in after.items():
        was, now = first[name].exercises, record.exercises
        assert now[1].checks == was[1].checks and now[0].points >= was[0].points, name
    assert after["s06"].exercises[0].counted_points == 2.5, "what was set by hand stays"
    told = term._kata("diff", "before", "week1", cwd=place)
    assert told.returncode == 0 and "the course" in told.stdout
    term.see_that_all_agree("week1")

    # Week 4: a learner has another display name and hands in again. A person says who it is; nobody else moves.
    old = place / "moodle" / "Ada Byron_9001_assignsubmission_file_"
    new = old.rename(place / "moodle" / "Ada King_9001_assignsubmission_file_")
    (new / "02_split.py").write_text(WRONG.format(id="split"), "utf-8")
    term.grade("moodle", "week1", "--resume", status=2)
    assert term.records("week1") == after
    unmatched = (place / "week1" / "unmatched.csv").read_text("utf-8-sig").splitlines()
    (row,) = [row for row in csv.DictReader(unmatched) if row["entry"].startswith("Ada King")]
    said = [",".join(row), f"{row['entry']},,s01"]
    assert list(row) == ["entry", "why", "learner"]
    (place / "matched.csv").write_text("\n".join([*said, ""]), "utf-8")
    term.grade("moodle", "week1", "--resume", "--match", "matched.csv")
    again = term.records("week1")
    assert list(again) == list(after)
    assert again["s01"].points < after["s01"].points
    assert {name: record.counted_points for name, record in again.items() if name != "s01"} == {
        name: record.counted_points for name, record in after.items() if name != "s01"
    }

    # Week 5: the second unit, from Canvas.
    canvas_download(place, NAMES[:11])
    done = term.grade("canvas", "week5", "--roster", "gradebook.csv", "--unit", "2", "--seed", 8)
    assert "Read as a download of Canvas" in done.stderr
    assert len(term.records("week5")) == 11 and "by the names shown there" not in done.stderr

    # Week 6: the course is updated, and one exercise withdrawn from it.
    catalogue = place / "course/course.yml"
    without, count = re.subn(r"      - id: split\n(?:        .*\n)*", "", catalogue.read_text("utf-8"))
    catalogue.write_text(without, "utf-8")
    assert count == 1
    done = term.grade("moodle", "week1", "--resume")
    assert "No longer part of the course, so it counts for nobody: split." in done.stderr
    for name, record in term.records("week1").items():
        assert record.counted_max_points == 4, name
        assert record.exercises == () or record.exercises[0].checks == again[name].exercises[0].checks
    term.see_that_all_agree("week1")

    # Week 7: feedback goes back in bulk.
    for form in ("moodle-feedback", "pages"):
        term.type("export", "week1", "--format", form)
    rows = list(csv.DictReader((place / "week1" / "moodle-worksheet.csv").read_text("utf-8").splitlines()))
    counted = {name: record.counted_points * 2 for name, record in term.records("week1").items()}
    assert {row["ID number"]: float(row["Grade"]) for row in rows if row["Grade"]} == pytest.approx(counted, abs=1e-3)
    with zipfile.ZipFile(place / "week1" / "pages.zip") as pack:
        assert len(pack.namelist()) == 11

    # Week 8: Femi wants to be forgotten.
    done = term._kata("forget", "week1", "s06", cwd=place)
    assert done.returncode == 0, done.stderr
    for export in ("moodle-worksheet.csv", "pages.zip"):  # what cannot be written without them is named
        assert export in done.stdout + done.stderr
        (place / "week1" / export).unlink()
    (place / "moodle" / "Femi Fox_9006_assignsubmission_file_").rename(place / "taken away")
    rows = (place / "class.csv").read_text("utf-8").splitlines(keepends=True)
    (place / "class.csv").write_text("".join(row for row in rows if "Femi" not in row), "utf-8")
    left = term.records("week1")
    assert sorted(left) == sorted(set(again) - {"s06"})
    term.see_that_all_agree("week1")
    for path in (place / "week1").rglob("*"):
        if path.is_file():
            assert b"Femi" not in path.read_bytes(), path


@pytest.mark.skipif(sys.version_info < (3, 11), reason="nbgrader is not made for 3.10")
def test_what_nbgrader_collects_and_what_is_graded_from_files_is_the_same_gradebook(
    term: Term, run_command: Kata
) -> None:
    """Twelve hand-ins as notebooks, autograded by nbgrader; and the same from files, put into a second gradebook."""
    from nbgrader.api import Gradebook

    place = term.place
    moodle_download(place, NAMES)
    env = {f"JUPYTER_{name}_DIR": str(place / "home" / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    scores: dict[str, dict[tuple[str, str], float | None]] = {}
    for folder in ("collected", "exported"):
        assert term._kata("notebooks", folder, "--course", "course", cwd=place).returncode == 0
        done = run_command(
            Path(sys.executable).with_name("nbgrader"),
            *("generate_assignment", "01_parts"),
            cwd=place / folder,
            env=env,
            seconds=300,
        )
        assert done.returncode == 0, done.stderr
    released = json.loads((place / "collected/release/01_parts/01_parts.ipynb").read_text("utf-8"))
    for name in NAMES:
        for cell in released["cells"]:
            if (id := cell["metadata"].get("nbgrader", {}).get("grade_id")) in ("share", "split"):
                cell["source"] = source(name, id)
        notebook = place / "collected/submitted" / id_of(name) / "01_parts/01_parts.ipynb"
        notebook.parent.mkdir(parents=True)
        notebook.write_text(json.dumps(released), "utf-8")
    done = run_command(
        Path(sys.executable).with_name("nbgrader"),
        *("autograde", "01_parts"),
        cwd=place / "collected",
        env=env,
        seconds=900,
    )
    assert done.returncode == 0, done.stderr
    term.grade(
        "moodle", "out", "--roster", "roster.csv", "--unit", "1"
    )  # it has no times: nobody is late, as in nbgrader
    term.type("export", "out", "--format", "gradebook", "--to", "exported")
    for folder in ("collected", "exported"):
        with Gradebook(f"sqlite:///{place / folder / 'gradebook.db'}") as book:
            scores[folder] = {
                (submission.student.id, grade.name): grade.auto_score
                for submission in book.assignment_submissions("01_parts")
                for notebook in submission.notebooks
                for grade in notebook.grades
                if grade.name.startswith("test-")
            }
    assert scores["exported"] == scores["collected"] and len(scores["exported"]) == 24
    records = term.records("out")
    for (name, cell), points in scores["exported"].items():
        assert {f"test-{each.id}": each.points for each in records[name].exercises}[cell] == points
