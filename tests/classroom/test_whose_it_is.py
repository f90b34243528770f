"""Whose a submission is, from run to run: nobody takes another's row, and a person settles what is not clear."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.results import ClassResults
from grader.classroom.store import reading
from grader.errors import KataError

Run = Callable[..., "subprocess.CompletedProcess[str]"]

ALL = 4.0
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section
    Points Possible,,,,
"Lovelace, Ada",101,s1,ada,A
"Evil, Eve",102,s2,eve,A
"Fox, Zoe",103,s3,zoe,A
"Li, Bo",104,s4,bo_li,A
"""
THREE = "id,name\n1,Mallory Moe\n2,Bo Chen\n3,Cy Dee\n"
TWO = "id,name\n1001,Ada Byron\n1002,Bo Chen\n"


def test_who_claims_anothers_row_gets_nothing_until_a_person_says_whose_it_is(room: Any) -> None:
    claimed = "foxzoe_103_102_5002_01_share.py"
    own = {"lovelaceada_101_5001_01_share.py": True, "foxzoe_103_5003_01_share.py": True}
    done = room.grade({**own, claimed: False, "libo_LATE_104_5004_01_share.py": True}, CANVAS)
    assert done.result.unmatched == [claimed] and list(room.unmatched) == [claimed]
    assert room.points == {"101": ALL, "103": ALL, "104": ALL}
    assert "Read as a download of Canvas; --from says otherwise." in done.remarks
    assert "Late, as the platform says: Li, Bo." in done.remarks
    table = (room.out / "unmatched.csv").read_text("utf-8-sig").rstrip("\r\n")
    for match in (f"{table}eve\n", ""):  # what was said is remembered
        done = room.grade(match=match, resume=True)
        assert room.points == {"101": ALL, "102": 0, "103": ALL, "104": ALL} and done.result.unmatched == []
        assert room.unmatched == {claimed: ""}


def test_a_new_claim_takes_nothing_from_what_an_earlier_run_graded_and_is_told(room: Any, kata: Run) -> None:
    room.grade({"101/share.py": True, "zoe/share.py": True}, CANVAS)
    assert room.points == {"101": ALL, "103": ALL}
    room.grade({"Zoe Fox/share.py": False}, resume=True)
    assert set(room.unmatched) == {"zoe", "Zoe Fox"} and room.points == {"101": ALL, "103": ALL}
    exported = kata("export", room.out, "--format", "csv", "--to", "-", "--course", room.root, cwd=room.folder)
    rows = {row["submission"]: row["points"] for row in csv.DictReader(io.StringIO(exported.stdout))}
    assert rows == {"101": "4", "102": "", "103": "4", "104": ""}


@pytest.mark.parametrize("format", ["canvas", "moodle"])
def test_names_in_what_an_export_says_do_not_steer_the_terminal(
    format: str, room: Any, kata: Run, tmp_path: Path
) -> None:
    names = ("Ada Lovelace_9001", "Eve \x1b]0;x\x07\x1b[2J_9002")
    room.grade({f"{name}_assignsubmission_file/share.py": True for name in names}, CANVAS)
    done = kata("export", "out", "--format", format, "--course", room.root, cwd=tmp_path)
    assert done.returncode == 0 and "Eve \ufffd]0;x" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


# --- the same roster and the same reading of names, whether or not they are given again -------------------------------


@pytest.fixture
def two(room: Any) -> Any:
    """A class of two, graded with a roster whose ids are not the folders' names."""
    room.grade({"Ada Byron/share.py": True, "Bo Chen/share.py": False}, TWO)
    return room


def test_roster_is_remembered_and_said(two: Any, tmp_path: Path) -> None:
    before = (two.out / "results.jsonl").read_bytes()
    (tmp_path / "roster.csv").unlink()
    assert "The roster is that of the run before." in two.grade(resume=True).remarks
    assert (two.out / "results.jsonl").read_bytes() == before


def test_learner_who_joins_is_taken_from_the_roster_as_it_is_now(two: Any) -> None:
    for roster in (f"{TWO}1003,Cy Dee\n", ""):
        two.grade({"Cy Dee/share.py": True}, roster, resume=True)
        assert two.points == {"1001": ALL, "1002": 0, "1003": ALL}


def test_who_was_taken_out_of_the_roster_does_not_come_back_with_it(two: Any) -> None:
    two.grade({}, f"{TWO}1003,Cy Dee\n", resume=True)
    corrected = f"{TWO}77,Cy Dee\n"
    for roster, points in ((corrected, ALL), ("", 0)):
        done = two.grade({"Cy Dee/share.py": bool(points)}, roster, resume=True)
        assert two.points == {"1001": ALL, "1002": 0, "77": points} and not done.result.unmatched
        with reading(two.out) as store:
            assert ClassResults(store, two.course).absent == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({"roster": "id,name\n1001,Ada Byron\n"}, "1002 would lose their row", id="a learner less"),
        pytest.param({"roster": "id,name\n7,Ada Byron\n8,Bo Chen\n"}, "1001, 1002 would lose", id="other ids"),
        pytest.param(
            {"roster": "id,name\n1002,Ada Byron\n1001,Bo Chen\n"}, "would be another's", id="ids that are exchanged"
        ),
        pytest.param({"platform": "canvas"}, "was graded with the names of plain", id="another platform"),
    ],
)
def test_what_would_move_a_row_is_refused(options: dict[str, str], told: str, two: Any) -> None:
    two.refused(told, **options)


def test_who_takes_a_classmates_name_keeps_nobody_from_going_on(two: Any) -> None:
    """On a platform learners choose the name that its roster says."""
    two.grade({"Ada Byron/share.py": True}, "id,name\n1001,Ada Byron\n1002,Ada Byron\n", resume=True)
    assert two.points == {"1001": ALL, "1002": 0} and set(two.unmatched) == {"Ada Byron", "Bo Chen"}


def test_roster_for_a_class_that_was_graded_without_one_is_refused_where_rows_would_get_other_names(
    room: Any,
) -> None:
    room.grade({"Ada Byron/share.py": True})
    room.refused("Ada Byron would lose their row", roster=TWO)


# --- the row of whoever hands in again --------------------------------------------------------------------------------


def test_stranger_whose_login_was_cut_off_another_ones_takes_no_row(room: Any) -> None:
    """All heads began with HW_a_ at first: that x was a_x's name, and is now another learner's whole login."""

    def named(head: str) -> str:
        return f"{head}_attempt_2026-11-20-10-15-00_share.py"

    room.grade({named("HW_a_x"): False, named("HW_a_y"): True})
    room.refused(
        "was of x in the run before, and would be of a_x.",
        files={named("HW_x"): "def share(amounts):\n    return amounts / amounts.sum()  # another\n"},
    )


@pytest.mark.parametrize(
    ("before", "after", "other"),
    [
        pytest.param(
            *(f"{name}_assignsubmission_file_/share.py" for name in ("Ada Byron_9001", "Ada King_9001", "Bo Chen_9002")),
            id="Moodle",
        ),
        pytest.param(
            *(f"{name}_share.py" for name in ("byronada_101_5001", "kingada_101_5007", "chenbo_102_5002")), id="Canvas"
        ),
        pytest.param(
            *(f"{name} - Nov 20, 2026 416 PM/share.py" for name in ("11-22 - Ada Byron", "11-22 - Ada King", "11-33 - Bo")),
            id="Brightspace",
        ),
    ],
)  # fmt: skip
def test_changed_display_name_gives_no_second_row(before: str, after: str, other: str, room: Any) -> None:
    room.grade({before: False, other: True})
    first = room.points
    old = room.folder / before.split("/")[0]
    shutil.rmtree(old) if old.is_dir() else old.unlink()
    room.grade({after: True}, resume=True)
    assert room.points == dict.fromkeys(first, ALL)


def test_dispute_by_a_borrowed_display_name_leaves_both_rows_to_their_owners_once_it_is_over(room: Any) -> None:
    borrowed, own = "Bo Chen_8001_assignsubmission_file_", "Bo Chen_9002_assignsubmission_file_"
    with pytest.raises(KataError, match="Nothing was graded"):
        room.grade({f"{borrowed}/share.py": False, f"{own}/share.py": True}, THREE)
    (room.folder / borrowed).rename(room.folder / borrowed.replace("Bo Chen", "Mallory Moe"))
    room.grade({}, THREE, resume=True)
    assert room.points == {"1": 0, "2": ALL}


def test_who_hands_in_again_under_a_new_name_wins_no_dispute(room: Any) -> None:
    """Mallory calls herself Bo. Of one who hands in again, Canvas gives the file another number, so another name."""
    borrowed = [f"chenbo_101_{number}_share.py" for number in (5001, 5007)]
    room.grade({"chenbo_102_5002_share.py": True, "deecy_103_5003_share.py": False}, THREE)
    room.grade({borrowed[0]: False}, resume=True)
    (room.folder / borrowed[0]).unlink()
    done = room.grade({borrowed[1]: False}, resume=True)
    assert done.result.unmatched == [borrowed[1], "chenbo_102_5002_share.py"]
    assert room.points == {"2": ALL, "3": 0}


def test_borrowed_display_name_takes_no_row_that_was_graded_by_another_number(room: Any, tmp_path: Path) -> None:
    """Mallory calls herself Bo, and the run goes on with a folder of late work, in which Bo has nothing."""
    borrowed = "chenbo_101_5001_share.py"
    room.grade({"chenbo_102_5002_share.py": True, "deecy_103_5003_share.py": False}, THREE)
    room.folder = tmp_path / "late"
    own = "deecy_103_5009_share.py"
    room.refused("would be of 2, whose number was #102 in the run before", files={borrowed: False, own: True})
    room.grade(match=f"entry,why,learner\n{borrowed},,Mallory Moe\n", resume=True)
    assert room.points == {"1": 0, "2": ALL, "3": ALL}


def test_platforms_number_that_was_one_learners_is_another_ones_only_if_a_person_says_so(room: Any) -> None:
    """Mallory calls herself Bo, who has handed in nothing so far: Bo's row stays empty, and hers stays hers."""
    mallory, theirs = "Mallory Moe_9001_assignsubmission_file_", "Bo Chen_9001_assignsubmission_file_"
    room.grade({f"{mallory}/share.py": False, "Cy Dee_9003_assignsubmission_file_/share.py": True}, THREE)
    shutil.rmtree(room.folder / mallory)
    told = f"{theirs} was of 1 in the run before, and would be of 2."
    room.refused(told, files={f"{theirs}/share.py": True})
    room.refused(told, match=f"entry,why,learner\n{theirs},,\n")  # an empty column says nothing
    for match in (f"entry,why,learner\n{theirs},,Mallory Moe\n", ""):  # and what a person said is remembered
        room.grade(match=match, resume=True)
        assert room.points == {"1": ALL, "3": ALL}


@pytest.mark.parametrize("inside", ["1/share.py", "2/share.py", "bo_2_9001_share.py"])
def test_zip_that_is_handed_in_late_is_no_class_and_moves_nobodys_points(inside: str, room: Any) -> None:
    room.grade({"1/share.py": True, "2/share.py": True}, THREE)
    shutil.rmtree(room.folder)
    room.folder.mkdir()
    with zipfile.ZipFile(room.folder / "work.zip", "w") as archive:
        archive.writestr(inside, "def share(amounts): return amounts")
    room.refused("It knows 1, 2, and here are work.zip: give another folder")
    assert room.points == {"1": ALL, "2": ALL}
