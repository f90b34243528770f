"""Whose a submission is, from the command to the marks: nobody takes another's row, and a person settles what is not clear."""

from __future__ import annotations

import csv
import io
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from grader.record import Record

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
ALL = 4.0
ROSTER = """\
Student,ID,SIS User ID,SIS Login ID,Section
    Points Possible,,,,
"Lovelace, Ada",101,s1,ada,A
"Evil, Eve",102,s2,eve,A
"Fox, Zoe",103,s3,zoe,A
"Li, Bo",104,s4,bo_li,A
"""


@pytest.fixture
def grade(kata: Run, course_root: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Grades these files as a class, into OUT."""

    def grade_class(files: Mapping[str, str], *options: str) -> subprocess.CompletedProcess[str]:
        for name, content in files.items():
            path = tmp_path / "class" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
        (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
        how = ["--isolation", "best", "--seed", "5", "--jobs", "1", "--course", str(course_root)]
        return kata("grade-class", "class", "--out", "out", *how, *options, cwd=tmp_path)

    return grade_class


def points(out: Path) -> dict[str, float]:
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record.points for record in map(Record.from_json, lines)}


def unmatched(out: Path) -> dict[str, str]:
    with (out / "unmatched.csv").open(encoding="utf-8-sig", newline="") as rows:
        return {row["entry"]: row["why"] for row in csv.DictReader(rows)}


@pytest.mark.thorough
def test_who_claims_anothers_row_gets_nothing_until_a_person_says_whose_it_is(
    grade: Run, kata: Run, course_root: Path, tmp_path: Path
) -> None:
    files = {
        "lovelaceada_101_5001_01_share.py": RIGHT,
        "foxzoe_103_102_5002_01_share.py": WRONG,
        "foxzoe_103_5003_01_share.py": RIGHT,
        "libo_LATE_104_5004_01_share.py": RIGHT,
    }
    out = tmp_path / "out"
    done = grade(files, "--roster", "roster.csv")
    assert done.returncode == 2, done.stderr
    assert points(out) == {"101": ALL, "103": ALL, "104": ALL}
    assert "Read as a download of Canvas" in done.stderr and "Late, as the platform says: Li, Bo" in done.stderr
    assert list(unmatched(out)) == ["foxzoe_103_102_5002_01_share.py"]
    table = (out / "unmatched.csv").read_text("utf-8-sig").rstrip("\r\n")
    (tmp_path / "match.csv").write_text(f"{table}eve\n", "utf-8")
    done = grade({}, "--resume", "--match", "match.csv")
    assert done.returncode == 0, done.stderr
    assert points(out) == {"101": ALL, "102": 1.0, "103": ALL, "104": ALL}
    assert unmatched(out) == {"foxzoe_103_102_5002_01_share.py": ""}
    done = grade({}, "--resume")  # what was said is remembered
    assert done.returncode == 0 and points(out)["102"] == 1.0, done.stderr


@pytest.mark.thorough
def test_a_new_claim_takes_nothing_from_what_an_earlier_run_graded_and_is_told(
    grade: Run, kata: Run, course_root: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert grade({"101/share.py": RIGHT, "zoe/share.py": RIGHT}, "--roster", "roster.csv").returncode == 0
    assert points(out) == {"101": ALL, "103": ALL}
    done = grade({"Zoe Fox/share.py": WRONG}, "--resume")
    assert done.returncode == 2 and set(unmatched(out)) == {"zoe", "Zoe Fox"}
    exported = kata("export", out, "--format", "csv", "--to", "-", "--course", course_root, cwd=tmp_path)
    rows = {row["submission"]: row["points"] for row in csv.DictReader(io.StringIO(exported.stdout))}
    assert rows == {"101": "4", "102": "", "103": "4", "104": ""}


@pytest.mark.parametrize("format", ["canvas", pytest.param("moodle", marks=pytest.mark.thorough)])
def test_names_in_what_an_export_says_do_not_steer_the_terminal(
    format: str, grade: Run, kata: Run, course_root: Path, tmp_path: Path
) -> None:
    done = grade(
        {
            "Ada Lovelace_9001_assignsubmission_file/share.py": RIGHT,
            "Eve \x1b]0;x\x07\x1b[2J_9002_assignsubmission_file/share.py": RIGHT,
        },
        *("--roster", "roster.csv"),
    )
    assert done.returncode == 2, done.stderr
    done = kata("export", "out", "--format", format, "--course", course_root, cwd=tmp_path)
    assert done.returncode == 0 and "Eve \\x1b]0;x" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
