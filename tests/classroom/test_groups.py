"""Groups that hand in together: one hand-in is each member's, and nobody's who is in another group or none."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

NAMES = {"1": "Ada Byron", "2": "Bo Chen", "3": "Cy Dee", "4": "Di Eco"}
ONLY = ("share",)


def roster(more: str = "", **groups: str) -> str:
    """The class of four in these groups: `roster(of1="Red")`."""
    rows = [f"{id},{name},{groups.get(f'of{id}', '')}" for id, name in NAMES.items()]
    return "\n".join(["id,name,group", *rows, more])


COLOURS = roster(of1="Red", of2="red", of4="Blue")
ALL_RED = roster(of1="Red", of2="Red", of3="Red", of4="Blue")
EVE_JOINS = roster("5,Eve Fay,Red\n", of1="Red", of2="red", of4="Blue")


@pytest.fixture
def four(room: Any) -> Any:
    """A class of four: Ada and Bo are Red, of whom Ada hands in; Cy is alone; Di is Blue, and Blue hands in as such."""
    room.hand_in({"1/share.py": True, "3/share.py": False, "Blue/share.py": True})
    return room


WHICH = "for Bo Chen: leave one, or say in a file for --match which is the group's."
GROUPS: dict[str, tuple[dict[str, bool], str, str, dict[str, int], str]] = {
    "one": ({}, COLOURS, "1 3 Blue", {"1": 4, "2": 4, "3": 0, "4": 4}, "Handed in by their group: Bo Chen."),
    "a member with own work": ({"2/share.py": False}, COLOURS, "1 2 3 Blue", {"1": 4, "2": 0, "3": 0, "4": 4}, ""),
    "a group's name beside a member's": ({"4/share.py": True}, COLOURS, "1 3", {"1": 4, "2": 4, "3": 0}, ""),
    "two of three": ({}, ALL_RED, "1 3 Blue", {"1": 4, "3": 0, "4": 4}, WHICH),
}
"""What is handed in beside the four's, the roster, whose work is graded, what each gets, and what is said."""


@pytest.mark.parametrize(("files", "groups", "asked", "points", "told"), GROUPS.values(), ids=GROUPS)
def test_what_a_group_hands_in_is_graded_once_and_is_each_members_who_has_nothing_else(
    files: dict[str, bool], groups: str, asked: str, points: dict[str, float], told: str, four: Any
) -> None:
    judge = four.judge()
    run = four.grade(files, groups, only=ONLY, executor=judge)
    assert sorted(name for name, _ in judge.asked) == asked.split() and run.unchanged == []
    assert four.points == points
    assert told in "\n".join(run.remarks)


def test_records_page_and_export_name_the_group(four: Any, kata: Kata) -> None:
    four.grade({}, COLOURS, pages=True)
    records = four.records
    assert records["2"] == records["1"].model_copy(update={"submission": "2"})
    assert records["4"].digest == records["1"].digest, "the same work"
    page = (four.out / "class.html").read_text("utf-8")
    assert "group Red" in page and "group Blue" in page
    done = kata("export", "out", "--format", "csv", "--to", "-", "--course", four.root, cwd=four.place)
    assert [line.split(",")[0] for line in done.stdout.splitlines()[1:]] == ["1", "2", "3", "4"]
    assert [("Red" in line, "Blue" in line) for line in done.stdout.splitlines()[1:]] == [
        *((True, False), (False, False), (False, False), (False, True))
    ]
    told = kata("explain", "out", "Bo Chen", "--course", four.root, cwd=four.place)
    assert "Bo Chen (2)" in told.stdout and told.stderr == ""


def test_what_bears_a_groups_name_and_is_nobodys_is_named(four: Any) -> None:
    run = four.grade({"4/share.py": True}, COLOURS)
    assert run.result.unmatched == ["4", "Blue"], "it could be Di's work, as what is called by her id could be"
    assert "4, Blue could all be" in four.unmatched["4"]


def test_two_of_a_group_are_settled_and_the_roster_is_remembered(four: Any) -> None:
    four.grade({}, ALL_RED, only=ONLY)
    shutil.rmtree(four.folder / "3")
    four.grade({}, COLOURS, resume=True)
    assert four.points == {"1": 4, "2": 4, "3": 0, "4": 4}
    before = four.records
    assert four.grade(resume=True).graded == [] and four.records == before


def test_forgetting_one_member_leaves_the_others_and_says_that_their_work_is_the_same(four: Any, kata: Kata) -> None:
    four.grade({}, COLOURS, only=ONLY)
    done = kata("forget", "out", "1", cwd=four.place)
    assert done.returncode == 0, done.stderr
    assert four.points == {"2": 4, "3": 0, "4": 4}
    assert "as the group Red, keeps a record of the same work" in done.stdout and "them: 2." in done.stdout


def test_member_who_joins_a_group_gets_its_work(four: Any) -> None:
    four.grade({}, COLOURS, only=ONLY)
    judge = four.judge()
    four.grade({"1/notes.txt": "for the teacher"}, EVE_JOINS, resume=True, executor=judge)
    assert judge.asked == [("1", ONLY)] and four.points["5"] == 4
    assert [four.records[id].problems[0].file for id in "125"] == ["notes.txt"] * 3


def test_member_who_joins_while_one_exercise_is_named_moves_nothing_else_of_the_others(four: Any) -> None:
    four.grade({"1/split.py": False}, COLOURS)
    before = four.records
    four.be_generous("01_parts/01_share", "02_more/01_split")
    run = four.grade({}, EVE_JOINS, resume=True, only=ONLY)
    assert list(map(str, run.result.moves)) == ["3  share  0 -> 4  (the course)"]
    assert [four.records[id].exercises[1] for id in "12"] == [before[id].exercises[1] for id in "12"]
    assert four.points["5"] == 8, "nobody has part of a record"
    four.grade(resume=True)
    assert [four.points[id] for id in "125"] == [8, 8, 8]


def test_member_who_was_graded_by_work_of_their_own_keeps_that_when_it_is_not_there(four: Any) -> None:
    four.grade({"2/share.py": False}, COLOURS, only=ONLY)
    four.folder = four.place / "late"
    run = four.grade({"2/share.py": "# late\n"}, resume=True)
    assert [four.points[id] for id in ("1", "2")] == [4, 0]
    assert "1 handed in alone before: that counts, not the group's 2." in run.remarks


def test_judge_that_breaks_over_a_groups_work_is_told_of_each_member_and_of_nobody_else(four: Any) -> None:
    run = four.grade({}, COLOURS, executor=four.judge(failing={"1": RuntimeError("broken")}))
    assert sorted(run.faults) == ["1", "2"]
    told = [each.split(".")[0] for each in run.remarks if "was not graded" in each]
    assert told == ["1 was not graded", "2 was not graded"]
    assert [record.complete for record in four.records.values()] == [False, False, True, True]


def test_extension_of_one_member_is_nobody_elses(four: Any) -> None:
    policy = "policy:\n  time_zone: UTC\n  due: {01_parts: 2026-03-01 12:00}\n  late_percent_per_day: 50\n"
    four.edit("course.yml", "documents:\n", f"{policy}documents:\n")
    rows = ["1,Ada Byron,Red,", "2,Bo Chen,red,2", "3,Cy Dee,,", "4,Di Eco,Blue,"]
    late = "\n".join(["id,name,group,extra_days,handed_in", *(f"{each},2026-03-02 11:00" for each in rows), ""])
    four.grade({}, late)
    assert four.points == {"1": 2, "2": 4, "3": 0, "4": 2}
