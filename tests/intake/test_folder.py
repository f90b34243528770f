from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import SubmissionError, read_submission, walk

Write = Callable[..., Path]


def test_unknown_files_are_listed_up_to_a_bound(write: Write, work: Path, course: Course) -> None:
    for number in range(1000):
        write(f"{number:04}.txt", "")
    write("softmax.py")
    submission = read_submission(work, course)
    assert len(submission.problems) == 21
    assert submission.problems[-1].file == "980 more"
    assert list(submission.sources) == ["softmax"]


def test_problems_of_exercises_are_not_crowded_out(write: Write, work: Path, course: Course) -> None:
    for number in range(100):
        write(f"a{number}.ipynb", "{")
    write("softmax.py", b"\xff")
    problems = read_submission(work, course).problems
    assert [problem.file for problem in problems if problem.exercise == "softmax"] == ["softmax.py"]


def test_folder_with_an_empty_folder_is_an_empty_submission(work: Path, course: Course) -> None:
    (work / "inside").mkdir()
    (problem,) = read_submission(work, course).problems
    assert problem.message == "alice holds no exercise; name your files like 03_softmax.py."


@pytest.mark.parametrize("target", ["/etc/passwd", "real.txt", "nowhere", "softmax.py"], ids=str)
def test_link_is_refused(write: Write, work: Path, course: Course, target: str) -> None:
    write("real.txt", "secret")
    (work / "softmax.py").symlink_to(target)
    submission = read_submission(work, course)
    assert submission.sources == {}
    (problem,) = [problem for problem in submission.problems if problem.kind == "refused"]
    assert (problem.file, problem.exercise) == ("softmax.py", "softmax")
    assert problem.message == "softmax.py is a link; hand in the file itself."


def test_linked_folder_is_not_entered(write: Write, work: Path, tmp_path: Path, course: Course) -> None:
    other = tmp_path / "bob"
    other.mkdir()
    (other / "softmax.py").write_text("bob's")
    (work / "exercises").symlink_to(other)
    submission = read_submission(work, course)
    assert submission.sources == {}
    assert [(problem.file, problem.kind) for problem in submission.problems] == [("exercises", "refused")]


def test_circle_of_links_ends(work: Path, write: Write, course: Course) -> None:
    write("a/softmax.py")
    (work / "a" / "round").symlink_to(work)
    assert list(read_submission(work, course).sources) == ["softmax"]


def test_link_beside_the_real_file_does_no_harm(write: Write, work: Path, course: Course) -> None:
    write("03_softmax.py", "real")
    (work / "softmax.py").symlink_to("03_softmax.py")
    submission = read_submission(work, course)
    assert submission.sources["softmax"].content == b"real"
    assert [problem.kind for problem in submission.problems] == ["refused"]


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder"])
def test_only_ordinary_files_are_read(work: Path, course: Course, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = work / "softmax.py"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        monkeypatch.chdir(work)  # a socket's path has to be short
        socket.socket(socket.AF_UNIX).bind(path.name)
    else:
        path.mkdir()
    started = time.monotonic()
    submission = read_submission(work, course)
    assert time.monotonic() - started < 2
    assert submission.sources == {}
    assert len(submission.problems) == 1
    if kind != "folder":
        assert (submission.problems[0].kind, submission.problems[0].exercise) == ("refused", "softmax")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes devices")
def test_device_is_not_read(work: Path, course: Course) -> None:
    try:
        os.mknod(work / "softmax.py", 0o020666, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("no devices in this container")
    assert read_submission(work, course).sources == {}


def test_file_without_permission_is_reported(ordinary_user: Path, course: Course) -> None:
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


def test_submission_without_permission_is_one_sentence(ordinary_user: Path, course: Course) -> None:
    (ordinary_user / "closed").mkdir(mode=0)
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


@pytest.mark.parametrize("becomes", ["link", "gone", "fifo", "another file"])
def test_file_that_changes_after_it_was_listed_is_not_followed(
    write: Write, work: Path, course: Course, becomes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = write("softmax.py", "harmless"), write(".other", "another")

    def swap() -> None:
        path.unlink()
        if becomes == "link":
            path.symlink_to("/etc/passwd")
        elif becomes == "fifo":
            os.mkfifo(path)
        elif becomes == "another file":
            other.rename(path)

    swap_before_opening(monkeypatch, path, swap)
    submission = read_submission(work, course)
    assert submission.sources == {}
    (problem,) = submission.problems
    assert problem.exercise == "softmax"
    assert problem.kind == ("unreadable" if becomes == "gone" else "refused")


@pytest.mark.parametrize("deeper", ["", "b/"], ids=["folder", "folder above"])
@pytest.mark.parametrize("opened", ["file", "folder"])
def test_folder_that_becomes_a_link_after_it_was_listed_is_not_followed(
    write: Write, work: Path, tmp_path: Path, course: Course, deeper: str, opened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(f"a/{deeper}softmax.py", "harmless")
    (tmp_path / "bob" / deeper).mkdir(parents=True)
    (tmp_path / "bob" / deeper / "softmax.py").write_text("bob's")

    def swap() -> None:
        (work / "a").rename(tmp_path / "moved")
        (work / "a").symlink_to(tmp_path / "bob")

    swap_before_opening(monkeypatch, path if opened == "file" else path.parent, swap)
    submission = read_submission(work, course)
    assert (work / "a").is_symlink() and submission.sources == {}
    (problem,) = submission.problems
    assert problem.kind == "refused"


def test_very_deep_folder_is_refused_and_the_rest_is_read(write: Write, work: Path, course: Course) -> None:
    write("d/" * (walk.MAX_DEPTH + 1) + "softmax.py", "deep")
    write("softmax.py", "here")
    submission = read_submission(work, course)
    assert submission.sources["softmax"].content == b"here"
    (problem,) = submission.problems
    assert problem.kind == "refused"
    assert "folders deep" in problem.message


def test_too_many_files_are_refused(write: Write, work: Path, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_ENTRIES", 50)
    for number in range(60):
        write(f"{number % 7}/{number}.txt", "")
    with pytest.raises(SubmissionError, match=r"^alice holds more than 50 files; hand in"):
        read_submission(work, course)


@pytest.mark.thorough
def test_too_many_bytes_are_refused(write: Write, work: Path, course: Course) -> None:
    same = b"#" * (1024 * 1024)
    for number in range(66):
        write(f"{number}_softmax.py", same)
    with pytest.raises(SubmissionError, match="alice holds more than 64 MB"):
        read_submission(work, course)


def test_folder_with_nothing_but_a_damaged_zip_says_so(write: Write, work: Path, course: Course) -> None:
    write("softmax.zip", b"PK")
    write(".DS_Store", b"")
    (problem,) = read_submission(work, course).problems
    assert problem.file == "softmax.zip" and "damaged or not a zip" in problem.message


def test_no_descriptor_stays_open(write: Write, work: Path, course: Course) -> None:
    write("a/b/softmax.py")
    os.mkfifo(work / "causal_mask.py")
    before = len(os.listdir("/proc/self/fd"))
    read_submission(work, course)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(b"bad\x1b[31m\nname.txt", id="control characters"),
        pytest.param(b"latin-\xe9.txt", id="not UTF-8"),
        pytest.param("r\u202ext.yp.txt".encode(), id="written backwards"),
        pytest.param(b"x" * 250 + b".py", id="long"),
    ],
)
def test_names_are_printable_in_problems(work: Path, course: Course, name: bytes) -> None:
    with open(os.path.join(os.fsencode(work), name), "wb"):
        pass
    (problem,) = read_submission(work, course).problems
    assert problem.file.isprintable()
    assert problem.message.isprintable()
    problem.message.encode("utf-8")
    assert len(problem.file) <= 120


def test_name_of_submission_is_printable(tmp_path: Path, course: Course) -> None:
    folder_name = os.fsencode(tmp_path) + b"/al\xffice\x07" + b"y" * 200
    os.mkdir(folder_name)
    name = read_submission(Path(os.fsdecode(folder_name)), course).name
    assert name.isprintable()
    assert name.startswith("al\ufffdice\ufffdy")
    assert len(name) == 120


def test_here_is_named_after_its_folder(
    write: Write, work: Path, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    assert read_submission(Path("."), course).name == "alice"
