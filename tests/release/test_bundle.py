"""The learner's commands in the bundle of the real course."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from grader.course import load_course

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]
Init = Callable[[Path, Path], Path]


def answer(workspace: Path, id: str, *edit: str) -> Path:
    """Hand in the course's answer to an exercise, with some text of it exchanged for another."""
    exercise = COURSE.exercise(id)
    source = COURSE.solution_path(exercise).read_text("utf-8")
    if edit:
        assert edit[0] in source
        source = source.replace(*edit)
    path = workspace / "exercises" / exercise.relative_path
    path.write_text(source, encoding="utf-8")
    return path


def told_of(done: Done, title: str) -> list[str]:
    """What was printed of one check: its line, its message, its heat map."""
    lines = done.stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if title[:60] in line)
    block = [lines[start]]
    for line in lines[start + 1 :]:
        if not line.startswith(" " * 8):
            break
        block.append(line.rstrip())
    return block


# --- right, untouched, wrong -----------------------------------------------------------------------------------------


def test_course_file_is_read_and_says_the_same(bundle: Path) -> None:
    read = load_course(bundle / "course.yml")
    assert read.is_bundle and not COURSE.is_bundle
    assert read.model_dump(exclude={"bundle", "root"}) == COURSE.model_dump(exclude={"bundle", "root"})


def test_untouched_stubs_are_not_started(workspace: Path, kata: Kata) -> None:
    done = kata("check", cwd=workspace)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("not started") == len(COURSE.exercises)


@pytest.fixture(scope="module")
def solved(bundle: Path, tmp_path_factory: pytest.TempPathFactory, init: Init) -> Path:
    folder = init(bundle, tmp_path_factory.mktemp("solved") / "attention")
    for exercise in COURSE.exercises:
        answer(folder, exercise.id)
    return folder


def test_right_answers_pass_and_it_is_said_what_is_hidden(solved: Path, kata: Kata) -> None:
    done = kata("check", cwd=solved)
    assert done.returncode == 0, done.stdout + done.stderr
    hidden = [int(number) for number in re.findall(r"And (\d+) hidden checks?, graded when you hand in\.", done.stdout)]
    assert len(hidden) == len(COURSE.exercises)
    assert (
        f"{len(COURSE.exercises)} of {len(COURSE.exercises)} exercises pass the checks that you can see" in done.stdout
    )
    assert f"{sum(hidden)} more checks are hidden, and graded when you hand in." in done.stdout
    assert "points" not in done.stdout


def test_verbose_names_the_hidden_checks(solved: Path, kata: Kata) -> None:
    done = kata("check", "softmax", "-v", cwd=solved)
    assert "Gradients flow back to the scores.  hidden, 0.5 pt" in done.stdout


def test_pytest_passes_and_names_the_hidden_checks(
    bundle: Path, tmp_path: Path, init: Init, run_command: Callable[..., Done]
) -> None:
    here = tmp_path / "bundle"
    shutil.copytree(bundle, here, ignore=shutil.ignore_patterns("program"))
    init(here, here)
    for id in ("softmax", "debug_model_args"):
        answer(here, id)
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", cwd=here)
    assert done.returncode == 0, done.stdout + done.stderr
    for count in ("2 passed", "14 hidden (graded when you hand in)", "38 not started"):
        assert count in done.stdout.splitlines()[-1]
    assert re.search(r"03_softmax\.py::test_shiny_example PASSED", done.stdout)
    assert re.search(r"03_softmax\.py::test_dim_chooses_the_axis HIDDEN", done.stdout)


@pytest.fixture(scope="module")
def both(bundle: Path, tmp_path_factory: pytest.TempPathFactory, init: Init) -> tuple[Path, Path]:
    """A workspace of the whole course, and one of the bundle."""
    folder = tmp_path_factory.mktemp("both")
    return init(ROOT, folder / "whole"), init(bundle, folder / "released")


def checked(both: tuple[Path, Path], kata: Kata, id: str, *edit: str) -> list[Done]:
    """What is said of the same answer in the whole course, and in the bundle."""
    for workspace in both:
        answer(workspace, id, *edit)
    return [kata("check", id, "-v", cwd=workspace) for workspace in both]


@pytest.mark.parametrize(
    ("id", "edit", "title", "has_map"),
    [
        pytest.param(
            "split_heads",
            ("return apart.transpose(1, 2)", "return x.view(batch, num_heads, num_tokens, -1)"),
            "The tokens [0 … 5] and [6 … 11]",
            True,
            id="numbers in wrong places",
        ),
        pytest.param(
            "debug_model_args",
            ("return output", "return output[:, :1]"),
            "The example runs",
            False,
            id="a shape that does not fit",
        ),
    ],
)
def test_wrong_answer_is_told_as_in_the_whole_course(
    id: str, edit: tuple[str, str], title: str, has_map: bool, both: tuple[Path, Path], kata: Kata
) -> None:
    whole, released = checked(both, kata, id, *edit)
    assert (whole.returncode, released.returncode) == (1, 1), released.stdout + released.stderr
    told = told_of(released, title)
    assert len(told) > 1 and told == told_of(whole, title)
    assert bool(re.search(r"yours +due", "\n".join(told))) is has_map


def test_file_that_cannot_be_loaded_is_told_as_in_the_whole_course(both: tuple[Path, Path], kata: Kata) -> None:
    for done in checked(both, kata, "softmax", "import torch\n", "import torch\n\n1 / 0\n"):
        assert "Your file cannot be loaded. ZeroDivisionError in line 19 (`1 / 0`): division by zero" in done.stdout


def test_known_mistake_is_named_in_the_whole_course_only(both: tuple[Path, Path], kata: Kata) -> None:
    whole, released = checked(both, kata, "split_heads", "return apart.transpose(1, 2)", "return apart")
    assert "This looks like" in whole.stdout and "This looks like" not in released.stdout


def test_wrong_numbers_of_the_right_shape_may_pass_but_no_points_are_promised(
    both: tuple[Path, Path], kata: Kata
) -> None:
    whole, released = checked(both, kata, "self_attention", "return weights @ value", "return weights @ value + 1")
    assert (whole.returncode, released.returncode) == (1, 0)
    assert "0 / 0.5  (counts once the main check passes)" in released.stdout
    assert "6 hidden checks, graded when you hand in." in released.stdout


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
    bundle: Path, tmp_path: Path, init: Init, kata: Kata
) -> None:
    folder = init(bundle, tmp_path / "attention")
    for exercise in COURSE.exercises:
        path = answer(folder, exercise.id)
        path.write_text(path.read_text("utf-8") + ODD.format(entries=exercise.entry_points), encoding="utf-8")
    done = kata("check", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert "0 of 40 exercises pass the checks that you can see." in done.stdout


# --- the other commands ----------------------------------------------------------------------------------------------


def test_path_through_the_course(workspace: Path, kata: Kata) -> None:
    assert "0 of 40 exercises pass the checks that you can see" in kata(cwd=workspace).stdout
    assert "Next: Look up by weights (soft_lookup" in kata("next", cwd=workspace).stdout
    assert "03 softmax: Turn scores into weights" in kata("list", cwd=workspace).stdout
    assert "Hint 1 of 3" in kata("hint", "softmax", cwd=workspace).stdout
    answer(workspace, "soft_lookup")
    assert kata("check", "soft_lookup", cwd=workspace).returncode == 0
    assert "1 of 40 exercises pass" in kata(cwd=workspace).stdout
    assert "Next: Score every word against one" in kata("next", cwd=workspace).stdout
    assert "review/01_soft_lookup.py" in kata("review", "soft_lookup", cwd=workspace).stdout
    assert kata("report", cwd=workspace).returncode == 0
    page = (workspace / "report.html").read_text("utf-8")
    assert "These points are for the checks that you can see." in page
    assert "4 hidden checks, graded when you hand in." in page
    assert kata("reset", "soft_lookup", cwd=workspace).returncode == 0
    assert "still to write" in (workspace / "exercises/01_soft_lookup/01_soft_lookup.py").read_text("utf-8")


def test_watch_checks_what_is_saved(bundle: Path, tmp_path: Path, init: Init) -> None:
    folder = init(bundle, tmp_path / "attention")
    watching = pexpect.spawn(str(Path(sys.executable).with_name("kata")), ["watch"], cwd=str(folder), timeout=90)
    try:
        watching.expect_exact("Save a file to have it checked.")
        answer(folder, "softmax")
        watching.expect_exact("5 hidden checks, graded when you hand in.")
    finally:
        watching.close(force=True)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("grade", "exercises"), id="grade"),
        pytest.param(("grade-class", "exercises", "--out", "out"), id="grade-class"),
        pytest.param(("verify",), id="verify"),
        pytest.param(("release", "--out", "again"), id="release"),
    ],
)
def test_what_needs_the_answers_is_refused_with_one_sentence(
    command: tuple[str, ...], bundle: Path, kata: Kata
) -> None:
    done = kata(*command, cwd=bundle)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"{bundle} is a learner's bundle, without solutions and hidden checks: this needs the whole course "
        "(--course says where it is)."
    ]


@pytest.mark.parametrize("options", [pytest.param((), id="plain"), pytest.param(("--force",), id="forced")])
def test_there_are_no_solutions_to_show(options: tuple[str, ...], workspace: Path, kata: Kata) -> None:
    done = kata("solution", "softmax", *options, cwd=workspace)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "This is a learner's bundle: the course's answers are not in it.\n"


def test_program_in_it_can_be_installed(bundle: Path, tmp_path: Path, run_command: Callable[..., Done]) -> None:
    source, target = tmp_path / "program", tmp_path / "installed"
    shutil.copytree(bundle / "program", source)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", target)
    done = run_command(*pip, source, cwd=tmp_path, seconds=300)
    assert done.returncode == 0, done.stderr
    # not `kata`: this Python has the project itself installed, and would take that one
    look = "import grader; from grader.cli import main; print(grader.__file__); main()"
    done = run_command(sys.executable, "-c", look, "list", cwd=bundle, env={"PYTHONPATH": str(target)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(target)) and "03 softmax" in done.stdout
