"""Links in the folder OUT lead nothing of a run outside of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import hand_in

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "is_refused"),
    [
        ("class.db", True),
        ("class.db, to nothing", True),
        ("class.db-journal", True),
        (".lock", True),
        ("results.jsonl, to nothing", False),
        ("unmatched.csv", False),
        ("class.html", False),
        ("learner-alice.html", False),
        (".kata-unfinished-0", False),
    ],
)
def test_nothing_is_written_through_a_link(
    name: str, is_refused: bool, course_root: Path, tmp_path: Path, kata: Run
) -> None:
    for learner in ("alice", "bob"):
        hand_in(tmp_path / "class", learner)
    outside, out = tmp_path / "outside", tmp_path / "out"
    out.mkdir()
    if "nothing" not in name:
        outside.write_text("")
    (out / name.partition(",")[0]).symlink_to(outside)
    arguments = ["--course", course_root, "--isolation", "best", "--html"]
    done = kata("grade-class", "class", "--out", out, *arguments, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert not outside.exists() if "nothing" in name else outside.read_text() == ""
    if is_refused:
        assert (done.returncode, "is a link" in done.stderr) == (2, True), done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert "2" in done.stdout and len((out / "results.jsonl").read_text().splitlines()) == 2
