"""`kata check`: a learner's own work, by id, by file, or all that is there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    """`share` is right, `portion` is wrong, `split` is not started; a right `portion` lies elsewhere."""
    root = make_course(
        tmp_path_factory.mktemp("course"), "01_parts/01_share", "01_parts/02_portion", "02_more/01_split"
    )
    (root / "exercises/01_parts/01_share.py").write_text("def share(a):\n    return a / a.sum(-1, keepdim=True)\n")
    (root / "exercises/01_parts/02_portion.py").write_text("def portion(a):\n    return a / a.summ(-1, keepdim=True)\n")
    (root / "drafts").mkdir()
    (root / "drafts/portion.py").write_text("def portion(a):\n    return a / a.sum(-1, keepdim=True)\n")
    return root


@pytest.mark.thorough
def test_what_is_started_is_checked_by_default_and_something_wrong_is_status_1(course: Path, kata: Run) -> None:
    done = kata("check", cwd=course)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    marks = {id: next(line for line in lines if f"({id})" in line) for id in ("share", "portion")}
    assert "passed" in marks["share"] and "failed" in marks["portion"]
    assert "1 of 2 exercises passed" in done.stdout and "split" not in done.stdout


@pytest.mark.parametrize("named", ["02_more", "exercises/02_more/"], ids=["by name", "as a folder"])
def test_unit_is_checked_whole(named: str, course: Path, kata: Run) -> None:
    done = kata("check", named, cwd=course)
    assert done.returncode == 0, done.stderr
    assert "Not started, as it was given: " in done.stdout


def test_nothing_started_says_where_to_begin(tiny_course: Path, kata: Run) -> None:
    done = kata("check", cwd=tiny_course)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Nothing is started yet: every file is as it was given. `kata next` says where to begin.\n"


def test_error_is_told_with_the_learners_own_line_and_nothing_else(course: Path, kata: Run) -> None:
    done = kata("check", "portion", cwd=course)
    assert done.returncode == 1, done.stderr
    assert "AttributeError in line 2, in `portion` (`return a / a.summ(-1, keepdim=True)`)" in done.stdout
    assert "Traceback" not in done.stdout and "grader/" not in done.stdout


@pytest.mark.parametrize(
    "named", [["share", "split"], ["drafts/portion.py"]], ids=["right or not started, by id", "file from elsewhere"]
)
def test_nothing_wrong_is_status_0(named: list[str], course: Path, kata: Run) -> None:
    done = kata("check", *named, cwd=course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ passed" in done.stdout and "✗" not in done.stdout


def test_the_seed_is_told_of_what_fails_and_with_v(course: Path, kata: Run) -> None:
    for wanted in (["portion"], ["portion", "share"]):
        shown = kata("check", *wanted, cwd=course).stdout
        assert "--seed" in shown and "Isolation" not in shown
    assert "--seed" not in kata("check", "share", cwd=course).stdout
    assert (
        "Isolation: full. The same inputs again with --seed 5"
        in kata("check", "share", "-v", "--seed", 5, cwd=course).stdout
    )


def test_what_passes_leads_on_to_the_next_exercise(course: Path, kata: Run) -> None:
    assert "Next: " in kata("check", "share", cwd=course).stdout
    assert "Next: " not in kata("check", "portion", "share", cwd=course).stdout


@pytest.mark.thorough
def test_works_from_a_folder_inside_the_course(course: Path, kata: Run) -> None:
    done = kata("check", "01_share.py", "--isolation", "none", cwd=course / "exercises" / "01_parts")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 / 4" in done.stdout


WITHOUT_TORCH = ("check split", "list", "next", "hint split", "")


@pytest.mark.parametrize("command", WITHOUT_TORCH, ids=lambda command: command or "kata")
def test_what_nobody_has_to_be_asked_for_loads_no_torch(command: str, course: Path, run_command: Run) -> None:
    done = run_command(sys.executable, "-X", "importtime", "-m", "grader", *command.split(), cwd=course)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "grader.cli.app" in loaded and not {"torch", "numpy"} & loaded


def test_a_stub_as_it_was_given_is_told_apart_from_work(course: Path, kata: Run) -> None:
    done = kata("check", "split", cwd=course)
    assert (done.returncode, done.stdout) == (0, "Not started, as it was given: split.\n")


# --- a wrong attempt at the real course's softmax ----------------------------------------------------------------

ROOT = Path(__file__).parents[2]

EVERYTHING_IS_ONE_SUM = """\
import torch


def softmax(scores, dim=-1):
    exps = torch.exp(scores)
    return exps / (exps.sum() + 1)
"""

HEAT_MAP = """\
        The output (columns: tokens). All 3 numbers are off.
        yours (! = wrong)     expected
          0     1     2         0     1     2
         0.21! 0.37! 0.33!     0.23! 0.41! 0.36!
"""


@pytest.fixture(scope="module")
def at_softmax(tmp_path_factory: pytest.TempPathFactory, kata: Run) -> Path:
    """A workspace of the real course with that attempt in it."""
    folder = tmp_path_factory.mktemp("learner") / "work"
    done = kata("init", folder, "--course", ROOT, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    (file,) = folder.rglob("03_softmax.py")
    file.write_text(EVERYTHING_IS_ONE_SUM)
    return folder


@pytest.mark.thorough
def test_wrong_softmax_is_shown_beside_the_right_one(at_softmax: Path, kata: Run) -> None:
    done = kata("check", "softmax", "--seed", 5, cwd=at_softmax, env={"COLUMNS": "80"})
    assert done.returncode == 1, done.stdout + done.stderr
    assert HEAT_MAP in "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
    assert done.stdout.count("(! = wrong)") == 1, "only the visible check shows numbers"


@pytest.mark.thorough
def test_picture_of_it_fits_a_narrow_terminal(at_softmax: Path, kata: Run) -> None:
    done = kata("check", "softmax", "--seed", 5, cwd=at_softmax, env={"COLUMNS": "40"})
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert max(map(len, done.stdout.splitlines())) <= 40
    assert lines.index("yours (! = wrong)") < lines.index("expected") and any(
        "0.21! 0.37! 0.33!" in line for line in lines
    )
