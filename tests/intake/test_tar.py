"""A learner's tar: what may be read is, and what is made to do harm is refused in a sentence, within its limits."""

from __future__ import annotations

import gzip
import io
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import SubmissionError, read_submission
from grader.intake.zip_file import MAX_MEMBERS

SOURCE = b"def softmax(scores):\n    return scores\n"
SECONDS = 10


def member(name: str, content: bytes = SOURCE, **how: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in how.items():
        setattr(info, key, value)
    return info, content


def tar(*members: tuple[tarfile.TarInfo, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=format) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


Read = Callable[..., object]


@pytest.fixture
def read(tmp_path: Path, course: Course) -> Callable[..., object]:
    def read_tar(content: bytes, name: str = "erin.tar.gz") -> object:
        (tmp_path / name).write_bytes(content)
        return read_submission(tmp_path / name, course)

    return read_tar


@pytest.mark.parametrize("name", ["erin.tar.gz", "erin.tgz", "erin.TAR.GZ", "erin.tar"])
@pytest.mark.parametrize("is_packed", [True, False], ids=["by gzip", "not packed"])
@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar_is_read_whatever_made_it(name: str, is_packed: bool, format: int, read: Callable) -> None:
    deep = "a" * 60 + "/" + "b" * 60 + "/03_softmax.py"
    content = tar(member("work/", b"", type=tarfile.DIRTYPE), member(deep), member("./.DS_Store", b""), format=format)
    found = read(gzip.compress(content) if is_packed else content, name)
    assert found.name == "erin" and found.problems == ()
    assert found.sources["softmax"].content == SOURCE and found.sources["softmax"].name.endswith("03_softmax.py")


def test_two_parts_of_gzip_and_zeros_at_the_end_are_one_tar(read: Callable) -> None:
    whole = tar(member("softmax.py"))
    assert read(gzip.compress(whole[:700]) + gzip.compress(whole[700:]) + bytes(512)).sources


def test_only_the_work_in_a_copy_of_the_course_counts(read: Callable) -> None:
    found = read(tar(member("kata/course.yml", b""), member("kata/exercises/03_softmax.py"),
                     member("kata/solutions/03_softmax.py", b"x = 1\n")))  # fmt: skip
    assert found.sources["softmax"].content == SOURCE and found.problems == ()


def test_what_is_no_answer_is_named(read: Callable) -> None:
    (problem,) = read(tar(member("softmax.py"), member("notes.txt"))).problems
    assert problem.message.startswith("notes.txt is not a file of this course")


def pax(records: bytes, size: int | None = None) -> bytes:
    """A header beside a member that says this, then the member."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, len(records) if size is None else size
    block = info.tobuf(tarfile.USTAR_FORMAT)
    return block + records + bytes(-len(records) % 512) + tar(member("softmax.py"))


def sized(content: bytes, size: int) -> bytes:
    """The tar with another size in its first header, as a negative number of 12 bytes where it is below 0."""
    info = tarfile.TarInfo.frombuf(content[:512], "utf-8", "strict")
    field = (size + 256**11).to_bytes(11, "big") if size < 0 else b""
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" + field if size < 0 else b"%011o\0" % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + content[512:]


HARMFUL = {
    "link": (tar(member("softmax.py", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")), "holds a link"),
    "hard link": (
        tar(member("a.py"), member("softmax.py", b"", type=tarfile.LNKTYPE, linkname="a.py")),
        "holds a link",
    ),
    "device": (tar(member("softmax.py", b"", type=tarfile.CHRTYPE)), "not an ordinary file"),
    "pipe": (tar(member("softmax.py", b"", type=tarfile.FIFOTYPE)), "not an ordinary file"),
    "leads outside": (tar(member("../softmax.py")), "leads outside"),
    "absolute": (tar(member("/softmax.py")), "absolute name"),
    "drive": (tar(member("C:/softmax.py")), "absolute name"),
    "backslash": (tar(member("a\\softmax.py")), "backslash"),
    "twice": (tar(member("softmax.py"), member("./softmax.py", b"x = 1\n")), "two files named softmax.py"),
    "too many": (tar(*(member(f"{number}.txt", b"") for number in range(MAX_MEMBERS + 1))), "holds more than"),
    "far too many": (tar(*(member(f"{number}.txt", b"") for number in range(5 * MAX_MEMBERS))), "holds more than"),
    "no tar": (b"no tar", "damaged or not a tar"),
    "nothing": (b"", "damaged or not a tar"),
    "half a gzip": (gzip.compress(tar(member("softmax.py", bytes(range(256)) * 400)))[:-40], "damaged or not a tar"),
    "gzip of rubbish": (b"\x1f\x8b\x08" + b"\xff" * 100, "damaged or not a tar"),
    "bomb": (gzip.compress(tar(member("softmax.py", bytes(150 << 20)))), "is a bomb"),
    "bomb in parts": (gzip.compress(bytes(1 << 20)) * 400, "is a bomb"),
    "megabytes beside a name": (pax(b"x" * (1 << 20)), "far too much beside"),
    "negative size": (sized(tar(member("softmax.py")), -512), "damaged or not a tar"),
    "negative size beside a name": (pax(b"13 size=-512\n"), "damaged or not a tar"),
    "size that is no number": (pax(b"10 size=x\n"), "damaged or not a tar"),
    "headers beside headers": (pax(b"")[:512] * 2500 + tar(member("softmax.py")), "damaged or not a tar"),
    "endless gzip header": (b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * (20 << 20), "damaged or not a tar"),
}


@pytest.mark.parametrize(("content", "told"), HARMFUL.values(), ids=HARMFUL)
def test_harmful_tar_is_refused_as_a_whole_in_a_sentence(content: bytes, told: str, read: Callable) -> None:
    began = time.monotonic()
    with pytest.raises(SubmissionError) as error:
        read(content)
    assert told in str(error.value) and "\n" not in str(error.value)
    assert time.monotonic() - began < SECONDS


def test_nothing_after_a_damaged_header_vanishes(read: Callable) -> None:
    content = bytearray(tar(member("notes.txt", b""), member("softmax.py")))
    content[512 + 5] ^= 1
    with pytest.raises(SubmissionError, match="damaged"):
        read(bytes(content))


def test_size_beyond_the_end_is_told_of_the_file_alone(read: Callable) -> None:
    content = tar(member("03_softmax.py"))[:512] + SOURCE
    with pytest.raises(SubmissionError, match="damaged"):
        read(content)


def test_sparse_file_of_terabytes_is_refused(read: Callable) -> None:
    records = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n26 GNU.sparse.name=soft.py\n33 GNU.sparse.realsize=99999999999\n"
    with pytest.raises(SubmissionError):
        read(pax(records))


def test_link_to_a_tar_is_not_followed(tmp_path: Path, course: Course) -> None:
    (tmp_path / "real.tar").write_bytes(tar(member("softmax.py")))
    (tmp_path / "erin.tar").symlink_to("real.tar")
    with pytest.raises(SubmissionError, match="is a link"):
        read_submission(tmp_path / "erin.tar", course)
