"""A class whose names, files, errors and maps are hostile, from the command to the pages and tables."""

from __future__ import annotations

import csv
import json
import re
import struct
import subprocess
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.classroom.store import reading
from grader.classroom.submission_files import SubmissionFiles, played_in
from grader.intake.submission import READING_SECONDS
from grader.played import MOST_BYTES, from_bytes
from tests.cases import table

NAMES = table(__file__, "odd_names.yml")["learners"].values()
NO_TEXT = b"\xff\xfe".decode("utf-8", "surrogateescape")
RAISES = r"""
def share(amounts):
    raise ValueError("=1+1 <script>alert(1)</script> \x1b]8;;http://x\x1b\\ \x9b2J \u202e \u2028 \ud800 {{ 7 * 7 }} [red]")
"""
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]")
HONEST = ("amira", "zoe")

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


PACKED: dict[str, Callable[[Path], Path]] = {
    "cut": _cut_short,
    "damaged": _damaged,
    "bomb": lambda path: _says_less(_zip(path, {MAPS: bytes(32 * MB)}, zipfile.ZIP_BZIP2), 1000),
    "many": lambda path: _zip(path, {f"{number}/{MAPS.partition('/')[2]}": DEAR for number in range(250)}),
}


@dataclass(frozen=True)
class Graded:
    done: subprocess.CompletedProcess[str]
    out: Path

    def pages(self) -> list[str]:
        return [path.read_text("utf-8") for path in self.out.rglob("*.html")]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, make_course: Callable, kata: Callable) -> Graded:
    root = tmp_path_factory.mktemp("hostile")
    make_course(root / "tiny", "01_parts/01_share")
    for name in [*NAMES, NO_TEXT]:
        folder = root / "class" / name
        folder.mkdir(parents=True)
        (folder / "01_share.py").write_text(RAISES)
        (folder / "=1+1<b>\x1b[2J.py").write_text("")
    for name in HONEST:
        _zip(root / "class" / f"{name}.zip", {MAPS: _file(["share"])})
    for name, make in PACKED.items():
        make(root / "class" / f"{name}.zip")
    large = root / "class" / "large" / ".kata"
    large.mkdir(parents=True)
    (large / "maps.json").write_bytes(_file([*(f"id{number}" for number in range(50)), "share"], SIDE))
    (large.parent / "01_share.py").write_text(RIGHT)
    options = ["--course", root / "tiny", "--isolation", "best", "--seed", 5, "--html"]
    return Graded(kata("grade-class", root / "class", "--out", root / "out", *options, cwd=root), root / "out")


def test_everybody_is_graded_and_the_honest_lose_nothing(graded: Graded) -> None:
    assert graded.done.returncode == 0, graded.done.stderr
    records = [json.loads(line) for line in (graded.out / "results.jsonl").read_text("utf-8").splitlines()]
    points = {record["submission"]: record["points"] for record in records}
    assert [points[name] for name in (*HONEST, "large")] == [4, 4, 4]
    assert len(points) == len(NAMES) + 1 + len(HONEST) + len(PACKED) + 1
    assert all(points[name] == 0 for name in points if name not in (*HONEST, *PACKED, "large"))


def test_honest_learners_have_their_pages_and_maps(graded: Graded) -> None:
    for name in HONEST:
        with reading(graded.out) as store:
            assert list(from_bytes(store.played(name)) or {}) == ["share"]
        (page,) = graded.out.glob(f"learner-*{name}.html")
        assert "Their own code at work" in page.read_text("utf-8")


def test_nothing_steers_the_terminal(graded: Graded) -> None:
    assert not STEERING.search(graded.done.stdout + graded.done.stderr)


def test_pages_hold_it_as_text(graded: Graded) -> None:
    pages = graded.pages()
    assert len(pages) == len(NAMES) + 1 + len(HONEST) + len(PACKED) + 2
    for page in pages:
        assert not re.search(r"<img src=x|<script>alert|=1\+1<b>", page)
        assert not STEERING.search(page)


def test_names_of_pages_are_plain(graded: Graded) -> None:
    names = [path.relative_to(graded.out).as_posix() for path in graded.out.rglob("*.html")]
    assert not [name for name in names if not re.fullmatch(r"[\w./-]+", name) or "/-" in f"/{name}"]


@pytest.mark.parametrize("form", ["csv", "canvas"])
def test_table_has_no_formula_and_a_row_for_each(graded: Graded, form: str, kata: Callable) -> None:
    done = kata("export", graded.out, "--format", form, "--to", "-", cwd=graded.out.parent)
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(done.stdout.splitlines()))
    assert len({len(row) for row in rows}) == 1
    assert not [cell for row in rows for cell in row if re.match(r"[=+@\t\r]|-\D", cell)]
    assert not re.search(
        r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", done.stdout
    )  # marks of direction belong to some names


@pytest.mark.parametrize("name", PACKED)
def test_an_archive_that_would_end_the_command_holds_no_maps(name: str, graded: Graded) -> None:
    began = time.process_time()
    assert played_in(SubmissionFiles(name, (), graded.out.parent / "class" / f"{name}.zip")) == {}
    assert time.process_time() - began < READING_SECONDS / 2
