"""A learner who reads everything in the bundle finds no answer and no known mistake's code.

What learners have been given all along is left aside: the stubs of other exercises, the lessons, and the hints. These
are held against the course's own, to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from grader.course import Exercise, load_course
from grader.course.stubs import make_stub
from grader.judge.mistakes import load_bank
from grader.judge.plan import KnownMistake, Plan
from grader.judge.plan_file import file_of, plan_of

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")

SHORTEST = 24
"""Letters from which on a line is told from an idiom."""

TRAINS = "tiny_gpt"
"""Its mistakes would have to be trained for a bundle to name them."""

IDIOMS = {
    "import torch.nn.functional as F",
    "torch.ones(n, n, dtype=torch.bool).triu(1)",
    "CausalAttention(d_in, d_out, context_length, dropout)",  # as the contract has it
}

OF_THE_PROGRAM = "program/grader/judge/mistakes.py"
"""How any class could remember its last result is the program's, for the banks of all courses, and tells of no exercise."""


def in_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture(scope="module")
def texts(bundle: Path) -> dict[str, str]:
    """Without what learners are told of a mistake once they have made it: that may quote code."""
    texts = texts_in(bundle)
    course = load_course(bundle / "course.yml")
    for exercise, seed, plan in plans_in(bundle):
        for mistake in known_in(plan):
            mistake.message = ""
        name = course.plan_path(exercise, seed).relative_to(bundle).as_posix()
        assert name in texts
        texts[name] = in_one_line(file_of(plan, {}).decode("utf-8", "replace"))
    return texts


def plans_in(bundle: Path) -> Iterator[tuple[Exercise, int, Plan]]:
    course = load_course(bundle / "course.yml")
    for exercise in course.exercises:
        for seed in course.seeds:
            yield exercise, seed, plan_of(course.plan_path(exercise, seed).read_bytes())[1]


def known_in(plan: Plan) -> list[KnownMistake]:
    assert plan.wrong is not None
    return plan.wrong.mistakes


def texts_in(bundle: Path) -> dict[str, str]:
    """Everything that is in the bundle beyond stubs, lessons and hints, each file in one line."""
    texts = {}
    for path in bundle.rglob("*"):
        name = path.relative_to(bundle).as_posix()
        if path.is_file() and not name.startswith(("exercises/", "given/", OF_THE_PROGRAM)):
            texts[name] = in_one_line(path.read_bytes().decode("utf-8", "replace"))
    catalogue = yaml.safe_load((bundle / "course.yml").read_text("utf-8"))
    for unit in catalogue["units"]:
        for exercise in unit["exercises"]:
            del exercise["hints"]
    texts["course.yml"] = in_one_line(yaml.safe_dump(catalogue, allow_unicode=True, width=10_000))
    return texts


def found(parts: Iterator[tuple[str, str]], texts: dict[str, str]) -> list[tuple[str, str, str]]:
    told = ((where, in_one_line(part)) for where, part in parts)
    kept = {(where, part) for where, part in told if len(part) >= SHORTEST and part not in IDIOMS}
    assert len(kept) > 50  # else nothing was looked for
    return [(where, part, name) for where, part in sorted(kept) for name, text in texts.items() if part in text]


def solution_lines() -> Iterator[tuple[str, str]]:
    for exercise in COURSE.exercises:
        is_inside = False
        for line in COURSE.solution_path(exercise).read_text("utf-8").splitlines():
            if "# BEGIN SOLUTION" in line or "# END SOLUTION" in line:
                is_inside = "BEGIN" in line
            elif is_inside:
                yield exercise.id, line


def mistake_code() -> Iterator[tuple[str, str]]:
    for exercise in COURSE.exercises:
        for mistake in load_bank(COURSE.mistakes_path(exercise)):
            where = f"{exercise.id}/{mistake.id}"
            yield where, mistake.source
            yield from ((where, text) for edit in mistake.edits for text in edit)


def test_no_line_of_a_solution(texts: dict[str, str]) -> None:
    assert found(solution_lines(), texts) == []


def test_no_code_of_a_mistake(texts: dict[str, str]) -> None:
    assert found(mistake_code(), texts) == []


def test_of_mistakes_it_has_names_and_what_learners_are_told(bundle: Path) -> None:
    for exercise, _, plan in plans_in(bundle):
        known = [(mistake.id, mistake.message) for mistake in load_bank(COURSE.mistakes_path(exercise))]
        assert [(mistake.id, mistake.message) for mistake in known_in(plan)] == ([] if exercise.id == TRAINS else known)


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_exercise_is_the_stub(exercise: Exercise, bundle: Path) -> None:
    stub = make_stub(COURSE.solution_path(exercise).read_text("utf-8"))
    for folder in ("exercises", "given"):
        assert (bundle / folder / exercise.relative_path).read_text("utf-8") == stub


def test_lessons_and_pictures_are_the_courses_and_nothing_else_is_there(bundle: Path) -> None:
    stubs = {exercise.relative_path for exercise in COURSE.exercises}
    for path in (bundle / "exercises").rglob("*.*"):
        name = path.relative_to(bundle / "exercises").as_posix()
        assert name in stubs or path.read_bytes() == (ROOT / "exercises" / name).read_bytes()
    pictures = {path.relative_to(ROOT) for path in (ROOT / "exercises").rglob("*.svg")}
    assert pictures and all((bundle / name).is_file() for name in pictures)


def test_nothing_of_the_course_is_there_but_what_learners_need(bundle: Path) -> None:
    assert {path.name for path in bundle.iterdir()} == {
        "LICENSE", "README.md", "course.yml", "docs", "exercises", "given", "plans", "program", "pytest.ini", "sealed", "tests",
    }  # fmt: skip
    assert [path.name for path in (bundle / "docs").iterdir()] == ["glossary.md"]
    assert [path.name for path in (bundle / "tests").iterdir()] == ["kits"]
    # what Python compiled when the bundle was used is not of it
    found = [path for path in (bundle / "tests").rglob("*.*") if "__pycache__" not in path.parts]
    assert {path.name for path in found} == {"checks.py"}
    assert {path.suffix for path in (bundle / "plans").rglob("*.*")} == {".plan"}
