"""A submission comes to the same in a class as alone."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.record import Record
from tests.records import without_timings

from .conftest import RIGHT

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.thorough
@pytest.mark.parametrize("make", ["folder", "zip in a folder"])
def test_record_is_the_same_alone_and_in_a_class(make: str, course_root: Path, kata: Run, tmp_path: Path) -> None:
    work = tmp_path / "class" / "ada"
    work.mkdir(parents=True)
    if make == "folder":
        (work / "share.py").write_text(RIGHT)
        (work / "notes.txt").write_bytes(b"")
    else:
        with zipfile.ZipFile(work / "work.zip", "w") as archive:
            archive.writestr("share.py", RIGHT)
            archive.writestr("notes.txt", "")
    (tmp_path / "class" / "bo.py").write_text(RIGHT)
    terms = ["--isolation", "best", "--seed", 5, "--course", course_root]
    assert kata("grade-class", "class", "--out", "out", "--jobs", 1, *terms, cwd=tmp_path).returncode == 0
    assert kata("grade", work, "--json", "ada.json", *terms, cwd=tmp_path).returncode == 0
    lines = (tmp_path / "out" / "results.jsonl").read_text("utf-8").splitlines()
    together, alone = Record.from_json(lines[0]), Record.from_json((tmp_path / "ada.json").read_text("utf-8"))
    same = {"digest": "", "submission": "ada"}
    assert without_timings(together).model_copy(update=same) == without_timings(alone).model_copy(update=same)
    assert together.points == 4
