"""A machine that cannot isolate grades nothing; and `kata doctor` says what is missing."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.sandbox.doctor import strongest_level

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def without_bubblewrap(tmp_path: Path) -> dict[str, str]:
    """An environment in which there is no bwrap to be found."""
    (tmp_path / "bin").mkdir()
    return {"PATH": str(tmp_path / "bin")}


@pytest.mark.thorough
@pytest.mark.parametrize("level", [[], ["--isolation", "full"]], ids=["by default", "asked for"])
def test_no_record_is_written_without_isolation(
    level: list[str], tiny_course: Path, without_bubblewrap: dict[str, str], kata: Run, refusal: Callable[..., str]
) -> None:
    arguments = ["grade", "exercises", *level, "--json", "record.json", "--html", "page.html"]
    sentence = refusal(kata(*arguments, cwd=tiny_course, env=without_bubblewrap), 3)
    assert "missing: bubblewrap" in sentence and "No grade was recorded" in sentence and "kata doctor" in sentence
    assert not (tiny_course / "record.json").exists() and not (tiny_course / "page.html").exists()


def test_results_of_an_earlier_run_survive_a_class_that_cannot_be_graded(
    tiny_course: Path, without_bubblewrap: dict[str, str], kata: Run, refusal: Callable[..., str]
) -> None:
    out = tiny_course / "out"
    words = ("grade-class", "exercises", "--out", out)
    refusal(kata(*words, cwd=tiny_course, env=without_bubblewrap), 3)
    assert not out.exists()
    assert kata(*words, "--isolation", "best", cwd=tiny_course).returncode == 0
    before = [(out / name).read_bytes() for name in ("class.db", "results.jsonl")]
    refusal(kata(*words, "--anew", cwd=tiny_course, env=without_bubblewrap), 3)
    assert [(out / name).read_bytes() for name in ("class.db", "results.jsonl")] == before


def test_practice_goes_on_at_the_best_level_there_is_and_says_so(
    tiny_course: Path, without_bubblewrap: dict[str, str], kata: Run
) -> None:
    done = kata("check", cwd=tiny_course, env=without_bubblewrap)
    assert done.returncode == 0  # nothing started, so nothing wrong
    assert re.search(r"Isolation here is \w+, not full: see `kata doctor`", done.stderr)


@pytest.mark.thorough
def test_doctor_names_what_to_install(tmp_path: Path, without_bubblewrap: dict[str, str], kata: Run) -> None:
    done = kata("doctor", cwd=tmp_path, env=without_bubblewrap)
    assert re.search(r"no +bubblewrap: .*install bubblewrap", done.stdout)
    assert "Isolation: full" not in done.stdout


@pytest.mark.thorough
def test_doctor_tells_the_level_that_works(tmp_path: Path, kata: Run) -> None:
    done = kata("doctor", cwd=tmp_path)
    level = strongest_level()
    assert f"Isolation: {level}" in done.stdout.splitlines()
    assert done.returncode == (0 if level in ("full", "reduced") else 3)
