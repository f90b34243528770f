"""Final points of a class: by course.yml's policy, what the roster says and what is set by hand; nothing is graded again."""

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

from grader.classroom.corrections import override_points
from grader.classroom.store import reading
from grader.course import load_course
from grader.course.model import catalogue_of, part_of
from grader.errors import KataError
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
TIMES = "id,handed_in,extra_days:01\nada,2026-03-02 15:00,{days}\nbo,2026-03-01 11:59,\ncy,,\n"


def finals(room: Any) -> dict[str, float | None]:
    return {name: record.final_points for name, record in room.records.items()}


def exported(kata: Kata, room: Any, form: str, *arguments: str) -> list[list[str]]:
    course = ("--course", room.root / "course.yml")
    done = kata("export", "out", "--format", form, "--force", "--to", "made.csv", *course, *arguments, cwd=room.place)
    assert done.returncode == 0, done.stderr
    return list(csv.reader((room.place / "made.csv").read_text("utf-8-sig").splitlines()))


# --- lateness, extensions, extra credit -------------------------------------------------------------------------------


@pytest.fixture
def late(room: Any) -> Any:
    """Ada is late, of Cy nobody knows; the second unit is extra credit, and Ada alone has something of it."""
    room.edit("course.yml", "documents:\n", POLICY)
    room.edit("course.yml", '    title: "02_more"\n', "    title: More\n    extra_credit: true\n")
    files = {"ada/share.py": True, "bo/share.py": True, "cy/share.py": True, "ada/split.py": True}
    room.first = room.grade(files, TIMES.format(days=""), pages=True)
    return room


def test_class_has_graded_and_final_points_and_the_reasons_everywhere(late: Any, kata: Kata) -> None:
    found = late.records
    assert {name: record.points for name, record in found.items()} == {"ada": 8, "bo": 4, "cy": 4}
    assert finals(late) == {"ada": 7.2, "bo": 4, "cy": 4}
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
    head, row, *_ = exported(kata, late, "csv")
    ada = dict(zip(head, row, strict=True))
    told = [ada[key] for key in ("points", "max_points", "graded_points", "graded_max_points", "share")]
    assert told == ["7.2", "4", "8", "8", "3.2"]
    assert "20 % of its points are taken off. (-0.8)" in ada["adjustments"]


def test_extension_needs_no_grading_and_is_replaced_by_the_next_roster(late: Any) -> None:
    for days, points in ((2, 8), ("", 7.2), (2, 8)):
        assert late.grade({}, TIMES.format(days=days), resume=True).graded == []
        assert finals(late) == {"ada": points, "bo": 4, "cy": 4}
    assert "(extended from 1 March 2026, 12:00 CET)" in (late.records["ada"].adjustments or ())[0].reason
    assert late.grade(resume=True).graded == [] and finals(late)["ada"] == 8


def test_who_hands_in_anew_after_the_times_were_told_is_named(late: Any) -> None:
    told = "Handed in anew, while the roster still has the earlier time: bo."
    times = TIMES.format(days="")
    for work, roster, is_told in (
        ({}, times, False),
        ({"bo/share.py": "def share(x): return x / x.sum(-1)  # a week later\n"}, times, True),
        ({"bo/share.py": "def share(x): return x / x.sum(-1)  # once more\n"}, times.replace("01 11", "08 11"), False),
    ):
        run = late.grade(work, roster, resume=True)
        assert any(each.startswith(told) for each in run.remarks) == is_told


def test_roster_of_no_use_changes_nothing(late: Any) -> None:
    before = (late.out / "results.jsonl").read_bytes()
    with pytest.raises(KataError) as refused:
        late.grade({}, "id,handed_in,exempt\nada,soon,\nbo,,shar\n", resume=True)
    assert [line.rpartition("/")[2].partition(":")[0] for line in str(refused.value).splitlines()] == [
        "roster.csv, line 2",
        "roster.csv, line 3",
    ]
    assert (late.out / "results.jsonl").read_bytes() == before


@pytest.mark.thorough
def test_one_submission_gets_the_final_points_of_the_class(late: Any, kata: Kata) -> None:
    how = ("--isolation", "best", "--seed", 5, "--json", "cy.json", "--course", late.root)
    done = kata("grade", "class/cy", *how, cwd=late.place)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == ["When they handed in is not known, so they count as in time: cy."]
    assert "4 of 4 points" in done.stdout and "Graded: 4 of 8 points" in done.stdout
    alone = Record.from_json((late.place / "cy.json").read_bytes())
    assert alone.adjustments == late.records["cy"].adjustments and alone.final_points == 4


# --- exemptions -------------------------------------------------------------------------------------------------------


@pytest.fixture
def ill(room: Any) -> Any:
    """Ada is exempt from the second unit, and has three points of four for the first."""
    files = {"ada/share.py": True, "bo/share.py": True, "bo/split.py": True}
    room.grade(files, "id,exempt\nada,02\nbo,\n", pages=True)
    override_points(room.out, "ada", "share", "3", "Talked.", room.course)
    return room


def came_to(record: Record) -> tuple[float, float]:
    return record.counted_points, record.counted_max_points


def test_exempt_learner_is_out_of_less_on_every_page_and_in_every_file(ill: Any, kata: Kata) -> None:
    assert list(map(came_to, ill.records.values())) == [(3, 4), (8, 8)]
    assert "1 exercise not counted" in (ill.out / "class.html").read_text("utf-8")
    assert "split is exempt: neither" in (ill.out / "learner-ada.html").read_text("utf-8")
    assert "exempt" not in (ill.out / "learner-bo.html").read_text("utf-8")

    head, one, other = exported(kata, ill, "csv")
    row = dict(zip(head, one, strict=True))
    assert (row["points"], row["max_points"], row["split"]) == ("3", "4", "")
    assert dict(zip(head, other, strict=True))["split"] == "4"
    head, *rows = exported(kata, ill, "csv", "--by", "exercise")
    by = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["submission"], row["points"], row["status"]) for row in by if row["exercise"] == "split"] == [
        ("ada", "", "missing, does not count"),
        ("bo", "4", "passed"),
    ]


@pytest.mark.thorough
def test_platforms_excuse_and_a_sum_out_of_one_maximum_is_in_proportion(ill: Any, kata: Kata) -> None:
    _, worth, one, other = exported(kata, ill, "canvas", "--by", "unit")
    assert (worth[-2:], one[-2:], other[-2:]) == (["4", "4"], ["3", "EX"], ["4", "4"])
    _, worth, one, other = exported(kata, ill, "canvas")
    assert (worth[-1], one[-1], other[-1]) == ("8", "6", "8")
    _, one, other = exported(kata, ill, "moodle", "--by", "unit")
    assert one[-1] == "-" and other[-1] == "4"
    done = kata("export", "out", "--format", "gradescope", "--to", "scope", "--course", ill.root, cwd=ill.place)
    assert done.returncode == 0, done.stderr
    ada, bo = (json.loads(path.read_text("utf-8")) for path in sorted((ill.place / "scope").glob("*.json")))
    assert ada["score"] == 6 and bo["score"] == 8
    assert "In proportion, 3 of 4 points are" in ada["output"] and "In proportion" not in bo["output"]
    (uncounted,) = (test for test in ada["tests"] if test["tags"] == ["split"])
    assert uncounted["name"].endswith("(does not count)") and not {"score", "max_score"} & uncounted.keys()
    assert [sum(test.get("max_score", 0) for test in each["tests"]) for each in (ada, bo)] == [4, 8]


def test_exemption_is_kept_changed_and_taken_back_without_grading(ill: Any) -> None:
    for roster, worth in (("", 4), ("id\nada\nbo\n", 8), ("id,exempt\nada,02\nbo,\n", 4)):
        assert ill.grade({}, roster, resume=True).graded == []
        assert ill.records["ada"].counted_max_points == worth


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
    assert "split" not in str(exported(kata, room, "canvas", "--by", "exercise")).lower()


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
    room.grade({"ada/share.py": False, "bo/share.py": True}, only=("share",))
    room.override = lambda points, reason="The check was unfair.": override_points(
        room.out, "ada", "share", points, reason, room.course
    )
    return room


def test_points_count_with_their_reason_in_record_page_and_exports(two: Any, kata: Kata) -> None:
    words = ("ada", "share", 3, "--reason", "The check was unfair.", "--course", two.root)
    done = kata("override", "out", *words, cwd=two.place)
    assert done.returncode == 0 and "ada, share: 0 -> 3 points." in done.stdout, done.stderr
    assert "Exported before this" not in done.stderr
    ada, bo = two.records.values()
    assert (ada.points, ada.final_points, ada.final_max_points) == (0, 3, 4)
    assert [each.reason for each in ada.adjustments or ()] == [
        "share: set by hand from 0 to 3 points: The check was unfair."
    ]
    assert (bo.final_points, bo.adjustments) == (4, ())
    two.grade(resume=True, pages=True)
    assert "The check was unfair." in (two.out / "learner-ada.html").read_text("utf-8")
    made = exported(kata, two, "csv")
    rows = list(csv.DictReader(io.StringIO("\n".join(map(",".join, made)))))
    assert [row["points"] for row in rows] == ["3", "4"] and "The check was unfair." in str(made)


def test_dispute_keeps_the_record_and_what_was_set_by_hand_until_it_is_settled(two: Any) -> None:
    two.override("3")
    before = two.records
    torn = two.grade({"Ada/share.py": True}, resume=True, pages=True)
    assert torn.result.unmatched == ["Ada", "ada"]
    assert two.records == before, "nobody knows whose the new one is"
    assert "nobody knows whose they are" in (two.out / "class.html").read_text("utf-8")
    shutil.rmtree(two.folder / "Ada")
    assert two.grade(resume=True).result.unmatched == [] and two.records == before


def test_it_stays_when_a_run_goes_on_and_is_of_the_earlier_grading_when_the_class_is_graded_anew(two: Any) -> None:
    two.override("3")
    two.grade(resume=True)
    assert two.records["ada"].final_points == 3
    two.grade(anew=True)
    assert not two.records["ada"].is_adjusted
    with reading(two.out) as store:
        assert store.overrides(store.runs()[0])["ada"]["share"].points == 3


def test_later_one_counts_after_lateness_and_can_be_taken_back(two: Any) -> None:
    two.override("3")
    assert two.override("2.5", "Half of it.").before == 3
    assert two.records["ada"].final_points == 2.5
    two.edit("course.yml", "documents:\n", POLICY.replace(": 10", ": 50"))
    two.grade({}, "id,handed_in\nada,2026-03-01 13:00\nbo,2026-03-01 13:00\n", resume=True)
    assert finals(two) == {"ada": 2.5, "bo": 2}
    two.override("back", "My mistake.")
    assert finals(two) == {"ada": 0, "bo": 2}


def test_it_touches_one_learner_whatever_course_is_installed_and_names_others_whose_points_changed(
    two: Any, kata: Kata
) -> None:
    """The course is that of the run: no due date gets lost with it. What course.yml has changed since is named."""
    two.grade(resume=True, pages=True)
    (two.out / "grades.csv").write_text("exported")
    two.edit("course.yml", "documents:\n", "policy: {exempt: [share]}\ndocuments:\n")
    words = ("override", two.out, "ada", "share", 3, "--reason", "Talked.")
    done = kata(*words, cwd=two.place, env={"KATA_COURSE": ""})
    assert done.returncode == 0, done.stderr
    assert "Final points also changed, since course.yml or the roster did: bo 4 -> 0." in done.stderr
    assert "Exported before this, so export it again: grades.csv." in done.stderr
    assert "Talked." in (two.out / "learner-ada.html").read_text("utf-8"), "pages are written again"


@pytest.mark.parametrize(
    ("learner", "exercise", "points", "reason", "said"),
    [
        pytest.param("zed", "share", "3", "x", "is called 'zed'", id="learner"),
        pytest.param("ada", "shire", "3", "x", "there is no exercise `shire`", id="exercise"),
        pytest.param("ada", "share", "5", "x", "a number from 0 to 4, or back; '5' is none.", id="too many"),
        pytest.param("ada", "share", "nan", "x", "'nan' is none.", id="no number"),
        pytest.param("ada", "share", "3", " ", "--reason must say why", id="no reason"),
    ],
)
def test_what_cannot_be_set_is_one_sentence_and_changes_nothing(
    learner: str, exercise: str, points: str, reason: str, said: str, two: Any
) -> None:
    before = (two.out / "results.jsonl").read_bytes()
    with pytest.raises(KataError) as refused:
        override_points(Path(two.out), learner, exercise, points, reason, two.course)
    assert said in str(refused.value) and len(str(refused.value).splitlines()) == 1
    assert (two.out / "results.jsonl").read_bytes() == before
