"""`kata new`: a kit to start from, which the author's gate takes from there."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course

Run = Callable[..., "subprocess.CompletedProcess[str]"]
UNIT = "01_parts"
FILE = f"{UNIT}/02_halve.py"
MORE_MISTAKES = """
MISTAKES += [
    Mistake("twice", "Twice.", caught_by="test_example", edits=[("x.clone()", "x + x")]),
    Mistake("zero", "Nothing.", caught_by="test_example", edits=[("x.clone()", "x * 0")]),
]
"""


@pytest.fixture
def begun(tiny_course: Path, kata: Run) -> Path:
    done = kata("new", "halve", "--unit", UNIT, "--title", "Cut in half", cwd=tiny_course)
    assert done.returncode == 0, done.stderr
    assert "kata verify halve" in done.stdout.splitlines()[-1]
    return tiny_course


def test_the_course_knows_the_exercise_and_keeps_all_else(begun: Path, make_course: Callable[..., Path]) -> None:
    exercise = load_course(begun / "course.yml").exercise("halve")
    assert (exercise.title, exercise.relative_path, exercise.requires) == ("Cut in half", FILE, ("share",))
    before = (make_course(begun.parent / "before", "01_parts/01_share") / "course.yml").read_text("utf-8")
    after = (begun / "course.yml").read_text("utf-8")
    start = after.index("      - id: halve")
    assert before.startswith(after[:start]) and after.count("- id: share") == 1


def test_its_section_stands_above_what_closes_the_lesson(tiny_course: Path, kata: Run) -> None:
    lesson = tiny_course / "exercises" / UNIT / "README.md"
    closing = "\n## Try this\n\nAdd 5.\n"
    before = lesson.read_text("utf-8")
    lesson.write_text(before + closing, "utf-8")
    assert kata("new", "halve", "--unit", UNIT, "--title", "Cut in half", cwd=tiny_course).returncode == 0
    after = lesson.read_text("utf-8")
    assert after.startswith(before) and after.endswith(closing)
    assert after[len(before) : -len(closing)].startswith("\n## 02 Cut in half\n")


def test_verify_names_what_is_missing(begun: Path, kata: Run) -> None:
    done = kata("verify", "halve", cwd=begun)
    assert done.returncode == 1 and "write at least 3 other right answers" in done.stdout, done.stdout + done.stderr


def test_the_scaffold_holds_once_the_banks_are_filled(begun: Path, kata: Run) -> None:
    alternatives = begun / "tests" / "alternatives" / UNIT / "02_halve"
    alternatives.mkdir(parents=True)
    for number, answer in enumerate(("x + 0", "1 * x", "x.detach().clone() + 0 * x")):
        (alternatives / f"way_{number}.py").write_text(f"def halve(x):\n    return {answer}\n")
    with (begun / "tests" / "mistakes" / FILE).open("a") as bank:
        bank.write(MORE_MISTAKES)
    done = kata("verify", "halve", cwd=begun)
    assert done.returncode == 0 and "All hold" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["share", "--unit", UNIT], "already", id="an id that is taken"),
        pytest.param(["halve", "--unit", "09_none"], UNIT, id="no such unit"),
        pytest.param(["2nd", "--unit", UNIT], "becomes a function", id="no name of Python's"),
        pytest.param(["class", "--unit", UNIT], "becomes a function", id="a keyword"),
        pytest.param(["halve", "--unit", UNIT, "--title", 'a "b"'], "no quotes", id="a title with quotes"),
    ],
)
def test_refusal_is_one_sentence_and_changes_nothing(
    arguments: list[str], told: str, tiny_course: Path, kata: Run
) -> None:
    before = {path: path.read_bytes() for path in tiny_course.rglob("*") if path.is_file()}
    done = kata("new", *arguments, cwd=tiny_course)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in tiny_course.rglob("*") if path.is_file()} == before


def test_a_file_that_is_there_is_not_written_over(tiny_course: Path, kata: Run) -> None:
    path = tiny_course / "solutions" / FILE
    path.write_text("mine\n")
    done = kata("new", "halve", "--unit", UNIT, cwd=tiny_course)
    assert done.returncode == 2 and "there already" in done.stderr and path.read_text() == "mine\n"
    assert "halve" not in (tiny_course / "course.yml").read_text("utf-8")
