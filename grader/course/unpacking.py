"""Unpacks the course of a wheel with answers into the user's cache folder. From then on it is an ordinary course.

In the wheel it is packed, so that nobody reads an answer by accident. That keeps nothing secret.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from grader.cache_folder import cache_folder
from grader.files import lock_at
from grader.zip_writing import zip_of

from .course_error import CourseError

COURSES = "courses"
"""The cache folder of unpacked courses."""
SUFFIX = ".sealed"
DIGEST_LETTERS = 32
MOST_KEPT = 3
"""So many unpacked courses are kept, the newest: an older one would be unpacked again."""
_WRITTEN = 315532800
"""When each unpacked file was changed last, in seconds since 1970. One that somebody has changed bears another time."""


def packed(files: dict[str, bytes]) -> tuple[str, bytes]:
    """A course as one file: its name, which is a digest of its content, and its content."""
    content = zip_of(sorted(files.items()))
    return f"{_digest(content)}{SUFFIX}", content


def unpacked(file: Path) -> Path:
    """The folder of a packed course, made now if it is not there whole.

    Raises CourseError when the file is damaged or cannot be unpacked.
    """
    folder = cache_folder(COURSES) / file.stem
    try:
        if not _is_whole(folder, file):
            with lock_at(folder.parent / ".lock"):
                if not _is_whole(folder, file):
                    _unpack(file, folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise CourseError(f"The course cannot be unpacked into {folder}: {error}. Install the wheel again.") from None
    return folder


def is_unpacked(folder: Path) -> bool:
    """Whether a course's folder is one that was unpacked, where nobody works."""
    return folder.parent.name.endswith(COURSES) and len(folder.name) == DIGEST_LETTERS


def _is_whole(folder: Path, file: Path) -> bool:
    """Whether all files are there as they were unpacked, by sizes and times."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
    try:
        found = [os.stat(folder / member.filename) for member in members]
    except OSError:
        return False
    return all(
        one.st_size == member.file_size and int(one.st_mtime) == _WRITTEN
        for one, member in zip(found, members, strict=True)
    )


def _unpack(file: Path, folder: Path) -> None:
    """Unpack beside the place, then move it there whole. Raises OSError, BadZipFile."""
    content = file.read_bytes()
    if _digest(content) != file.stem:
        raise zipfile.BadZipFile(f"{file.name} is damaged")
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder.parent) as place:
        fresh = Path(place) / "course"
        with zipfile.ZipFile(file) as archive:
            archive.extractall(fresh)
            for member in archive.infolist():
                os.utime(fresh / member.filename, (_WRITTEN, _WRITTEN))
        if folder.exists():
            folder.rename(Path(place) / "old")
        fresh.rename(folder)
    others = sorted(
        (each for each in folder.parent.iterdir() if is_unpacked(each)), key=lambda each: each.stat().st_ctime
    )
    for each in others[:-MOST_KEPT]:
        shutil.rmtree(each, ignore_errors=True)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGEST_LETTERS]
