"""The policy of a course in the commands: graded once, applied as often as the instructor learns something new."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.record import Record, without_timings

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
POLICY = """\
policy:
  time_zone: Europe/Vienna
  due:
    01_parts: 2026-03-01 12:00
  late_percent_per_day: 10
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    """A course with a policy and a unit of extra credit, three learners, and rosters."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share", "02_more/01_split")
    text = (root / "course.yml").read_text("utf-8").replace("documents:\n", f"{POLICY}documents:\n", 1)
    text = text.replace('    title: "02_more"\n', "    title: More\n    extra_credit: true\n")
    (root / "course.yml").write_text(text, "utf-8")
    for name in ("ada", "bo", "cy"):
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "share.py").write_text(RIGHT.format(id="share"))
    (root / "class" / "ada" / "split.py").write_text(RIGHT.format(id="split"))
    times = "ada,2026-03-02 15:00,{days}\nbo,2026-03-01 11:59,\ncy,,\n"
    (root / "roster.csv").write_text(f"id,handed_in,extra_days:01\n{times.format(days='')}")
    (root / "more.csv").write_text(f"id,handed_in,extra_days:01\n{times.format(days=2)}")
    return root


@pytest.fixture(scope="module")
def graded(course: Path, kata: Run) -> subprocess.CompletedProcess[str]:
    done = kata(
        *("grade-class", "class", "--out", "out", "--isolation", "best", "--seed", 5, "--jobs", 1),
        *("--roster", "roster.csv", "--html"),
        cwd=course,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def out(graded: subprocess.CompletedProcess[str], course: Path, tmp_path: Path) -> Path:
    """A copy of what the run left, for a test to change."""
    copy = tmp_path / "out"
    copy.mkdir()
    for name in ("results.jsonl", "class.db"):
        (copy / name).write_bytes((course / "out" / name).read_bytes())
    return copy


def records(out: Path) -> dict[str, Record]:
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record for record in map(Record.from_json, lines)}


def finals(out: Path) -> dict[str, float | None]:
    return {name: record.final_points for name, record in records(out).items()}


@pytest.mark.thorough
def test_class_has_graded_and_final_points_and_reasons(graded: subprocess.CompletedProcess[str], course: Path) -> None:
    found = records(course / "out")
    assert {name: record.points for name, record in found.items()} == {"ada": 8, "bo": 4, "cy": 4}
    assert finals(course / "out") == {"ada": 7.2, "bo": 4, "cy": 4}
    assert {record.final_max_points for record in found.values()} == {4}
    late, on_top = found["ada"].adjustments or ()
    assert late.reason.startswith("01_parts was handed in 1 day and 3 hours after 1 March 2026, 12:00 CET: 10 %")
    assert on_top.reason.startswith("More is extra credit")


def test_who_has_no_time_is_said(graded: subprocess.CompletedProcess[str]) -> None:
    assert graded.stderr.splitlines() == ["When they handed in is not known, so they count as in time: cy."]


def test_pages_and_table_show_both_and_the_reason(graded: subprocess.CompletedProcess[str], course: Path) -> None:
    assert "7.2 / 4" in graded.stdout and "graded" in graded.stdout
    page = (course / "out" / "learner-ada.html").read_text("utf-8")
    assert "1 day and 3 hours after 1 March 2026" in page and "7.2" in page and "-0.8" in page
    assert "The code that was graded" in page
    of_class = (course / "out" / "class.html").read_text("utf-8")
    assert "extra credit counts on top" in of_class and of_class.count('class="tag">late<') == 1


def test_extension_needs_no_grading_and_is_replaced_by_the_next_roster(out: Path, course: Path, kata: Run) -> None:
    before = records(out)
    terms = ["--resume", "--isolation", "best", "--jobs", 1, "--course", course]
    for roster, finally_ in (("more.csv", 8), ("roster.csv", 7.2), ("more.csv", 8)):
        done = kata("grade-class", "class", "--out", out, *terms, "--roster", roster, cwd=course)
        assert done.returncode == 0, done.stderr
        assert finals(out) == {"ada": finally_, "bo": 4, "cy": 4}
    assert "(extended from 1 March 2026, 12:00 CET)" in (records(out)["ada"].adjustments or ())[0].reason
    assert {name: each.exercises[0].seconds for name, each in records(out).items()} == {
        name: each.exercises[0].seconds for name, each in before.items()
    }


def test_resumed_run_grades_nothing_and_keeps_the_policy(out: Path, course: Path, kata: Run) -> None:
    before = (out / "results.jsonl").read_bytes()
    terms = ["--isolation", "best", "--jobs", 1, "--course", course]
    done = kata("grade-class", "class", "--out", out, "--resume", *terms, cwd=course)
    assert done.returncode == 0, done.stderr
    assert (out / "results.jsonl").read_bytes() == before


@pytest.mark.thorough
def test_resumed_run_takes_another_policy_but_no_other_course(
    out: Path, course: Path, kata: Run, tmp_path: Path
) -> None:
    shutil.copytree(course, tmp_path / "course", ignore=shutil.ignore_patterns("out"))
    text = (course / "course.yml").read_text("utf-8")
    catalogue = tmp_path / "course" / "course.yml"
    resumed = ["grade-class", "class", "--out", out, "--resume", "--isolation", "best", "--course", catalogue]

    catalogue.write_text(text.replace("late_percent_per_day: 10", "late_percent_per_day: 25"), "utf-8")
    before = [(record.digest, record.exercises[0].seconds) for record in records(out).values()]
    done = kata(*resumed, cwd=course)
    assert done.returncode == 0, done.stderr
    assert finals(out) == {"ada": 6, "bo": 4, "cy": 4}
    assert "Final points also changed, since course.yml or the roster did: ada 7.2 -> 6." in done.stderr
    assert [(record.digest, record.exercises[0].seconds) for record in records(out).values()] == before

    catalogue.write_text(text.replace("title: Tiny", "title: Tiny\nlimits: {seconds: 9}"))
    done = kata(*resumed, cwd=course)
    assert (done.returncode, done.stdout) == (2, "")
    assert "of share, split were changed" in done.stderr


@pytest.mark.thorough
def test_who_hands_in_anew_after_the_times_were_told_is_named(
    graded: subprocess.CompletedProcess[str], course: Path, tmp_path: Path, kata: Run
) -> None:
    shutil.copytree(course, tmp_path / "course")
    place = tmp_path / "course"
    how = ("--isolation", "best", "--course", place, "--resume", "--roster", "roster.csv")
    resumed = ("grade-class", "class", "--out", "out", *how)
    told = "Handed in anew, while the roster still has the earlier time: bo."
    done = kata(*resumed, cwd=place)
    assert done.returncode == 0 and "Handed in anew" not in done.stderr
    (place / "class" / "bo" / "share.py").write_text(RIGHT.format(id="share") + "# better, a week later\n")
    done = kata(*resumed, cwd=place)
    assert done.returncode == 0 and told in done.stderr
    (place / "class" / "bo" / "share.py").write_text(RIGHT.format(id="share") + "# once more\n")
    roster = (place / "roster.csv").read_text("utf-8")
    (place / "roster.csv").write_text(roster.replace("2026-03-01 11:59", "2026-03-08 11:59"), "utf-8")
    done = kata(*resumed, cwd=place)
    assert done.returncode == 0 and "Handed in anew" not in done.stderr


@pytest.mark.thorough
def test_one_submission_gets_the_final_points_of_the_class(
    graded: subprocess.CompletedProcess[str], course: Path, kata: Run
) -> None:
    done = kata("grade", "class/cy", "--isolation", "best", "--seed", 5, "--json", "cy.json", cwd=course)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == ["When they handed in is not known, so they count as in time: cy."]
    assert "4 of 4 points" in done.stdout and "Graded: 4 of 8 points" in done.stdout
    alone = without_timings(Record.from_json((course / "cy.json").read_bytes()))
    in_class = without_timings(records(course / "out")["cy"])
    assert alone == in_class.model_copy(update={"digest": ""})


def test_table_has_final_and_graded_points(out: Path, course: Path, kata: Run) -> None:
    done = kata("export", out, "--format", "csv", "--to", "-", "--course", course, cwd=course)
    assert done.returncode == 0, done.stderr
    ada = next(csv.DictReader(io.StringIO(done.stdout)))
    how: dict[str, Any] = {key: ada[key] for key in ("points", "max_points", "graded_points", "graded_max_points")}
    assert how == {"points": "7.2", "max_points": "4", "graded_points": "8", "graded_max_points": "8"}
    assert "20 % of its points are taken off. (-0.8)" in ada["adjustments"]
    assert ada["share"] == "3.2"


def test_roster_of_no_use_changes_nothing(out: Path, course: Path, kata: Run) -> None:
    before = (out / "results.jsonl").read_bytes()
    (course / "odd.csv").write_text("id,handed_in,exempt\nada,soon,\nbo,,shar\n", "utf-8")
    terms = ["--resume", "--isolation", "best", "--course", course, "--roster", "odd.csv"]
    done = kata("grade-class", "class", "--out", out, *terms, cwd=course)
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["odd.csv, line 2", "odd.csv, line 3"]
    assert (out / "results.jsonl").read_bytes() == before
