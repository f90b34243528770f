"""A packed course becomes an ordinary one in the user's cache folder, once, and again whenever it is not whole."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

from grader.course import CourseError
from grader.course.installed import MOST_KEPT, is_unpacked, packed, unpacked
from grader.sandbox.levels import exposed

FILES = {"course.yml": b"title: Tiny\n", "tests/kits/checks.py": b"WANTED = 1\n", "solutions/share.py": b"x = 2\n"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write(folder: Path, files: dict[str, bytes]) -> Path:
    name, content = packed(files)
    (folder / name).write_bytes(content)
    return folder / name


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_everything_comes_back_in_a_folder_of_the_users_own(sealed: Path, cache: Path) -> None:
    folder = unpacked(sealed)
    assert contents(folder) == FILES
    assert folder.is_relative_to(cache) and is_unpacked(folder)
    assert sys.platform == "win32" or stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith(".")] == [".lock"]


def test_same_files_give_the_same_name_and_others_another() -> None:
    assert packed(FILES) == packed(dict(reversed(FILES.items())))
    assert packed(FILES)[0] != packed({**FILES, "course.yml": b"title: Other\n"})[0]


def test_a_whole_folder_is_left_as_it_is(sealed: Path) -> None:
    folder = unpacked(sealed)
    (folder / "__pycache__").mkdir()
    before = folder.stat()
    assert unpacked(sealed).stat() == before and (folder / "__pycache__").is_dir()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda folder: (folder / "course.yml").unlink(), id="a file is gone"),
        pytest.param(lambda folder: (folder / "course.yml").write_bytes(b"title: T"), id="cut short"),
        pytest.param(
            lambda folder: (folder / "course.yml").write_bytes(b"title: Tino\n"), id="changed, of the same length"
        ),
    ],
)
def test_a_damaged_folder_is_made_again(damage: Callable[[Path], None], sealed: Path) -> None:
    damage(unpacked(sealed))
    assert contents(unpacked(sealed)) == FILES


def test_a_damaged_file_is_one_sentence_and_leaves_nothing(sealed: Path, cache: Path) -> None:
    sealed.write_bytes(sealed.read_bytes().replace(b"course.yml", b"course.yaml"))
    with pytest.raises(CourseError, match=r"cannot be unpacked into .* Install the wheel again\.$"):
        unpacked(sealed)
    assert contents(cache / "attention-kata" / "courses") in ({}, {".lock": b""})


def test_many_at_once_get_the_same_whole_folder(sealed: Path) -> None:
    with ThreadPool(8) as pool:
        folders = pool.map(lambda _: (folder := unpacked(sealed), contents(folder)), range(16))
    assert all(each == (folders[0][0], FILES) for each in folders)


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    files = [write(tmp_path, {**FILES, "course.yml": str(number).encode()}) for number in range(MOST_KEPT + 2)]
    folders = [unpacked(file) for file in files]
    assert [folder.is_dir() for folder in folders] == [False, False] + [True] * MOST_KEPT
    assert unpacked(files[0]) == folders[0] and folders[0].is_dir()


def test_the_sandbox_does_not_show_it(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert exposed(unpacked(sealed)) is None
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert exposed(Path.home() / ".cache" / "attention-kata" / "courses") is None
