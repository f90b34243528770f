"""Files are written whole or not at all, and never through a link; cache folders are the user's alone."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import Timeout

from grader.errors import KataError
from grader.files import cache_folder, lock_at, make_folder, move_file, own_folder, write_file, write_output

PRECIOUS = b"precious"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with a file in it, where nothing may change."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "file").write_bytes(PRECIOUS)
    return folder


def is_untouched(outside: Path) -> bool:
    return [path.name for path in outside.iterdir()] == ["file"] and (outside / "file").read_bytes() == PRECIOUS


def test_missing_folders_are_made_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_file(tmp_path / "new/a/b.txt", b"hello", below=tmp_path / "new")
    assert (tmp_path / "new/a/b.txt").read_bytes() == b"hello"
    assert [path.name for path in (tmp_path / "new/a").iterdir()] == ["b.txt"]


def test_an_error_on_the_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("no more")

    path = tmp_path / "file"
    write_file(path, b"old")
    with pytest.raises(ValueError, match="no more"):
        write_file(path, parts())
    assert path.read_bytes() == b"old" and [each.name for each in tmp_path.iterdir()] == ["file"]


def test_an_error_names_the_file_that_was_wanted(tmp_path: Path) -> None:
    def on_a_full_disk() -> Iterator[bytes]:
        yield b"half"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)) as full:
        write_file(tmp_path / "file", on_a_full_disk())
    with pytest.raises(FileNotFoundError) as missing:
        write_output(tmp_path / "none/file", b"x")
    assert [full.value.filename, missing.value.filename] == [str(tmp_path / "file"), str(tmp_path / "none/file")]
    assert not list(tmp_path.iterdir())


WRITES: dict[str, Callable[[Path, Path], object]] = {
    "a file": lambda path, root: write_file(path, b"x", below=root),
    "a moved file": lambda path, root: move_file(root / "own", path, below=root),
    "a lock": lambda path, root: lock_at(path, below=root).acquire(),
    "a folder": lambda path, root: make_folder(path, below=root),
}


@pytest.mark.parametrize("place", ["link/x", "link/new/x", "a/link/x"])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_no_folder_on_the_way_may_be_a_link(
    write: Callable[[Path, Path], object], place: str, outside: Path, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "own").write_bytes(b"own")
    link = (root / place.partition("link")[0]) / "link"
    link.symlink_to(outside)
    with pytest.raises(OSError, match="is a link") as caught:
        write(root / place, root)
    assert caught.value.filename == str(link) and "is a link" in caught.value.strerror
    assert is_untouched(outside) and (root / "own").read_bytes() == b"own"


@pytest.mark.parametrize(
    ("link", "target"),
    [(os.symlink, "file"), (os.symlink, "new"), (os.link, "file")],
    ids=["symbolic", "to nothing yet", "hard"],
)
def test_a_link_in_the_place_of_a_lock_is_refused(
    link: Callable[[Path, Path], None], target: str, outside: Path, tmp_path: Path
) -> None:
    link(outside / target, tmp_path / "here")
    with pytest.raises(OSError, match="is a link"):
        lock_at(tmp_path / "here", below=tmp_path)
    assert is_untouched(outside)


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_a_link_in_the_place_of_a_written_file_is_replaced(
    link: Callable[[Path, Path], None], outside: Path, tmp_path: Path
) -> None:
    link(outside / "file", tmp_path / "here")
    write_file(tmp_path / "here", b"new", below=tmp_path)
    assert (tmp_path / "here").read_bytes() == b"new" and not (tmp_path / "here").is_symlink()
    assert is_untouched(outside)


def test_what_the_user_named_may_itself_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "mine").symlink_to(tmp_path / "real")
    write_file(tmp_path / "mine/a/b", b"x", below=tmp_path / "mine")
    assert (tmp_path / "real/a/b").read_bytes() == b"x"


def test_a_lock_is_one(tmp_path: Path) -> None:
    with lock_at(tmp_path / "a/lock", below=tmp_path), pytest.raises(Timeout):
        lock_at(tmp_path / "a/lock", below=tmp_path, seconds=0).acquire()


def test_output_goes_into_a_pipe_and_not_in_its_place(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names here")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_output(tmp_path / "pipe", b"hello")
    assert os.read(reader, 10) == b"hello" and (tmp_path / "pipe").is_fifo()
    os.close(reader)


def test_output_is_not_written_in_the_place_of_a_link(outside: Path, tmp_path: Path) -> None:
    (tmp_path / "out.json").symlink_to(outside / "file")
    with pytest.raises(OSError, match="is a link"):
        write_output(tmp_path / "out.json", b"x")
    assert is_untouched(outside) and (tmp_path / "out.json").is_symlink()


# --- cache folders: a course in one of them is a program that runs as the user ----------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of a user without settings, whose home is not there yet."""
    if sys.platform == "win32":
        pytest.skip("about modes and owners of Unix")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path / "temporary"


@pytest.mark.parametrize(("named", "place"), [("", "home/.cache"), ("relative", "home/.cache"), ("{}/own", "own")])
def test_it_lies_in_the_users_cache_folder_for_the_user_alone(
    named: str, place: str, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
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
@pytest.mark.skipif(sys.platform == "win32", reason="about modes and owners of Unix")
def test_what_is_not_the_users_own_folder_is_refused(make: Callable[[Path], object], tmp_path: Path) -> None:
    make(tmp_path / "cache")
    with pytest.raises(OSError):
        own_folder(tmp_path / "cache")
