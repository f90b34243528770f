"""`kata explain`: every lost point in words, the very values, and a command that does it again. What is not there: tests/transcripts."""

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

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WHOLE_SUM = "import torch\n\n\ndef {id}(amounts):\n    return amounts / amounts.sum()  # my own sum\n"
ENDS = "import os\n\n\ndef {id}(amounts):\n    os._exit(3)\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Kata) -> Path:
    """A graded class: a mistake that is known, all right, nothing of one exercise, and a file that ends its process."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share", "02_more/01_split")
    checks = root / "tests" / "kits" / "01_parts" / "01_share" / "checks.py"
    checks.write_text(checks.read_text("utf-8").replace("low=1.0", "low=1.0, high=2.0"), "utf-8")
    for name, share, split in (("ada", WHOLE_SUM, RIGHT), ("bo", RIGHT, RIGHT), ("cy", RIGHT, ""), ("di", ENDS, RIGHT)):
        (root / "class" / name).mkdir(parents=True)
        for id, source in {"share": share, "split": split}.items():
            if source:
                (root / "class" / name / f"{id}.py").write_text(source.format(id=id), "utf-8")
    (root / "roster.csv").write_text("id,name\nada,Ada Lovelace\nbo,Bo\ncy,Cy\ndi,Di\n", "utf-8")
    done = kata(
        *("grade-class", "class", "--out", "out", "--roster", "roster.csv", "--isolation", "best", "--seed", 5),
        *("--jobs", 1, "--html"),
        cwd=root,
    )
    assert done.returncode == 0, done.stderr
    return root


def explained(kata: Kata, root: Path, *arguments: object) -> str:
    done = kata("explain", "out", *arguments, cwd=root)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_lost_point_is_told_with_check_message_and_diagnosis_by_id_or_name(root: Path, kata: Kata) -> None:
    told = explained(kata, root, "ada")
    assert "Ada Lovelace (ada): seed 5" in told
    assert "share, Parts of a whole (share): failed, " in told
    check = "Every amount is divided by the sum of its own row. (0 of 2 points; test_every_row_by_itself, failed)"
    assert check in told and "split" not in told
    assert "Probably: You divided by one sum of everything. (whole-sum)" in told
    assert explained(kata, root, "Ada Lovelace", "share") == told  # the same inputs every time
    assert "There is no file for this exercise." in explained(kata, root, "cy")
    told = explained(kata, root, "di", "share")
    assert "an error (no answer came)" in told and "torch.tensor(" in told


def blocks(told: str) -> list[dict[str, str]]:
    """What was asked, expected and came, of each case."""
    cases: list[dict[str, str]] = []
    head = ""
    for line in told.splitlines():
        if line.startswith("    Case "):
            cases.append({})
        elif line.strip() in ("asked:", "expected:", "came:"):
            head = line.strip()[:-1]
            cases[-1][head] = ""
        elif cases and line.startswith("        "):
            cases[-1][head] += line[8:] + "\n"
    return cases


def test_inputs_expected_and_actual_values_are_those_of_the_seed(root: Path, kata: Kata) -> None:
    """What is printed is Python: run with the reference it gives what is expected, run with the learner's what came."""
    told = explained(kata, root, "ada", "share")
    assert "Asked again just now: " in told and ", as recorded." in told
    assert "   5 |     return amounts / amounts.sum()  # my own sum" in told
    cases = blocks(told)
    assert cases
    reference = (root / "solutions" / "01_parts" / "01_share.py").read_text("utf-8")
    for source, claimed in ((reference, "expected"), (WHOLE_SUM.format(id="share"), "came")):
        for case in cases:
            space: dict[str, object] = {}
            exec(f"{source}\nimport torch\n{case['asked']}", space)
            shown: dict[str, object] = {"torch": torch}
            exec(case[claimed], shown)
            torch.testing.assert_close(space["output"], shown["output"])


def test_no_page_of_a_learner_has_hidden_inputs_and_each_with_lost_points_says_how_to_ask(
    root: Path, kata: Kata
) -> None:
    numbers = re.findall(r"0\.\d{6,}", explained(kata, root, "ada"))
    pages = {path.name: path.read_text("utf-8") for path in (root / "out").glob("learner-*.html")}
    assert len(numbers) > 10 and not any(number[:6] in page for number in numbers for page in pages.values())
    assert "exactly this check can be run again" in pages["learner-ada.html"]
    assert "exactly this check can be run again" not in pages["learner-bo.html"]


def test_what_was_handed_in_is_known_after_it_was_changed_or_taken_away(root: Path, kata: Kata, tmp_path: Path) -> None:
    before = explained(kata, root, "ada", "share", "split")
    assert "split, " in before
    (root / "class").rename(tmp_path / "class")
    try:
        assert explained(kata, root, "ada", "share", "split") == before
    finally:
        (tmp_path / "class").rename(root / "class")
