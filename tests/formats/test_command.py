"""`kata export` as it is typed: files where they belong, and one sentence where something is wrong."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.teach_class import GRADEBOOK
from grader.formats.export import FORMATS, warnings, write_export
from grader.formats.results_table import ExportOptions, results_table
from tests.cases import rows

from .conftest import CASES, HOSTILE_NAMES, course_of, not_graded, record

Kata = Callable[..., "subprocess.CompletedProcess[str]"]
GUIDES = Path(__file__).parents[2] / "docs"


@pytest.fixture
def out(class_of: Callable[..., Path]) -> Path:
    return class_of(record("ada"), not_graded("bo"), record(HOSTILE_NAMES["emoji"]))


@rows(CASES["made"], "format", "made")
def test_each_format_is_written_beside_the_results(format: str, made: str, out: Path, said: list[str]) -> None:
    with results_table(out, ExportOptions(course_of(), say=said.append)) as table:
        write_export(table, format, None)
        assert (out / made).stat().st_size > 0 and not [path for path in out.rglob(".*") if path.name != ".lock"]
        assert "Without a mark, since the grader itself failed: bo. Grade them again." in list(warnings(table))


@pytest.mark.parametrize("format", [*FORMATS, GRADEBOOK])
def test_guide_says_how_to_make_each_format(format: str) -> None:
    lines = [line for name in ("teach.md", "formats.md") for line in (GUIDES / name).read_text("utf-8").splitlines()]
    assert [line for line in lines if f"--format {format} " in f"{line} ".replace("`", " ")]


def test_help_names_every_format(kata: Kata, tmp_path: Path) -> None:
    done = kata("export", "--help", cwd=tmp_path)
    words = done.stdout.replace(",", " ").replace(".", " ").split()
    assert [format for format in (*FORMATS, GRADEBOOK) if format not in words] == []


def test_standard_output_gets_the_file_alone(out: Path, kata: Kata) -> None:
    done = kata("export", out, "--format", "csv", "--to", "-", cwd=out)
    first, *rows = done.stdout.splitlines()
    assert first.startswith("submission,") and len(rows) == 3
    assert "Without a mark, since the grader itself failed: bo." in done.stderr
    assert not (out / "grades.csv").exists()
    done = kata("export", out, "--format", "jsonl", "--to", "-", cwd=out)
    assert [json.loads(line)["submission"] for line in done.stdout.splitlines()][:2] == ["ada", "bo"]


@pytest.mark.parametrize("format", ["gradescope", "github", "junit"])
def test_one_record_makes_one_file(format: str, tmp_path: Path, kata: Kata) -> None:
    name = {"gradescope": "results.json", "github": "github.json", "junit": "junit.xml"}[format]
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


@rows(CASES["refused"], "database", "arguments", "said")
def test_what_is_wrong_is_told_in_one_sentence(
    database: str | None, arguments: str, said: str, out: Path, kata: Kata
) -> None:
    if database != "kept":
        (out / "class.db").unlink()
        (out / "class.db").write_text(database) if database is not None else None
    before = sorted(out.iterdir())
    done = kata("export", out, *arguments.split(), cwd=out)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (sentence,) = done.stderr.splitlines()
    assert said in sentence
    assert sorted(out.iterdir()) == before


def test_gradebook_without_nbgrader_says_what_to_install(out: Path, cold_kata: Kata, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "nbgrader.py").write_text("raise ModuleNotFoundError(\"No module named 'nbgrader'\", name='nbgrader')\n")
    (out / "nbgrader_config.py").touch()
    done = cold_kata("export", out, "--format", "gradebook", "--to", out, cwd=out, env={"PYTHONPATH": str(hidden)})
    assert (done.returncode, done.stdout) == (2, "")
    assert "nbgrader is not installed" in done.stderr and "make instructor" in done.stderr
    assert "Traceback" not in done.stderr and not (out / "gradebook.db").exists()
