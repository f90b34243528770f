"""Links in the folder OUT lead nothing of a run outside of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import rows, table

from .conftest import hand_in

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.thorough
@rows(table(__file__, "links_in_out.yml"), "name", "refused", "nothing")
def test_nothing_is_written_through_a_link(
    name: str, refused: bool | None, nothing: bool | None, course_root: Path, tmp_path: Path, kata: Run
) -> None:
    for learner in ("alice", "bob"):
        hand_in(tmp_path / "class", learner)
    outside, out = tmp_path / "outside", tmp_path / "out"
    out.mkdir()
    if not nothing:
        outside.write_text("")
    (out / name).symlink_to(outside)
    arguments = ["--course", course_root, "--isolation", "best", "--html"]
    done = kata("grade-class", "class", "--out", out, *arguments, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert not outside.exists() if nothing else outside.read_text() == ""
    if refused:
        assert (done.returncode, "is a link" in done.stderr) == (2, True), done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert "2" in done.stdout and len((out / "results.jsonl").read_text().splitlines()) == 2
