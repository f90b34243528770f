"""A learner's zip, as the intake reads it."""

from __future__ import annotations

import io
import os
import warnings
import zipfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.course import load_course
from grader.intake import Submission, SubmissionError, read_submission
from tests.fuzz.damage import damaged
from tests.fuzz.sound import assert_sentence, assert_sound
from tests.fuzz.watching import ROOT, scratch

COURSE = load_course(ROOT / "course.yml")
LINK, PIPE, FOLDER, FILE = 0o120777, 0o010644, 0o040755, 0o100644

CONTENTS = (
    b"def softmax(scores, dim=-1):\n    return scores.softmax(dim)\n",
    b"def softmax(scores): ...\n",
    b"",
    b"\xff\xfe",
    b"\0",
    b"# coding: latin-1\n",
    b'{"cells": [{"cell_type": "code", "source": "def softmax(x): ...", "metadata": {}}], "nbformat": 4}',
    b"PK\x03\x04",
    b"\n" * 300_000,
)
NAMES = (
    "03_softmax.py",
    "softmax.py",
    "a/softmax.py",
    "work.ipynb",
    "inner.zip",
    "notes.txt",
    "exercises/01_soft_lookup/03_softmax.py",
    "course.yml",
    "solutions/x.py",
    "pyvenv.cfg",
    "env/pyvenv.cfg",
    "env/softmax.py",
    "review/softmax.py",
    "../softmax.py",
    "/softmax.py",
    "C:softmax.py",
    "a\\softmax.py",
    "a/../softmax.py",
    "./softmax.py",
    "a//softmax.py",
    "a/" * 40 + "softmax.py",
    "",
    "/",
    ".",
    "..",
    "\u202esoftmax.py",
    "\x1b[31msoftmax.py",
    "softmax.py\n",
    "so\u0301ftmax.py",
    "x" * 300 + ".py",
    "__MACOSX/._softmax.py",
    "\ud800softmax.py",
)


def run(data: bytes) -> None:
    """A zip gives a sound submission, the same when it is read again, or one sentence; nothing is unpacked to disk."""
    folder = scratch()
    path = folder / "work.zip"
    path.write_bytes(data)
    first = _read(path)
    assert _read(path) == first
    assert os.listdir(folder) == ["work.zip"]


def _read(path: Path) -> Submission | str:
    try:
        submission = read_submission(path, COURSE)
    except SubmissionError as error:
        assert_sentence(str(error))
        return str(error)
    assert_sound(submission, COURSE)
    return submission


def inputs() -> SearchStrategy[bytes]:
    """Zips of right and odd members, whole and damaged."""
    return damaged(zips(), most=3)


@st.composite
def zips(draw: st.DrawFn, names: tuple[str, ...] = NAMES, most: int = 5) -> bytes:
    """A zip whose members may be links, doubled, locked, packed in any way, or tell lies about their size."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name are meant
        for _ in range(draw(st.integers(0, most))):
            name = draw(st.sampled_from(names) | st.text(max_size=12)) or "x"
            name = name.encode("utf-8", "replace").decode("utf-8")
            info = zipfile.ZipInfo(name, draw(st.sampled_from(((2026, 11, 20, 10, 0, 0), (1980, 1, 1, 0, 0, 0)))))
            methods = (
                zipfile.ZIP_DEFLATED,
                zipfile.ZIP_DEFLATED,
                zipfile.ZIP_STORED,
                zipfile.ZIP_BZIP2,
                zipfile.ZIP_LZMA,
            )
            info.compress_type = draw(st.sampled_from(methods))
            info.external_attr = draw(st.sampled_from((0, FILE, FILE, LINK, PIPE, FOLDER))) << 16
            info.extra = draw(st.sampled_from((b"", b"", b"\x01\x00\x08\x00" + b"\xff" * 8, b"\x75\x70\x02\x00\x01x")))
            content = draw(st.sampled_from(CONTENTS) | st.binary(max_size=30))
            archive.writestr(info, content)
        archive.comment = draw(st.sampled_from((b"", b"", b"PK\x05\x06", b"x" * 100)))
    return _lied(
        bytearray(buffer.getvalue()), draw(st.integers(0, 40)), draw(st.sampled_from((0, 1, 2**31, 2**32 - 1)))
    )


def _lied(data: bytearray, field: int, number: int) -> bytes:
    """A number of the first entry of the table of contents replaced, where there is one."""
    start = data.find(b"PK\x01\x02")
    if start >= 0 and 8 <= field <= 42:  # flags, method, times, checksum, sizes, lengths, modes, offset
        size = 4 if field in (16, 20, 24, 38, 42) else 2
        data[start + field : start + field + size] = number.to_bytes(4, "little")[:size]
    return bytes(data)
