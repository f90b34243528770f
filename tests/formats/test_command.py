"""`kata export` as it is typed: files where they belong, and one sentence where something is wrong."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import HOSTILE_NAMES, not_graded, record

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]


@pytest.fixture
def out(class_of: Callable[..., Path]) -> Path:
    return class_of(record("ada"), not_graded("bo"), record(HOSTILE_NAMES["emoji"]))


@pytest.mark.parametrize(
    ("format", "made"),
    [
        ("csv", "grades.csv"),
        ("canvas", "canvas.csv"),
        ("moodle", "moodle.csv"),
        ("junit", "junit.xml"),
        ("pages", "pages.zip"),
        ("gradescope", "gradescope/0001-ada.json"),
        ("github", "github/0001-ada.json"),
    ],
    ids=["csv", "canvas", "moodle", "junit", "pages", "gradescope", "github"],
)
def test_each_format_is_written_beside_the_results(format: str, made: str, out: Path, kata: Kata) -> None:
    done = kata("export", out, "--format", format, cwd=out)
    assert done.returncode == 0, done.stderr
    assert (out / made).stat().st_size > 0
    assert not list(out.rglob(".*"))


def test_those_without_a_mark_are_named(out: Path, kata: Kata) -> None:
    done = kata("export", out, "--format", "csv", cwd=out)
    assert "Without a mark, since the grader itself failed: bo." in done.stderr


def test_standard_output_gets_the_file_alone(out: Path, kata: Kata) -> None:
    done = kata("export", out, "--format", "csv", "--to", "-", cwd=out)
    first, *rows = done.stdout.splitlines()
    assert first.startswith("submission,") and len(rows) == 3
    assert not (out / "grades.csv").exists()


@pytest.mark.parametrize(
    ("format", "name"),
    [("gradescope", "results.json"), ("github", "github.json"), ("junit", "junit.xml")],
    ids=["gradescope", "github", "junit"],
)
def test_one_record_makes_one_file(format: str, name: str, tmp_path: Path, kata: Kata) -> None:
    (tmp_path / "record.json").write_text(record("ada").to_json() + "\n", encoding="utf-8")
    done = kata("export", "record.json", "--format", format, cwd=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, name), done.stderr


def test_nothing_is_written_over_unless_forced(out: Path, kata: Kata) -> None:
    (out / "grades.csv").write_text("mine")
    done = kata("export", out, "--format", "csv", cwd=out)
    assert done.returncode == 2 and "--force" in done.stderr and (out / "grades.csv").read_text() == "mine"
    assert kata("export", out, "--format", "csv", "--force", cwd=out).returncode == 0
    assert (out / "grades.csv").read_text() != "mine"


@pytest.mark.thorough
def test_forced_into_a_folder_learners_who_are_gone_go(out: Path, kata: Kata) -> None:
    kata("export", out, "--format", "github", cwd=out)
    for name in ("bo", HOSTILE_NAMES["emoji"]):
        assert kata("forget", out, name, cwd=out).returncode == 0
    (out / "github" / "notes.txt").write_text("mine")
    assert kata("export", out, "--format", "github", cwd=out).returncode == 2
    assert kata("export", out, "--format", "github", "--force", cwd=out).returncode == 0
    assert sorted(path.name for path in (out / "github").iterdir()) == ["0001-ada.json", "notes.txt"]


@pytest.mark.parametrize(
    ("prepare", "arguments", "said"),
    [
        pytest.param(lambda out: (out / "class.db").unlink(), [], "is empty", id="no results"),
        pytest.param(lambda out: (out / "class.db").write_text(""), [], "no results yet", id="empty results"),
        pytest.param(lambda out: (out / "class.db").write_text("x" * 999), [], "not a database", id="no database"),
        pytest.param(None, ["--format", "excel"], "no format 'excel': take csv, jsonl, canvas", id="unknown format"),
        pytest.param(None, ["--by", "week"], "nothing called 'week'", id="unknown rows"),
        pytest.param(None, ["--column", "Week 1"], "--format canvas or moodle, without --by", id="a column in a csv"),
        pytest.param(
            None, ["--format", "canvas", "--by", "unit", "--column", "Week 1"], "names one column", id="one of several"
        ),
        pytest.param(None, ["--to", "class.db/grades.csv"], "class.db", id="folder that is a file"),
        pytest.param(None, ["--format", "github", "--to", "-"], "needs a folder", id="many files to standard output"),
        pytest.param(None, ["--format", "github", "--to", "class.db"], "needs a folder", id="many files to a file"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(
    prepare: Callable[[Path], object] | None, arguments: list[str], said: str, class_of: Callable[..., Path], kata: Kata
) -> None:
    out = class_of(record("ada"), record("bo"), record("cy"))
    if prepare:
        prepare(out)
    before = sorted(out.iterdir())
    chosen = arguments if "--format" in arguments else ["--format", "csv", *arguments]
    done = kata("export", out, *chosen, cwd=out)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (sentence,) = done.stderr.splitlines()
    assert said in sentence
    assert sorted(out.iterdir()) == before


def test_records_come_out_as_lines_of_json(out: Path, kata: Kata) -> None:
    done = kata("export", out, "--format", "jsonl", "--to", "-", cwd=out)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["submission"] for line in done.stdout.splitlines()][:2] == ["ada", "bo"]


def test_gradebook_asks_for_its_folder(out: Path, kata: Kata) -> None:
    done = kata("export", out, "--format", "gradebook", cwd=out)
    assert done.returncode == 2 and "--to DIR" in done.stderr


def test_gradebook_without_nbgrader_says_what_to_install(out: Path, kata: Kata, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "nbgrader.py").write_text("raise ModuleNotFoundError(\"No module named 'nbgrader'\", name='nbgrader')\n")
    (out / "nbgrader_config.py").touch()
    done = kata("export", out, "--format", "gradebook", "--to", out, cwd=out, env={"PYTHONPATH": str(hidden)})
    assert (done.returncode, done.stdout) == (2, "")
    assert "nbgrader is not installed" in done.stderr and "make instructor" in done.stderr
    assert "Traceback" not in done.stderr and not (out / "gradebook.db").exists()
