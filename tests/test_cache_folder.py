"""Where cache folders lie, and which are refused: the course in one of them is a program that runs as the user."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import KataError
from grader.files import cache_folder, own_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="about modes and owners of Unix")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path / "temporary"


@pytest.mark.parametrize(("named", "place"), [("", "home/.cache"), ("relative", "home/.cache"), ("{}/own", "own")])
def test_it_lies_in_the_users_cache_folder_for_the_user_alone(
    named: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", named.format(tmp_path))
    folder = cache_folder("courses")
    assert folder == tmp_path / place / "attention-kata" / "courses" == cache_folder("courses")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_where_none_can_be_had_it_lies_in_the_temporary_folder(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    folder = cache_folder("courses")
    assert folder == temporary / f"attention-kata-{os.geteuid()}-courses"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_where_that_cannot_be_had_either_it_is_one_sentence(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    (temporary / f"attention-kata-{os.geteuid()}-courses").mkdir(mode=0o777)
    (temporary / f"attention-kata-{os.geteuid()}-courses").chmod(0o777)
    with pytest.raises(KataError, match=r"^No cache folder can be made \(.*it is not yours alone.*XDG_CACHE_HOME\.$"):
        cache_folder("courses")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda path: path.symlink_to(path.parent), id="a link"),
        pytest.param(lambda path: path.write_text(""), id="a file"),
        pytest.param(lambda path: (path.mkdir(), path.chmod(0o750)), id="others can read it"),
        pytest.param(
            lambda path: (path.mkdir(mode=0o700), os.chown(path, 12345, -1)),
            id="another user's",
            marks=pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives away"),
        ),
    ],
)
def test_what_is_not_the_users_own_folder_is_refused(make: Callable[[Path], object], tmp_path: Path) -> None:
    make(tmp_path / "cache")
    with pytest.raises(OSError):
        own_folder(tmp_path / "cache")
