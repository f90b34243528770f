"""`kata explain`: the values that it shows are those of the seed, and stand on no page. What it says: tests/transcripts/explain.txt."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.thorough

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WHOLE_SUM = "def share(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Kata) -> Path:
    """A graded class: a mistake that is known, and all right."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")
    for name, share in (("ada", WHOLE_SUM), ("bo", RIGHT)):
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "share.py").write_text(share, "utf-8")
    done = kata("grade-class", "class", "--out", "out", "--isolation", "best", "--seed", 5, "--html", cwd=root)
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def told(kata: Kata, root: Path) -> str:
    done = kata("explain", "out", "ada", cwd=root)
    assert done.returncode == 0, done.stderr
    return done.stdout


def blocks(told: str) -> list[dict[str, str]]:
    """What was asked, expected and came, of each case."""
    cases: list[dict[str, str]] = []
    head = ""
    for line in told.splitlines():
        if re.search(r"\. Case \d+ of \d+", line):
            cases.append({})
        elif line.strip() in ("asked:", "expected:", "came:"):
            head = line.strip()[:-1]
            cases[-1][head] = ""
        elif cases and line.startswith("      "):
            cases[-1][head] += line[6:] + "\n"
    return cases


def test_inputs_expected_and_actual_values_are_those_of_the_seed(root: Path, told: str) -> None:
    """What is printed is Python: run with the reference it gives what is expected, run with the learner's what came."""
    cases = blocks(told)
    assert cases
    reference = (root / "solutions" / "01_parts" / "01_share.py").read_text("utf-8")
    for source, claimed in ((reference, "expected"), (WHOLE_SUM, "came")):
        for case in cases:
            space: dict[str, object] = {}
            exec(f"{source}\nimport torch\n{case['asked']}", space)
            shown: dict[str, object] = {"torch": torch}
            exec(case[claimed], shown)
            torch.testing.assert_close(space["output"], shown["output"])


def test_no_page_of_a_learner_has_hidden_inputs_and_each_with_lost_points_says_how_to_ask(
    root: Path, told: str
) -> None:
    numbers = re.findall(r"0\.\d{6,}", told)
    pages = {path.name: path.read_text("utf-8") for path in (root / "out").glob("learner-*.html")}
    assert len(numbers) > 10 and not any(number[:6] in page for number in numbers for page in pages.values())
    assert "exactly this check can be run again" in pages["learner-ada.html"]
    assert "exactly this check can be run again" not in pages["learner-bo.html"]
