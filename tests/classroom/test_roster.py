"""A roster: columns found by their titles, what the policy has to know of a learner, and every problem at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.classroom.final_points import HandIn
from grader.classroom.roster import read_roster
from grader.course import Course, load_course
from grader.errors import KataError

WANTED = [("a1", "Ada Lovelace", "ada@uni.example"), ("z2", "Zoë O'Neil", "zoe@uni.example")]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param(
            "id,name,email\na1,Ada Lovelace,ada@uni.example\nz2,Zoë O'Neil,zoe@uni.example\n", "utf-8", id="plain"
        ),
        pytest.param(
            "E-Mail;Full Name;Student ID\nada@uni.example;Ada Lovelace;a1\n\nzoe@uni.example;Zoë O'Neil;z2\n",
            "utf-8-sig",
            id="semicolons, another order, a blank line, a byte order mark",
        ),
        pytest.param(
            "First name,Last name,ID number,Email address,Groups\r\nAda,Lovelace,a1,ada@uni.example,\r\n"
            "Zoë,O'Neil,z2,zoe@uni.example,\r\n",
            "utf-8",
            id="Moodle participants",
        ),
        pytest.param(
            "Surname\tGiven names\tUsername\tMail\nLovelace\tAda\ta1\tada@uni.example\nO'Neil\tZoë\tz2\tzoe@uni.example\n",
            "utf-16",
            id="tabs in UTF-16",
        ),
        pytest.param(
            "ID;Name;Email\na1;Ada Lovelace;ada@uni.example\nz2;Zoë O'Neil;zoe@uni.example\n", "cp1252", id="Excel"
        ),
        pytest.param(
            'Student,ID,SIS Login ID,Section,Email\n    Points Possible,,,,\n"Ada Lovelace",a1,x,S,ada@uni.example\n'
            "Zoë O'Neil,z2,y,S,zoe@uni.example\n",
            "utf-8",
            id="Canvas gradebook",
        ),
    ],
)
def test_columns_are_found_by_their_titles(text: str, encoding: str, tmp_path: Path, course: Course) -> None:
    (tmp_path / "roster.csv").write_bytes(text.encode(encoding))
    found = read_roster(tmp_path / "roster.csv", course)
    assert [(each.id, each.name, each.email, each.hand_in) for each in found] == [(*each, HandIn()) for each in WANTED]


@pytest.mark.parametrize(
    ("text", "section", "canvas_id", "ids"),
    [
        ("id,section\n1,Friday\n", "Friday", "", ("1",)),
        ("Student,ID,SIS User ID,Section\n    Points Possible,,,\nAda,101,s1,A\n", "A", "101", ("101", "s1")),
        ("Student,ID,Section\nAda,101,A and B\n", "A and B", "101", ("101",)),
        ("name,id,login\nAda,101,ab12\n", "", "", ("101", "ab12")),
    ],
    ids=["by hand", "Canvas", "Canvas without SIS", "ids that are not Canvas's"],
)
def test_section_and_canvas_number_are_kept(
    text: str, section: str, canvas_id: str, ids: tuple[str, ...], tmp_path: Path, course: Course
) -> None:
    (tmp_path / "roster.csv").write_text(text, "utf-8")
    (learner,) = read_roster(tmp_path / "roster.csv", course)
    assert (learner.section, learner.canvas_id, learner.ids) == (section, canvas_id, ids)


def test_problems_have_the_line_of_the_file(tmp_path: Path, course: Course) -> None:
    (tmp_path / "roster.csv").write_text('id,name\n\na,"Ada\nByron"\n\n,\na,Bo\n', "utf-8")
    with pytest.raises(KataError, match="line 7: a is in line 3 already"):
        read_roster(tmp_path / "roster.csv", course)


@pytest.fixture
def due(make_course: Callable[..., Path], tmp_path: Path) -> Course:
    """Two units, the first of which is due."""
    root = make_course(tmp_path / "course", "01_parts/01_share", "01_parts/02_cut", "02_more/01_split")
    policy = "policy:\n  time_zone: Europe/Vienna\n  due: {01_parts: 2026-03-01 12:00}\n"
    text = (root / "course.yml").read_text("utf-8").replace("documents:\n", f"{policy}documents:\n", 1)
    (root / "course.yml").write_text(text, "utf-8")
    return load_course(root / "course.yml")


def utc(*parts: int) -> datetime:
    year, month, day, *clock = parts
    return datetime(year, month, day, *clock, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("text", "hand_in"),
    [
        pytest.param("id,handed_in\na,2026-03-01 12:00\n", HandIn({"*": utc(2026, 3, 1, 11)}), id="a time"),
        pytest.param(
            "Submission Time;ID\n2026-03-01T12:00:00Z;a\n",
            HandIn({"*": utc(2026, 3, 1, 12)}),
            id="another title, order and zone",
        ),
        pytest.param(
            "id,Handed in: 01,handed_in\na,2026-03-01 12:00 -05:00,2026-03-02 12:00\n",
            HandIn({"01_parts": utc(2026, 3, 1, 17), "*": utc(2026, 3, 2, 11)}),
            id="of one unit, by its number",
        ),
        pytest.param("id,handed_in\na,2026-10-25 02:30\n", HandIn({"*": utc(2026, 10, 25, 0, 30)}), id="shown twice"),
        pytest.param("id,handed_in,extra_days,exempt\na,-,,\n", HandIn(), id="somebody who handed in nothing"),
        pytest.param("id,Extra days\na,3\n", HandIn(extra_days={"*": 3.0}), id="days"),
        pytest.param('id,extra_days:01_parts\na,"0,5"\n', HandIn(extra_days={"01_parts": 0.5}), id="half a day"),
        pytest.param('id,exempt\na,"share; 02 ,share"\n', HandIn(exempt=("share", "split")), id="exercise and unit"),
        pytest.param("id,exempt\na,01_parts\n", HandIn(exempt=("share", "cut")), id="a unit by its folder"),
    ],
)
def test_policy_knows_of_a_learner_what_the_roster_says(
    text: str, hand_in: HandIn, due: Course, tmp_path: Path
) -> None:
    (tmp_path / "roster.csv").write_text(text, "utf-8")
    assert [each.hand_in for each in read_roster(tmp_path / "roster.csv", due)] == [hand_in]


def test_without_due_dates_nobody_is_late_whatever_times_a_worksheet_has(course: Course, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,handed_in\na,some day\n", "utf-8")
    assert [each.hand_in for each in read_roster(tmp_path / "roster.csv", course)] == [HandIn()]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b"colour,size\nred,4\n", ["has no column for ids, names or emails"], id="no such columns"),
        pytest.param(b"id,name\n", ["names no learner"], id="nobody"),
        pytest.param(b"", ["has no column"], id="empty"),
        pytest.param(b'id,name\na1,"Ada\n', ["line 2: this is not a CSV file"], id="open quote"),
        pytest.param(
            b"id,handed_in,extra_days,handed_in:7,exempt,Submission Time\n"
            b"a,yesterday,,,shar,\na,,many,,,\n,,400,,,\nb,,-1,,,\n",
            [
                "line 1: there is no unit `7` in the course.",
                "line 1: `handed_in` and `Submission Time` are about the same: take one out.",
                "line 2: `yesterday` is not a date and a time such as 2026-03-01 12:00, nor as Moodle writes them "
                "(Sunday, 1 March 2026, 12:14 PM). The column is `handed_in`.",
                "line 2: there is no exercise and no unit `shar`: did you mean `share`? The column is `exempt`.",
                "line 3: a is in line 2 already.",
                "line 3: `many` is no number of days from 0 to 366. The column is `extra_days`.",
                "line 4: there is no id, name or email.",
                "line 4: `400` is no number of days from 0 to 366. The column is `extra_days`.",
                "line 5: `-1` is no number of days from 0 to 366. The column is `extra_days`.",
            ],
            id="all at once",
        ),
        pytest.param(
            b"id,extra_days:02\na,3\n",
            ["line 2: course.yml gives no due date, so there is no use for extra days. The column is `extra_days:02`."],
            id="days for what is never due",
        ),
    ],
)
def test_every_problem_is_told_with_its_place(content: bytes, told: list[str], due: Course, tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_bytes(content)
    with pytest.raises(KataError) as refused:
        read_roster(path, due)
    lines = [line.removeprefix(str(path)).lstrip(", ") for line in str(refused.value).splitlines()]
    assert len(lines) == len(told) and all(map(str.startswith, lines, told)), lines


def test_extra_days_in_a_course_without_due_dates_are_refused_with_the_lines_to_add(
    course: Course, tmp_path: Path
) -> None:
    path = tmp_path / "roster.csv"
    path.write_bytes(b"id,extra_days\na,3\n")
    with pytest.raises(KataError) as refused:
        read_roster(path, course)
    added = "    policy:\n      due: {%s: 2026-03-01 12:00 +01:00}\n      late_percent_per_day: 10\n"
    assert "add these lines to it:\n" + added % course.units[0].folder in str(refused.value)


def test_time_without_any_zone_is_refused(course: Course, tmp_path: Path) -> None:
    policy = course.policy.model_copy(update={"due": {"01_parts": "2026-03-01 12:00Z"}})
    (tmp_path / "roster.csv").write_text("id,handed_in\na,2026-03-01 12:00\n", "utf-8")
    with pytest.raises(KataError, match="nobody knows in which time zone"):
        read_roster(tmp_path / "roster.csv", course.model_copy(update={"policy": policy}))


def test_exemption_from_a_withdrawn_exercise_is_none_and_no_error(due: Course, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,exempt\na,gone share\n")
    (learner,) = read_roster(tmp_path / "roster.csv", due, withdrawn=["gone"])
    assert learner.hand_in.exempt == ("share",)
    with pytest.raises(KataError, match="no exercise and no unit `gone`"):
        read_roster(tmp_path / "roster.csv", due)
