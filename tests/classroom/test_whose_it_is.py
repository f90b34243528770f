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

from grader.classroom.results import ClassResults, read_results
from grader.classroom.store import reading
from grader.course import Course, load_course
from grader.errors import KataError

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
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


class Class:
    """A class in a folder of files, graded by judges that know the answers: a right one has 4 points."""

    def __init__(self, place: Path, run_class: Callable[..., Any]) -> None:
        self.folder, self.out, self._place, self._run = place / "class", place / "out", place, run_class
        self.folder.mkdir()

    def grade(self, files: dict[str, str] | None = None, roster: str = "", match: str = "", **options: Any) -> Any:
        """Add files to the folder and grade it. roster, match: the text of a CSV. Raises KataError."""
        for name, content in (files or {}).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
        for name, text in (("roster", roster), ("matches", match)):
            if text:
                options[name] = self._place / f"{name}.csv"
                options[name].write_text(text, "utf-8")
        return self._run(self.folder, self.out, **options)

    def refused(self, told: str, **options: Any) -> None:
        """A run that goes on is refused, and changes nothing."""
        before = (self.out / "results.jsonl").read_bytes()
        with pytest.raises(KataError, match=told):
            self.grade(resume=True, **options)
        assert (self.out / "results.jsonl").read_bytes() == before

    @property
    def points(self) -> dict[str, float]:
        return {each.learner.id: each.record.counted_points for each in read_results(self.out)}

    @property
    def unmatched(self) -> dict[str, str]:
        with (self.out / "unmatched.csv").open(encoding="utf-8-sig", newline="") as rows:
            return {row["entry"]: row["why"] for row in csv.DictReader(rows)}


@pytest.fixture
def room(tmp_path: Path, run_class: Callable[..., Any]) -> Class:
    return Class(tmp_path, run_class)


def test_who_claims_anothers_row_gets_nothing_until_a_person_says_whose_it_is(room: Class) -> None:
    claimed = "foxzoe_103_102_5002_01_share.py"
    own = {"lovelaceada_101_5001_01_share.py": RIGHT, "foxzoe_103_5003_01_share.py": RIGHT}
    done = room.grade({**own, claimed: WRONG, "libo_LATE_104_5004_01_share.py": RIGHT}, CANVAS)
    assert done.result.unmatched == [claimed] and list(room.unmatched) == [claimed]
    assert room.points == {"101": ALL, "103": ALL, "104": ALL}
    assert "Read as a download of Canvas; --from says otherwise." in done.remarks
    assert "Late, as the platform says: Li, Bo." in done.remarks
    table = (room.out / "unmatched.csv").read_text("utf-8-sig").rstrip("\r\n")
    for match in (f"{table}eve\n", ""):  # what was said is remembered
        done = room.grade(match=match, resume=True)
        assert room.points == {"101": ALL, "102": 0, "103": ALL, "104": ALL} and done.result.unmatched == []
        assert room.unmatched == {claimed: ""}


def test_a_new_claim_takes_nothing_from_what_an_earlier_run_graded_and_is_told(
    room: Class, kata: Run, course_root: Path
) -> None:
    room.grade({"101/share.py": RIGHT, "zoe/share.py": RIGHT}, CANVAS)
    assert room.points == {"101": ALL, "103": ALL}
    room.grade({"Zoe Fox/share.py": WRONG}, resume=True)
    assert set(room.unmatched) == {"zoe", "Zoe Fox"} and room.points == {"101": ALL, "103": ALL}
    exported = kata("export", room.out, "--format", "csv", "--to", "-", "--course", course_root, cwd=room.folder)
    rows = {row["submission"]: row["points"] for row in csv.DictReader(io.StringIO(exported.stdout))}
    assert rows == {"101": "4", "102": "", "103": "4", "104": ""}


@pytest.mark.parametrize("format", ["canvas", "moodle"])
def test_names_in_what_an_export_says_do_not_steer_the_terminal(
    format: str, room: Class, kata: Run, course_root: Path, tmp_path: Path
) -> None:
    names = ("Ada Lovelace_9001", "Eve \x1b]0;x\x07\x1b[2J_9002")
    room.grade({f"{name}_assignsubmission_file/share.py": RIGHT for name in names}, CANVAS)
    done = kata("export", "out", "--format", format, "--course", course_root, cwd=tmp_path)
    assert done.returncode == 0 and "Eve \ufffd]0;x" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


# --- the same roster and the same reading of names, whether or not they are given again -------------------------------


@pytest.fixture
def two(room: Class) -> Class:
    """A class of two, graded with a roster whose ids are not the folders' names."""
    room.grade({"Ada Byron/share.py": RIGHT, "Bo Chen/share.py": WRONG}, TWO)
    return room


def test_roster_is_remembered_and_said(two: Class, tmp_path: Path) -> None:
    before = (two.out / "results.jsonl").read_bytes()
    (tmp_path / "roster.csv").unlink()
    assert "The roster is that of the run before." in two.grade(resume=True).remarks
    assert (two.out / "results.jsonl").read_bytes() == before


def test_learner_who_joins_is_taken_from_the_roster_as_it_is_now(two: Class) -> None:
    for roster in (f"{TWO}1003,Cy Dee\n", ""):
        two.grade({"Cy Dee/share.py": RIGHT}, roster, resume=True)
        assert two.points == {"1001": ALL, "1002": 0, "1003": ALL}


def test_who_was_taken_out_of_the_roster_does_not_come_back_with_it(two: Class, course: Course) -> None:
    two.grade({}, f"{TWO}1003,Cy Dee\n", resume=True)
    corrected = f"{TWO}77,Cy Dee\n"
    for roster, points in ((corrected, ALL), ("", 0)):
        done = two.grade({"Cy Dee/share.py": RIGHT if points else WRONG}, roster, resume=True)
        assert two.points == {"1001": ALL, "1002": 0, "77": points} and not done.result.unmatched
        with reading(two.out) as store:
            assert ClassResults(store, course).absent == []


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
def test_what_would_move_a_row_is_refused(options: dict[str, str], told: str, two: Class) -> None:
    two.refused(told, **options)


def test_who_takes_a_classmates_name_keeps_nobody_from_going_on(two: Class) -> None:
    """On a platform learners choose the name that its roster says."""
    two.grade({"Ada Byron/share.py": RIGHT}, "id,name\n1001,Ada Byron\n1002,Ada Byron\n", resume=True)
    assert two.points == {"1001": ALL, "1002": 0} and set(two.unmatched) == {"Ada Byron", "Bo Chen"}


def test_roster_for_a_class_that_was_graded_without_one_is_refused_where_rows_would_get_other_names(
    room: Class,
) -> None:
    room.grade({"Ada Byron/share.py": RIGHT})
    room.refused("Ada Byron would lose their row", roster=TWO)


def test_exercises_of_the_run_before_are_taken_and_said(
    room: Class, recorded: Any, make_course: Callable[..., Path], tmp_path: Path
) -> None:
    course = load_course(make_course(tmp_path / "course", "01_parts/01_share", "02_more/01_split") / "course.yml")
    (room.folder / "share.py").write_text(RIGHT, "utf-8")
    recorded.run_class(course, room.folder, room.out, only=("share",))
    before = (room.out / "results.jsonl").read_bytes()
    done = recorded.run_class(course, room.folder, room.out, resume=True)
    assert "The exercises are those of the run before: share." in done.remarks
    assert (room.out / "results.jsonl").read_bytes() == before


# --- the row of whoever hands in again --------------------------------------------------------------------------------


def test_stranger_whose_login_was_cut_off_another_ones_takes_no_row(room: Class) -> None:
    """All heads began with HW_a_ at first: that x was a_x's name, and is now another learner's whole login."""

    def named(head: str) -> str:
        return f"{head}_attempt_2026-11-20-10-15-00_share.py"

    room.grade({named("HW_a_x"): WRONG, named("HW_a_y"): RIGHT})
    room.refused("was of x in the run before, and would be of a_x.", files={named("HW_x"): f"# another\n{WRONG}"})


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
def test_changed_display_name_gives_no_second_row(before: str, after: str, other: str, room: Class) -> None:
    room.grade({before: WRONG, other: RIGHT})
    first = room.points
    old = room.folder / before.split("/")[0]
    shutil.rmtree(old) if old.is_dir() else old.unlink()
    room.grade({after: RIGHT}, resume=True)
    assert room.points == dict.fromkeys(first, ALL)


def test_dispute_by_a_borrowed_display_name_leaves_both_rows_to_their_owners_once_it_is_over(room: Class) -> None:
    borrowed, own = "Bo Chen_8001_assignsubmission_file_", "Bo Chen_9002_assignsubmission_file_"
    with pytest.raises(KataError, match="Nothing was graded"):
        room.grade({f"{borrowed}/share.py": WRONG, f"{own}/share.py": RIGHT}, THREE)
    (room.folder / borrowed).rename(room.folder / borrowed.replace("Bo Chen", "Mallory Moe"))
    room.grade({}, THREE, resume=True)
    assert room.points == {"1": 0, "2": ALL}


def test_who_hands_in_again_under_a_new_name_wins_no_dispute(room: Class) -> None:
    """Mallory calls herself Bo. Of one who hands in again, Canvas gives the file another number, so another name."""
    borrowed = [f"chenbo_101_{number}_share.py" for number in (5001, 5007)]
    room.grade({"chenbo_102_5002_share.py": RIGHT, "deecy_103_5003_share.py": WRONG}, THREE)
    room.grade({borrowed[0]: WRONG}, resume=True)
    (room.folder / borrowed[0]).unlink()
    done = room.grade({borrowed[1]: WRONG}, resume=True)
    assert done.result.unmatched == [borrowed[1], "chenbo_102_5002_share.py"]
    assert room.points == {"2": ALL, "3": 0}


def test_borrowed_display_name_takes_no_row_that_was_graded_by_another_number(room: Class, tmp_path: Path) -> None:
    """Mallory calls herself Bo, and the run goes on with a folder of late work, in which Bo has nothing."""
    borrowed = "chenbo_101_5001_share.py"
    room.grade({"chenbo_102_5002_share.py": RIGHT, "deecy_103_5003_share.py": WRONG}, THREE)
    room.folder = tmp_path / "late"
    own = "deecy_103_5009_share.py"
    room.refused("would be of 2, whose number was #102 in the run before", files={borrowed: WRONG, own: RIGHT})
    room.grade(match=f"entry,why,learner\n{borrowed},,Mallory Moe\n", resume=True)
    assert room.points == {"1": 0, "2": ALL, "3": ALL}


def test_platforms_number_that_was_one_learners_is_another_ones_only_if_a_person_says_so(room: Class) -> None:
    """Mallory calls herself Bo, who has handed in nothing so far: Bo's row stays empty, and hers stays hers."""
    mallory, theirs = "Mallory Moe_9001_assignsubmission_file_", "Bo Chen_9001_assignsubmission_file_"
    room.grade({f"{mallory}/share.py": WRONG, "Cy Dee_9003_assignsubmission_file_/share.py": RIGHT}, THREE)
    shutil.rmtree(room.folder / mallory)
    told = f"{theirs} was of 1 in the run before, and would be of 2."
    room.refused(told, files={f"{theirs}/share.py": RIGHT})
    room.refused(told, match=f"entry,why,learner\n{theirs},,\n")  # an empty column says nothing
    for match in (f"entry,why,learner\n{theirs},,Mallory Moe\n", ""):  # and what a person said is remembered
        room.grade(match=match, resume=True)
        assert room.points == {"1": ALL, "3": ALL}


@pytest.mark.parametrize("inside", ["1/share.py", "2/share.py", "bo_2_9001_share.py"])
def test_zip_that_is_handed_in_late_is_no_class_and_moves_nobodys_points(inside: str, room: Class) -> None:
    room.grade({"1/share.py": RIGHT, "2/share.py": RIGHT}, THREE)
    shutil.rmtree(room.folder)
    room.folder.mkdir()
    with zipfile.ZipFile(room.folder / "work.zip", "w") as archive:
        archive.writestr(inside, WRONG)
    done = room.grade(resume=True)
    assert "work.zip is one learner's submission; if it is the class, give the zip itself." in done.remarks
    assert room.points == {"1": ALL, "2": ALL} and list(room.unmatched) == ["work.zip"]
