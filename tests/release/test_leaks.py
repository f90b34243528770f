"""A learner who reads everything in a wheel without answers finds no answer and no known mistake's code.

What learners have been given all along is left aside: the stubs of other exercises, the lessons, and the hints. These
are held against the course's own, to the byte.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from grader.course import load_course
from grader.course.installed import packed
from grader.course.model import part_of
from grader.course.stubs import make_stub
from grader.judge.bank import load_bank
from grader.judge.plan import file_of, plan_of
from grader.release.wheel import course_files
from tests.release.conftest import COURSE, ROOT

CARRIED = "grader/carried_course"
SHORTEST = 24
"""Letters from which on a line is told from an idiom."""

TEXT = re.compile(rf"[^\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]{{{SHORTEST},}}")

TRAINS = "tiny_gpt"
"""Its mistakes would have to be trained to be named."""

IDIOMS = {
    "import torch.nn.functional as F",
    "torch.ones(n, n, dtype=torch.bool).triu(1)",
    "CausalAttention(d_in, d_out, context_length, dropout)",  # as the contract has it
}

OF_THE_PROGRAM = "grader/judge/bank.py"
"""How any class could remember its last result is the program's, for the banks of all courses, and tells of no exercise."""


def in_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture(scope="module")
def texts(planned_wheel: Path) -> dict[str, str]:
    """Everything in the wheel beyond stubs, lessons and hints, each file in one line.

    Without what learners are told of a mistake once they have made it: that may quote code.
    """
    with zipfile.ZipFile(planned_wheel) as pack:
        contents = {name: pack.read(name) for name in pack.namelist()}
    for name in [name for name in contents if name.endswith(".plan")]:
        _, plan = plan_of(contents[name])
        sampled = [(replace(mistake, message=""), answers) for mistake, answers in plan.sampled]
        contents[name] = file_of(replace(plan, sampled=sampled), {})
    catalogue = yaml.safe_load(contents[f"{CARRIED}/course.yml"])
    for unit in catalogue["units"]:
        for exercise in unit["exercises"]:
            del exercise["hints"]
    contents[f"{CARRIED}/course.yml"] = yaml.safe_dump(catalogue, allow_unicode=True, width=10_000).encode()
    given = (f"{CARRIED}/exercises/", OF_THE_PROGRAM)
    return {
        # no line that is looked for holds what stands between texts in the plans
        name: in_one_line("\0".join(TEXT.findall(content.decode("utf-8", "replace"))))
        for name, content in contents.items()
        if not name.startswith(given)
    }


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


def test_of_mistakes_it_has_names_and_what_learners_are_told(planned: Path) -> None:
    course = load_course(planned / "course.yml")
    for exercise in course.exercises:
        _, plan = plan_of(course.plan_path(exercise).read_bytes())
        known = [(mistake.id, mistake.message) for mistake in load_bank(COURSE.mistakes_path(exercise))]
        assert [(mistake.id, mistake.message) for mistake, _ in plan.sampled] == (
            [] if exercise.id == TRAINS else known
        )


def test_exercises_are_stubs_lessons_and_pictures_and_nothing_else_is_there(planned: Path) -> None:
    stubs = {each.relative_path: make_stub(COURSE.solution_path(each).read_text("utf-8")) for each in COURSE.exercises}
    for path in (planned / "exercises").rglob("*.*"):
        name = path.relative_to(planned / "exercises").as_posix()
        stub = stubs.pop(name, "").encode()
        assert path.read_bytes() == (stub or (ROOT / "exercises" / name).read_bytes())
    assert not stubs
    pictures = {path.relative_to(ROOT) for path in (ROOT / "exercises").rglob("*.svg")}
    assert pictures and all((planned / name).is_file() for name in pictures)


def test_nothing_of_the_course_is_there_but_what_learners_need(planned: Path) -> None:
    assert {path.name for path in planned.iterdir()} == {"LICENSE", "course.yml", "docs", "exercises", "plans", "tests"}
    assert [path.name for path in (planned / "docs").iterdir()] == ["glossary.md"]
    assert [path.name for path in (planned / "tests").iterdir()] == ["kits"]
    # what Python compiled when the course was used is not of it
    found = [path for path in (planned / "tests/kits").rglob("*.*") if "__pycache__" not in path.parts]
    families = {path for path in found if path.parent.name == "families"}
    assert {path.name for path in found if path not in families} == {"checks.py"}
    shared = COURSE.families_of(*map(COURSE.checks_path, COURSE.exercises))
    assert {path.name for path in families} == {path.name for path in shared} and "kept.py" not in str(shared)
    assert {path.suffix for path in (planned / "plans").rglob("*.*")} == {".plan"}


def test_known_mistake_is_not_in_the_text_of_a_sealed_course() -> None:
    """With answers: they are there, and a search in the files does not show one."""
    _, content = packed(course_files(part_of(COURSE, ["softmax"])))
    for text in (b"keepdim", b"BEGIN SOLUTION", b"softmax(scores"):
        assert text not in content
