"""Answers as learners write them: they are read to the byte, and the right ones pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from answers import WRITTEN, Kind, written

from grader.course import load_course

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(WRITTEN.glob("*.yml"))
IDS = {exercise.id for exercise in load_course(ROOT / "course.yml").exercises}
WRITERS = sorted({number for path in FILES for number in written(path.stem, "right")})


def test_every_file_is_of_an_exercise() -> None:
    assert len(FILES) > 40
    assert {path.stem for path in FILES} <= IDS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_answer_is_python_and_says_first_what_it_is(path: Path) -> None:
    kept = yaml.safe_load(path.read_text("utf-8"))
    assert set(kept) <= set(get_args(Kind))
    for kind in kept:
        for number, source in written(path.stem, kind).items():
            assert source.startswith("# ") and source.endswith("\n") and not source.endswith("\n\n"), (kind, number)
            compile(source, f"{path.name} {kind} {number}", "exec")


def test_an_exercise_for_which_nothing_was_written_has_no_answers() -> None:
    assert written("no_such_exercise", "seen") == {}


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("writer", WRITERS)
def test_every_right_answer_passes(writer: int, tmp_path: Path, kata: Callable[..., Any]) -> None:
    right = {path.stem: written(path.stem, "right") for path in FILES}
    answers = {exercise: by_number[writer] for exercise, by_number in right.items() if writer in by_number}
    handed_in = tmp_path / "handed-in"
    handed_in.mkdir()
    for exercise, source in answers.items():
        (handed_in / f"{exercise}.py").write_text(source, "utf-8")
    only = [word for exercise in answers for word in ("--only", exercise)]
    done = kata("grade", handed_in, "--json", "-", "--seed", "77", *only, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["exercises"]
    assert [(each["id"], each["status"]) for each in results if each["status"] != "passed"] == []
    assert {each["id"] for each in results} == set(answers)
