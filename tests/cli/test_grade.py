"""`kata grade`: one submission in any of its forms, one record."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.record import Record, without_timings

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def portion(amounts):\n    return amounts / amounts.sum()\n"
SEED = 7


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share", "01_parts/02_portion")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One learner's work, one exercise right and one wrong, in every form in which it can be handed in."""
    desk = tmp_path_factory.mktemp("desk")
    files = {"01_share.py": RIGHT, "portion.py": WRONG}
    for name, source in files.items():
        path = desk / "lena" / "deep" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    with zipfile.ZipFile(desk / "lena.zip", "w") as archive:
        for name, source in files.items():
            archive.writestr(f"homework/{name}", source)
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in files.values()]
    (desk / "lena.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    (desk / "share.py").write_text(RIGHT)
    return desk


@pytest.fixture(scope="module")
def graded(course: Path, desk: Path, cold_kata: Run) -> subprocess.CompletedProcess[str]:
    """The folder graded, with a record and a page written beside it."""
    outputs = ["--json", desk / "record.json", "--html", desk / "page.html"]
    return cold_kata("grade", desk / "lena", "--isolation", "best", "--seed", SEED, *outputs, cwd=course)


@pytest.fixture(scope="module")
def record(graded: subprocess.CompletedProcess[str], desk: Path) -> Record:
    return Record.from_json((desk / "record.json").read_text("utf-8"))


def test_status_is_0_whatever_the_marks(graded: subprocess.CompletedProcess[str]) -> None:
    assert graded.returncode == 0, graded.stderr


def test_report_tells_points_failures_and_diagnosis(graded: subprocess.CompletedProcess[str]) -> None:
    assert "5 of 8 points, 1 of 2 exercises passed" in graded.stdout
    assert "Every amount is divided by the sum of its own row." in graded.stdout
    assert "Probably: You divided by one sum of everything." in graded.stdout


def test_record_has_what_each_exercise_came_to(record: Record) -> None:
    assert (record.submission, record.seed, record.complete) == ("lena", SEED, True)
    assert {e.id: (e.status, e.points) for e in record.exercises} == {"share": ("passed", 4), "portion": ("failed", 1)}
    assert [d.mistake for e in record.exercises for d in e.diagnosis] == ["whole-sum"]


def test_page_is_a_whole_page_that_names_the_learner(graded: subprocess.CompletedProcess[str], desk: Path) -> None:
    page = (desk / "page.html").read_text("utf-8")
    assert page.lower().startswith("<!doctype html>") and page.rstrip().endswith("</html>")
    assert "lena" in page


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["lena", "lena.zip", "lena.ipynb"], ids=["folder", "zip", "notebook"])
def test_every_form_with_the_same_seed_gives_the_same_record(
    form: str, course: Path, desk: Path, run_command: Run, record: Record
) -> None:
    command = [sys.executable, "-m", "grader", "grade", desk / form, "--isolation", "best", "--seed", SEED]
    done = run_command(*command, "--json", "-", cwd=course)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()  # the record alone, for a pipe
    assert without_timings(Record.from_json(line)).to_json() == without_timings(record).to_json()


@pytest.mark.thorough
def test_single_file_and_only_one_exercise_of_a_course_elsewhere(
    course: Path, desk: Path, tmp_path: Path, kata: Run
) -> None:
    options = ["--course", course, "--only", "share", "--isolation", "best", "--json", "-"]
    record = Record.from_json(kata("grade", desk / "share.py", *options, cwd=tmp_path).stdout)
    assert [(e.id, e.status) for e in record.exercises] == [("share", "passed")]
    assert (record.points, record.max_points) == (4, 4)


@pytest.mark.parametrize("command", ["grade", "grade-class"])
@pytest.mark.parametrize("inside", [False, True], ids=["from outside", "from inside"])
def test_the_checks_of_a_course_that_was_handed_in_are_never_run(
    command: str, inside: bool, tiny_course: Path, tmp_path: Path, kata: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    hers = tmp_path / "class" / "alice"
    hers.parent.mkdir()
    tiny_course.rename(hers)
    monkeypatch.delenv("KATA_COURSE")
    checks = hers / "tests" / "kits" / "01_parts" / "01_share" / "checks.py"
    checks.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    handed_in = hers if command == "grade" else hers.parent
    more = ["--out", tmp_path / "out"] if command == "grade-class" else []
    done = kata(command, handed_in, "--only", "share", *more, "--isolation", "best", cwd=hers if inside else tmp_path)
    # the course that this program came with has no such exercise
    assert done.returncode == 2 and "no exercise `share`" in done.stderr, done.stdout + done.stderr
    assert not (tmp_path / "ran").exists()
