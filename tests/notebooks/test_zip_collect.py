"""The real `nbgrader zip_collect` on downloads as Moodle packs them, honest and hostile."""

from __future__ import annotations

import io
import json
import shlex
import struct
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(dim=-1, keepdim=True)\n"
UNIT, NEXT, BAD, TIMED = "01_parts", "02_more", "03_bad", "04_timed"
FILE, TEXT = "assignsubmission_file_", "assignsubmission_onlinetext_"
JANUARY, FEBRUARY, MARCH = (2024, 1, 10, 12, 0, 0), (2024, 2, 10, 12, 0, 0), (2024, 3, 10, 12, 0, 0)

Member = tuple[str, "str | bytes"] | tuple[str, "str | bytes", tuple[int, ...]]


def book(note: str) -> str:
    """A notebook that can be told from the others."""
    cell = {"cell_type": "markdown", "id": "note", "metadata": {}, "source": note}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def packed(members: Iterable[Member]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text, *time in members:
            file.writestr(zipfile.ZipInfo(name, *(time or [JANUARY])), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


class Course:
    """A course folder whose downloads are collected."""

    def __init__(self, folder: Any) -> None:
        self.folder = folder
        self.root: Path = folder.root

    def archive(self, unit: str) -> Path:
        path = self.root / "downloaded" / unit / "archive"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def collect(self, unit: str, *options: str, status: int = 0, **env: str) -> str:
        return self.folder.nbgrader("zip_collect", unit, *options, status=status, **env).stderr

    def submitted(self, unit: str) -> dict[str, dict[str, str]]:
        """What was collected, by learner and file."""
        places = sorted((self.root / "submitted").glob(f"*/{unit}"))
        return {
            place.parent.name: {path.name: path.read_text("utf-8") for path in sorted(place.iterdir())}
            for place in places
        }


@pytest.fixture(scope="module")
def course(
    tmp_path_factory: pytest.TempPathFactory, make_course: Any, kata: Any, folder_at: Callable[[Path], Any]
) -> Course:
    root = tmp_path_factory.mktemp("collect")
    made = make_course(root / "tiny", f"{UNIT}/01_share", f"{NEXT}/01_third", f"{BAD}/01_last", f"{TIMED}/01_late")
    assert kata("notebooks", root / "course", cwd=made).returncode == 0
    folder = folder_at(root / "course")
    folder.nbgrader("generate_assignment", "*")
    return Course(folder)


# --- an ordinary class ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def collected(course: Course, edit: Any) -> str:
    """The log of collecting a class that hands in in every way."""
    right = json.dumps(edit.filled(course.folder.released(UNIT), {"share": RIGHT.format(id="share")}))
    own = packed(
        [("work/answers.ipynb", book("zoe")), ("work/photo.jpg", b"jpg"), ("more.zip", packed([("a.ipynb", "x")]))]
    )
    archive = course.archive(UNIT)
    (archive / "CS 101-Parts-42.zip").write_bytes(
        packed(
            [
                (f"Anna Berg_1001_{FILE}/{UNIT}.ipynb", book("anna, old")),
                (f"Åse Ñandú_1002_{FILE}/my homework.IPYNB", right),
                (f"O'Brien, Jr._1003_{FILE}/{UNIT} (1).ipynb", book("brien")),
                (f"Under_Score_1004_{FILE}/x_y.ipynb", book("score")),
                (f"Max Muster_1005_{FILE}/{UNIT}.ipynb", book("max 1")),
                (f"Max Muster_1006_{FILE}/{UNIT}.ipynb", book("max 2")),
                (f"Petra Py_1007_{FILE}/01_share.py", RIGHT.format(id="share")),
                (f"Zoe Zip_1008_{FILE}/work.zip", own),
                (f"Two Books_1009_{FILE}/scratch.ipynb", book("scratch"), MARCH),
                (f"Two Books_1009_{FILE}/{UNIT}.ipynb", book("books")),
                (f"Two Books_1009_{FILE}/share.py", "# too"),
                (f"Old New_1010_{FILE}/{UNIT}.ipynb", book("old"), JANUARY),
                (f"Old New_1010_{FILE}/second/{UNIT}-2.ipynb", book("new"), FEBRUARY),
                (f"Only Text_1011_{TEXT}/onlinetext.html", "<p>Here it is</p>"),
                (f"Text Too_1012_{TEXT}/onlinetext.html", "<p>See the file</p>"),
                (f"Text Too_1012_{FILE}/a.ipynb", book("text too")),
                (f"Eve_1013_{FILE}/Anna Berg_1001_{FILE}/{UNIT}.ipynb", book("eve")),
                (f"Tar Ball_1014_{FILE}/work.tar.gz", b"\x1f\x8b"),
                (f"Same Time_1015_{FILE}/a/{UNIT}.ipynb", book("one")),
                (f"Same Time_1015_{FILE}/b/{UNIT}.ipynb", book("other")),
            ]
        )
    )
    (archive / "flat.zip").write_bytes(
        packed(
            [
                (f"Anna Berg_1001_{FILE}final.ipynb", book("anna, new"), FEBRUARY),
                (f"Flat Person_1020_{FILE}a_b.ipynb", book("flat")),
                (f"Mallory_1021_{FILE}Anna Berg_1001_{FILE}a.ipynb", book("mallory"), MARCH),
                ("somebody.ipynb", book("whose?")),
            ]
        )
    )
    (archive / f"Loose One_1030_{FILE}a.ipynb").write_text(book("loose"))
    (archive / f"Linked_1031_{FILE}a.ipynb").symlink_to(course.root / "source" / UNIT / f"{UNIT}.ipynb")
    return course.collect(UNIT)


@pytest.mark.parametrize(
    ("id", "note"),
    [
        ("Anna-Berg", "anna, new"),
        ("O-Brien-Jr", "brien"),
        ("Under_Score", "score"),
        ("Max-Muster-1005", "max 1"),
        ("Max-Muster-1006", "max 2"),
        ("Zoe-Zip", "zoe"),
        ("Two-Books", "books"),
        ("Old-New", "new"),
        ("Text-Too", "text too"),
        ("Eve", "eve"),
        ("Flat-Person", "flat"),
        ("Mallory", "mallory"),
        ("Loose-One", "loose"),
    ],
)
def test_notebook_is_collected_under_the_units_name(id: str, note: str, collected: str, course: Course) -> None:
    assert course.submitted(UNIT)[id] == {f"{UNIT}.ipynb": book(note)}


def test_nobody_else_is_there(collected: str, course: Course) -> None:
    named = "Anna-Berg O-Brien-Jr Under_Score Max-Muster-1005 Max-Muster-1006 Zoe-Zip Two-Books Old-New Text-Too Eve"
    others = "Flat-Person Mallory Loose-One Petra-Py Same-Time Åse-Ñandú"
    assert sorted(course.submitted(UNIT)) == sorted([*named.split(), *others.split()])


def test_collected_notebook_is_graded(collected: str, course: Course) -> None:
    course.folder.nbgrader("autograde", UNIT, "--student", "Åse-Ñandú")
    assert course.folder.scores("Åse-Ñandú", UNIT)["test-share"] == 4


def test_python_file_is_kept_and_becomes_a_notebook_as_told(collected: str, course: Course, kata: Any) -> None:
    assert course.submitted(UNIT)["Petra-Py"] == {"01_share.py": RIGHT.format(id="share")}
    assert "Petra Py handed in Python files and no notebook: 01_share.py." in collected
    assert "its timestamp.txt will tell when it was collected" in collected
    (told,) = [line for line in collected.splitlines() if line.strip().startswith("kata hand-in ")]
    done = kata(*shlex.split(told)[1:], cwd=course.root)
    assert done.returncode == 0, done.stderr
    assert f"{UNIT}.ipynb" in course.submitted(UNIT)["Petra-Py"]


@pytest.mark.parametrize(
    "sentence",
    [
        f"Old New: CS 101-Parts-42/{UNIT}.ipynb does not count.",
        f"Anna Berg: CS 101-Parts-42/{UNIT}.ipynb does not count.",
        "Two Books: CS 101-Parts-42/scratch.ipynb does not count.",
        "Two Books: CS 101-Parts-42/share.py does not count.",
        "Same Time: nothing tells which of",
        "Max Muster is the name of several people; this one is Max-Muster-1005 here.",
        "Only Text handed in no notebook and no Python file.",
        "Tar Ball handed in no notebook and no Python file.",
        "work.tar.gz is packed in a way that is not read here",
        "more.zip is a zip inside of a learner's zip and was left out.",
        "somebody.ipynb has no participant's name and number in it.",
        f"Linked_1031_{FILE}a.ipynb is a link; hand in the file itself.",
    ],
)
def test_what_does_not_count_is_named(sentence: str, collected: str) -> None:
    assert sentence in collected


def test_nothing_is_taken_out_of_the_archive(collected: str, course: Course) -> None:
    assert len(list(course.archive(UNIT).iterdir())) == 4


def test_times_of_handing_in_are_not_made_up(collected: str, course: Course) -> None:
    timed = {id for id, files in course.submitted(UNIT).items() if "timestamp.txt" in files}
    assert timed <= {"Petra-Py"}  # whom `kata hand-in` gives one


# --- the grading worksheet, and the times of the zip ------------------------------------------------------------


@pytest.fixture(scope="module")
def by_worksheet(course: Course) -> dict[str, dict[str, str]]:
    """What was collected with a worksheet beside the zip."""
    archive = course.archive(NEXT)
    (archive / "Grades-CS 101.csv").write_text(
        "\ufeffIdentifier,Full name,Email address,Status\r\n"
        'Participant 2005,Max Muster,max.one@example.org,"Submitted, late"\r\n'
        "Participant 2006,Max Muster,max.two@example.org,Submitted\r\n"
        "Participant 2007,Nobody Came,nobody@example.org,No submission\r\n",
        "utf-8",
    )
    (archive / "download.zip").write_bytes(
        packed(
            [
                (f"Max Muster_2005_{FILE}/{NEXT}.ipynb", book("max 1"), JANUARY),
                (f"Max Muster_2006_{FILE}/{NEXT}.ipynb", book("max 2"), (1980, 1, 1, 0, 0, 0)),
                (f"Max Muster_2005_{FILE}/later.zip", packed([(f"{NEXT}.ipynb", book("zipped"), FEBRUARY)]), MARCH),
            ]
        )
    )
    course.collect(NEXT, "--MoodleCollector.zip_times=True", TZ="Europe/Berlin")
    return course.submitted(NEXT)


def test_worksheet_tells_who_is_who(by_worksheet: dict[str, dict[str, str]]) -> None:
    assert sorted(by_worksheet) == ["max.one@example.org", "max.two@example.org"]
    assert by_worksheet["max.two@example.org"][f"{NEXT}.ipynb"] == book("max 2")


def test_time_of_the_zip_is_written_in_utc(by_worksheet: dict[str, dict[str, str]]) -> None:
    """And it is the time of the zip that Moodle wrote, not what a learner's own zip says."""
    collected = by_worksheet["max.one@example.org"]
    assert collected == {f"{NEXT}.ipynb": book("zipped"), "timestamp.txt": "2024-03-10 11:00:00"}


def test_collecting_again_needs_force(by_worksheet: dict[str, dict[str, str]], course: Course) -> None:
    assert "use the --force option" in course.collect(NEXT, status=1)
    course.collect(NEXT, "--force")
    assert sorted(course.submitted(NEXT)["max.one@example.org"]) == [f"{NEXT}.ipynb"]


@pytest.fixture(scope="module")
def by_times(course: Course) -> str:
    """The log of collecting with a worksheet that tells times and addresses, as Moodle writes it in English."""
    from nbgrader.api import Gradebook

    archive = course.archive(TIMED)
    header = "Identifier,Full name,Username,Email address,Status,Grade,Last modified (submission),Feedback comments"
    (archive / "Grades.csv").write_text(
        f"\ufeff{header}\r\n"
        'Participant 3001,Ada Winter,ada,ada@example.org,Submitted,,"Sunday, 1 March 2026, 12:14 PM",\r\n'
        'Participant 3002,Bo Summer,bo,bo@example.org,Submitted,,"Saturday, 1 August 2026, 9:05 AM",\r\n'
        'Participant 3003,Cyd Fremd,cyd,cyd@example.org,Submitted,,"no time at all",\r\n'
        "Participant 3004,Nobody Came,nobody,nobody@example.org,No submission,,-,\r\n",
        "utf-8",
    )
    names = {"3001": "Ada Winter", "3002": "Bo Summer", "3003": "Cyd Fremd"}
    released = json.dumps(course.folder.released(TIMED))
    (archive / "download.zip").write_bytes(
        packed([(f"{name}_{number}_{FILE}/{TIMED}.ipynb", released) for number, name in names.items()])
    )
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        book.update_or_create_student("bo", email="bo@home.example.org", first_name="Bo")
    return course.collect(TIMED, "--MoodleCollector.time_zone=Europe/Berlin", TZ="America/New_York")


def test_times_of_the_worksheet_become_those_of_the_hand_ins(by_times: str, course: Course) -> None:
    submitted = course.submitted(TIMED)
    assert {id: files.get("timestamp.txt") for id, files in submitted.items()} == {
        "ada": "2026-03-01 11:14:00",
        "bo": "2026-08-01 07:05:00",
        "cyd": None,
    }


def test_time_that_cannot_be_read_is_named(by_times: str) -> None:
    assert "writes times in a way that is not read here, such as 'no time at all'" in by_times


def test_lateness_is_counted_from_the_worksheets_time(by_times: str, course: Course) -> None:
    from nbgrader.api import Gradebook

    course.folder.nbgrader("db", "assignment", "add", TIMED, "--duedate=2026-03-01 11:00:00 UTC")
    course.folder.nbgrader("autograde", TIMED)
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        assert book.find_submission(TIMED, "ada").total_seconds_late == 14 * 60


def test_addresses_of_the_worksheet_reach_the_gradebook_where_it_has_none(by_times: str, course: Course) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        found = {student.id: student.email for student in book.students}
    assert {id: found[id] for id in ("ada", "bo", "cyd")} == {
        "ada": "ada@example.org",
        "bo": "bo@home.example.org",
        "cyd": "cyd@example.org",
    }
    assert "nobody" not in found


def test_unknown_time_zone_is_one_sentence(by_times: str, course: Course) -> None:
    said = course.collect(TIMED, "--force", "--MoodleCollector.time_zone=Nowhere/Atall", status=1)
    assert "This machine knows no time zone 'Nowhere/Atall'" in said and "Traceback" not in said


# --- hostile ------------------------------------------------------------------------------------------------------


def with_link(name: str, target: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        link = zipfile.ZipInfo(name)
        link.external_attr = 0o120777 << 16
        file.writestr(link, target)
    return content.getvalue()


def overlapping(name: str) -> bytes:
    """Two members that share their packed bytes."""
    content = bytearray(packed([(name, "0" * 1000), (name + "2", "0" * 1000)]))
    second = content.rindex(b"PK\x01\x02")
    content[second + 42 : second + 46] = struct.pack("<I", 0)
    return bytes(content)


def damaged(name: str) -> bytes:
    """A zip whose only member's content is not what its checksum says."""
    content = bytearray(packed([(name, book("damaged"))]))
    content[40 + len(name)] ^= 0xFF
    return bytes(content)


@pytest.fixture(scope="module")
def survived(course: Course) -> str:
    bomb = b"0" * 40_000_000
    archive = course.archive(BAD)
    (archive / "class.zip").write_bytes(
        packed(
            [
                (f"Good One_1_{FILE}/{BAD}.ipynb", book("good")),
                (f"../../../../Way Out_2_{FILE}/{BAD}.ipynb", book("out")),
                (f"/tmp/Way Out_2_{FILE}/{BAD}.ipynb", book("out")),
                (f"Way Out_2_{FILE}\\..\\..\\{BAD}.ipynb", book("out")),
                (f"Bomb_3_{FILE}/{BAD}.ipynb", bomb),
                (f"Zipped Bomb_4_{FILE}/a.zip", packed([(f"{BAD}.ipynb", bomb)])),
                (f"Crowd_5_{FILE}/a.zip", packed([(f"{count}.py", "1") for count in range(900)])),
                (f"Host_6_{FILE}/timestamp.txt", "1999-01-01 00:00:00"),
                (f"Host_6_{FILE}/{BAD}.ipynb", book("host")),
                (f"Host_6_{FILE}/gradebook.db", "mine"),
                (f"Linked_7_{FILE}/a.zip", with_link(f"{BAD}.ipynb", "/etc/passwd")),
                (f"Broken_8_{FILE}/a.zip", damaged(f"{BAD}.ipynb")),
                (f"No Zip_9_{FILE}/a.zip", b"PK but no zip"),
                (f"Long_10_{FILE}/{'ä' * 120}.ipynb", book("long")),
                (f"Shares_11_{FILE}/a.zip", overlapping("a.ipynb")),
                (f"Esc\x1b[31m_12_{FILE}/{BAD}.ipynb", book("escape")),
                (f"Both_13_{FILE}/a.ipynb", book("both")),
                (f"Both_13_{FILE}/a.ipynb/b.ipynb", book("both")),
                (f"Last One_99_{FILE}/{BAD}.ipynb", book("last")),
            ]
        )
    )
    (archive / "damaged.zip").write_bytes(b"PK\x03\x04 and no more")
    (archive / "shared.zip").write_bytes(overlapping(f"Good Two_20_{FILE}/{BAD}.ipynb"))
    (archive / "linked.zip").write_bytes(with_link(f"Good One_1_{FILE}/{BAD}.ipynb", "/etc/passwd"))
    return course.collect(BAD)


def test_what_is_good_is_collected_whatever_lies_beside_it(survived: str, course: Course) -> None:
    submitted = course.submitted(BAD)
    assert {id: files[f"{BAD}.ipynb"] for id, files in submitted.items() if id != "Crowd"} == {
        "Good-One": book("good"),
        "Host": book("host"),
        "Long": book("long"),
        "Esc-31m": book("escape"),
        "Both": book("both"),
        "Last-One": book("last"),
    }


def test_only_notebooks_and_sources_come_in(survived: str, course: Course) -> None:
    names = {name for id, files in course.submitted(BAD).items() if id != "Crowd" for name in files}
    assert names == {f"{BAD}.ipynb"}


def test_a_crowd_of_files_is_cut(survived: str, course: Course) -> None:
    assert len(course.submitted(BAD)["Crowd"]) == 200
    assert "Crowd: 695 more files were left out and are not named one by one." in survived


def test_nothing_is_written_outside(survived: str, course: Course) -> None:
    assert not list(course.root.parent.glob("**/*Way Out*")) and not Path(f"/tmp/Way Out_2_{FILE}").exists()
    files = [path for path in (course.root / "downloaded" / BAD / "extracted").rglob("*") if path.is_file()]
    assert files and not any(path.is_symlink() for path in files)
    assert sum(path.stat().st_size for path in files) < 1_000_000


@pytest.mark.parametrize(
    "sentence",
    [
        "class.zip holds a name that leads outside",
        "class.zip holds an absolute name",
        "class.zip holds a name with a backslash",
        "is a zip bomb",
        "linked.zip holds a link",
        "is damaged inside the zip",
        "is damaged or not a zip",
        "Nothing of this zip was collected: damaged.zip is damaged or not a zip",
        "Nothing of this zip was collected: shared.zip holds files that overlap",
        "Bomb handed in no notebook and no Python file.",
        "Zipped Bomb handed in no notebook and no Python file.",
    ],
)
def test_what_was_refused_is_named(sentence: str, survived: str) -> None:
    assert sentence in survived
    assert "Traceback" not in survived and "\x1b[31m_" not in survived
