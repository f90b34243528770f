"""One zip of a whole class with odd members. Sound ones, and what is none: tests/transcripts/class-zips.txt."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.class_list import Identification, class_in
from grader.course import Course
from grader.files import zip_of
from grader.intake import Submission
from grader.intake.walk import OutOfReach

RIGHT = b"def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"


def zipped(files: dict[str, bytes]) -> bytes:
    return zip_of(files.items())


Read = Callable[[bytes], tuple[dict[str, Submission], dict[str, str]]]


@pytest.fixture
def read(course: Course, tmp_path: Path) -> Read:
    """Reads a class zip: what each learner has handed in, and why what else is there does not count."""

    def read_class(content: bytes) -> tuple[dict[str, Submission], dict[str, str]]:
        (tmp_path / "class.zip").write_bytes(content)
        works: dict[str, Submission] = {}
        with class_in(tmp_path / "class.zip", course, Identification()) as found:
            left = {each.entry: each.why for each in found.unmatched}
            for each in found.submissions:
                try:
                    works[each.learners[0]] = work = each.read(course)
                    left |= {problem.file: problem.message for problem in work.problems}
                except OutOfReach as error:
                    left[each.entry] = str(error)
        assert [each.name for each in tmp_path.iterdir()] == ["class.zip"], "nothing is unpacked"
        return works, left

    return read_class


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def packed_by(method: int, name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    return info


ODD: dict[str, tuple[Any, str]] = {
    "packed without a bound": (packed_by(zipfile.ZIP_LZMA, "eve.py"), "packed in an unusual way"),
    "leads outside": ("../outside.py", "leads outside"),
    "absolute": ("/absolute.py", "leads outside"),
    "backslashes": ("eve\\..\\x.py", "a backslash"),
    "link": (link("eve.py"), "a link"),
    "below a file": ("ada.zip/inside.py", "no file can have"),
    "name too long": ("x" * 600 + ".py", "no file can have"),
    "file's name too long": ("eve/" + "x" * 300 + ".py", "not a file of this course"),
    "deeper than Python recurses": ("eve/" + "a/" * 1400 + "x.py", "folders deep"),
    "twice": ("bo.py", "two files named bo.py"),
}


@pytest.mark.parametrize(("odd", "told"), ODD.values(), ids=ODD)
def test_odd_member_is_named_and_costs_nobody_else_anything(odd: Any, told: str, read: Read) -> None:
    content = io.BytesIO(zipped({"ada.zip": zipped({"share.py": RIGHT})}))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(odd, RIGHT)
        if odd == "bo.py":
            with pytest.warns(UserWarning):
                archive.writestr(odd, b"x = 1\n")
        archive.writestr("zoe/share.py", RIGHT)
    found, left = read(content.getvalue())
    assert [name for name, each in found.items() if each.sources] == ["ada", "zoe"]
    assert left and all(told in why for why in left.values())


def test_damaged_member_is_named_and_costs_nobody_else_anything(read: Read) -> None:
    outer = bytearray(zipped({"ada.zip": zipped({"share.py": RIGHT}), "bo.py": RIGHT}))
    place = outer.index(b"ada.zip") + len("ada.zip") + 4
    outer[place : place + 8] = b"\xff" * 8
    found, left = read(bytes(outer))
    assert found["bo"].sources and "ada" not in found
    assert "is damaged inside the zip" in left["ada.zip"]


@pytest.mark.thorough
def test_bomb_in_the_outer_layer_stops_growing(read: Read) -> None:
    found, left = read(zipped({"ada.py": b" " * 300_000_000, "bo.py": RIGHT}))
    assert found["bo"].sources and not found["ada"].sources
    assert "zip bomb" in left["ada.py"]


def test_ids_are_distinct_text_whatever_the_files_are_called(course: Course, tmp_path: Path) -> None:
    names = ("x.py", "x.py.py", "y\udcff.py", "y\udcfe.py", "x2 (2)", "\u200b")
    for name in names:
        (tmp_path / "class" / name).mkdir(parents=True)
    with class_in(tmp_path / "class", course, Identification()) as found:
        ids = [id for each in found.submissions for id in each.learners]
    assert len(set(ids)) == len(names) and all(id.encode("utf-8") for id in ids)
