"""The learner's commands with the course of a wheel without answers: as strict as the whole course, in the same words."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course
from grader.sandbox.doctor import strongest_level
from tests import records
from tests.cases import rows, table
from tests.release.conftest import COURSE, ROOT, answer

with pytest.MonkeyPatch.context() as changed:
    changed.syspath_prepend(ROOT / "scripts")
    import compare_wheel as script

MOST_BYTES = 40_000_000

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]
Init = Callable[[Path, Path], Path]


def test_wheel_is_small_enough_to_be_sent(planned_wheel: Path) -> None:
    assert planned_wheel.stat().st_size <= MOST_BYTES


def test_course_file_says_the_same_and_names_the_seed(planned: Path) -> None:
    read = load_course(planned / "course.yml")
    assert COURSE.has_answers and not read.has_answers
    other = {"planned_seed", "root", "limits"}  # each exercise has the limits that it inherited
    assert read.model_dump(exclude=other) == COURSE.model_dump(exclude=other)


@pytest.fixture(scope="module")
def solved(planned: Path, tmp_path_factory: pytest.TempPathFactory, init: Init) -> Path:
    folder = init(planned, tmp_path_factory.mktemp("solved") / "attention")
    for exercise in COURSE.exercises:
        answer(folder, exercise.id)
    return folder


def test_right_answers_pass_with_all_points(solved: Path, planned: Path, kata: Kata) -> None:
    done = kata("check", "-v", cwd=solved)
    assert done.returncode == 0, done.stdout + done.stderr
    most = sum(exercise.points for exercise in COURSE.exercises)
    assert f"{most:g} of {most:g} points, 47 of 47 exercises passed" in done.stdout
    assert "when you hand in" not in done.stdout
    assert f"--seed {load_course(planned / 'course.yml').planned_seed}" in done.stdout


def test_solution_shows_the_learners_own_and_says_so(solved: Path, kata: Kata) -> None:
    assert kata("check", "softmax", cwd=solved).returncode == 0
    done = kata("solution", "softmax", cwd=solved)
    assert done.returncode == 0, done.stderr
    assert "yours" in done.stdout and "return exps / exps.sum(dim=dim, keepdim=True)" in done.stdout
    assert "another way" not in done.stdout and "the course's ─" not in done.stdout
    assert "The course's own answer is not in this installation" in done.stdout


def test_pytest_runs_all_checks(planned: Path, tmp_path: Path, init: Init, run_command: Callable[..., Done]) -> None:
    here = init(planned, tmp_path / "attention")
    for id in ("softmax", "debug_model_args"):
        answer(here, id)
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", cwd=here)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "16 passed, 45 skipped" in done.stdout.splitlines()[-1]
    assert re.search(r"03_softmax\.py::test_dim_chooses_the_axis PASSED", done.stdout)


@pytest.fixture(scope="module")
def checked(
    planned: Path, tmp_path_factory: pytest.TempPathFactory, init: Init, kata: Kata
) -> Callable[..., list[Done]]:
    """What is said of the same answer with the whole course, and with the one without answers."""
    folder = tmp_path_factory.mktemp("both")
    both = init(ROOT, folder / "whole"), init(planned, folder / "planned")
    seed = load_course(planned / "course.yml").planned_seed

    def check(id: str, *edit: str) -> list[Done]:
        for workspace in both:
            answer(workspace, id, *edit)
        return [kata("check", id, "-v", "--seed", seed, cwd=workspace) for workspace in both]

    return check


def test_file_that_cannot_be_loaded_is_told_as_in_the_whole_course(checked: Callable[..., list[Done]]) -> None:
    for done in checked("softmax", "import torch\n", "import torch\n\n1 / 0\n"):
        assert "Your file cannot be loaded. ZeroDivisionError in line 22 (`1 / 0`): division by zero" in done.stdout


TOLD = re.compile(r"^ +Probably: .*?\n(?=\n| *[✓✗])", re.MULTILINE | re.DOTALL)
"""What a report says of the known mistakes."""


@rows(table(__file__, "cases.yml")["wrong"], "id", "edit")
def test_wrong_answer_fails_with_the_same_words(id: str, edit: list[str], checked: Callable[..., list[Done]]) -> None:
    whole, released = checked(id, *edit)
    assert (whole.returncode, released.returncode) == (1, 1)
    if id == "softmax":  # two known mistakes at once, and plans name single ones only
        assert whole.stdout.count("Probably:") == 2
        released.stdout, whole.stdout = (TOLD.sub("", each.stdout) for each in (released, whole))
    assert released.stdout == whole.stdout


ODD = """

def _odd(call):
    return lambda *given, **named: (call(*given, **named),) * 2


for _name in {entries!r}:
    _found = globals()[_name]
    if hasattr(_found, "forward"):
        _found.forward = _odd(_found.forward)
    elif not isinstance(_found, type):
        globals()[_name] = _odd(_found)
"""


def test_odd_answers_are_never_told_as_the_graders_own_fault(
    planned: Path, tmp_path: Path, init: Init, cold_kata: Kata
) -> None:
    folder = init(planned, tmp_path / "attention")
    for exercise in COURSE.exercises:
        path = answer(folder, exercise.id)
        path.write_text(path.read_text("utf-8") + ODD.format(entries=exercise.entry_points), encoding="utf-8")
    done = cold_kata("check", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert "0 of 47 exercises passed" in done.stdout and "not graded" not in done.stdout


# --- verdicts and diagnoses are those of `kata grade`: here of a few exercises, scripts/compare_wheel.py does it for all


@rows(table(__file__, "cases.yml")["compared"], "id")
def test_same_verdicts_and_diagnoses(id: str, planned: Path) -> None:
    released = load_course(planned / "course.yml")
    sources = script.sources_of(COURSE, [id])
    assert len(sources[id]) > 15
    assert list(map(str, script.compare(COURSE, released, sources, released.planned_seed, strongest_level()))) == []


def test_what_is_read_from_a_learners_own_numbers_gives_the_same_verdicts(planned: Path) -> None:
    """Mistakes that only show in such a reading are not named: nobody can be asked for theirs."""
    released = load_course(planned / "course.yml")
    sources = script.sources_of(COURSE, ["tiled_attention", "tiny_gpt"])
    sources["tiny_gpt"] = dict(list(sources["tiny_gpt"].items())[:2])
    found = list(script.compare(COURSE, released, sources, released.planned_seed, strongest_level()))
    assert len(found) < 5 and not any(each.is_verdict for each in found)
    assert all(each.what.startswith("tiled_attention, the mistake") and each.planned == [] for each in found)


def test_difference_is_noticed() -> None:
    right = records.exercise(records.check(max_points=4.0))
    in_part = right.model_copy(update={"status": "partly", "points": 0.0})
    (found,) = script._differences("the reference", right, in_part)
    assert found.is_verdict and "partly with 0 points with plans" in str(found)
