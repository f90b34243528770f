"""No grader at all: one cold pytest for each submission, which loads every file and checks it in its own process."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

from bare import FACTS
from hand_ins import HandIn, write_class
from marks import Scores
from sheets import Checks
from workplace import timed

TESTS = """\
from pathlib import Path

import bare
import pytest


@pytest.mark.parametrize("exercise", {exercises})
def test_exercise(exercise):
    {call}
"""
CALLS = {
    "same": 'bare.check_file(exercise, Path.cwd() / f"{exercise}.py")',
    "none": 'exec(Path(f"{exercise}.py").read_text(), {})',
}
GRADE = """\
import subprocess
import sys
from pathlib import Path

for own in sorted(Path("submitted").iterdir()):
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir=.", "-p", "no:cacheprovider", "-c", "/dev/null"]
    subprocess.run([*command, "--junitxml=results.xml", "../../test_submission.py"], cwd=own)
"""


def prepare(folder: Path, exercises: Sequence[str], checks: Checks) -> None:
    """Write the tests."""
    folder.mkdir(parents=True)
    (folder / "test_submission.py").write_text(TESTS.format(exercises=list(exercises), call=CALLS[checks]))


def hand_in(folder: Path, hand_ins: Sequence[HandIn]) -> None:
    """Put the files where the tests look for them."""
    write_class(folder / "submitted", hand_ins)


def grade(folders: Sequence[Path], facts: Path) -> float:
    """Test what was handed in, all folders at the same time; the seconds it takes."""
    return timed(folders, ["-c", GRADE], **{FACTS: str(facts)})


def scores(folder: Path) -> Scores:
    """One or no point by learner and exercise."""
    told = {}
    for path in sorted(folder.glob("submitted/*/results.xml")):
        cases = ElementTree.parse(path).iter("testcase")
        told[path.parent.name] = {
            case.attrib["name"].split("[")[1].rstrip("]"): (float(case.find("failure") is None), 1.0) for case in cases
        }
    return told
