"""A class whose names, files and errors are hostile, from the command to the pages and tables."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

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


@dataclass(frozen=True)
class Graded:
    done: subprocess.CompletedProcess[str]
    out: Path


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
        with zipfile.ZipFile(root / "class" / f"{name}.zip", "w") as packed:
            packed.writestr("01_share.py", RIGHT)
    options = ["--course", root / "tiny", "--isolation", "best", "--seed", 5, "--html"]
    return Graded(kata("grade-class", root / "class", "--out", root / "out", *options, cwd=root), root / "out")


def test_everybody_is_graded_and_the_honest_lose_nothing(graded: Graded) -> None:
    assert graded.done.returncode == 0, graded.done.stderr
    records = [json.loads(line) for line in (graded.out / "results.jsonl").read_text("utf-8").splitlines()]
    points = {record["submission"]: record["points"] for record in records}
    assert len(points) == len(NAMES) + 1 + len(HONEST)
    assert {name: of for name, of in points.items() if of} == dict.fromkeys(HONEST, 4)


def test_nothing_steers_the_terminal(graded: Graded) -> None:
    assert not STEERING.search(graded.done.stdout + graded.done.stderr)


def test_pages_hold_it_as_text(graded: Graded) -> None:
    pages = [path.read_text("utf-8") for path in graded.out.rglob("*.html")]
    assert len(pages) == len(NAMES) + 1 + len(HONEST) + 1
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
