"""A zip, read as a learner's submission."""

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
from tests.fuzz.damage import ODD, damaged
from tests.fuzz.watching import ROOT, assert_sentence, scratch

COURSE = load_course(ROOT / "course.yml")
MAX_PROBLEMS = 1000
LINK, PIPE, FOLDER, FILE = 0o120777, 0o010644, 0o040755, 0o100644
METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def run(data: bytes) -> None:
    """It gives a sound submission, the same when read again, or one sentence. Nothing is unpacked."""
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
    for id, source in submission.sources.items():
        assert_sentence(source.name)
        assert "\0" not in source.content.decode("utf-8")
        assert len(source.content) <= COURSE.exercise(id).limits.source_kb * 1024
    for problem in submission.problems:
        assert_sentence(problem.message)
        assert problem.file.isprintable()
    assert submission.sources or submission.problems, "nothing was taken, and nobody says why"
    assert len(submission.problems) <= MAX_PROBLEMS
    return submission


def inputs() -> SearchStrategy[bytes]:
    """Zips of right and odd members, some with zips inside, whole and damaged."""
    inner = st.sampled_from(ODD["contents"]) | st.binary(max_size=30)
    return damaged(zips(inner) | zips(inner | zips(inner)), most=3)


@st.composite
def zips(draw: st.DrawFn, contents: SearchStrategy[bytes]) -> bytes:
    """A zip whose members may be links, doubled, locked, packed in any way, or tell lies about their size."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name are meant
        for _ in range(draw(st.integers(0, 5))):
            name = draw(st.sampled_from(ODD["names"]) | st.text(max_size=12)) or "x"
            moment = draw(st.sampled_from(((2026, 11, 20, 10, 0, 0), (1980, 1, 1, 0, 0, 0))))
            info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode("utf-8"), moment)
            info.compress_type = draw(st.sampled_from(METHODS))
            info.external_attr = draw(st.sampled_from((0, FILE, FILE, LINK, PIPE, FOLDER))) << 16
            info.extra = draw(st.sampled_from((b"", b"", b"\x01\x00\x08\x00" + b"\xff" * 8, b"\x75\x70\x02\x00\x01x")))
            archive.writestr(info, draw(contents))
        archive.comment = draw(st.sampled_from((b"", b"", b"PK\x05\x06", b"x" * 100)))
    data, field = bytearray(buffer.getvalue()), draw(st.integers(0, 40))
    start = data.find(b"PK\x01\x02")
    if start >= 0 and field >= 8:  # a number of the first entry: flags, method, times, checksum, sizes, modes, offset
        size = 4 if field in (16, 20, 24, 38, 42) else 2
        lie = draw(st.sampled_from((0, 1, 2**31, 2**32 - 1)))
        data[start + field : start + field + size] = lie.to_bytes(4, "little")[:size]
    return bytes(data)
