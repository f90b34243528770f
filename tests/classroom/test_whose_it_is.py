"""Whose a submission is: the platform's own place in a name decides, and what two claim counts for neither."""

from __future__ import annotations

import csv
import io
import subprocess
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.claims import Claim, resolve
from grader.classroom.class_listing import look_into
from grader.classroom.download import read_download
from grader.classroom.entries import entries
from grader.classroom.learners import Learner as Enrolled
from grader.classroom.lms_names import platform_of, read_names
from grader.classroom.members import members
from grader.errors import KataError
from grader.policy.rules import HandIn
from grader.record import Record

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
WHEN = "2026-11-20-10-15-00"

CANVAS_ROSTER = """\
Student,ID,SIS User ID,SIS Login ID,Section
    Points Possible,,,,
"Lovelace, Ada",101,s1,ada,A
"Evil, Eve",102,s2,eve,A
"Fox, Zoe",103,s3,zoe,A
"Li, Bo",104,s4,bo_li,A
"""
MOODLE_ROSTER = """\
First name,Surname,ID number,Email address
Ada,Lovelace,101,ada@x.example
Eve,Evil,102,eve@x.example
Zoe,Fox,103,zoe@x.example
Bo,Li,104,bo@x.example
"""
WORKSHEET = """\
Identifier,Full name,Email address,ID number
Participant 9001,Ada Lovelace,ada@x.example,101
Participant 9002,Zoe Fox,eve@x.example,102
Participant 9003,Zoe Fox,zoe@x.example,103
Participant 9004,Bo Li,bo@x.example,104
"""


@dataclass(frozen=True)
class Class:
    """What was handed in: a right answer of everybody's but Eve's. `of`: points that must be; None where no mark is."""

    files: Mapping[str, str]
    roster: str
    of: Mapping[str, float | None]
    status: int
    told: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


ALL = 4.0
CLASSES = {
    "file name with Zoe's login as Blackboard would write it, in a Canvas download": Class(
        {
            "lovelaceada_101_5001_01_share.py": RIGHT,
            f"eveevil_102_5002_a_zoe_attempt_{WHEN}_b_q_attempt_{WHEN}_01_share.py": WRONG,
            "foxzoe_103_5003_01_share.py": RIGHT,
            "libo_LATE_104_5004_01_share.py": RIGHT,
        },
        CANVAS_ROSTER,
        {"101": ALL, "102": 1.0, "103": ALL, "104": ALL},
        0,
        ("Read as a Canvas download",),
    ),
    "file name with another's id as Canvas would write it": Class(
        {
            "lovelaceada_101_5001_01_share.py": RIGHT,
            "evileve_102_5002_103_6000_01_share.py": WRONG,
            "foxzoe_103_5003_01_share.py": RIGHT,
        },
        CANVAS_ROSTER,
        {"101": ALL, "102": 1.0, "103": ALL},
        0,
    ),
    "display name that is Zoe's, with her id in it, while Zoe has handed in nothing": Class(
        {"lovelaceada_101_5001_01_share.py": RIGHT, "foxzoe_103_102_5002_01_share.py": WRONG},
        CANVAS_ROSTER,
        {"101": ALL},
        2,
        ("could be", "Fox, Zoe (103)", "Evil, Eve (102)"),
    ),
    "display name that is Ada's, with her id in it": Class(
        {
            "lovelaceada_101_5001_01_share.py": RIGHT,
            "lovelaceada_101_102_5002_share.py": WRONG,
            "foxzoe_103_5003_01_share.py": RIGHT,
        },
        CANVAS_ROSTER,
        {"101": ALL, "103": ALL},
        2,
        ("could be", "Lovelace, Ada (101)", "Evil, Eve (102)"),
    ),
    "display name that is Zoe's, with her id in it, and an accomplice's with the other id": Class(
        {
            "lovelaceada_101_5001_01_share.py": RIGHT,
            "foxzoe_103_102_5002_share.py": WRONG,
            "foxzoe_103_5003_01_share.py": RIGHT,
            "x_102_104_5004_01_share.py": RIGHT,
        },
        CANVAS_ROSTER,
        {"101": ALL, "103": ALL},
        2,
        ("could be", "Fox, Zoe (103)", "Evil, Eve (102)"),
    ),
    "display name that ends in a number, of one who hands in two files": Class(
        {
            "lovelaceada_101_5001_01_share.py": RIGHT,
            "party_7_102_5002_01_share.py": WRONG,
            "party_7_102_5012_notes.py": WRONG,
            "foxzoe_103_5003_01_share.py": RIGHT,
        },
        CANVAS_ROSTER,
        {"101": ALL, "103": ALL},
        2,
        ("Read as a Canvas download", "Evil, Eve (102)"),
    ),
    "display name that is a classmate's id, where the roster has ids alone": Class(
        {
            "lovelaceada_101_5001_01_share.py": RIGHT,
            "103_102_5002_01_share.py": WRONG,
            "foxzoe_103_5003_01_share.py": RIGHT,
            "libo_104_5004_01_share.py": RIGHT,
        },
        "id,email\n101,ada@x.example\n102,eve@x.example\n103,zoe@x.example\n104,bo@x.example\n",
        {"101": ALL, "102": 1.0, "103": ALL, "104": ALL},
        0,
    ),
    "display name that is Zoe's in Canvas": Class(
        {
            "lovelaceada_101_5001_01_share.py": RIGHT,
            "foxzoe_102_5002_01_share.py": WRONG,
            "foxzoe_103_5003_01_share.py": RIGHT,
        },
        CANVAS_ROSTER,
        {"101": ALL, "102": 1.0, "103": ALL},
        0,
    ),
    "file name as Blackboard would write it, in a Blackboard download with a title of several parts": Class(
        {
            f"Week_3_ada_attempt_{WHEN}_01_share.py": RIGHT,
            f"Week_3_ada_attempt_{WHEN}.txt": "Name: Ada",
            f"Week_3_eve_attempt_{WHEN}_Week_3_zoe_attempt_{WHEN}_01_share.py": WRONG,
            f"Week_3_zoe_attempt_{WHEN}_01_share.py": RIGHT,
            f"Week_3_bo_li_attempt_{WHEN}_01_share.py": RIGHT,
        },
        CANVAS_ROSTER,
        {"101": ALL, "102": 1.0, "103": ALL, "104": ALL},
        0,
        ("Read as a Blackboard download", f"Passed over: Week_3_ada_attempt_{WHEN}.txt."),
    ),
    "display name that is Zoe's in Moodle": Class(
        {
            "Ada Lovelace_9001_assignsubmission_file_/share.py": RIGHT,
            "Zoe Fox_9002_assignsubmission_file_/share.py": WRONG,
            "Zoe Fox_9003_assignsubmission_file_/share.py": RIGHT,
            "Bo Li_9004_assignsubmission_file_/share.py": RIGHT,
        },
        MOODLE_ROSTER,
        {"101": ALL, "103": None, "104": ALL},
        2,
        ("Read as a Moodle download", "Zoe Fox_9002", "Zoe Fox_9003", "which they may be able to change"),
    ),
    "display name that is Zoe's in Moodle, with the grading worksheet": Class(
        {
            "Ada Lovelace_9001_assignsubmission_file_share.py": RIGHT,
            "Zoe Fox_9002_assignsubmission_file_share.py": WRONG,
            "Zoe Fox_9003_assignsubmission_file_share.py": RIGHT,
            "Bo Li_9004_assignsubmission_file_share.py": RIGHT,
        },
        WORKSHEET,
        {"101": ALL, "102": 1.0, "103": ALL, "104": ALL},
        0,
    ),
    "folder of the id and folder of the name": Class(
        {"101/share.py": RIGHT, "zoe/share.py": RIGHT, "Zoe Fox/share.py": WRONG, "bo_li/share.py": RIGHT},
        CANVAS_ROSTER,
        {"101": ALL, "103": None, "104": ALL},
        2,
        ("Zoe Fox and zoe all claim to be Fox, Zoe's",),
    ),
}


def grade(kata: Run, course: Path, place: Path, handed: Class) -> tuple[Path, subprocess.CompletedProcess[str]]:
    for name, content in handed.files.items():
        path = place / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    (place / "roster.csv").write_text(handed.roster, "utf-8")
    terms = ["--isolation", "best", "--seed", 5, "--jobs", 1, "--course", course, "--roster", "roster.csv"]
    return place / "out", kata("grade-class", "class", "--out", "out", *terms, *handed.options, cwd=place)


def points(out: Path) -> dict[str, float]:
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record.points for record in map(Record.from_json, lines)}


@pytest.mark.thorough
@pytest.mark.parametrize("handed", CLASSES.values(), ids=CLASSES)
def test_nobody_takes_anothers_row_and_the_honest_lose_nothing(
    handed: Class, course_root: Path, kata: Run, tmp_path: Path
) -> None:
    out, done = grade(kata, course_root, tmp_path, handed)
    assert done.returncode == handed.status, done.stderr
    assert [text for text in handed.told if text not in done.stderr] == []
    graded = points(out)
    assert {id: graded.get(id) for id in handed.of} == handed.of
    if "103" not in handed.of and any("_103_102_" in name for name in handed.files):
        assert "103" not in graded and "102" not in graded

    exported = kata(
        "export", out, "--format", "csv", "--roster", "roster.csv", "--to", "-", "--course", course_root, cwd=tmp_path
    )
    assert exported.returncode == 0, exported.stderr
    rows = {row["submission"]: row for row in csv.DictReader(io.StringIO(exported.stdout))}
    for id, expected in handed.of.items():
        assert rows[id]["points"] == ("" if expected is None else f"{expected:g}")
        if expected is None:
            assert "claim" in rows[id]["remark"] and "several submissions claim" in exported.stderr
    for format in ("canvas", "moodle"):
        done = kata("export", out, "--format", format, "--roster", "roster.csv", "--course", course_root, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        told = (out / f"{format}.csv").read_text("utf-8")
        assert not [row for row in csv.reader(io.StringIO(told)) if row[0] == "Zoe Fox" and not any(row[1:4])]


def test_who_is_called_like_somebody_of_the_roster_takes_nobodys_extension() -> None:
    more_time = HandIn(extra_days={"*": 7.0})
    roster = [replace(_enrolled("101", "Lovelace, Ada"), hand_in=more_time), _enrolled("103", "Fox, Zoe")]
    names = ["foxzoe_103_5003_share.py", "lovelaceada_999_5004_share.py"]
    found = members(entries([Path(name) for name in names], "canvas"), roster)
    days = {each.learner.name: (each.learner.handed_in, each.learner.extra_days) for each in found.all}
    assert days == {"101": (False, {"*": 7.0}), "103": (True, {}), "lovelaceada_999": (True, {})}


@pytest.mark.parametrize("format", ["canvas", pytest.param("moodle", marks=pytest.mark.thorough)])
def test_names_in_what_an_export_says_do_not_steer_the_terminal(
    format: str, course_root: Path, kata: Run, tmp_path: Path
) -> None:
    handed = Class(
        {
            "Ada Lovelace_9001_assignsubmission_file_/share.py": RIGHT,
            "Eve \x1b]0;x\x07\x1b[2J_9002_assignsubmission_file_/share.py": RIGHT,
        },
        MOODLE_ROSTER,
        {},
        0,
    )
    out, done = grade(kata, course_root, tmp_path, handed)
    assert done.returncode == 2, "Eve is nobody of the roster"
    done = kata("export", out, "--format", format, "--roster", "roster.csv", "--course", course_root, cwd=tmp_path)
    assert done.returncode == 0 and "Eve \\x1b]0;x" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.thorough
def test_class_that_was_graded_without_a_roster_is_exported_but_for_those_who_are_torn(
    course_root: Path, kata: Run, tmp_path: Path
) -> None:
    for name in ("ada", "zoe", "Zoe Fox"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "share.py").write_text(RIGHT)
    (tmp_path / "roster.csv").write_text(CANVAS_ROSTER)
    terms = ["--isolation", "best", "--jobs", 1, "--course", course_root]
    assert kata("grade-class", "class", "--out", "out", *terms, cwd=tmp_path).returncode == 0
    for format, file in (("csv", "grades.csv"), ("canvas", "canvas.csv")):
        done = kata(
            "export", "out", "--format", format, "--roster", "roster.csv", "--course", course_root, cwd=tmp_path
        )
        assert done.returncode == 2
        assert "Zoe Fox, zoe would all be Fox, Zoe of the roster, so none is." in done.stderr
        text = (tmp_path / "out" / file).read_text("utf-8-sig")
        assert "Lovelace" in text and "Zoe" not in text


@pytest.mark.thorough
def test_fixed_class_goes_on_and_a_new_claim_takes_back_what_an_earlier_run_graded(
    course_root: Path, kata: Run, tmp_path: Path
) -> None:
    handed = CLASSES["folder of the id and folder of the name"]
    out, done = grade(kata, course_root, tmp_path, handed)
    assert done.returncode == 2
    again = [*("grade-class", "class", "--out", "out", "--roster", "roster.csv", "--resume"), "--isolation", "best"]
    again += ["--jobs", "1", "--course", str(course_root)]
    moved = (tmp_path / "class" / "Zoe Fox").rename(tmp_path / "Zoe Fox")
    assert kata(*again, cwd=tmp_path).returncode == 0
    assert points(out) == {"101": ALL, "103": ALL, "104": ALL}
    moved.rename(tmp_path / "class" / "Zoe Fox")
    done = kata(*again, cwd=tmp_path)
    assert done.returncode == 2
    exported = kata("export", out, "--format", "csv", "--to", "-", "--course", course_root, cwd=tmp_path)
    rows = {row["submission"]: row["points"] for row in csv.DictReader(io.StringIO(exported.stdout))}
    assert rows == {"101": "4", "102": "", "103": "", "104": "4"}


NFC, NFD = unicodedata.normalize("NFC", "Zoé"), unicodedata.normalize("NFD", "Zoé")


@pytest.mark.parametrize(
    "twins",
    [
        pytest.param(("zoe/", "zoe.zip"), id="folder and zip"),
        pytest.param(("zoe.zip", "zoe.tar.gz"), id="zip and tar"),
        pytest.param(("zoe.py", "ZOE.ipynb"), id="case"),
        pytest.param((f"{NFC}/", f"{NFD}/"), id="two ways to spell an accent"),
        pytest.param(("zoe/", "z\u200boe/"), id="an invisible character"),
        pytest.param(("zoe/", "\u202ezoe/"), id="a mark of direction"),
        pytest.param(("zoe/", "\uff5aoe/"), id="full width"),
        pytest.param(("zoe/", "Zoe.rar"), id="packed in a way that is not read"),
    ],
)
def test_twins_are_two_claims_without_a_roster_too(twins: tuple[str, str], tmp_path: Path) -> None:
    for name in (*twins, "ada/"):
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).touch()
    everyone = members(read_download(look_into(tmp_path), tmp_path, {}).entries)
    assert [each.path.name for each in everyone.entries] == ["ada"]
    assert sorted(each.name for each in everyone.left_out) == sorted(name.strip("/") for name in twins)
    assert len(everyone.disputes) == 1


@pytest.mark.parametrize(
    "pair",
    [("zoe", "z\u043ee"), ("Ada", "Ada2"), ("straße", "strase")],
    ids=["a letter of another script", "a number", "another word"],
)
def test_names_that_only_look_alike_are_two_learners(pair: tuple[str, str], tmp_path: Path) -> None:
    for name in pair:
        (tmp_path / name).mkdir()
    assert len(members(entries(list(tmp_path.iterdir()))).entries) == 2


ROSTER = (
    Enrolled("101", "Ada Lovelace", "ada@x.example", ("101", "ada")),
    Enrolled("102", "Eve Evil", "eve@x.example", ("102", "eve")),
    Enrolled("103", "Zoe Fox", "zoe@x.example", ("103", "zoe")),
)


def whose(platform: str, *names: str, roster: tuple[Enrolled, ...] = ROSTER) -> dict[str, str]:
    """The id that each name finds, of one download; ? where it could be two learners'."""
    found = entries([Path(name) for name in names], platform)  # type: ignore[arg-type]
    resolved = resolve([each.claim for each in found], roster).matches
    ids = [each.learner.id if each.learner else "?" if each.between else "" for each in resolved]
    return {each.path.name: id for each, id in zip(found, ids, strict=True)}


@pytest.mark.parametrize(
    ("platform", "name", "id"),
    [
        pytest.param("canvas", "foxzoe_103_5_01_share.py", "103", id="Canvas"),
        pytest.param("canvas", "_103_5_01_share.py", "103", id="Canvas, no letters in the name"),
        pytest.param("canvas", "foxzoe_LATE_103_5_share-2.py", "103", id="Canvas, late and again"),
        pytest.param("canvas", "foxzoe_103_text.html", "103", id="Canvas, typed"),
        pytest.param("canvas", "evileve_102_7_103_6_x.py", "?", id="Canvas, two ids"),
        pytest.param("canvas", "evileve_999_7_103_6_x.py", "?", id="Canvas, a stranger's file name"),
        pytest.param("canvas", "foxzoe_999_7_x.py", "", id="Canvas, a stranger of Zoe's name"),
        pytest.param("canvas", "anon_AbC12_103_101_x.py", "", id="Canvas, nameless"),
        pytest.param("canvas", "foxzoe_\u0661\u0660\u0663_5_x.py", "", id="digits of another script"),
        pytest.param("blackboard", f"HW_zoe_attempt_{WHEN}_x.py", "103", id="Blackboard"),
        pytest.param("blackboard", f"HW_eve_attempt_{WHEN}_x_zoe_attempt_{WHEN}_y.py", "102", id="Blackboard, twice"),
        pytest.param("blackboard", f"HW_x_zoe_attempt_{WHEN}_y.py", "103", id="Blackboard, a title of two parts"),
        pytest.param("moodle", "Zoe Fox_77_assignsubmission_file_x.py", "103", id="Moodle"),
        pytest.param("moodle", "Eve Evil_77_assignsubmission_file_Zoe Fox_78_assignsubmission_file_x.py", "102",
                     id="Moodle, twice"),
        pytest.param("moodle", "103_77_assignsubmission_file_x.py", "", id="Moodle, a display name that is an id"),
        pytest.param("moodle", "zoe@x.example_77_assignsubmission_file_x.py", "", id="Moodle, ... an email"),
        pytest.param("moodle", "Eve Evil_103_assignsubmission_file_x.py", "102", id="Moodle, no learner's number"),
        pytest.param("brightspace", "1-2 - Zoe Fox - Nov 20, 2026 416 PM", "103", id="Brightspace"),
        pytest.param("brightspace", "1-2 - Zoe Fox - Nov 20, 2026 416 PM - x - Nov 21, 2026 416 PM", "",
                     id="Brightspace, a date in the name"),
        pytest.param("plain", "zoe", "103", id="plain"),
        pytest.param("plain", "foxzoe_103_5_01_share", "", id="plain, though it looks like Canvas"),
    ],
)  # fmt: skip
def test_the_platforms_own_place_decides(platform: str, name: str, id: str) -> None:
    names = [name, "lovelaceada_101_1_x.py"] if platform == "canvas" else [name]
    assert whose(platform, *names)[name] == id


def test_usernames_with_underscores_are_found_by_what_most_of_the_download_says() -> None:
    roster = (*ROSTER, Enrolled("104", "Bo", "", ("104", "u_bo")), Enrolled("105", "Cy", "", ("105", "u_zoe")))
    names = [f"Week_3_u_{login}_attempt_{WHEN}_x.py" for login in ("bo", "zoe")]
    assert list(whose("blackboard", *names, roster=roster).values()) == ["104", "105"]
    (alone,) = whose("blackboard", names[1], roster=roster).values()
    assert alone == "?", "zoe or u_zoe"


def test_numbers_of_another_system_in_the_roster_cost_nobody_their_row() -> None:
    roster = tuple(Enrolled(str(number), name, "", (str(number),)) for number, name in
                   enumerate(("Ada Lovelace", "Eve Evil", "Zoe Fox"), 1))  # fmt: skip
    names = ("lovelaceada_2_51_x.py", "evileve_3_52_x.py", "foxzoe_9_53_x.py")
    assert list(whose("canvas", *names, roster=roster).values()) == ["?", "?", "3"], "in doubt nobody's"
    names = ("lovelaceada_12_51_x.py", "evileve_13_52_x.py", "foxzoe_19_53_x.py")
    assert list(whose("canvas", *names, roster=roster).values()) == ["1", "2", "3"]


def test_attachments_numbers_that_are_users_too_cost_nobody_their_row() -> None:
    names = ("lovelaceada_101_102_01_share.py", "evileve_102_103_01_share.py", "foxzoe_103_104_01_share.py")
    assert list(whose("canvas", *names).values()) == ["101", "102", "103"]


@pytest.mark.parametrize(
    ("names", "platform"),
    [
        pytest.param(["a_1_2_x.py", f"b_3_4_w_zoe_attempt_{WHEN}_x.py"], "canvas", id="most are Canvas's"),
        pytest.param([f"Lab_1_2_{who}_attempt_{WHEN}_x.py" for who in "ab"], "blackboard", id="numbers in a title"),
        pytest.param(["ada", "bo", "cy_1_2_x.py"], "plain", id="one that looks so"),
        pytest.param(["a_1_2_x.py", "roster.csv", "b_3_4_x.py"], "canvas", id="something beside"),
        pytest.param([], "plain", id="nothing"),
    ],
)
def test_one_format_is_decided_for_the_whole_download(names: list[str], platform: str) -> None:
    assert platform_of(names) == platform


def test_names_that_are_two_platforms_have_to_be_told() -> None:
    name = f"evileve_102_5002_a_zoe_attempt_{WHEN}_x.py"
    with pytest.raises(KataError, match="--from canvas or blackboard"):
        platform_of([name])
    assert whose("canvas", name)[name] == "102"


def test_attempts_of_one_platform_id_are_no_claims_on_each_other(tmp_path: Path) -> None:
    for when in ("2026-11-20-10-15-00", "2026-11-21-10-15-00", "2026-11-19-10-15-00"):
        (tmp_path / f"HW_zoe_attempt_{when}_share.py").write_text(RIGHT)
        (tmp_path / f"HW_zoe_attempt_{when}_notes.txt").write_text("see you")
    (entry,) = read_download(look_into(tmp_path), tmp_path, {}).entries
    assert {path.name[15:25] for path in entry.files} == {"2026-11-21"} and len(entry.parts) == 2
    assert {path.name[15:25] for path in entry.earlier} == {"2026-11-19", "2026-11-20"} and len(entry.earlier) == 4
    assert members([entry]).disputes == ()
    earlier = [each.name for each in read_download(look_into(tmp_path), tmp_path, {}).left_out]
    assert earlier == sorted(path.name for path in entry.earlier)


def test_attempts_of_brightspace_are_in_the_order_of_their_dates() -> None:
    dates = ["Nov 2, 2026 416 PM", "Nov 20, 2026 416 AM", "Nov 20, 2026 1216 AM", "Dec 1, 2025 100 PM"]
    (entry,) = entries([Path(f"1-2 - Ada - {when}") for when in dates], "brightspace")
    assert entry.path.name.endswith(dates[1]) and len(entry.earlier) == 3


@pytest.mark.parametrize(
    "dates",
    [
        pytest.param(["2. Dezember 2025 1616", "20. März 2026 416", "3. Juni 2026 900"], id="German"),
        pytest.param(["déc. 20, 2025 416", "févr. 2, 2026 1616", "août 1, 2026 416"], id="French"),
        pytest.param(["20 de diciembre de 2025 416", "2 de enero de 2026 1616"], id="Spanish"),
    ],
)
def test_attempts_of_brightspace_are_in_order_in_other_languages_too(dates: list[str]) -> None:
    names = [f"1-2 - Ada - {when}" for when in sorted(dates, reverse=True)]
    assert platform_of([*names, "1-3 - Bo - Nov 20, 2026 416 PM"]) == "brightspace"
    (entry,) = entries([Path(name) for name in names], "brightspace")
    assert entry.path.name.endswith(dates[-1]) and len(entry.earlier) == len(dates) - 1


def test_attempts_whose_months_nobody_can_read_are_not_guessed() -> None:
    names = ["1-2 - Ada - Xyz 20, 2026 416 PM", "1-2 - Ada - Abc 20, 2026 416 PM"]
    with pytest.raises(KataError, match=r"nobody knows which is the last: '(Xyz|Abc) 20, 2026 416 PM' is no date"):
        entries([Path(name) for name in names], "brightspace")
    assert [each.path.name for each in entries([Path(names[0])], "brightspace")] == [names[0]]


GROUPED = ("Red Team-Zoe Fox_77_assignsubmission_file_", "Red Team-Eve Evil_78_assignsubmission_file_")


def test_team_in_front_of_a_name_in_moodle_costs_nobody_their_row() -> None:
    found = whose("moodle", *GROUPED, "Default group-Ada Lovelace_79_assignsubmission_file_")
    assert list(found.values()) == ["103", "102", "101"]


def test_where_not_all_names_have_a_team_a_hyphen_gives_nobody_a_row() -> None:
    found = whose("moodle", "x-Zoe Fox_77_assignsubmission_file_", "Eve Evil_78_assignsubmission_file_")
    assert list(found.values()) == ["", "102"]


def test_two_family_names_are_found_as_canvas_writes_them_wherever_the_roster_keeps_them() -> None:
    roster = tuple(
        Enrolled(f"s{number}", name, "", (f"s{number}",))
        for number, name in enumerate(("Gabriel García Márquez", "Ana María de la Cruz", "Ada Lovelace"), 1)
    )
    names = ("garciamarquezgabriel_9_51_x.py", "delacruzanamaria_8_52_x.py", "lovelaceada_7_53_x.py")
    assert list(whose("canvas", *names, roster=roster).values()) == ["s1", "s2", "s3"]


def test_name_that_can_be_read_as_another_learners_takes_nothing_from_who_has_a_clear_one(tmp_path: Path) -> None:
    for name in ("foxzoe_103_5003_share.py", "x_103_102_5002_share.py", "lovelaceada_101_5001_share.py"):
        (tmp_path / name).write_text(RIGHT)
    everyone = members(read_download(look_into(tmp_path), tmp_path, {}).entries)
    assert [each.name for each in everyone.entries] == ["foxzoe_103", "lovelaceada_101"]
    assert [each.name for each in everyone.left_out] == ["x_103_102_5002_share.py"]
    assert len(everyone.disputes) == 1


def test_files_of_another_are_not_put_to_who_is_called_alike(tmp_path: Path) -> None:
    for name in ("lovelaceada_101_102_5002_share.py", "lovelaceada_101_5001_01_share.py"):
        (tmp_path / name).write_text(RIGHT)
    everyone = members(read_download(look_into(tmp_path), tmp_path, {}).entries)
    (entry,) = everyone.entries
    assert (entry.name, [path.name for path in entry.files]) == (
        "lovelaceada_101",
        ["lovelaceada_101_5001_01_share.py"],
    )
    assert [each.name for each in everyone.left_out] == ["lovelaceada_101_102_5002_share.py"]


def test_own_file_that_begins_with_a_number_is_put_to_the_others_where_a_roster_knows(tmp_path: Path) -> None:
    names = ["lovelaceada_101_5001_01_share.py", "lovelaceada_101_5011_3_softmax.py", "foxzoe_103_5003_2_share.py"]
    roster = [_enrolled("101", "Lovelace, Ada"), _enrolled("102", "Evil, Eve"), _enrolled("103", "Fox, Zoe")]
    assert _rows(names, roster, tmp_path) == {"101": names[:2], "103": names[2:]}


def test_claim_of_a_name_of_255_characters_is_read_in_time() -> None:
    name = "_1_2" * 60 + "_x.py"
    assert read_names("canvas", [name]) and read_names("blackboard", ["_" * 255]) == {}
    assert resolve([Claim("plain", "\U0001f98a" * 255)], ROSTER).matches[0].learner is None


def _rows(names: list[str], roster: list[Enrolled], tmp_path: Path) -> dict[str, list[str]]:
    """The ids of the roster's learners, each with the files that are theirs."""
    for name in names:
        (tmp_path / name).write_text(RIGHT, encoding="utf-8")
    found = members(read_download(look_into(tmp_path), tmp_path, {}).entries, roster)
    assert not found.disputes
    return {each.learner.name: [path.name for path in each.entry.files] for each in found.all if each.entry}


def _enrolled(id: str, name: str) -> Enrolled:
    return Enrolled(id, name, "", (id,))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna Müller", "Anna Muller"),
        ("Nguyễn Văn Anh", "Nguyễn Vân Anh"),
        ("राम", "रमा"),
        ("はな", "ばな"),
        ("Şule Ak", "Sule Ak"),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_honest_learners_whose_names_differ_by_accents_alone_are_two(
    one: str, other: str, form: Any, tmp_path: Path
) -> None:
    roster = [_enrolled("1", one), _enrolled("2", other), _enrolled("3", "Zoe Fox")]
    names = [
        unicodedata.normalize(form, f"{each.name}_{900 + int(each.id)}_assignsubmission_file_01_share.py")
        for each in roster
    ]
    assert _rows(names, roster, tmp_path) == {each.id: [name] for each, name in zip(roster, names, strict=True)}


def test_name_without_its_accents_is_still_found_where_it_is_one_learners(tmp_path: Path) -> None:
    roster = [_enrolled("1", "Zoë Müller"), _enrolled("2", "Bo Li")]
    name = "Zoe Muller_901_assignsubmission_file_01_share.py"
    assert _rows([name], roster, tmp_path) == {"1": [name]}


def test_namesakes_in_a_small_class_keep_the_rows_that_their_canvas_ids_say(tmp_path: Path) -> None:
    roster = [_enrolled("101", "Müller, Anna"), _enrolled("102", "Müller, Anna"), _enrolled("103", "Li, Min")]
    names = [
        "mülleranna_101_9001_01_share.py",
        "mülleranna_LATE_102_9002_01_share.py",
        "limin_103_9003_01_share.py",
    ]
    assert _rows(names, roster, tmp_path) == {"101": [names[0]], "102": [names[1]], "103": [names[2]]}


def test_attachments_number_of_one_is_not_the_id_of_another_who_has_handed_in_nothing(tmp_path: Path) -> None:
    roster = [_enrolled("101", "Lovelace, Ada"), _enrolled("102", "Fox, Zoe"), _enrolled("103", "Li, Bo")]
    names = ["lovelaceada_101_103_01_share.py", "foxzoe_102_5003_01_share.py"]
    assert _rows(names, roster, tmp_path) == {"101": [names[0]], "102": [names[1]]}
