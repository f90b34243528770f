"""A class in one zip: laid out for a while as a folder, and each learner in it read."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.classroom.download import laid_out, listing_of, read_download
from grader.classroom.entries import read_entry
from grader.classroom.lms_names import NamesError
from grader.intake import SubmissionError
from grader.render.safe_text import safe_line
from tests.fuzz.damage import damaged
from tests.fuzz.sound import assert_sentence, assert_sound
from tests.fuzz.targets.archive import COURSE, NAMES, zips
from tests.fuzz.watching import scratch

OF_A_CLASS = (
    *NAMES[:6],
    "ada/softmax.py",
    "ada/work.zip",
    "Ada Lovelace_4_assignsubmission_file_/softmax.py",
    "lovelaceada_12_34_softmax.py",
    "lovelaceada_LATE_12_34_softmax-1.py",
    "lovelaceada_12_35_work.zip",
    "Kata_lovelace_attempt_2026-11-20-10-00-00_softmax.py",
    "1-2 - Ada - Nov 20, 2026 416 PM/softmax.py",
    "ada",
    "ada/",
    "ada/ada/ada",
    "all/ada/softmax.py",
    "all/bob.py",
    "\u212a/softmax.py",
    "../ada/softmax.py",
    "x" * 300 + "/softmax.py",
)


def run(data: bytes) -> None:
    """Everything lands in the room, as files and folders only; each learner is read; nothing of it stays."""
    folder = scratch()
    path, room = folder / "class.zip", folder / "room"
    path.write_bytes(data)
    try:
        with laid_out(path, room) as contents:
            for remark in contents.remarks:
                assert_sentence(remark)
            _assert_plain(room)
            found = read_download(*listing_of(contents, COURSE), {}).entries
            assert len({entry.name for entry in found}) == len(found)
            for entry in found:
                submission = read_entry(entry, COURSE)
                assert submission.name == entry.name  # as the system has it: it is spelt out wherever it is shown
                assert_sound(replace(submission, name=safe_line(entry.name) or "spaces"), COURSE)
    except (NamesError, SubmissionError) as error:
        assert_sentence(str(error))
    assert os.listdir(folder) == ["class.zip"]


def _assert_plain(room: Path) -> None:
    for place, folders, files in os.walk(room):
        for name in (*folders, *files):
            mode = os.lstat(os.path.join(place, name)).st_mode
            assert stat.S_ISREG(mode) or stat.S_ISDIR(mode), name


def inputs() -> SearchStrategy[bytes]:
    """Class zips, some with learners' zips inside, whole and damaged."""
    return damaged(zips(OF_A_CLASS, most=6) | st.builds(_wrapped, zips(), zips()), most=3)


def _wrapped(one: bytes, other: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("ada.zip", one)
        archive.writestr("bob/work.zip", other)
    return buffer.getvalue()
