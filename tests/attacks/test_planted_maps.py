"""Maps of `kata play` that were handed in to end or to hold up the command: they are read like all that is handed in."""

from __future__ import annotations

import json
import struct
import subprocess
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.entries import Entry
from grader.classroom.played_maps import PlayedOf, keep_played, played_in
from grader.intake.reading_time import READING_SECONDS
from grader.played import MOST_BYTES
from grader.record import Record

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
MAPS = "attention/.kata/maps.json"
SIDE = 64
MB = 1024 * 1024
DEAR = b"[" + b"0," * (MOST_BYTES // 2 - 2) + b"0]"
"""No file of maps, and as long to read as any such text."""


def _map(side: int) -> dict[str, object]:
    letters = ["a"] * side
    return {"title": "Who looks at whom", "rows": letters, "columns": letters, "steps": [[1] * side] * side}


def _file(ids: list[str], side: int = 2) -> bytes:
    one = {"at": "2026-11-22T10:00:00Z", "was_right": True, "maps": [_map(side)] * 2}
    return json.dumps({"played": dict.fromkeys(ids, one)}, separators=(",", ":")).encode()


def _zip(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as packed:
        packed.writestr("01_share.py", RIGHT, zipfile.ZIP_DEFLATED)
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def _says_less(path: Path, said: int) -> Path:
    """The zip with another size of its last member in its list: what unpacks further is a bomb."""
    content = bytearray(path.read_bytes())
    place = content.rfind(b"PK\x01\x02")
    content[place + 24 : place + 28] = struct.pack("<I", said)
    path.write_bytes(content)
    return path


def _cut_short(path: Path) -> Path:
    """A member that goes on beyond the file's end."""
    _zip(path, {MAPS: _file(["share"])}, zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 18), (b"PK\x01\x02", 20)):
        place = content.rfind(mark)
        content[place + at : place + at + 8] = struct.pack("<II", MOST_BYTES, MOST_BYTES)
    path.write_bytes(content)
    return path


def _damaged(path: Path) -> Path:
    """A member that cannot be unpacked, of a kind of which Python raises an error of its own."""
    _zip(path, {MAPS: _file(["share"])}, zipfile.ZIP_LZMA)
    content = bytearray(path.read_bytes())
    content[content.rfind(b"PK\x01\x02") - 60] ^= 0xFF
    path.write_bytes(content)
    return path


HOSTILE: dict[str, Callable[[Path], Path]] = {
    "cut": _cut_short,
    "damaged": _damaged,
    "bomb": lambda path: _says_less(_zip(path, {MAPS: bytes(32 * MB)}, zipfile.ZIP_BZIP2), 1000),
    "many": lambda path: _zip(path, {f"{number}/{MAPS.partition('/')[2]}": DEAR for number in range(250)}),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    """A class with all of these, and an honest learner on either side, who have played."""
    root = tmp_path_factory.mktemp("maps")
    make_course(root / "tiny", "01_parts/01_share")
    (root / "class").mkdir()
    for name in ("amira", "zoe"):
        _zip(root / "class" / f"{name}.zip", {MAPS: _file(["share"])})
    for name, make in HOSTILE.items():
        make(root / "class" / f"{name}.zip")
    folder = root / "class" / "large"
    (folder / ".kata").mkdir(parents=True)
    (folder / "01_share.py").write_text(RIGHT)
    (folder / ".kata" / "maps.json").write_bytes(_file([f"id{number}" for number in range(50)] + ["share"], SIDE))
    return root


@pytest.fixture(scope="module")
def graded(place: Path, kata: Callable[..., subprocess.CompletedProcess[str]]) -> subprocess.CompletedProcess[str]:
    how = ("--course", place / "tiny", "--isolation", "best", "--seed", 5, "--jobs", 1, "--html")
    return kata("grade-class", place / "class", "--out", place / "out", *how, cwd=place)


def test_honest_learners_beside_them_have_points_pages_and_maps(
    graded: subprocess.CompletedProcess[str], place: Path
) -> None:
    assert graded.returncode == 0, graded.stderr
    lines = (place / "out" / "results.jsonl").read_text("utf-8").splitlines()
    points = {record.submission: record.points for record in map(Record.from_json, lines)}
    assert points["amira"] == points["zoe"] == 4
    played = PlayedOf(place / "out")
    for name in ("amira", "zoe"):
        assert list(played(name)) == ["share"]
        (page,) = (place / "out").glob(f"learner-*{name}.html")
        assert "Their own code at work" in page.read_text("utf-8")


@pytest.mark.parametrize("name", HOSTILE)
def test_an_archive_that_would_end_the_command_holds_no_maps(name: str, place: Path) -> None:
    began = time.process_time()
    assert played_in(Entry(name, place / "class" / f"{name}.zip")) == {}
    assert time.process_time() - began < READING_SECONDS / 2


def test_a_damaged_list_of_maps_shows_nothing(place: Path, tmp_path: Path) -> None:
    lines = [b"{", b"[" * 100_000, b'{"submission": "ada"}', b'{"submission": "bo", "file": "\\ud800"}', b"\xff"]
    (tmp_path / "played.jsonl").write_bytes(b"\n".join(lines))
    played = PlayedOf(tmp_path)
    assert played("ada") == played("bo") == {}
    keep_played(tmp_path, [Entry("zoe", place / "class" / "zoe.zip")])
    assert list(PlayedOf(tmp_path)("zoe")) == ["share"]
