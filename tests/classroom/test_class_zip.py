"""One zip of a whole class, as learning management systems hand them out."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.download import laid_out, listing_of, read_download
from grader.classroom.entries import Entry, entries, read_entry
from grader.classroom.members import members
from grader.course import Course
from grader.intake import Submission, SubmissionError

RIGHT = b"def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": None,
             "source": "# 01_share.py\n" + RIGHT.decode()}
        ],
    }
).encode()  # fmt: skip


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


Read = Callable[[bytes], tuple[dict[str, Submission], tuple[str, ...]]]


@pytest.fixture
def read(course: Course, tmp_path: Path) -> Read:
    """Lays a class zip out; what each entry holds, by its name, and the remarks."""

    def read_class(content: bytes) -> tuple[dict[str, Submission], tuple[str, ...]]:
        (tmp_path / "class.zip").write_bytes(content)
        with laid_out(tmp_path / "class.zip", tmp_path / "room") as contents:
            found = read_download(*listing_of(contents, course), {}).entries
            return {entry.name: read_entry(entry, course) for entry in found}, contents.remarks

    return read_class


KINDS = {
    "ada.zip": zipped({"share.py": RIGHT}),
    "bo/01_share.py": RIGHT,
    "cleo.ipynb": NOTEBOOK,
    "dan.py": RIGHT,
    "eve/work.zip": zipped({"unit/01_share.py": RIGHT}),
}


def test_zip_of_zips_folders_notebooks_and_files_is_one_entry_a_learner(read: Read) -> None:
    found, remarks = read(zipped(KINDS))
    assert list(found) == ["ada", "bo", "cleo", "dan", "eve"]
    assert all(b"amounts.sum" in each.sources["share"].content for each in found.values())
    assert remarks == () and not any(each.problems for each in found.values())


@pytest.mark.parametrize("top", ["submissions/", "Week 3/"], ids=["one word", "two words"])
def test_folder_around_them_all_is_no_learner(top: str, read: Read) -> None:
    found, _ = read(zipped({top + name: content for name, content in KINDS.items()}))
    assert list(found) == ["ada", "bo", "cleo", "dan", "eve"]


def test_class_of_one_learner_is_not_taken_for_a_folder_around_them_all(read: Read) -> None:
    found, _ = read(zipped({"ada/01_parts/01_share.py": RIGHT}))
    assert list(found) == ["ada"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Zoe Fox_12_assignsubmission_file_", "Zoe Fox_12"),
        ("12345-67890 - Zoe Fox - Nov 20, 2026 416 PM", "Zoe Fox (12345-67890)"),
    ],
)
def test_platforms_folder_of_the_only_one_who_has_handed_in_is_that_learners(
    folder: str, name: str, read: Read
) -> None:
    found, _ = read(zipped({f"{folder}/work.zip": zipped({"01_share.py": RIGHT})}))
    assert list(found) == [name] and "share" in found[name].sources


@pytest.mark.parametrize(
    ("files", "learners"),
    [
        pytest.param(
            {
                "Ada Lovelace_1234567_assignsubmission_file_/share.py": RIGHT,
                "Zoë O'Neil, Jr._1234568_assignsubmission_file_/all.zip": zipped({"share.py": RIGHT}),
            },
            {"Ada Lovelace", "Zoë O'Neil, Jr."},
            id="Moodle, folders",
        ),
        pytest.param(
            {
                "Ada Lovelace_1234567_assignsubmission_file_01_share.py": RIGHT,
                "Ada Lovelace_1234567_assignsubmission_file_notes.ipynb": zipped({}),
                "Bo Li_1234568_assignsubmission_file_work.ipynb": NOTEBOOK,
            },
            {"Ada Lovelace", "Bo Li"},
            id="Moodle, files",
        ),
        pytest.param(
            {
                "lovelaceada_101_2001_01_share.py": RIGHT,
                "libo_LATE_102_2002_share-1.py": RIGHT,
                "oneilzoe_103_2003_work.zip": zipped({"share.py": RIGHT}),
            },
            {"lovelaceada", "libo", "oneilzoe"},
            id="Canvas",
        ),
        pytest.param(
            {
                "Week%203_ada42_attempt_2026-11-20-10-15-00_share.py": RIGHT,
                "Week%203_ada42_attempt_2026-11-20-10-15-00.txt": b"Name: Ada",
            },
            {"ada42"},
            id="Blackboard",
        ),
        pytest.param(
            {"12345-67890 - Ada Lovelace - Nov 20, 2026 416 PM/share.py": RIGHT, "index.html": b"<p>"},
            {"Ada Lovelace"},
            id="Brightspace",
        ),
    ],
)
def test_names_that_systems_give_tell_the_learner_and_gather_their_files(
    files: dict[str, bytes], learners: set[str], course: Course, tmp_path: Path
) -> None:
    (tmp_path / "class.zip").write_bytes(zipped(files))
    with laid_out(tmp_path / "class.zip", tmp_path / "room") as contents:
        everyone = members(read_download(*listing_of(contents, course), {}).entries)
        assert {member.learner.shown for member in everyone.all} == learners
        for entry in everyone.entries:
            assert b"amounts.sum" in read_entry(entry, course).sources["share"].content


def test_several_files_of_one_learner_are_one_submission_with_every_problem(read: Read) -> None:
    found, _ = read(
        zipped({"adal_101_1_01_share.py": RIGHT, "adal_101_2_share-2.py": RIGHT + b"#", "libo_102_3_share.py": RIGHT})
    )
    assert list(found) == ["adal_101", "libo_102"]
    assert [problem.kind for problem in found["adal_101"].problems] == ["duplicate"]


def link(name: str, to: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def packed_by(method: int, name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    return info


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        pytest.param(packed_by(zipfile.ZIP_LZMA, "eve.py"), "packed in an unusual way", id="packed without a bound"),
        pytest.param("../outside.py", "was left out", id="leads outside"),
        pytest.param("/absolute.py", "was left out", id="absolute"),
        pytest.param("eve\\..\\x.py", "was left out", id="backslashes"),
        pytest.param(link("eve.py", "/etc/passwd"), "was left out", id="link"),
        pytest.param("ada.zip/inside.py", "was left out", id="below a file"),
        pytest.param("eve/" + "x" * 300 + ".py", "was left out", id="name too long"),
    ],
)
def test_odd_member_is_named_and_costs_nobody_else_anything(odd: Any, told: str, read: Read, tmp_path: Path) -> None:
    content = io.BytesIO(zipped({"ada.zip": zipped({"share.py": RIGHT})}))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(odd, RIGHT)
        archive.writestr("zoe/share.py", RIGHT)
    found, remarks = read(content.getvalue())
    assert [name for name, each in found.items() if each.sources] == ["ada", "zoe"]
    assert len(remarks) == 1 and told in remarks[0]
    assert not (tmp_path / "outside.py").exists() and not (tmp_path / "room").exists()


def test_damaged_member_leaves_its_learner_a_record_that_says_so(read: Read) -> None:
    inner = zipped({"share.py": RIGHT})
    outer = bytearray(zipped({"ada.zip": inner, "bo.py": RIGHT}))
    place = outer.index(b"ada.zip") + len("ada.zip") + 4
    outer[place : place + 8] = b"\xff" * 8
    found, remarks = read(bytes(outer))
    assert found["bo"].sources and not found["ada"].sources
    assert [problem.kind for problem in found["ada"].problems] == ["unreadable"]
    assert remarks == ("ada.zip is damaged or a zip bomb.",)


@pytest.mark.thorough
def test_bomb_in_the_outer_layer_stops_growing(read: Read) -> None:
    found, remarks = read(zipped({"ada.py": b" " * 300_000_000, "bo.py": RIGHT}))
    assert found["bo"].sources and not found["ada"].sources
    assert "zip bomb" in remarks[0]


def test_zip_that_is_none_is_refused_in_a_sentence(read: Read) -> None:
    with pytest.raises(SubmissionError, match=r"class\.zip is damaged or not a zip"):
        read(b"no zip")


def test_names_are_distinct_whatever_the_files_are_called() -> None:
    paths = [Path("a") / name for name in ("x.py", "x.py.py", "x.zip", "y\udcff.py", "y\udcfe.py", "x (2).py")]
    names = [entry.name for entry in entries(paths)]
    assert len(set(names)) == len(paths)
    assert all(name.encode("utf-8") for name in names)
    assert all(isinstance(entry, Entry) for entry in entries(paths))


@pytest.mark.thorough
def test_command_grades_a_class_zip_and_leaves_nothing_unpacked(
    course_root: Path, tmp_path: Path, kata: Callable[..., Any], names_in: Callable[[Path], list[str]]
) -> None:
    (tmp_path / "class.zip").write_bytes(zipped({f"week/{name}": content for name, content in KINDS.items()}))
    (tmp_path / "roster.csv").write_text("Name;ID;E-Mail\nAda;7;a@x\nNobody;9;n@x\nBo;8;b@x\n", "utf-8")
    terms = ["--course", course_root, "--isolation", "best", "--roster", "roster.csv", "--html"]
    done = kata("grade-class", "class.zip", "--out", "out", *terms, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert names_in(tmp_path / "out") == ["7", "8", "cleo", "dan", "eve"]
    assert "Not in the roster: cleo, dan, eve." in done.stderr and "Handed in nothing: Nobody." in done.stderr
    assert not (tmp_path / "out" / ".unpacked").exists()
    assert "Ada" in (tmp_path / "out" / "learner-7.html").read_text("utf-8")
