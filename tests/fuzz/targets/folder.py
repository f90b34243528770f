"""A folder of files with any names, links and pipes among them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.classroom.entries import entries
from grader.classroom.lms_names import NamesError
from grader.intake import SubmissionError, find_submissions, read_submission
from tests.fuzz.sound import assert_sentence, assert_sound
from tests.fuzz.targets.archive import CONTENTS, COURSE, NAMES
from tests.fuzz.watching import scratch

SECRET = b"def softmax(scores, dim=-1):\n    return 'nobody handed this in'\n"
MOST_FILES = 40


def run(data: bytes) -> None:
    """The folder is a submission and a class; what lies outside of it, behind links, is never read."""
    root = scratch()
    (root / "outside.py").write_bytes(SECRET)
    folder = root / "work"
    folder.mkdir()
    parts = data.split(b"\0")[: 2 * MOST_FILES]
    for name, content in zip(parts[::2], parts[1::2], strict=False):
        _put(folder, name, content)
    try:
        submission = read_submission(folder, COURSE)
    except SubmissionError as error:
        assert_sentence(str(error))
    else:
        assert_sound(submission, COURSE)
        assert all(source.content != SECRET for source in submission.sources.values())
    try:
        found = find_submissions(folder)
    except SubmissionError as error:
        assert_sentence(str(error))
        return
    try:
        named = entries(found)
    except NamesError as error:
        assert_sentence(str(error))
        return
    assert len({entry.name for entry in named}) == len(named)
    for entry in named:
        entry.name.encode("utf-8")


def _put(folder: Path, name: bytes, content: bytes) -> None:
    """A file; or by the first letter of its content a link out of the folder, a pipe, or a link to itself."""
    path = folder / os.fsdecode(name.lstrip(b"/").replace(b"..", b"__"))
    with suppress(OSError):  # names that a disk cannot hold
        path.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(path):
            return  # writing to a pipe would wait for a reader
        if content[:1] == b">":
            path.symlink_to(folder.parent / "outside.py")
        elif content[:1] == b"^":
            path.symlink_to(folder)
        elif content[:1] == b"|":
            os.mkfifo(path)
        else:
            path.write_bytes(content)


def inputs() -> SearchStrategy[bytes]:
    """Names that the course knows and names that nobody gives, one after the other with their contents."""
    names = st.sampled_from(NAMES).map(lambda name: name.encode("utf-8", "surrogatepass")) | st.binary(max_size=12)
    contents = st.sampled_from((b">", b"^", b"|", *CONTENTS[:6])) | st.binary(max_size=12)
    return st.lists(st.tuples(names, contents), max_size=6).map(
        lambda files: b"\0".join(part.replace(b"\0", b"") for file in files for part in file)
    )
