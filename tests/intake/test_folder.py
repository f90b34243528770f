"""Folders with links, special files, odd names, what changes while it is read, and too much of anything.

What ordinary folders hold is in cases.yml.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import SubmissionError, read_submission, walk
from tests.cases import rows, table

Write = Callable[..., Path]


MAKE: dict[str, Callable[[str], object]] = {
    "fifo": os.mkfifo,
    "socket": lambda name: socket.socket(socket.AF_UNIX).bind(name),
    "folder": os.mkdir,
    "device": lambda name: os.mknod(name, 0o020666, os.makedev(1, 5)),  # /dev/zero
}


@pytest.mark.parametrize("kind", MAKE)
def test_only_ordinary_files_are_read(work: Path, course: Course, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)  # a socket's path has to be short
    try:
        MAKE[kind]("softmax.py")
    except PermissionError:
        pytest.skip("only root makes devices, and not in every container")
    started = time.monotonic()
    submission = read_submission(work, course)
    (problem,) = submission.problems
    assert time.monotonic() - started < 2
    assert submission.sources == {}
    assert kind == "folder" or (problem.kind, problem.exercise) == ("refused", "softmax")


def test_what_may_not_be_opened_is_told(ordinary_user: Path, course: Course) -> None:
    (ordinary_user / "softmax.py").write_text("closed")
    (ordinary_user / "softmax.py").chmod(0)
    (ordinary_user / "causal_mask.py").write_text("open")
    (ordinary_user / "closed").mkdir(mode=0)
    submission = read_submission(ordinary_user, course)
    assert list(submission.sources) == ["causal_mask"]
    assert [(problem.kind, problem.exercise, problem.message) for problem in submission.problems] == [
        ("unreadable", None, "closed cannot be opened: permission denied."),
        ("unreadable", "softmax", "softmax.py cannot be opened: permission denied."),
    ]
    with pytest.raises(SubmissionError, match=r"^closed cannot be opened: permission denied\.$"):
        read_submission(ordinary_user / "closed", course)


def swap_before_opening(monkeypatch: pytest.MonkeyPatch, path: Path, swap: Callable[[], object]) -> None:
    """Make `swap` happen in the very moment before `path` is opened for the first time."""
    real_open, left = os.open, [swap]

    def open_after_swap(name: str, *rest: int, **options: int) -> int:
        if left and str(name) == str(path):
            left.pop()()
        return real_open(name, *rest, **options)

    monkeypatch.setattr(os, "open", open_after_swap)


def replaced(path: Path, by: Callable[[Path], object]) -> None:
    path.rename(path.with_name(".moved"))
    by(path)


BECOMES: dict[str, tuple[str, str, str, Callable[[Path], object]]] = {
    "file becomes a link": ("", "softmax.py", "softmax.py", lambda path: path.symlink_to("/etc/passwd")),
    "file is gone": ("", "softmax.py", "softmax.py", lambda path: None),
    "file becomes a pipe": ("", "softmax.py", "softmax.py", os.mkfifo),
    "file becomes another file": ("", "softmax.py", "softmax.py", lambda path: path.write_text("another")),
    "folder becomes a link, file": ("a/", "a", "a/softmax.py", lambda path: path.symlink_to("../bob")),
    "folder becomes a link, folder": ("a/", "a", "a", lambda path: path.symlink_to("../bob")),
    "folder above becomes a link, file": ("a/b/", "a", "a/b/softmax.py", lambda path: path.symlink_to("../bob")),
    "folder above becomes a link, folder": ("a/b/", "a", "a/b", lambda path: path.symlink_to("../bob")),
}
"""The folder of an answer, what is replaced in the moment before what is opened, and by what."""


@rows(BECOMES, "place", "changes", "opened", "by")
def test_what_changes_after_it_was_listed_is_not_followed(
    write: Write, work: Path, tmp_path: Path, course: Course, place: str, changes: str, opened: str,
    by: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    write(f"{place}softmax.py", "harmless")
    (tmp_path / "bob" / "b").mkdir(parents=True)
    for folder in ("bob", "bob/b"):
        (tmp_path / folder / "softmax.py").write_text("bob's")
    swap_before_opening(monkeypatch, work / opened, lambda: replaced(work / changes, by))
    submission = read_submission(work, course)
    (problem,) = submission.problems
    assert (work / ".moved").exists() and submission.sources == {}
    assert problem.exercise == (None if opened in ("a", "a/b") else "softmax")
    assert problem.kind == ("refused" if os.path.lexists(work / changes) else "unreadable")


def test_huge_sparse_file_is_not_read_whole(write: Write, work: Path, course: Course) -> None:
    with write("softmax.py").open("wb") as file:
        file.truncate(1 << 40)
    (problem,) = read_submission(work, course).problems
    assert "is larger than 1024 kB" in problem.message


def test_too_many_files_are_refused(write: Write, work: Path, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_ENTRIES", 50)
    for number in range(60):
        write(f"{number % 7}/{number}.txt", "")
    with pytest.raises(SubmissionError, match=r"^alice holds more than 50 files; hand in"):
        read_submission(work, course)


def test_no_folder_is_opened_that_lies_too_deep(write: Write, work: Path) -> None:
    write(f"{'d/' * 40}softmax.py")
    (found,) = walk.list_folder(work)
    assert found[0].count("/") == walk.MAX_DEPTH and "folders deep" in str(found[1])


@pytest.mark.thorough
def test_too_many_bytes_are_refused(write: Write, work: Path, course: Course) -> None:
    same = b"#" * (1024 * 1024)
    for number in range(66):
        write(f"{number}_softmax.py", same)
    with pytest.raises(SubmissionError, match="alice holds more than 64 MB"):
        read_submission(work, course)


def test_no_descriptor_stays_open(write: Write, work: Path, course: Course) -> None:
    write("a/b/softmax.py")
    os.mkfifo(work / "causal_mask.py")
    before = len(os.listdir("/proc/self/fd"))
    read_submission(work, course)
    assert len(os.listdir("/proc/self/fd")) == before


@rows(table(__file__, "odd.yml")["names"], "name")
def test_names_are_printable_in_problems(work: Path, course: Course, name: bytes) -> None:
    with open(os.path.join(os.fsencode(work), name), "wb"):
        pass
    (problem,) = read_submission(work, course).problems
    assert problem.file.isprintable() and len(problem.file) <= 120
    assert problem.message.isprintable() and problem.message.encode("utf-8")


def test_name_of_submission_is_printable(tmp_path: Path, course: Course) -> None:
    folder = os.fsencode(tmp_path) + b"/al\xffice\x07" + b"y" * 200
    os.mkdir(folder)
    name = read_submission(Path(os.fsdecode(folder)), course).name
    assert name.isprintable() and len(name) == 120
    assert name.startswith("al\ufffdice\ufffdy")


def test_here_is_named_after_its_folder(work: Path, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    assert read_submission(Path("."), course).name == "alice"
