"""`kata grade-class`: one record a learner, whatever the submissions are and however many judges work; none without a wall."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.record import Record, without_timings
from grader.sandbox.doctor import strongest_level

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], cold_kata: Run) -> Path:
    """A course with a class in it, two unreadable submissions among the good ones: graded by one judge, and by two."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")
    for name, source in {"amira": RIGHT, "bo": WRONG, "wei": RIGHT}.items():
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "share.py").write_text(source)
    (root / "class" / "dan.zip").write_bytes(b"not a zip")
    (root / "class" / "eve.ipynb").write_text("{ no notebook")
    (root / "class" / "xia.py").write_text(WRONG)
    (root / "class" / "notes.txt").write_text("no submission")
    terms = ("class", "--out", "out", "--isolation", "best", "--seed", 5)
    for more in (("--jobs", 1), ("--jobs", 2, "--html", "--anew")):
        done = cold_kata("grade-class", *terms, *more, cwd=root)
        assert done.returncode == 0, done.stderr
        (root / f"by-{more[1]}.jsonl").write_bytes((root / "out" / "results.jsonl").read_bytes())
    return root


def records(results: Path) -> list[Record]:
    return [Record.from_json(line) for line in results.read_text("utf-8").splitlines()]


def test_class_is_graded_past_what_cannot_be_read_which_gets_a_record_that_says_why(course: Path) -> None:
    found = {record.submission: record for record in records(course / "out" / "results.jsonl")}
    points = {name: record.points for name, record in found.items()}
    assert points == {"amira": 4, "bo": 1, "dan": 0, "eve": 0, "wei": 4, "xia": 1}
    for name, said in (("dan", "not a zip"), ("eve", "not a notebook")):
        (problem,) = found[name].problems
        assert problem.kind == "unreadable" and said in problem.message
        assert [exercise.status for exercise in found[name].exercises] == ["missing"]
    assert len(list((course / "out").glob("learner-*.html"))) == 6


def test_one_judge_and_two_give_the_same(course: Path) -> None:
    one, two = ([without_timings(each).to_json() for each in records(course / f"by-{n}.jsonl")] for n in (1, 2))
    assert one == two


# --- a machine that cannot isolate ------------------------------------------------------------------------------------


@pytest.fixture
def refused(tiny_course: Path, tmp_path: Path, kata: Run) -> Callable[..., str]:
    """Has a command end with status 3 where there is no bwrap to be found; returns its one sentence."""
    (tmp_path / "bin").mkdir()

    def run(*words: object) -> str:
        done = kata(*words, cwd=tiny_course, env={"PATH": str(tmp_path / "bin")})
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
    tiny_course: Path, refused: Callable[..., str], kata: Run
) -> None:
    out = tiny_course / "out"
    words = ("grade-class", "exercises", "--out", out)
    refused(*words)
    assert not out.exists()
    assert kata(*words, "--isolation", "best", cwd=tiny_course).returncode == 0
    before = [(out / name).read_bytes() for name in ("class.db", "results.jsonl")]
    refused(*words, "--anew")
    assert [(out / name).read_bytes() for name in ("class.db", "results.jsonl")] == before


def test_practice_goes_on_at_the_best_level_there_is_and_says_so(tiny_course: Path, tmp_path: Path, kata: Run) -> None:
    done = kata("check", cwd=tiny_course, env={"PATH": str(tmp_path)})
    assert done.returncode == 0  # nothing started, so nothing wrong
    assert re.search(r"Isolation here is \w+, not full: see `kata doctor`", done.stderr)


@pytest.mark.thorough
def test_doctor_tells_the_level_that_works_and_what_to_install(tmp_path: Path, kata: Run) -> None:
    done, level = kata("doctor", cwd=tmp_path), strongest_level()
    assert f"Isolation: {level}" in done.stdout.splitlines()
    assert done.returncode == (0 if level in ("full", "reduced") else 3)
    without = kata("doctor", cwd=tmp_path, env={"PATH": str(tmp_path)})
    assert re.search(r"no +bubblewrap: .*install bubblewrap", without.stdout)
    assert "Isolation: full" not in without.stdout
