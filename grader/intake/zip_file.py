"""Reads a zip, member by member into memory with a byte counter; nothing is extracted, and no header is trusted."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .names import printable
from .reading_time import look_at_clock
from .regular_file import open_regular
from .submission import SubmissionError, UnreadableError
from .walk import Taker, offer_all

MB = 1024 * 1024
MAX_RATIO = 200  # unpacked to packed; Python source stays below 20
_RATIO_COUNTS_FROM = 256 * 1024  # unpacked bytes; small files of blanks have a higher ratio than any bomb
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Accepted compression methods. The others can expand without limit within one step of the unpacker."""
_ENCRYPTED = 0x1 | 0x40
# a RuntimeError asks for a password, a ValueError finds a name that is no text or a negative offset
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, OverflowError)
_DAMAGED = "is damaged or not a zip; zip your files again"


@dataclass(frozen=True)
class ZipLimits:
    """Limits for the zip itself, its members, its table of contents, and the sum of the sizes that it declares."""

    zip_mb: int = 32
    members: int = 1000
    directory_kb: int = 1024
    declared_mb: int = 256


OF_A_LEARNER = ZipLimits()
OF_A_CLASS = ZipLimits(zip_mb=2048, members=50_000, directory_kb=32 * 1024, declared_mb=20 * 1024)
"""The download of a whole class from a learning platform: a harmful member is left out, and does not refuse the zip."""


@dataclass(frozen=True)
class ZipMember:
    """Reads one member; called with a limit, as `walk.Read`."""

    zip_name: str
    where: str
    archive: zipfile.ZipFile
    info: zipfile.ZipInfo

    def __call__(self, limit: int) -> bytes:
        """Unpack at most `limit` + 1 bytes. Raises UnreadableError, and SubmissionError for a bomb."""
        if self.info.flag_bits & _ENCRYPTED:
            raise UnreadableError("is locked with a password; zip your files without one")
        if self.info.compress_type not in METHODS:
            raise UnreadableError("is packed in an unusual way; zip your files with the ordinary method (deflate)")
        self._demand_ratio(self.info.file_size)
        content = bytearray()
        try:
            with self.archive.open(self.info) as stream:
                while len(content) <= limit and (part := stream.read(min(1 << 16, limit + 1 - len(content)))):
                    content += part
                    look_at_clock()
                    self._demand_ratio(len(content))
        except _DAMAGE:
            raise UnreadableError("is damaged inside the zip; zip your files again") from None
        return bytes(content)

    def _demand_ratio(self, size: int) -> None:
        if size > _RATIO_COUNTS_FROM and size > MAX_RATIO * max(self.info.compress_size, 1):
            raise SubmissionError(f"{self.zip_name} is a zip bomb ({printable(self.where)}).")


class _Guarded(io.BufferedReader):
    """The zip's file, with a limit on what is read while the table of contents is parsed."""

    bytes_left: int | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        if self.bytes_left is None:
            return super().read(size)
        wanted = self.bytes_left + 1
        content = super().read(wanted if size is None or size < 0 else min(size, wanted))
        self.bytes_left -= len(content)
        if self.bytes_left < 0:
            raise ValueError
        return content


Report = Callable[[str, UnreadableError], None]
"""Takes a member's path and what is wrong with it."""


@contextmanager
def opened_zip(
    path: Path, name: str, limits: ZipLimits = OF_A_LEARNER, report: Report | None = None
) -> Iterator[dict[str, ZipMember | None]]:
    """The members of a zip by path, its folders as None, once its whole table of contents has been checked.

    name: of the zip, for messages. report: takes what is wrong with a member, which is left out then; without it a
    harmful member refuses the zip.

    Raises SubmissionError: it cannot be opened, is damaged, or is harmful.
    """
    try:
        file = _Guarded(io.FileIO(open_regular(path)))
    except UnreadableError as error:
        raise SubmissionError(f"{name} {error}.") from None
    with file:
        try:
            members = _members(file, name, limits, report)
        except UnreadableError as error:
            raise SubmissionError(f"{name} {error}.") from None
        yield members


def collect_zip(path: Path, taker: Taker, limits: ZipLimits = OF_A_LEARNER) -> None:
    """Offer every member of the zip at `path`. Raises SubmissionError, as `opened_zip`."""
    report = taker.report if limits is OF_A_CLASS else None
    with opened_zip(path, taker.name, limits, report) as members:
        offer_all(members, taker)


def _members(file: _Guarded, name: str, limits: ZipLimits, report: Report | None) -> dict[str, ZipMember | None]:
    if os.fstat(file.fileno()).st_size > limits.zip_mb * MB:
        raise UnreadableError(f"is larger than {limits.zip_mb} MB; zip the exercise files alone")
    file.bytes_left = limits.directory_kb * 1024
    try:
        archive = zipfile.ZipFile(file)
    except _DAMAGE:
        if file.bytes_left < 0:
            raise UnreadableError(f"lists far more than {limits.members} files; zip the exercise files alone") from None
        raise UnreadableError(_DAMAGED) from None
    file.bytes_left = None
    infos = archive.infolist()
    if len(infos) > limits.members:
        raise UnreadableError(f"holds more than {limits.members} files; zip the exercise files alone")
    _demand_no_overlap(infos, archive.start_dir)
    if sum(info.file_size for info in infos) > limits.declared_mb * MB:
        raise UnreadableError(f"unpacks to more than {limits.declared_mb} MB; zip the exercise files alone")
    places = {info: "/".join(part for part in info.filename.split("/") if part not in ("", ".")) for info in infos}
    times = Counter(places.values())
    members: dict[str, ZipMember | None] = {}
    for info, where in places.items():
        look_at_clock()
        twice = f"two files named {printable(where)}; zip your files again" if times[where] > 1 else ""
        if harm := _harm_of(info) or twice:
            error = UnreadableError(f"holds {harm}", "refused")
            if report is None:
                raise error
            report(where or info.filename, error)
        else:
            members[where] = None if info.is_dir() else ZipMember(name, where, archive, info)
    return members


def _demand_no_overlap(infos: list[zipfile.ZipInfo], end: int) -> None:
    """Refuse members that share packed bytes: that is how a small zip unpacks to terabytes."""
    for info in sorted(infos, key=lambda info: info.header_offset, reverse=True):
        if info.header_offset < 0:
            raise UnreadableError(_DAMAGED)
        if info.header_offset + 30 + len(info.orig_filename) + info.compress_size > end:
            raise UnreadableError("holds files that overlap; zip your files again")
        end = info.header_offset


def _harm_of(info: zipfile.ZipInfo) -> str:
    """Why a member refuses the zip, to follow "holds"; empty for an ordinary file or folder inside of it."""
    name, kind, shown = info.filename, stat.S_IFMT(info.external_attr >> 16), printable(info.orig_filename)
    is_drive = name[1:2] == ":" and name[0].isascii() and name[0].isalpha()
    harms = {
        f"a file with a NUL character in its name ({shown})": "\0" in info.orig_filename,
        f"a name with a backslash ({shown}); zip your files again with another tool": "\\" in name,
        f"an absolute name ({shown}); zip the folder from inside": name.startswith("/") or is_drive,
        f"a name that leads outside ({shown}); zip the folder from inside": ".." in name.split("/"),
        f"a link ({shown}); zip the file itself": kind == stat.S_IFLNK,
        f"something that is not an ordinary file ({shown})": kind not in (0, stat.S_IFREG, stat.S_IFDIR),
    }
    return next((harm for harm, is_there in harms.items() if is_there), "")
