"""A machine that cannot isolate: nothing is graded, and practice goes on. What is graded: tests/classroom, tests/example_class."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.sandbox.doctor import strongest_level

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def refused(tiny_course: Path, tmp_path: Path, cold_kata: Run) -> Callable[..., str]:
    """Has a command end with status 3 where there is no bwrap to be found; returns its one sentence."""
    (tmp_path / "bin").mkdir()

    def run(*words: object) -> str:
        done = cold_kata(*words, cwd=tiny_course, env={"PATH": str(tmp_path / "bin")})
        assert (done.returncode, done.stdout) == (3, ""), done.stderr
        (sentence,) = done.stderr.splitlines()
        return sentence

    return run


@pytest.mark.thorough
@pytest.mark.parametrize("level", [[], ["--isolation", "full"]], ids=["by default", "asked for"])
def test_no_record_is_written_without_isolation(
    level: list[str], tiny_course: Path, refused: Callable[..., str]
) -> None:
    sentence = refused("grade", "exercises", *level, "--json", "record.json", "--html", "page.html")
    assert "missing: bubblewrap" in sentence and "No grade was recorded" in sentence and "kata doctor" in sentence
    assert not (tiny_course / "record.json").exists() and not (tiny_course / "page.html").exists()


def test_results_of_an_earlier_run_survive_a_class_that_cannot_be_graded(
    tiny_course: Path, refused: Callable[..., str], cold_kata: Run
) -> None:
    out = tiny_course / "out"
    words = ("grade-class", "exercises", "--out", out)
    refused(*words)
    assert not out.exists()
    assert cold_kata(*words, "--isolation", "best", cwd=tiny_course).returncode == 0
    before = [(out / name).read_bytes() for name in ("class.db", "results.jsonl")]
    refused(*words, "--anew")
    assert [(out / name).read_bytes() for name in ("class.db", "results.jsonl")] == before


def test_practice_goes_on_at_the_best_level_there_is_and_says_so(
    tiny_course: Path, tmp_path: Path, cold_kata: Run
) -> None:
    answer = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
    (tiny_course / "exercises/01_parts/01_share.py").write_text(answer, "utf-8")
    done = cold_kata("check", cwd=tiny_course, env={"PATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert re.search(r"Isolation here is \w+, not full: see `kata doctor`", done.stderr)


@pytest.mark.thorough
def test_doctor_tells_the_level_that_works_and_what_to_install(tmp_path: Path, cold_kata: Run) -> None:
    done, level = cold_kata("doctor", cwd=tmp_path), strongest_level()
    assert f"Isolation: {level}" in done.stdout.splitlines()
    assert done.returncode == (0 if level in ("full", "reduced") else 3)
    without = cold_kata("doctor", cwd=tmp_path, env={"PATH": str(tmp_path)})
    assert re.search(r"no +bubblewrap: .*install bubblewrap", without.stdout)
    assert "Isolation: full" not in without.stdout
