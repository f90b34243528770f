"""The progress file: nothing is lost, whatever happens to it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.practice.progress import AttemptEntry, Progress, ProgressFile

AT = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


def attempt(digest: str, status: str = "failed") -> AttemptEntry:
    return AttemptEntry(at=AT, status=status, points=1.0, max_points=4.0, digest=digest)  # type: ignore[arg-type]


def test_what_was_noted_is_there_again(tmp_path: Path) -> None:
    with ProgressFile(tmp_path).change() as progress:
        progress.of("softmax").note(attempt("a"))
        progress.of("softmax").note(attempt("b", "passed"))
    done = ProgressFile(tmp_path).read().of("softmax")
    assert [entry.digest for entry in done.attempts] == ["a", "b"]
    assert done.is_passed and done.passed_at == AT


def test_nothing_is_known_without_a_file(tmp_path: Path) -> None:
    assert ProgressFile(tmp_path / "none").read() == Progress()


def test_the_same_file_with_the_same_verdict_is_one_attempt(tmp_path: Path) -> None:
    done = Progress().of("softmax")
    assert [done.note(attempt(digest)) for digest in "aaba"] == [True, False, True, True]


NOTE_MANY = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from grader.practice.progress import AttemptEntry, ProgressFile

for number in range(30):
    with ProgressFile(Path(sys.argv[1])).change() as progress:
        at = datetime(2026, 3, 1, tzinfo=timezone.utc)
        entry = AttemptEntry(at=at, status="failed", points=1.0, max_points=4.0, digest=str(number))
        progress.of(sys.argv[2]).note(entry)
"""


def test_two_terminals_at_once_lose_nothing(tmp_path: Path) -> None:
    ids = ["softmax", "causal_mask", "repeat_kv"]
    writers = [subprocess.Popen([sys.executable, "-c", NOTE_MANY, tmp_path, id]) for id in ids]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    progress = ProgressFile(tmp_path).read()
    assert {id: len(progress.of(id).attempts) for id in ids} == dict.fromkeys(ids, 30)


EDITED = (
    '{"exercises": {"softmax": {"attempts": [{"at": "%s-03-01T12:00:00Z", "status": "failed", "points": %s, '
    '"max_points": 4, "digest": "a"}]}}}'
)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"\xff\xfe",
        b'{"version": 2}',
        b'{"exercises": {"softmax": {"attempts": "many"}}}',
        b"[" * 100_000,
        b"\0" * 4096,
        (EDITED % ("2026", "NaN")).encode(),
        (EDITED % ("2026", "-7")).encode(),
        (EDITED % ("2026", "1e308")).encode(),
        (EDITED % ("1900", "1")).encode(),
    ],
    ids=[
        "empty",
        "cut off",
        "a list",
        "not text",
        "another version",
        "other types",
        "deep",
        "zeros of a full disk",
        "no number",
        "below zero",
        "too many points",
        "a time before Windows",
    ],
)
def test_a_damaged_file_is_set_aside_and_work_goes_on(tmp_path: Path, content: bytes) -> None:
    file = ProgressFile(tmp_path)
    file.path.write_bytes(content)
    damage = file.read().damage
    (aside,) = tmp_path.glob("progress.damaged-*.json")
    assert aside.read_bytes() == content and str(aside) in damage
    assert file.read() == Progress()


def test_a_change_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = ProgressFile(tmp_path)
    with file.change() as progress:
        progress.of("softmax").note(attempt("a"))
    before = file.path.read_bytes()
    with pytest.raises(KeyboardInterrupt), file.change() as progress:
        progress.of("softmax").note(attempt("b"))
        raise KeyboardInterrupt
    assert file.path.read_bytes() == before
    assert not list(tmp_path.glob("*.new"))


def test_the_file_is_small_and_readable(tmp_path: Path) -> None:
    with ProgressFile(tmp_path).change() as progress:
        progress.of("softmax").note(attempt("a"))
    assert set(json.loads((tmp_path / "progress.json").read_text())["exercises"]["softmax"]) == {"attempts"}
