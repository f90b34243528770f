"""Final points of a class: by course.yml's policy, what the roster says and what is set by hand; nothing is graded again."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from grader.course import load_course
from grader.course.model import catalogue_of, part_of
from grader.record import Record

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

POLICY = """\
policy:
  time_zone: Europe/Vienna
  due:
    01_parts: 2026-03-01 12:00
  late_percent_per_day: 10
documents:
"""
TIMES = "id,handed_in\nada,2026-03-02 15:00\nbo,2026-03-01 11:59\ncy,\n"


# --- lateness, extensions, extra credit -------------------------------------------------------------------------------


@pytest.fixture
def late(room: Any) -> Any:
    """Ada is late, of Cy nobody knows; the second unit is extra credit, and Ada alone has something of it."""
    room.edit("course.yml", "documents:\n", POLICY)
    room.edit("course.yml", '    title: "02_more"\n', "    title: More\n    extra_credit: true\n")
    files = {"ada/share.py": True, "bo/share.py": True, "cy/share.py": True, "ada/split.py": True}
    room.first = room.grade(files, TIMES, pages=True)
    return room


def test_class_has_graded_and_final_points_and_the_reasons_everywhere(late: Any, kata: Kata) -> None:
    found = late.records
    assert {name: record.points for name, record in found.items()} == {"ada": 8, "bo": 4, "cy": 4}
    assert late.points == {"ada": 7.2, "bo": 4, "cy": 4}
    assert {record.final_max_points for record in found.values()} == {4}
    lateness, on_top = found["ada"].adjustments or ()
    assert lateness.reason.startswith("01_parts was handed in 1 day and 3 hours after 1 March 2026, 12:00 CET: 10 %")
    assert on_top.reason.startswith("More is extra credit")
    assert late.first.remarks == ["When they handed in is not known, so they count as in time: cy."]
    page = (late.out / "learner-ada.html").read_text("utf-8")
    assert "1 day and 3 hours after 1 March 2026" in page and "7.2" in page and "-0.8" in page
    assert "The code that was graded" in page
    of_class = (late.out / "class.html").read_text("utf-8")
    assert "extra credit counts on top" in of_class and of_class.count('class="tag">late<') == 1
    ada, *_ = csv.DictReader(late.export(kata, "csv").stdout.splitlines())
    told = [ada[key] for key in ("points", "max_points", "graded_points", "graded_max_points", "share")]
    assert told == ["7.2", "4", "8", "8", "3.2"]
    assert "20 % of its points are taken off. (-0.8)" in ada["adjustments"]


@pytest.mark.thorough
def test_one_submission_gets_the_final_points_of_the_class(late: Any, kata: Kata) -> None:
    how = ("--isolation", "best", "--seed", 5, "--json", "cy.json", "--course", late.root)
    done = kata("grade", "class/cy", *how, cwd=late.place)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == ["When they handed in is not known, so they count as in time: cy."]
    assert "4 of 4 points" in done.stdout and "Graded: 4 of 8 points" in done.stdout
    alone = Record.from_json((late.place / "cy.json").read_bytes())
    assert alone.adjustments == late.records["cy"].adjustments and alone.final_points == 4


# --- what does not count -------------------------------------------------------------------------------------------------------


def came_to(record: Record) -> tuple[float, float]:
    return record.counted_points, record.counted_max_points


def test_exempt_learner_is_out_of_less_on_every_page(room: Any) -> None:
    """Ada is exempt from the second unit; in files, tests/formats/golden tells of such a one."""
    room.grade({"ada/share.py": True, "bo/share.py": True, "bo/split.py": True}, "id,exempt\nada,02\nbo,\n", pages=True)
    assert list(map(came_to, room.records.values())) == [(4, 4), (8, 8)]
    assert "1 exercise not counted" in (room.out / "class.html").read_text("utf-8")
    assert "split is exempt: neither" in (room.out / "learner-ada.html").read_text("utf-8")
    assert "exempt" not in (room.out / "learner-bo.html").read_text("utf-8")


def test_withdrawn_exercise_counts_for_nobody_and_no_record_changes(room: Any, kata: Kata) -> None:
    """Nothing is graded again: Ada keeps what she had elsewhere, and Bo, who comes later, is out of as much."""
    room.grade({"ada/share.py": False, "ada/split.py": True})
    before = room.records["ada"]
    catalogue = room.root / "course.yml"
    left = catalogue.read_text("utf-8").partition("  - folder: 02_more")[0]
    catalogue.write_text(left.replace('version: "1"', 'version: "2"'), "utf-8")
    run = room.grade({"bo/share.py": True, "bo/split.py": True}, resume=True)
    assert run.graded == ["bo"]
    assert "No longer part of the course, so it counts for nobody: split." in run.remarks
    ada, bo = room.records.values()
    assert {each.id: each.checks for each in ada.exercises} == {each.id: each.checks for each in before.exercises}
    assert [each.id for each in bo.exercises] == ["share"]
    assert (ada.points, ada.max_points, came_to(ada), came_to(bo)) == (4, 8, (0, 4), (4, 4))
    told = "split is no longer part of the course: neither its points nor its 4 count."
    assert [each.reason for each in ada.adjustments or ()] == [told]
    assert room.grade(resume=True).graded == [] and list(room.records.values()) == [ada, bo]
    assert "split" not in room.export(kata, "canvas", "--by", "exercise").stdout.lower()


def test_course_still_loads_a_part_with_an_exemption_elsewhere(room: Any) -> None:
    room.edit("course.yml", "units:\n", "policy: {exempt: [split, share]}\nunits:\n")
    part = part_of(room.course, ["share"])
    assert part.policy.exempt == ("share",)
    path = room.root / "other.yml"
    path.write_bytes(catalogue_of(part))
    assert load_course(path).policy.exempt == ("share",)


# --- points set by hand -----------------------------------------------------------------------------------------------


@pytest.fixture
def two(room: Any) -> Any:
    """No policy, and only the first exercise: Ada's is wrong, Bo's is right."""
    room.grade({"ada/share.py": False, "bo/share.py": True}, only=("share",), pages=True)
    return room


def test_points_count_with_their_reason_in_record_page_and_exports(two: Any, kata: Kata) -> None:
    for points, told in ((2, "ada, share: 0 -> 2 points."), (3, "ada, share: 2 -> 3 points.")):
        words = ("ada", "share", points, "--reason", "The check was unfair.", "--course", two.root)
        done = kata("override", "out", *words, cwd=two.place)
        assert done.returncode == 0 and told in done.stdout, done.stderr
        assert "Exported before this" not in done.stderr
    ada, bo = two.records.values()
    assert (ada.points, ada.final_points, ada.final_max_points) == (0, 3, 4)
    reason = "share: set by hand from 0 to 3 points: The check was unfair."
    assert [each.reason for each in ada.adjustments or ()] == [reason]
    assert (bo.final_points, bo.adjustments) == (4, ())
    assert "The check was unfair." in (two.out / "learner-ada.html").read_text("utf-8")
    rows = list(csv.DictReader(two.export(kata, "csv").stdout.splitlines()))
    assert [row["points"] for row in rows] == ["3", "4"] and reason in str(rows)


def test_it_touches_one_learner_whatever_course_is_installed_and_names_others_whose_points_changed(
    two: Any, kata: Kata
) -> None:
    """The course is that of the run: no due date gets lost with it. What course.yml has changed since is named."""
    (two.out / "grades.csv").write_text("exported")
    two.edit("course.yml", "documents:\n", "policy: {exempt: [share]}\ndocuments:\n")
    words = ("override", two.out, "ada", "share", 3, "--reason", "Talked.")
    done = kata(*words, cwd=two.place, env={"KATA_COURSE": ""})
    assert done.returncode == 0, done.stderr
    assert "Final points also changed, since course.yml or the roster did: bo 4 -> 0." in done.stderr
    assert "Exported before this, so export it again: grades.csv." in done.stderr
    assert "Talked." in (two.out / "learner-ada.html").read_text("utf-8"), "pages are written again"
