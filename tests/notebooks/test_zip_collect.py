"""The real `nbgrader zip_collect` on downloads as Moodle and Canvas pack them, honest and hostile."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from grader.notebooks.course_folder import NAMES_IN_DOWNLOADS

from .conftest import RIGHT, UNIT, Edit, Folder

pytestmark = pytest.mark.timeout(600)

BAD, LATER = "02_bad", "10_later"
FILE, TEXT = "assignsubmission_file_", "assignsubmission_onlinetext_"

Member = tuple[str, "str | bytes"]


@pytest.mark.parametrize(
    ("path", "learner", "notebook"),
    [
        # Moodle since 4.1, in folders and flat
        (f"Anna Berg_9000_assignsubmission_file/{UNIT}.ipynb", "Anna Berg", UNIT),
        (f"Group A-Anna Berg_9000_assignsubmission_file/sub/{UNIT}.ipynb", "Group A-Anna Berg", UNIT),
        (f"CS 101-Parts-42/Anna Berg_9000_assignsubmission_file_{UNIT}.ipynb", "Anna Berg", UNIT),
        ("Anna Berg_9000_assignsubmission_file/week1.ipynb", "Anna Berg", "week1"),
        (f"Eve_7_assignsubmission_file/Anna Berg_9000_assignsubmission_file/{UNIT}.ipynb", "Eve", UNIT),
        # Moodle until 4.0
        (f"Anna Berg_1001_{FILE}/{UNIT}.ipynb", "Anna Berg", UNIT),
        (f"CS 101-Parts-42/Anna Berg_1001_{FILE}/sub/{UNIT}.ipynb", "Anna Berg", UNIT),
        (f"flat/Anna Berg_1001_{FILE}{UNIT} (1).ipynb", "Anna Berg", UNIT),
        (f"O'Brien, Jr._7_{FILE}/{UNIT}-2.ipynb", "O'Brien, Jr.", UNIT),
        (f"Anna Berg_1001_{FILE}/my homework.ipynb", None, None),
        (f"Anna Berg/{UNIT}.ipynb", None, None),
        (f"{UNIT}.ipynb", None, None),
        # Canvas
        (f"submissions/foxzoe_103_5003_{UNIT}.ipynb", "foxzoe_103", UNIT),
        (f"submissions/foxzoe_103_5003_{UNIT}-1.ipynb", "foxzoe_103", UNIT),
        (f"foxzoe_103_5003_{LATER}.ipynb", "foxzoe_103", LATER),
        (f"submissions/foxzoe_103_5003_work/inner/{UNIT}.ipynb", "foxzoe_103", UNIT),
        ("submissions/foxzoe_103_5003_week1-1.ipynb", "foxzoe_103", "week1"),
        ("submissions/foxzoe_103_5003_my answers.ipynb", None, None),
        # what a learner chooses decides nothing: Eve is 102 in Canvas and 7 in Moodle
        (f"Eve_7_{FILE}/Anna Berg_1001_{FILE}/{UNIT}.ipynb", "Eve", UNIT),
        (f"Eve_7_{FILE}/extracted/Anna Berg_1001_{FILE}/{UNIT}.ipynb", "Eve", UNIT),
        (f"Eve_7_{TEXT}/extracted/Anna Berg_1001_{FILE}/{UNIT}.ipynb", "Eve", UNIT),
        (f"Eve_7_{FILE}/downloaded/x/extracted/foxzoe_103_5003_{UNIT}.ipynb", "Eve", f"foxzoe_103_5003_{UNIT}"),
        (f"Eve_7_{FILE}Anna Berg_1001_{FILE}{UNIT}.ipynb", None, None),
        (f"E*ve_7_{FILE}/extracted/Anna Berg_1001_{FILE}/{UNIT}.ipynb", None, None),
        (f"E*ve_7_{FILE}/Anna Berg_1001_{FILE}/{UNIT}.ipynb", None, None),
        (f".._7_{FILE}/{UNIT}.ipynb", None, None),
        (f"<b>Eve_7_{FILE}/{UNIT}.ipynb", None, None),
        (f"foxzoe_103_102_5002_{UNIT}.ipynb", "foxzoe_103_102", UNIT),
        (f"eve_102_5002_103_{UNIT}.ipynb", "eve_102_5002", UNIT),
        ("eve_102_5002_103_5003_week1.ipynb", "eve_102_5002_103", "week1"),
        (f"eve_102_5002_foxzoe_103_5003_{UNIT}.ipynb", "eve_102_5002_foxzoe_103", UNIT),
        (f"eve_102_5002_work/foxzoe_103_5003_{UNIT}/{UNIT}.ipynb", "eve_102", UNIT),
    ],
)
def test_only_what_the_platform_wrote_says_whose_it_is(path: str, learner: str | None, notebook: str | None) -> None:
    found = re.match(NAMES_IN_DOWNLOADS, f"/home/extracted/course/downloaded/{UNIT}/extracted/{path}")
    assert (found and found["student_id"]) == learner
    assert (found and found["file_id"]) == notebook


def book(note: str) -> str:
    """A notebook that can be told from the others."""
    cell = {"cell_type": "markdown", "id": "note", "metadata": {}, "source": note}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def packed(members: Iterable[Member]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members:
            file.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


class Collecting:
    """A course folder whose downloads are collected."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.root: Path = folder.root

    def archive(self, unit: str) -> Path:
        path = self.root / "downloaded" / unit / "archive"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def collect(self, unit: str, *options: str, status: int = 0) -> str:
        return self.folder.nbgrader("zip_collect", unit, *options, status=status).stderr

    def submitted(self, unit: str) -> dict[str, str]:
        """Each learner's notebook; there is nothing beside it."""
        places = sorted((self.root / "submitted").glob(f"*/{unit}"))
        assert {path.name for place in places for path in place.iterdir()} <= {f"{unit}.ipynb"}
        return {place.parent.name: (place / f"{unit}.ipynb").read_text("utf-8") for place in places}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, released_at: Callable[..., Folder]) -> Collecting:
    units = (f"{UNIT}/01_share", f"{BAD}/01_last", f"{LATER}/01_late")
    return Collecting(released_at(tmp_path_factory.mktemp("collect"), exercises=units))


# --- an ordinary class ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def collected(course: Collecting) -> str:
    """The log of collecting a class that hands in in every way."""
    right = json.dumps(Edit.filled(course.folder.released(UNIT), {"share": RIGHT.format(id="share")}))
    own = packed([(f"work/{UNIT}.ipynb", book("zoe")), ("work/photo.jpg", b"jpg"), ("more.zip", packed([("a", "x")]))])
    same = (f"Same Twice_1010_{FILE}/{UNIT}.ipynb", book("same"))
    archive = course.archive(UNIT)
    (archive / "CS 101-Parts-42.zip").write_bytes(
        packed(
            [
                (f"A\u030ase Ñandú_1002_{FILE}/{UNIT}.IPYNB", right),
                (f"Max Muster_1005_{FILE}/{UNIT}.ipynb", book("max 1")),
                (f"max muster_1006_{FILE}/{UNIT}.ipynb", book("max 2")),
                (f"Petra Py_1007_{FILE}/01_share.py", RIGHT.format(id="share")),
                ("Zoe Zip_1008_assignsubmission_file/work.zip", own),
                (f"Two Books_1009_{FILE}/a/{UNIT}.ipynb", book("one")),
                (f"Two Books_1009_{FILE}/b/{UNIT}.ipynb", book("other")),
                same,
                (f"Only Text_1011_{TEXT}/onlinetext.html", "<p>Here it is</p>"),
                (f"Own Name_1012_{FILE}/scratch.ipynb", book("scratch")),
                (f"Another Unit_1013_{FILE}/{LATER}.ipynb", book("later")),
            ]
        )
    )
    (archive / "again.zip").write_bytes(packed([same]))
    (archive / "submissions.zip").write_bytes(
        packed(
            [
                (f"foxzoe_103_5003_{UNIT}-1.ipynb", book("fox")),
                (f"lovelaceada_LATE_101_5001_{UNIT}.ipynb", book("late")),
                ("somebody.ipynb", book("whose?")),
            ]
        )
    )
    (archive / f"Loose One_1030_{FILE}{UNIT}.ipynb").write_text(book("loose"))
    (archive / f"Linked_1031_{FILE}{UNIT}.ipynb").symlink_to(course.root / "source" / UNIT / f"{UNIT}.ipynb")
    return course.collect(UNIT)


@pytest.mark.thorough
def test_notebooks_of_both_platforms_are_collected(collected: str, course: Collecting) -> None:
    submitted = course.submitted(UNIT)
    assert submitted.pop("\u00c5se Ñandú")
    assert submitted == {
        "Zoe Zip": book("zoe"),
        "Same Twice": book("same"),
        "foxzoe_103": book("fox"),
        "lovelaceada_101": book("late"),
        "Loose One": book("loose"),
    }


@pytest.mark.thorough
def test_two_notebooks_for_one_place_are_nobodys_and_the_others_go_on(collected: str, course: Collecting) -> None:
    assert not {"Max Muster", "max muster", "Two Books"} & course.submitted(UNIT).keys()
    assert re.search(f"max muster_1006_{FILE}.* and .*Max Muster_1005_{FILE}.* differ, so neither", collected)
    assert re.search(r"/b/01_parts.ipynb and .*/a/01_parts.ipynb are both Two Books/01_parts.ipynb", collected)


@pytest.mark.thorough
def test_collected_notebook_is_graded(collected: str, course: Collecting) -> None:
    course.folder.autograde(student="\u00c5se Ñandú")
    assert course.folder.scores("\u00c5se Ñandú", UNIT)["test-share"] == 4


@pytest.mark.thorough
@pytest.mark.parametrize(
    "sentence",
    [
        f"Petra Py_1007_{FILE}/01_share.py is no notebook.",
        f"Only Text_1011_{TEXT}/onlinetext.html is no notebook.",
        "Skipped notebook with invalid name 'scratch.ipynb'",
        "submissions/somebody.ipynb has no learner and unit in its name",
        "more.zip is no notebook.",
        f"Skipped notebook with invalid name '{LATER}.ipynb'",
        f"Left out: Linked_1031_{FILE}{UNIT}.ipynb is a link; hand in the file itself.",
    ],
)
def test_what_is_not_collected_is_named(sentence: str, collected: str) -> None:
    assert sentence in collected


@pytest.mark.thorough
def test_link_in_the_place_of_a_submission_is_not_written_through(collected: str, course: Collecting) -> None:
    source = course.root / "source" / UNIT / f"{UNIT}.ipynb"
    before = source.read_bytes()
    place = course.folder.handed_in("foxzoe_103", UNIT)
    place.unlink()
    place.symlink_to(source)
    assert "use the --force option" in course.collect(UNIT, status=1)
    course.collect(UNIT, "--force")
    assert source.read_bytes() == before and not place.is_symlink()
    assert place.read_text("utf-8") == book("fox")


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
def survived(course: Collecting) -> str:
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
                (f"Long_10_{FILE}/{'ä' * 120}/{BAD}.ipynb", book("long")),
                (f"Shares_11_{FILE}/a.zip", overlapping(f"{BAD}.ipynb")),
                (f"Esc\x1b[31m_12_{FILE}/{BAD}.ipynb", book("escape")),
                (f"Both_13_{FILE}/{BAD}.ipynb", book("both")),
                (f"Both_13_{FILE}/{BAD}.ipynb/{BAD} (1).ipynb", book("both")),
                (f"Large_14_{FILE}/{BAD}.ipynb", "\n".join(map(str, range(1_500_000)))),
                (f"Last One_99_{FILE}/{BAD}.ipynb", book("last")),
            ]
        )
    )
    (archive / "damaged.zip").write_bytes(b"PK\x03\x04 and no more")
    (archive / "shared.zip").write_bytes(overlapping(f"Good Two_20_{FILE}/{BAD}.ipynb"))
    (archive / "linked.zip").write_bytes(with_link(f"Good One_1_{FILE}/{BAD}.ipynb", "/etc/passwd"))
    return course.collect(BAD)


@pytest.mark.thorough
def test_what_is_good_is_collected_whatever_lies_beside_it(survived: str, course: Collecting) -> None:
    assert course.submitted(BAD) == {
        "Good One": book("good"),
        "Host": book("host"),
        "Long": book("long"),
        "Both": book("both"),
        "Last One": book("last"),
    }


@pytest.mark.thorough
def test_nothing_is_written_outside(survived: str, course: Collecting) -> None:
    assert not list(course.root.parent.glob("**/*Way Out*")) and not Path(f"/tmp/Way Out_2_{FILE}").exists()
    files = [path for path in (course.root / "downloaded" / BAD / "extracted").rglob("*") if path.is_file()]
    assert files and not any(path.is_symlink() for path in files)
    assert sum(path.stat().st_size for path in files) < 1_000_000


@pytest.mark.thorough
@pytest.mark.parametrize(
    "sentence",
    [
        "holds a name that leads outside (../../../../Way Out",
        "holds an absolute name (/tmp/Way Out",
        "holds a name with a backslash (Way Out",
        "is a zip bomb",
        "holds a link (Good One_1",
        "is damaged inside the zip",
        "damaged.zip (damaged.zip is damaged or not a zip",
        "shared.zip (shared.zip holds files that overlap",
        "895 more files were left out.",
        "is empty, larger than 8 MB, or beyond a learner's 64 MB",
        f"[31m_12_{FILE}/{BAD}.ipynb has no learner and unit in its name",
    ],
)
def test_what_was_refused_is_named(sentence: str, survived: str) -> None:
    assert sentence in survived
    assert "Traceback" not in survived and "\x1b[31m_" not in survived
