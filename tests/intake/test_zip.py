from __future__ import annotations

import io
import stat
import struct
import time
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import SubmissionError, read_submission, walk

Members = Sequence[tuple[str | zipfile.ZipInfo, str | bytes]]
Zip = Callable[[Members], Path]

CENTRAL = b"PK\x01\x02"
LOCAL = b"PK\x03\x04"
ANSWER = ("03_softmax.py", "answer")


def packed(members: Members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", method) as made:
        warnings.simplefilter("ignore")  # about the duplicate names that a test wants
        for name, content in members:
            made.writestr(name, content)
    return buffer.getvalue()


def patched(content: bytes, header: bytes, offset: int, form: str, value: int, which: int = 0) -> bytes:
    """Overwrite one field of the `which`-th header of a kind."""
    start = -1
    for _ in range(which + 1):
        start = content.index(header, start + 1)
    field = struct.pack(form, value)
    return content[: start + offset] + field + content[start + offset + len(field) :]


def with_mode(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


@pytest.fixture
def save(tmp_path: Path) -> Callable[[bytes], Path]:
    def save_zip(content: bytes) -> Path:
        path = tmp_path / "alice.zip"
        path.write_bytes(content)
        return path

    return save_zip


Save = Callable[[bytes], Path]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def test_member_from_here_counts_by_its_name(save: Save, course: Course, method: int) -> None:
    submission = read_submission(save(packed([("./03_softmax.py", "answer")], method)), course)
    assert submission.sources["softmax"].content == b"answer"
    assert submission.sources["softmax"].name == "03_softmax.py" and submission.problems == ()


def test_empty_zip_is_an_empty_submission(save: Save, course: Course) -> None:
    submission = read_submission(save(packed([])), course)
    assert submission.sources == {}
    assert "holds no exercise" in submission.problems[0].message


def test_zip_behind_other_data_is_read(save: Save, course: Course) -> None:
    assert list(read_submission(save(b"#!/bin/sh\n" * 9 + packed([ANSWER])), course).sources) == ["softmax"]


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        pytest.param([("../softmax.py", "")], "a name that leads outside (../softmax.py)", id="traversal"),
        pytest.param([("a/../../softmax.py", "")], "a name that leads outside", id="traversal inside"),
        pytest.param([("../../etc/cron.d/x", "")], "a name that leads outside", id="traversal of any name"),
        pytest.param([("/softmax.py", "")], "an absolute name (/softmax.py)", id="absolute"),
        pytest.param([("//host/softmax.py", "")], "an absolute name", id="network share"),
        pytest.param([("C:softmax.py", "")], "an absolute name (C:softmax.py)", id="drive"),
        pytest.param([("a\\softmax.py", "")], "a name with a backslash", id="backslash"),
        pytest.param([("..\\softmax.py", "")], "a name with a backslash", id="traversal by backslash"),
        pytest.param([ANSWER, ("03_softmax.py", "other")], "two files named 03_softmax.py", id="same name twice"),
        pytest.param([ANSWER, ANSWER], "two files named 03_softmax.py", id="same member twice"),
        pytest.param([ANSWER, (".//03_softmax.py", "x")], "two files named 03_softmax.py", id="same path twice"),
        pytest.param([(with_mode("softmax.py", stat.S_IFLNK | 0o777), "/etc/passwd")], "a link", id="link"),
        pytest.param([(with_mode("x", stat.S_IFLNK), "/")], "a link", id="link of any name"),
        pytest.param([(with_mode("softmax.py", stat.S_IFIFO), "")], "not an ordinary file", id="pipe"),
        pytest.param([(with_mode("softmax.py", stat.S_IFCHR), "")], "not an ordinary file", id="device"),
        pytest.param([(f"{n}.txt", "") for n in range(1001)], "more than 1000 files", id="too many"),
    ],
)
def test_hostile_table_of_contents_is_refused(save: Save, course: Course, members: Members, sentence: str) -> None:
    with pytest.raises(SubmissionError) as error:
        read_submission(save(packed([*members, ("causal_mask.py", "")])), course)
    assert str(error.value).startswith("alice holds ")
    assert sentence in str(error.value)


def test_thousand_members_are_read(save: Save, course: Course) -> None:
    members = [ANSWER, *((f"{number}.txt", "") for number in range(999))]
    assert list(read_submission(save(packed(members)), course).sources) == ["softmax"]


def test_nul_in_a_name_is_refused(save: Save, course: Course) -> None:
    content = packed([("softmax.py|.txt", "")]).replace(b"softmax.py|.txt", b"softmax.py\0.txt")
    with pytest.raises(SubmissionError, match="NUL character in its name"):
        read_submission(save(content), course)


def test_name_that_is_not_text_is_refused(save: Save, course: Course) -> None:
    content = packed([("softmax-é.py", "")]).replace("é".encode(), b"\xff\xff")
    with pytest.raises(SubmissionError, match="damaged or not a zip"):
        read_submission(save(content), course)


def test_names_are_printable_in_sentences(save: Save, course: Course) -> None:
    with pytest.raises(SubmissionError) as error:
        read_submission(save(packed([("../\x1b[2J\n" + "x" * 5000, "")])), course)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty file"),
        pytest.param(b"PK", id="two bytes"),
        pytest.param(b"no zip at all" * 100, id="text"),
        pytest.param(packed([ANSWER])[:-10], id="cut at the end"),
        pytest.param(packed([ANSWER])[40:], id="cut at the start"),
        pytest.param(LOCAL * 1000, id="headers only"),
        pytest.param(b"PK\x05\x06" + b"\xff" * 18, id="table at the end of the world"),
        pytest.param(patched(packed([ANSWER]), CENTRAL, 6, "<H", 999), id="version of the future"),
        pytest.param(patched(packed([ANSWER]), CENTRAL, 42, "<L", 2**31), id="member beyond the end"),
    ],
)
def test_broken_zip_is_one_sentence(save: Save, course: Course, content: bytes) -> None:
    with pytest.raises(SubmissionError) as error:
        read_submission(save(content), course)
    assert str(error.value) in (
        "alice is damaged or not a zip; zip your files again.",
        "alice holds files that overlap; zip your files again.",
    )


@pytest.mark.parametrize("position", range(0, 220, 3))
def test_every_damage_is_one_sentence_or_a_problem(save: Save, course: Course, position: int) -> None:
    content = bytearray(packed([ANSWER, ("causal_mask.py", "mask")]))
    content[position % len(content)] ^= 0xFF
    try:
        submission = read_submission(save(bytes(content)), course)
    except SubmissionError as error:
        assert str(error).startswith("alice ")
        assert str(error).isprintable()
    else:
        for source in submission.sources.values():
            assert source.content in (b"answer", b"mask")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(packed([ANSWER], zipfile.ZIP_STORED).replace(b"answer", b"ANSWER"), "is damaged", id="checksum"),
        pytest.param(patched(packed([ANSWER]), LOCAL, 0, "<L", 0), "is damaged", id="no header"),
        pytest.param(patched(packed([ANSWER]), CENTRAL, 8, "<H", 1), "is locked with a password", id="password"),
        pytest.param(patched(packed([ANSWER]), CENTRAL, 8, "<H", 0x41), "is locked with a password", id="encrypted"),
        pytest.param(packed([ANSWER], zipfile.ZIP_BZIP2), "is packed in an unusual way", id="bzip2"),
        pytest.param(packed([ANSWER], zipfile.ZIP_LZMA), "is packed in an unusual way", id="lzma"),
        pytest.param(patched(packed([ANSWER]), CENTRAL, 10, "<H", 99), "is packed in an unusual way", id="method 99"),
        pytest.param(patched(packed([ANSWER]), CENTRAL, 24, "<L", 3), "is damaged", id="size declared too small"),
        pytest.param(patched(packed([ANSWER]), LOCAL, 30, "<B", 49), "is damaged", id="another name in its header"),
    ],
)
def test_damaged_member_is_a_problem_of_its_exercise(save: Save, course: Course, content: bytes, reason: str) -> None:
    submission = read_submission(save(content), course)
    assert submission.sources == {}
    (problem,) = submission.problems
    assert (problem.kind, problem.exercise) == ("unreadable", "softmax")
    assert problem.message.startswith(f"03_softmax.py {reason}")


def test_damaged_member_takes_no_other_along(save: Save, course: Course) -> None:
    content = packed([("causal_mask.py", "mask"), ANSWER], zipfile.ZIP_STORED).replace(b"answer", b"ANSWER")
    assert list(read_submission(save(content), course).sources) == ["causal_mask"]


BOMB = packed([("softmax.py", b"\0" * 30_000_000)])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(BOMB, id="honest header"),
        pytest.param(patched(BOMB, CENTRAL, 24, "<L", 2**31 - 1), id="header says more"),
        pytest.param(packed([("work.ipynb", b" " * 30_000_000)]), id="as a notebook"),
    ],
)
def test_bomb_is_stopped_while_it_unpacks(save: Save, course: Course, content: bytes) -> None:
    started = time.monotonic()
    with pytest.raises(SubmissionError) as error:
        read_submission(save(content), course)
    assert time.monotonic() - started < 1
    assert "zip bomb" in str(error.value) or "unpacks to more than" in str(error.value)


@pytest.mark.parametrize("size", [0, 100, 200_000, 600_000])
def test_bomb_that_says_it_is_small_gives_no_more_than_it_says(save: Save, course: Course, size: int) -> None:
    (problem,) = read_submission(save(patched(BOMB, CENTRAL, 24, "<L", size)), course).problems
    assert problem.message.startswith("softmax.py is damaged inside the zip")


def test_declared_size_of_unread_members_counts_too(save: Save, course: Course) -> None:
    content = patched(packed([("data.bin", b"x"), ANSWER]), CENTRAL, 24, "<L", 2**31)
    with pytest.raises(SubmissionError, match="unpacks to more than 256 MB"):
        read_submission(save(content), course)


def test_members_that_share_bytes_are_refused(save: Save, course: Course) -> None:
    content = packed([("softmax.py", "x" * 100), ("causal_mask.py", "y" * 100)])
    with pytest.raises(SubmissionError, match="files that overlap"):
        read_submission(save(patched(content, CENTRAL, 42, "<L", 10, which=1)), course)


@pytest.mark.thorough
def test_many_small_bombs_are_stopped_by_the_total(save: Save, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_RATIO", 10_000)
    same = b"#" * 1_000_000
    members = [(f"{number}_softmax.py", same) for number in range(80)]
    with pytest.raises(SubmissionError, match="holds more than 64 MB"):
        read_submission(save(packed(members)), course)


def test_endless_table_of_contents_is_not_read(save: Save, course: Course) -> None:
    entry = struct.pack("<4s4B4HL2L5H2L", CENTRAL, 20, 3, 20, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    table = entry * 100_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(table), 0, 0)
    started = time.monotonic()
    with pytest.raises(SubmissionError, match="lists far more than 1000 files"):
        read_submission(save(table + end), course)
    assert time.monotonic() - started < 1


def test_zip_larger_than_the_limit_is_not_opened(tmp_path: Path, course: Course) -> None:
    path = tmp_path / "alice.zip"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SubmissionError, match="is larger than 32 MB"):
        read_submission(path, course)


def test_too_large_source_is_a_problem(save: Save, course: Course) -> None:
    source = b"".join(b"x = %d\n" % number for number in range(200_000))
    (problem,) = read_submission(save(packed([("softmax.py", source)])), course).problems
    assert problem.message.startswith("softmax.py is larger than 1024 kB")


def test_nothing_is_written(save: Save, course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(packed([ANSWER, ("notes.txt", "x")]))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    read_submission(path, course)
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["alice.zip", "here"]


def test_zip_without_permission_is_one_sentence(ordinary_user: Path, course: Course) -> None:
    path = ordinary_user / "alice.zip"
    path.write_bytes(packed([ANSWER]))
    path.chmod(0)
    with pytest.raises(SubmissionError, match=r"^alice\.zip cannot be opened: permission denied\.$"):
        read_submission(path, course)
