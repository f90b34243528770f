"""The policy of a course in the commands: graded once, applied as often as the instructor learns something new."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.policy.adjusting import unadjusted
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
    """A course with a policy and a unit of extra credit, three learners, and CSVs of who did what when."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share", "02_more/01_split")
    text = (root / "course.yml").read_text("utf-8").replace("documents:\n", f"{POLICY}documents:\n", 1)
    text = text.replace('    title: "02_more"\n', "    title: More\n    extra_credit: true\n")
    (root / "course.yml").write_text(text, "utf-8")
    for name in ("ada", "bo", "cy"):
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "share.py").write_text(RIGHT.format(id="share"))
    (root / "class" / "ada" / "split.py").write_text(RIGHT.format(id="split"))
    (root / "times.csv").write_text("learner,time\nada,2026-03-02 15:00\nbo,2026-03-01 11:59\nzed,2026-03-01 11:00\n")
    (root / "more.csv").write_text("learner,unit,until\nada,01_parts,2026-03-02 15:00\n")
    return root


@pytest.fixture(scope="module")
def graded(course: Path, kata: Run) -> subprocess.CompletedProcess[str]:
    done = kata(
        *("grade-class", "class", "--out", "out", "--isolation", "best", "--seed", 5, "--jobs", 1),
        *("--handed-in", "times.csv", "--html"),
        cwd=course,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def out(graded: subprocess.CompletedProcess[str], course: Path, tmp_path: Path) -> Path:
    """A copy of what the run left, for a test to change."""
    copy = tmp_path / "out"
    copy.mkdir()
    for name in ("results.jsonl", "class.jsonl", "times.json", "run.json"):
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


def test_who_is_unknown_and_who_has_no_time_is_said(graded: subprocess.CompletedProcess[str]) -> None:
    assert graded.stderr.splitlines() == [
        "zed has a hand-in time, but is nobody in this class.",
        "When they handed in is not known, so they count as in time: cy.",
    ]


def test_pages_and_table_show_both_and_the_reason(graded: subprocess.CompletedProcess[str], course: Path) -> None:
    assert "7.2 / 4" in graded.stdout and "graded" in graded.stdout
    page = (course / "out" / "learner-ada.html").read_text("utf-8")
    assert "1 day and 3 hours after 1 March 2026" in page and "7.2" in page and "-0.8" in page
    assert "extra credit not counted" in (course / "out" / "class.html").read_text("utf-8")


def test_extension_needs_no_grading(out: Path, course: Path, kata: Run) -> None:
    before = records(out)
    done = kata("policy", out, "--extensions", "more.csv", "--course", course, cwd=course)
    assert done.returncode == 0, done.stderr
    assert finals(out) == {"ada": 8, "bo": 4, "cy": 4}
    # the hand-in times were kept, so they need not be given again
    assert "(extended from 1 March 2026, 12:00 CET)" in (records(out)["ada"].adjustments or ())[0].reason
    assert {name: each.exercises[0].seconds for name, each in records(out).items()} == {
        name: each.exercises[0].seconds for name, each in before.items()
    }


def test_raw_leaves_the_records_as_they_were_graded_and_back(out: Path, course: Path, kata: Run) -> None:
    before = (out / "results.jsonl").read_bytes()
    assert kata("policy", out, "--raw", "--course", course, cwd=course).returncode == 0
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    assert not any("final" in line or "adjustments" in line for line in lines)
    assert [json.loads(line)["points"] for line in lines] == [8, 4, 4]
    assert kata("policy", out, "--course", course, cwd=course).returncode == 0
    assert (out / "results.jsonl").read_bytes() == before


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
    assert [(record.digest, record.exercises[0].seconds) for record in records(out).values()] == before

    catalogue.write_text(text.replace("title: Tiny", "title: Tiny\nlimits: {seconds: 9}"))
    done = kata(*resumed, cwd=course)
    assert (done.returncode, done.stdout) == (2, "")
    assert "course.yml was changed" in done.stderr


@pytest.mark.thorough
def test_who_hands_in_anew_after_the_times_were_told_is_named(
    graded: subprocess.CompletedProcess[str], course: Path, tmp_path: Path, kata: Run
) -> None:
    shutil.copytree(course, tmp_path / "course")
    place = tmp_path / "course"
    resumed = ("grade-class", "class", "--out", "out", "--isolation", "best", "--course", place, "--resume")
    told = "Handed in anew since the hand-in times were told, which still count for it: bo. Give --handed-in again"
    done = kata(*resumed, cwd=place)
    assert done.returncode == 0 and "Handed in anew" not in done.stderr
    (place / "class" / "bo" / "share.py").write_text(RIGHT.format(id="share") + "# better, a week later\n")
    done = kata(*resumed, cwd=place)
    assert done.returncode == 0 and told in done.stderr
    (place / "class" / "bo" / "share.py").write_text(RIGHT.format(id="share") + "# once more\n")
    done = kata(*resumed, "--handed-in", "times.csv", cwd=place)
    assert done.returncode == 0 and "Handed in anew" not in done.stderr


@pytest.mark.thorough
def test_one_submission_gets_the_final_points_of_the_class(
    graded: subprocess.CompletedProcess[str], course: Path, kata: Run
) -> None:
    terms = ["--isolation", "best", "--seed", 5, "--handed-in", "times.csv"]
    done = kata("grade", "class/ada", *terms, "--json", "ada.json", cwd=course)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "7.2 of 4 points" in done.stdout and "Graded: 8 of 8 points" in done.stdout
    alone = without_timings(Record.from_json((course / "ada.json").read_bytes()))
    in_class = without_timings(records(course / "out")["ada"])
    assert alone == in_class.model_copy(update={"digest": ""})


def test_table_has_final_and_graded_points(out: Path, course: Path, kata: Run) -> None:
    done = kata("export", out, "--format", "csv", "--to", "-", "--course", course, cwd=course)
    assert done.returncode == 0, done.stderr
    ada = next(csv.DictReader(io.StringIO(done.stdout)))
    how: dict[str, Any] = {key: ada[key] for key in ("points", "max_points", "graded_points", "graded_max_points")}
    assert how == {"points": "7.2", "max_points": "4", "graded_points": "8", "graded_max_points": "8"}
    assert "20 % of its points are taken off. (-0.8)" in ada["adjustments"]
    assert ada["share"] == "3.2"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(["--handed-in", "times.csv", "--raw"], "With --raw nobody is late", id="raw and times"),
        pytest.param(["--handed-in", "nowhere.csv"], "nowhere.csv cannot be read", id="no such file"),
        pytest.param(["--extensions", "course.yml"], "has no columns for learners and times", id="not such a CSV"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    options: list[str], said: str, out: Path, course: Path, kata: Run
) -> None:
    before = (out / "results.jsonl").read_bytes()
    done = kata("policy", out, *options, "--course", course, cwd=course)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
    assert (out / "results.jsonl").read_bytes() == before


@pytest.mark.thorough
def test_times_for_a_course_without_due_dates_are_refused(
    tiny_course: Path, course: Path, kata: Run, out: Path
) -> None:
    done = kata("policy", out, "--handed-in", course / "times.csv", "--course", tiny_course, cwd=course)
    assert done.returncode == 2
    assert "gives no due dates, so there is no use for --handed-in" in done.stderr


def test_export_names_those_to_whom_the_policy_is_not_applied_yet(out: Path, course: Path, kata: Run) -> None:
    ada, *others = (out / "results.jsonl").read_text("utf-8").splitlines()
    raw = unadjusted(Record.from_json(ada)).to_json()
    (out / "results.jsonl").write_text("\n".join([raw, *others, ""]), "utf-8")
    done = kata("export", out, "--format", "csv", "--to", "-", "--course", course, cwd=course)
    assert done.returncode == 0
    assert "The course's policy is not applied to these yet: ada. `kata policy OUT` does it." in done.stderr
