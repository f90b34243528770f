"""The learner's commands in the bundle of the real course."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from grader.course import load_course
from grader.release.bundle import SEEDS

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")

MOST_BYTES = 25_000_000
"""Of a zip with all exercises and the usual number of seeds."""

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]
Init = Callable[[Path, Path], Path]
Answer = Callable[..., Path]


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


def test_a_usual_bundle_is_small_enough_to_be_sent(bundle: Path) -> None:
    with zipfile.ZipFile(bundle.parent / "bundle.zip") as pack:
        plans = sum(each.compress_size for each in pack.infolist() if each.filename.endswith(".plan"))
    rest = (bundle.parent / "bundle.zip").stat().st_size - plans
    assert plans > 0 and rest + SEEDS * plans <= MOST_BYTES


def test_untouched_stubs_are_not_started(workspace: Path, kata: Kata) -> None:
    done = kata("check", *(unit.folder for unit in COURSE.units), cwd=workspace)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("not started") == len(COURSE.exercises)


@pytest.fixture(scope="module")
def solved(bundle: Path, tmp_path_factory: pytest.TempPathFactory, init: Init, answer: Answer) -> Path:
    folder = init(bundle, tmp_path_factory.mktemp("solved") / "attention")
    for exercise in COURSE.exercises:
        answer(folder, exercise.id)
    return folder


def test_right_answers_pass_with_all_points(solved: Path, kata: Kata) -> None:
    done = kata("check", "-v", cwd=solved, seconds=300)
    assert done.returncode == 0, done.stdout + done.stderr
    most = sum(exercise.points for exercise in COURSE.exercises)
    assert f"{most:g} of {most:g} points, 47 of 47 exercises passed" in done.stdout
    assert "when you hand in" not in done.stdout
    assert "--seed 11" in done.stdout


def test_pytest_runs_all_checks(
    bundle: Path, tmp_path: Path, init: Init, run_command: Callable[..., Done], answer: Answer
) -> None:
    here = init(bundle, tmp_path / "attention")
    for id in ("softmax", "debug_model_args"):
        answer(here, id)
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", cwd=here)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "16 passed, 45 not started" in done.stdout.splitlines()[-1]
    assert re.search(r"03_softmax\.py::test_dim_chooses_the_axis PASSED", done.stdout)


def test_pytest_names_the_mistake(
    bundle: Path, tmp_path: Path, init: Init, run_command: Callable[..., Done], answer: Answer
) -> None:
    here = init(bundle, tmp_path / "attention")
    file = answer(here, "split_heads", "return apart.transpose(1, 2)", "return apart")
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", file, cwd=here)
    assert done.returncode == 1 and "Probably" in done.stdout


@pytest.fixture(scope="module")
def both(bundle: Path, tmp_path_factory: pytest.TempPathFactory, init: Init) -> tuple[Path, Path]:
    """A workspace of the whole course, and one of the bundle."""
    folder = tmp_path_factory.mktemp("both")
    return init(ROOT, folder / "whole"), init(bundle, folder / "released")


@pytest.fixture
def checked(both: tuple[Path, Path], kata: Kata, answer: Answer) -> Callable[..., list[Done]]:
    """What is said of the same answer in the whole course, and in the bundle."""

    def check(id: str, *edit: str) -> list[Done]:
        for workspace in both:
            answer(workspace, id, *edit)
        return [kata("check", id, "-v", "--seed", 11, cwd=workspace) for workspace in both]

    return check


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
    id: str, edit: tuple[str, str], title: str, has_map: bool, checked: Callable[..., list[Done]]
) -> None:
    whole, released = checked(id, *edit)
    assert (whole.returncode, released.returncode) == (1, 1), released.stdout + released.stderr
    told = told_of(released, title)
    assert len(told) > 1 and told == told_of(whole, title)
    assert bool(re.search(r"yours +expected", "\n".join(told))) is has_map


def test_file_that_cannot_be_loaded_is_told_as_in_the_whole_course(checked: Callable[..., list[Done]]) -> None:
    for done in checked("softmax", "import torch\n", "import torch\n\n1 / 0\n"):
        assert "Your file cannot be loaded. ZeroDivisionError in line 22 (`1 / 0`): division by zero" in done.stdout


TOLD = re.compile(r"^ +Probably: .*?\n(?=\n| *[✓✗])", re.MULTILINE | re.DOTALL)
"""What a report says of the known mistakes."""


@pytest.mark.parametrize(
    ("id", "edit"),
    [
        pytest.param("split_heads", ("return apart.transpose(1, 2)", "return apart"), id="no swap of axes"),
        pytest.param(
            "self_attention", ("return weights @ value", "return weights @ value + 1"), id="numbers of its own"
        ),
        pytest.param("softmax", ("keepdim=True", "keepdim=False"), id="an axis that is lost"),
    ],
)
def test_wrong_answer_fails_with_the_same_words(
    id: str, edit: tuple[str, str], checked: Callable[..., list[Done]]
) -> None:
    whole, released = checked(id, *edit)
    assert (whole.returncode, released.returncode) == (1, 1)
    if id == "softmax":  # both maximum and sum: two known mistakes at once, and a bundle names single ones only
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
    bundle: Path, tmp_path: Path, init: Init, kata: Kata, answer: Answer
) -> None:
    folder = init(bundle, tmp_path / "attention")
    for exercise in COURSE.exercises:
        path = answer(folder, exercise.id)
        path.write_text(path.read_text("utf-8") + ODD.format(entries=exercise.entry_points), encoding="utf-8")
    done = kata("check", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert "0 of 47 exercises passed" in done.stdout and "not graded" not in done.stdout


# --- the other commands ----------------------------------------------------------------------------------------------


def test_path_through_the_course(workspace: Path, kata: Kata, answer: Answer) -> None:
    assert "0 of 47 exercises, 0 of" in kata(cwd=workspace).stdout
    assert "Next: Look up by weights (soft_lookup" in kata("next", cwd=workspace).stdout
    assert "03 softmax: Turn scores into weights" in kata("list", cwd=workspace).stdout
    assert "Hint 1 of 3" in kata("hint", "softmax", cwd=workspace).stdout
    answer(workspace, "soft_lookup")
    assert kata("check", "soft_lookup", cwd=workspace).returncode == 0
    assert "1 of 47 exercises" in kata(cwd=workspace).stdout
    assert "Next: Score every word against one" in kata("next", cwd=workspace).stdout
    assert "review/01_soft_lookup.py" in kata("review", "soft_lookup", cwd=workspace).stdout
    assert kata("report", cwd=workspace).returncode == 0
    page = (workspace / "report.html").read_text("utf-8")
    assert "<b>1</b> of 47 exercises passed" in page and "when you hand in" not in page
    shown = kata("solution", "soft_lookup", cwd=workspace)
    assert shown.returncode == 0 and "the course's" in shown.stdout
    assert kata("reset", "soft_lookup", cwd=workspace).returncode == 0
    assert "still to write" in (workspace / "exercises/01_soft_lookup/01_soft_lookup.py").read_text("utf-8")


def test_watch_checks_what_is_saved(
    bundle: Path, tmp_path: Path, init: Init, answer: Answer, course_in: Callable[[Path], dict[str, str]]
) -> None:
    folder = init(bundle, tmp_path / "attention")
    watching = pexpect.spawn(
        str(Path(sys.executable).with_name("kata")),
        ["watch"],
        cwd=str(folder),
        env={**os.environ, **course_in(folder)},
        timeout=90,
    )
    try:
        watching.expect_exact("Save a file to have it checked.")
        answer(folder, "softmax")
        watching.expect_exact("passed")
    finally:
        watching.close(force=True)


def test_seed_that_there_is_no_plan_for_is_refused(workspace: Path, kata: Kata, answer: Answer) -> None:
    answer(workspace, "softmax")
    done = kata("check", "softmax", "--seed", 12, cwd=workspace)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "this bundle has no plans for the seed 12; it has them for 11\n"


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
        f"{bundle} is a learner's bundle, without solutions: this needs the whole course (--course says where it is)."
    ]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        pytest.param((), "masked_softmax is not passed yet: `kata hint masked_softmax` helps.", id="plain"),
        pytest.param(
            ("--force",), "--force opens no answer of a learner's bundle: pass the exercise first.", id="forced"
        ),
    ],
)
def test_sealed_answer_stays_shut_before_passing(
    options: tuple[str, ...], sentence: str, workspace: Path, kata: Kata
) -> None:
    done = kata("solution", "masked_softmax", *options, cwd=workspace)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence + "\n")


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
