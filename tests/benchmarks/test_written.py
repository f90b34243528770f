"""Right answers as learners write them, kept beside the wrong ones that the naming is measured with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RIGHT = ROOT / "benchmarks" / "written" / "right"
WRITERS = sorted({path.stem for path in RIGHT.glob("*/*.py")})


@pytest.mark.thorough
@pytest.mark.parametrize("writer", WRITERS)
def test_every_right_answer_passes(writer: str, tmp_path: Path) -> None:
    answers = {path.parent.name: path.read_text("utf-8") for path in RIGHT.glob(f"*/{writer}.py")}
    handed_in = tmp_path / "handed-in"
    handed_in.mkdir()
    for exercise, source in answers.items():
        (handed_in / f"{exercise}.py").write_text(source, "utf-8")
    record = tmp_path / "record.json"
    command = [sys.executable, "-m", "grader", "grade", handed_in, "--json", record, "--seed", "77"]
    only = [word for exercise in answers for word in ("--only", exercise)]
    done = subprocess.run([*command, *only], cwd=ROOT, capture_output=True, text=True, check=False)
    results = json.loads(record.read_text("utf-8"))["exercises"]
    refused = [(each["id"], each["status"]) for each in results if each["status"] != "passed"]
    assert not refused, done.stdout
    assert {each["id"] for each in results} == set(answers)
    assert done.returncode == 0, done.stderr
