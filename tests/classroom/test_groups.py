"""Groups that hand in together: one hand-in is each member's, and nobody's who is in another group or none."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.results import read_results
from grader.course import load_course

Kata = Callable[..., "subprocess.CompletedProcess[str]"]
HandIn = Callable[..., Path]
RunClass = Callable[..., Any]

NAMES = {"1": "Ada Byron", "2": "Bo Chen", "3": "Cy Dee", "4": "Di Eco"}


def write_roster(place: Path, **groups: str) -> None:
    """The class of four in these groups: `write_roster(place, of1="Red")`."""
    rows = [f"{id},{name},{groups.get(f'of{id}', '')}" for id, name in NAMES.items()]
    (place / "roster.csv").write_text("\n".join(["id,name,group", *rows, ""]), "utf-8")


@pytest.fixture
def place(tmp_path: Path, hand_in: HandIn) -> Path:
    """A class of four: Ada and Bo are Red, of whom Ada hands in; Cy is alone; Di is Blue, and Blue hands in as such."""
    hand_in(tmp_path / "class", "1")
    hand_in(tmp_path / "class", "3", right=False)
    hand_in(tmp_path / "class", "Blue")
    write_roster(tmp_path, of1="Red", of2="red", of4="Blue")
    return tmp_path


@pytest.fixture
def grade(place: Path, run_class: RunClass) -> RunClass:
    """Grades the class with its roster, by judges that know the answers."""
    return lambda **how: run_class(place / "class", place / "out", **{"roster": place / "roster.csv", **how})


def points(place: Path) -> dict[str, float]:
    return {each.learner.id: each.record.points for each in read_results(place / "out")}


def test_what_a_group_hands_in_is_each_members_and_nobody_elses(
    place: Path, grade: RunClass, course_root: Path, kata: Kata
) -> None:
    done = grade(pages=True)
    assert points(place) == {"1": 4, "2": 4, "3": 0, "4": 4}
    assert "Handed in by their group: Bo Chen." in done.remarks
    page = (place / "out" / "class.html").read_text("utf-8")
    assert "group Red" in page and "group Blue" in page
    assert kata("export", "out", "--format", "csv", "--course", course_root, cwd=place).returncode == 0
    rows = list(csv.DictReader((place / "out" / "grades.csv").read_text("utf-8-sig").splitlines()))
    assert [(row["submission"], row["group"]) for row in rows] == [("1", "Red"), ("2", "red"), ("3", ""), ("4", "Blue")]


@pytest.mark.thorough
def test_groups_are_remembered_and_an_appeal_finds_the_groups_file(
    place: Path, grade: RunClass, course_root: Path, kata: Kata
) -> None:
    grade()
    before = (place / "out" / "results.jsonl").read_bytes()
    grade(resume=True, roster=None)
    assert (place / "out" / "results.jsonl").read_bytes() == before
    told = kata("explain", "out", "Bo Chen", "share", "--course", course_root, cwd=place)
    assert "Bo Chen (2)" in told.stdout and told.stderr == ""


def test_who_hands_in_alone_has_that_and_who_does_not_is_asked_about(place: Path, grade: RunClass) -> None:
    write_roster(place, of1="Red", of2="Red", of3="Red", of4="Blue")
    asked = "for Bo Chen: leave one, or say in a file for --match which is the group's."
    assert any(asked in remark for remark in grade().remarks)
    assert points(place) == {"1": 4, "3": 0, "4": 4}
    shutil.rmtree(place / "class" / "3")
    write_roster(place, of1="Red", of2="Red", of4="Blue")
    grade(resume=True)
    assert points(place)["2"] == 4


def test_what_bears_a_groups_name_and_is_nobodys_is_named(place: Path, grade: RunClass, hand_in: HandIn) -> None:
    hand_in(place / "class", "4")
    assert grade().result.unmatched == ["4", "Blue"], "it could be Di's work, as what is called by her id could be"
    assert points(place) == {"1": 4, "2": 4, "3": 0}
    assert "4, Blue could all be" in (place / "out" / "unmatched.csv").read_text("utf-8")


def test_forgetting_one_member_leaves_the_others_and_says_that_their_work_is_the_same(
    place: Path, grade: RunClass, kata: Kata
) -> None:
    grade()
    done = kata("forget", "out", "1", cwd=place)
    assert done.returncode == 0, done.stderr
    assert points(place) == {"2": 4, "3": 0, "4": 4}
    assert "as the group Red, keeps a record of the same work" in done.stdout and "them: 2." in done.stdout


def records(place: Path) -> dict[str, dict[str, Any]]:
    lines = (place / "out" / "results.jsonl").read_bytes().splitlines()
    return {told["submission"]: told for told in map(json.loads, lines)}


def test_a_groups_work_is_graded_once_and_each_member_has_the_record(
    place: Path, run_class: Callable[..., Any], answering: Callable[..., Any]
) -> None:
    shutil.rmtree(place / "class" / "3")
    shutil.copytree(place / "class" / "1", place / "class" / "3")  # Cy is in no group, and has sent the very same
    judge = answering()
    run = run_class(place / "class", place / "out", roster=place / "roster.csv", executor=judge)
    assert [name for name, _ in judge.asked] == ["1", "3", "Blue"]
    assert (len(run.graded), run.unchanged) == (3, [])
    told = records(place)
    assert list(told) == ["1", "2", "3", "4"]
    assert told["2"] == told["1"] | {"submission": "2"} and told["4"]["digest"] != told["1"]["digest"]


def test_member_who_joins_a_group_gets_its_work(
    place: Path, run_class: Callable[..., Any], answering: Callable[..., Any]
) -> None:
    run_class(place / "class", place / "out", roster=place / "roster.csv")
    with (place / "roster.csv").open("a", encoding="utf-8") as roster:
        roster.write("5,Eve Fay,Red\n")
    judge = answering()
    run_class(place / "class", place / "out", roster=place / "roster.csv", executor=judge, resume=True)
    assert judge.asked == [("1", ("share",))] and records(place)["5"]["points"] == 4


def test_member_who_was_graded_by_work_of_their_own_keeps_that_when_it_is_not_there(
    place: Path, run_class: Callable[..., Any], hand_in: HandIn, tmp_path: Path
) -> None:
    hand_in(place / "class", "2", right=False)
    run_class(place / "class", place / "out", roster=place / "roster.csv")
    hand_in(tmp_path / "late", "2", right=False).joinpath("share.py").write_text("# late\n", "utf-8")
    run = run_class(tmp_path / "late", place / "out", resume=True)
    assert [records(place)[id]["points"] for id in ("1", "2")] == [4, 0]
    assert "1 handed in alone before: that counts, not the group's 2." in run.remarks


def test_member_with_another_work_in_the_group_is_graded_by_that_alone(
    place: Path, run_class: Callable[..., Any], answering: Callable[..., Any], hand_in: HandIn
) -> None:
    hand_in(place / "class", "2", right=False)
    judge = answering()
    run_class(place / "class", place / "out", roster=place / "roster.csv", executor=judge)
    assert sorted(name for name, _ in judge.asked) == ["1", "2", "3", "Blue"]
    assert {name: each["points"] for name, each in records(place).items()} == {"1": 4, "2": 0, "3": 0, "4": 4}


def test_judge_that_breaks_over_a_groups_work_is_told_of_each_member_and_of_nobody_else(
    place: Path, run_class: Callable[..., Any], answering: Callable[..., Any]
) -> None:
    judge = answering(failing={"1": RuntimeError("broken")})
    run = run_class(place / "class", place / "out", roster=place / "roster.csv", executor=judge)
    assert sorted(run.faults) == ["1", "2"]
    assert [each.split(".")[0] for each in run.remarks if "was not graded" in each] == [
        "1 was not graded",
        "2 was not graded",
    ]
    assert {name: each["complete"] for name, each in records(place).items()} == {
        "1": False,
        "2": False,
        "3": True,
        "4": True,
    }


def test_extension_of_one_member_is_nobody_elses(place: Path, tiny_course: Path, recorded: Any) -> None:
    catalogue = tiny_course / "course.yml"
    policy = "policy:\n  time_zone: UTC\n  due: {01_parts: 2026-03-01 12:00}\n  late_percent_per_day: 50\n"
    catalogue.write_text(catalogue.read_text("utf-8").replace("documents:\n", f"{policy}documents:\n", 1), "utf-8")
    rows = ["1,Ada Byron,Red,", "2,Bo Chen,red,2", "3,Cy Dee,,", "4,Di Eco,Blue,"]
    late = "\n".join(["id,name,group,extra_days,handed_in", *(f"{each},2026-03-02 11:00" for each in rows), ""])
    (place / "roster.csv").write_text(late, "utf-8")
    recorded.run_class(load_course(catalogue), place / "class", place / "out", roster=place / "roster.csv")
    found = {each.learner.id: each.record.final_points for each in read_results(place / "out")}
    assert found == {"1": 2, "2": 4, "3": 0, "4": 2}
