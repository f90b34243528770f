"""`kata grade`: one submission in any of its forms, one record. What is shown, and refused: tests/transcripts, tests/golden."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.record import Record
from tests.records import without_timings

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def portion(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    """One learner's work, one exercise right and one wrong, in every form in which it can be handed in; and a course."""
    desk = tmp_path_factory.mktemp("desk")
    make_course(desk / "course", "01_parts/01_share", "01_parts/02_portion")
    files = {"01_share.py": RIGHT, "portion.py": WRONG}
    (desk / "lena" / "deep").mkdir(parents=True)
    with zipfile.ZipFile(desk / "lena.zip", "w") as archive:
        for name, source in files.items():
            (desk / "lena" / "deep" / name).write_text(source)
            archive.writestr(f"homework/{name}", source)
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in files.values()]
    (desk / "lena.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    (desk / "share.py").write_text(RIGHT)
    return desk


@pytest.fixture(scope="module")
def record(desk: Path, cold_kata: Run) -> Record:
    """The folder's record; a page was written beside it."""
    outputs = ("--json", desk / "record.json", "--html", desk / "page.html")
    done = cold_kata("grade", "../lena", "--isolation", "best", "--seed", 7, *outputs, cwd=desk / "course")
    assert done.returncode == 0, done.stderr  # whatever the marks
    return Record.from_json((desk / "record.json").read_text("utf-8"))


def test_record_has_what_each_exercise_came_to_and_the_page_names_the_learner(record: Record, desk: Path) -> None:
    assert (record.submission, record.seed, record.complete) == ("lena", 7, True)
    assert {e.id: (e.status, e.points) for e in record.exercises} == {"share": ("passed", 4), "portion": ("failed", 1)}
    assert [d.mistake for e in record.exercises for d in e.diagnosis] == ["whole-sum"]
    page = (desk / "page.html").read_text("utf-8")
    assert page.lower().startswith("<!doctype html>") and page.rstrip().endswith("</html>") and "lena" in page


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["lena", "lena.zip", "lena.ipynb"], ids=["folder", "zip", "notebook"])
def test_every_form_with_the_same_seed_gives_the_same_record(form: str, desk: Path, kata: Run, record: Record) -> None:
    done = kata("grade", f"../{form}", "--isolation", "best", "--seed", 7, "--json", "-", cwd=desk / "course")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()  # the record alone, for a pipe
    assert without_timings(Record.from_json(line)).to_json() == without_timings(record).to_json()


@pytest.mark.thorough
@pytest.mark.parametrize("named", ["course/course.yml", "course", "lena/../course/course.yml"])
def test_single_file_and_only_one_exercise_of_a_course_elsewhere(named: str, desk: Path, kata: Run) -> None:
    """pytest takes a path that leads up and down again apart in its own way."""
    options = ("--course", named, "--only", "share", "--isolation", "best", "--json", "-")
    record = Record.from_json(kata("grade", "share.py", *options, cwd=desk).stdout)
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
