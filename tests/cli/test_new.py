"""`kata new`: a kit to start from, which the author's gate takes from there. What it writes: tests/transcripts/new.txt."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.kit import new_exercise, write_scaffold
from grader.course import load_course
from grader.course.stubs import make_stub

from ..cases import rows, table

CASES = table(__file__, "cases.yml")
Run = Callable[..., "subprocess.CompletedProcess[str]"]
UNIT = "01_parts"
FILE = f"{UNIT}/02_halve.py"
KIT = f"tests/kits/{UNIT}/02_halve"
MORE_MISTAKES = """
MISTAKES += [
    Mistake("twice", "Twice.", caught_by="test_example", edits=[("x.clone()", "x + x")]),
    Mistake("zero", "Nothing.", caught_by="test_example", edits=[("x.clone()", "x * 0")]),
]
"""
SCAFFOLD = CASES["scaffold"]


def write(course: Path, *, but: str = "") -> None:
    for name, changes in SCAFFOLD.items():
        text = (course / name).read_text("utf-8")
        for before, after in changes:
            assert before in text
            text = text if before == but else text.replace(before, after)
        (course / name).write_text(text, "utf-8")
    stub = make_stub((course / "solutions" / FILE).read_text("utf-8"))
    (course / "exercises" / FILE).write_text(stub, "utf-8")
    ways = {
        answer: f"def halve(x):\n    return {answer}\n" for answer in ("x + 0", "1 * x", "x.detach().clone() + 0 * x")
    }
    (course / KIT / "alternatives.py").write_text(f"ALTERNATIVES = {ways!r}\n")
    with (course / KIT / "mistakes.py").open("a") as bank:
        bank.write(MORE_MISTAKES)


@pytest.fixture
def begun(tiny_course: Path, kata: Run) -> Path:
    done = kata("new", "halve", "--unit", UNIT, "--title", "Cut in half", cwd=tiny_course)
    assert done.returncode == 0, done.stderr
    return tiny_course


ROOT = Path(__file__).resolve().parents[2]
REAL = load_course(ROOT / "course.yml")


@pytest.mark.parametrize("unit", [unit.folder for unit in REAL.units])
def test_every_unit_of_the_course_takes_another_exercise(unit: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "course.yml", tmp_path)
    shutil.copytree(ROOT / "exercises", tmp_path / "exercises")
    course = load_course(tmp_path / "course.yml")
    there = next(each for each in course.units if each.folder == unit)
    assert list(write_scaffold(course, new_exercise(there, "halve", "Cut in half")))
    after = load_course(tmp_path / "course.yml")
    assert after.exercise("halve").unit == unit
    assert [each for each in after.exercises if each.id != "halve"] == list(course.exercises)


@pytest.mark.thorough
def test_verify_holds_once_all_that_is_missing_is_written(begun: Path, kata: Run) -> None:
    write(begun)
    done = kata("verify", "halve", cwd=begun)
    assert done.returncode == 0 and "All hold" in done.stdout, done.stdout + done.stderr


@pytest.mark.thorough
@rows({left: [left, f"{name}:"] for name, changes in SCAFFOLD.items() for left, _ in changes}, "left", "told")
def test_what_is_left_of_the_scaffold_is_refused(left: str, told: str, begun: Path, kata: Run) -> None:
    write(begun, but=left)
    done = kata("verify", "halve", cwd=begun)
    assert done.returncode == 1, done.stdout + done.stderr
    sentence, total = done.stdout.splitlines()
    assert sentence.startswith(told) and "still to write: " in sentence and total.startswith("1 to mend")
    name, line, _ = sentence.split(":", 2)
    assert left.strip(" ,") in (begun / name).read_text("utf-8").splitlines()[int(line) - 1]


@rows(CASES["refused"], "words", "told", "there")
def test_refusal_is_one_sentence_and_changes_nothing(
    words: list[str], told: str, there: str | None, tiny_course: Path, kata: Run
) -> None:
    if there:
        (tiny_course / there).write_text("mine\n")
    before = {path: path.read_bytes() for path in tiny_course.rglob("*") if path.is_file()}
    done = kata("new", *words, cwd=tiny_course)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in tiny_course.rglob("*") if path.is_file()} == before
