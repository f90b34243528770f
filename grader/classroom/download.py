"""Lists a class's folder: submissions named by one platform, and others with plain names.

A zip with a whole class, as learning platforms provide it, is unpacked into a temporary folder. Only this outer zip is
unpacked: a learner's own zip stays a zip and is read like any other. No name can lead outside the folder, no link is
created, nothing is overwritten.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.intake import SubmissionError
from grader.intake.names import COURSE_WORK, ExerciseNames, first_few, is_passed_over, printable
from grader.intake.zip_file import METHODS

from .class_listing import LeftOut, Listing, look_into, nothing_in
from .entries import Entry, entries
from .lms_names import TITLES, Platform, platform_of, read_names

MAX_FILES = 500_000
MAX_UNPACKED_GB = 64
MAX_RATIO = 200
_RATIO_COUNTS_FROM = 1024 * 1024  # in unpacked bytes
_PIECE = 1 << 20
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, NotImplementedError, struct.error)
_NO_PLACE = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)


@dataclass(frozen=True)
class LaidOut:
    """A class zip's contents as a folder, and a sentence about each file that was not unpacked as it was.

    left_out: files of the zip that are not in the folder.
    """

    folder: Path
    remarks: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()


@contextmanager
def laid_out(path: Path, room: Path) -> Iterator[LaidOut]:
    """Unpack a class zip below `room`, which is emptied before and removed at the end.

    A damaged or odd file in it does not affect the others.

    Raises SubmissionError when it is no zip or far too large; OSError when the disk is full.
    """
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir(parents=True)
    try:
        left_out = tuple(_unpack(path, room))
        remarks = tuple(f"{_shown(each.name)} {each.reason}." for each in left_out if not each.is_usual)
        yield LaidOut(room, remarks, left_out)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def listing_of(contents: LaidOut, course: Course) -> tuple[Listing, Path]:
    """The files of a class zip, and their folder; platforms often put one folder around all submissions.

    Raises SubmissionError when there is no submission.
    """
    folder = contents.folder
    found, around = look_into(folder), contents.left_out
    if len(found.submissions) == 1 and found.submissions[0].is_dir() and _is_wrapping(found.submissions[0], course):
        around = (*around, *found.others)
        folder = found.submissions[0]
        found = look_into(folder)
    if not found.submissions:
        raise SubmissionError(nothing_in(folder, (*found.others, *around)))
    return Listing(found.submissions, (*found.others, *around)), folder


def _is_wrapping(folder: Path, course: Course) -> bool:
    """Whether this folder contains learners' submissions rather than being one."""
    if any(read_names(platform, [folder.name]) for platform in TITLES):
        return False  # a platform's folder of the only learner who has handed in so far
    inside = [each.name for each in folder.iterdir() if not is_passed_over(each.name)]
    return bool(inside) and not are_work(inside, course)


def are_work(names: Sequence[str], course: Course, *, loosely: bool = False) -> bool:
    """Whether files and folders with these names are one learner's work, rather than a submission each.

    loosely: also accept names close to an exercise's; for files that are surely of one learner.
    """
    exercises = ExerciseNames(course)
    units = {unit.folder for unit in course.units}
    of_a_learner = {COURSE_WORK, *units, *(f"{unit}.ipynb" for unit in units)}
    return any(
        name in of_a_learner or exercises.by_file(name) or (loosely and exercises.nearest_file(name)) for name in names
    )


def _unpack(path: Path, room: Path) -> Iterator[LeftOut]:
    """Unpack everything; yields the odd files."""
    shown = printable(path.name)
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise SubmissionError(f"{shown} does not exist.") from None
    except _DAMAGE:
        raise SubmissionError(f"{shown} is damaged or not a zip.") from None
    with archive:
        members = archive.infolist()
        if len(members) > MAX_FILES:
            raise SubmissionError(f"{shown} holds more than {MAX_FILES} files; grade it in parts.")
        left = MAX_UNPACKED_GB << 30
        times = Counter(info.filename for info in members)
        for info in members:
            try:
                if times[info.filename] > 1 and not info.is_dir():
                    raise _Odd("is in the zip several times, so nobody knows which counts, and was left out")
                left -= _lay_out(archive, info, room, left)
            except _Usual:
                yield LeftOut(info.filename, USUAL, is_usual=True)
            except _Odd as error:
                yield LeftOut(info.filename, str(error))
            if left < 0:
                raise SubmissionError(f"{shown} unpacks to more than {MAX_UNPACKED_GB} GB; grade it in parts.")


def _shown(name: str) -> str:
    return printable(name) or "A file without a name"


class _Odd(Exception):
    """A member that cannot be unpacked as it is; the message continues a sentence that starts with its name."""


class _Usual(Exception):
    """A file that operating systems and tools leave behind."""


def _lay_out(archive: zipfile.ZipFile, info: zipfile.ZipInfo, room: Path, left: int) -> int:
    """Unpack one member; returns the bytes written, at most a piece more than `left`.

    Raises _Odd; OSError without room.
    """
    parts = [part for part in info.filename.split("/") if part not in ("", ".")]
    if any(is_passed_over(part) for part in parts if part != ".."):
        raise _Usual
    is_odd = "\\" in info.orig_filename or "\0" in info.orig_filename or info.filename.startswith("/")
    kinds = (0, stat.S_IFDIR) if info.filename.endswith("/") else (0, stat.S_IFREG)
    if is_odd or ".." in parts or not parts or stat.S_IFMT(info.external_attr >> 16) not in kinds:
        raise _Odd("is not an ordinary file with an ordinary name and was left out")
    if info.is_dir():  # an empty folder is an empty submission
        return _make(room.joinpath(*parts))
    if info.compress_type not in METHODS:
        raise _Odd("is packed in an unusual way and was left out; zip files with the ordinary method (deflate)")
    try:
        return _write(archive, info, room.joinpath(*parts), left)
    except _DAMAGE:  # keep what could be read, so that the learner's record reports the damage
        raise _Odd("is damaged or a zip bomb") from None
    except OSError as error:
        if error.errno in _NO_PLACE:
            raise _Odd(f"was left out: {error.strerror}") from None
        raise


def _make(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in _NO_PLACE:
            raise _Odd(f"was left out: {error.strerror}") from None
        raise
    return 0


def _write(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, left: int) -> int:
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(target, flags, 0o600), "wb") as file, archive.open(info) as packed:
        while written <= left and (piece := packed.read(_PIECE)):
            file.write(piece)
            written += len(piece)
            if written > _RATIO_COUNTS_FROM and written > MAX_RATIO * max(info.compress_size, 1):
                raise zipfile.BadZipFile
    return written


USUAL = "It is hidden, or what tools, systems or the course leave behind."
_TYPED = "It is what the platform wrote or somebody typed in there; files of the same hand-in are graded."
_EARLIER = "Of several attempts of one learner the last is graded, and this is an earlier one."


@dataclass(frozen=True)
class Download:
    """The submissions in a class's folder, and its other files."""

    platform: Platform
    entries: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]


def read_download(listing: Listing, folder: Path, known: Mapping[str, str], names: Platform | None = None) -> Download:
    """Sort the files of a folder into submissions and others.

    known: names that are no submission, such as the results, each with the reason. names: the platform that made the
    names; detected if None. Raises KataError when that is unclear.
    """
    others = {each.name: each for each in listing.others if each.name not in known}
    paths = [path for path in listing.submissions if path.name not in known]
    everything = [path.name for path in paths] + [each.name for each in others.values() if not each.is_usual]
    platform = names or platform_of(everything)
    read = read_names(platform, everything)
    # a file named by the platform is a submission whatever its type, so that the learner's record reports it
    paths = sorted([*paths, *(folder / name for name in others if name in read)])
    found = entries(paths, platform)
    earlier = {path for entry in found for path in entry.earlier}
    taken = {path for entry in found for path in entry.files}
    left_out = [LeftOut(path.name, _EARLIER) for path in paths if path in earlier]
    left_out += [LeftOut(path.name, _TYPED, is_usual=True) for path in paths if path not in taken | earlier]
    left_out += [each for name, each in others.items() if name not in read]
    there = {path.name for path in listing.submissions} | {each.name for each in listing.others}
    left_out += [LeftOut(name, why, is_usual=True) for name, why in known.items() if name in there]
    left_out.sort(key=lambda each: each.name)
    return Download(platform, tuple(found), tuple(left_out), tuple(_remarks(platform, everything, read, left_out)))


def _remarks(
    platform: Platform, everything: Sequence[str], read: Mapping[str, object], left_out: Sequence[LeftOut]
) -> list[str]:
    said = []
    if platform in TITLES:
        said.append(f"Read as a {TITLES[platform]} download; --from says otherwise.")
        if plain := [name for name in everything if name not in read]:
            said.append(f"Not named by {TITLES[platform]}, so taken as they are: {first_few(plain)}.")
    elif any(read_names(each, everything) for each in TITLES):
        like = [TITLES[each] for each in TITLES if read_names(each, everything)]
        said.append(f"Read as plain names, though some look like a download from {' or '.join(like)} (--from).")
    for reason in dict.fromkeys(each.reason for each in left_out if not each.is_usual):
        names = [each.name for each in left_out if each.reason == reason]
        said.append(f"Not graded: {first_few(names)}. {reason}")
    if usual := [each.name for each in left_out if each.is_usual]:
        said.append(f"Passed over: {first_few(usual)}.")
    return said
