"""`kata check` in a shell: what it loads, and the real course. What it tells: tests/transcripts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
WITHOUT_TORCH = ("check share", "list", "next", "hint share", "")


@pytest.mark.parametrize("command", WITHOUT_TORCH, ids=lambda command: command or "kata")
def test_what_nobody_has_to_be_asked_for_loads_no_torch(command: str, tiny_course: Path, run_command: Run) -> None:
    done = run_command(sys.executable, "-X", "importtime", "-m", "grader", *command.split(), cwd=tiny_course)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "grader.cli.app" in loaded and not {"torch", "numpy"} & loaded


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
