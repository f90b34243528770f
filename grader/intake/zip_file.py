"""Reads a zip, member by member into memory with a byte counter; nothing is extracted, and no header is trusted."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from .clock import look_at_clock
from .collector import Read, Taker
from .folder import MAX_DEPTH, looked_at, open_regular
from .names import printable
from .submission import RefusedError, SubmissionError, UnreadableError

MAX_ZIP_MB = 32  # the zip itself
MAX_MEMBERS = 1000
MAX_DIRECTORY_KB = 1024  # the zip's central directory
MAX_DECLARED_MB = 256  # sum of the members' declared unpacked sizes
MAX_RATIO = 200  # unpacked to packed; Python source stays below 20
_RATIO_COUNTS_FROM = 256 * 1024  # unpacked bytes; small files of blanks have a higher ratio than any bomb

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Accepted compression methods. The others can expand without limit within one step of the unpacker."""
_ENCRYPTED = 0x1 | 0x40
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time in a zip; written when there is none
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,  # a password is needed, or a method is not implemented
    ValueError,  # names that are not text, negative offsets
    OverflowError,
    struct.error,
)


@dataclass(frozen=True)
class Limits:
    """Size limits for a zip."""

    zip_mb: int = MAX_ZIP_MB
    members: int = MAX_MEMBERS
    directory_kb: int = MAX_DIRECTORY_KB
    declared_mb: int = MAX_DECLARED_MB
    one_by_one: bool = False
    """Whether a member with a harmful name is reported and left out, instead of refusing the whole zip."""


OF_A_LEARNER = Limits()
OF_A_CLASS = Limits(zip_mb=2048, members=50_000, directory_kb=32 * 1024, declared_mb=100 * 1024, one_by_one=True)
"""The download of a whole class from a learning platform: one learner's file must not spoil it for the others."""


Chosen = Callable[[Collection[str]], Sequence[str]]
"""Which of an archive's files are offered, of all their paths."""


def collect_archive(path: Path, collector: Taker, limits: Limits = OF_A_LEARNER, chosen: Chosen = looked_at) -> None:
    """Offer every member of the zip at `path` to the collector.

    chosen: those that are offered; by default what counts in a submission.

    Raises:
        SubmissionError: it cannot be opened, is damaged, or is harmful.
    """
    try:
        descriptor = open_regular(path)
    except (UnreadableError, RefusedError) as error:
        raise SubmissionError(f"{collector.name} {error}.") from None
    with open(descriptor, "rb") as file:
        _Archive(file, collector, limits, chosen).offer_members()


@dataclass(frozen=True)
class Packed:
    """Reads one member; `modified` is the zip's time for it."""

    unpack: Read
    modified: datetime | None
    """By the clock of the machine that packed it, without a time zone; None when the zip has no such time."""

    def __call__(self, limit: int) -> bytes:
        """As `Read`."""
        return self.unpack(limit)


@dataclass(frozen=True)
class _Member:
    where: str
    info: zipfile.ZipInfo


def _safe_path(info: zipfile.ZipInfo) -> list[str]:
    """The member's folders and name. Raises RefusedError, whose text continues the name of the zip."""
    shown = printable(info.orig_filename)
    if "\0" in info.orig_filename:
        raise RefusedError(f"holds a file with a NUL character in its name ({shown})")
    parts = parts_of_name(info.filename, "zip")
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        raise RefusedError(f"holds a link ({shown}); zip the file itself")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise RefusedError(f"holds something that is not an ordinary file ({shown})")
    return parts


def parts_of_name(name: str, pack: str) -> list[str]:
    """The folders and the name in a member's path; `pack` is the verb for making such an archive.

    Raises RefusedError, whose text continues the archive's name, for a path that leads elsewhere.
    """
    shown = printable(name)
    if "\0" in name:
        raise RefusedError(f"holds a file with a NUL character in its name ({shown})")
    if "\\" in name:
        raise RefusedError(f"holds a name with a backslash ({shown}); {pack} your files again with another tool")
    if name.startswith("/") or (name[1:2] == ":" and name[0].isascii() and name[0].isalpha()):
        raise RefusedError(f"holds an absolute name ({shown}); {pack} the folder from inside")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise RefusedError(f"holds a name that leads outside ({shown}); {pack} the folder from inside")
    return parts


def _modified(info: zipfile.ZipInfo) -> datetime | None:
    if info.date_time <= _NO_TIME:
        return None
    try:
        return datetime(*info.date_time)
    except ValueError:
        return None


class _Guarded(io.RawIOBase):
    """The zip's file, with a limit on what is read while the central directory is parsed."""

    def __init__(self, file: io.BufferedReader, limit: int) -> None:
        super().__init__()
        self._file = file
        self.bytes_left: int | None = limit

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size if self.bytes_left is None else self._allowed(size))
        if self.bytes_left is not None:
            self.bytes_left -= len(content)
            if self.bytes_left < 0:
                raise _TooMuchError
        return content

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def _allowed(self, size: int) -> int:
        most = (self.bytes_left or 0) + 1
        return most if size < 0 else min(size, most)


class _TooMuchError(Exception):
    pass


class _Archive:
    def __init__(self, file: io.BufferedReader, collector: Taker, limits: Limits, chosen: Chosen) -> None:
        self._file = file
        self._collector = collector
        self._limits = limits
        self._chosen = chosen

    def offer_members(self) -> None:
        if os.fstat(self._file.fileno()).st_size > self._limits.zip_mb * 1024 * 1024:
            raise self._refusal(f"is larger than {self._limits.zip_mb} MB; zip the exercise files alone")
        guarded = _Guarded(self._file, self._limits.directory_kb * 1024)
        try:
            archive = zipfile.ZipFile(guarded)
        except _TooMuchError:
            most = self._limits.members
            raise self._refusal(f"lists far more than {most} files; zip the exercise files alone") from None
        except _DAMAGE:
            raise self._refusal("is damaged or not a zip; zip your files again") from None
        guarded.bytes_left = None
        with archive:
            for member in self._safe_members(archive):
                self._offer(archive, member)

    def _safe_members(self, archive: zipfile.ZipFile) -> list[_Member]:
        """Check the whole central directory before anything is unpacked."""
        infos = archive.infolist()
        if len(infos) > self._limits.members:
            raise self._refusal(f"holds more than {self._limits.members} files; zip the exercise files alone")
        self._demand_no_overlap(infos, archive.start_dir)
        if sum(info.file_size for info in infos) > self._limits.declared_mb * 1024 * 1024:
            raise self._refusal(f"unpacks to more than {self._limits.declared_mb} MB; zip the exercise files alone")
        members: dict[str, _Member] = {}
        for info in infos:
            look_at_clock()
            try:
                where = "/".join(_safe_path(info))
                if where in members:
                    raise RefusedError(f"holds two files named {printable(where)}; zip your files again")
            except RefusedError as error:
                if not self._limits.one_by_one:
                    raise self._refusal(str(error)) from None
                self._collector.report(self._collector.name, error)
            else:
                members[where] = _Member(where, info)
        return [members[where] for where in self._chosen(members) if not members[where].info.is_dir()]

    def _demand_no_overlap(self, infos: list[zipfile.ZipInfo], end: int) -> None:
        """Refuse members that share packed bytes: that is how a small zip unpacks to terabytes."""
        for info in sorted(infos, key=lambda info: info.header_offset, reverse=True):
            if info.header_offset < 0:
                raise self._refusal("is damaged or not a zip; zip your files again")
            if info.header_offset + 30 + len(info.orig_filename) + info.compress_size > end:
                raise self._refusal("holds files that overlap; zip your files again")
            end = info.header_offset

    def _offer(self, archive: zipfile.ZipFile, member: _Member) -> None:
        if member.where.count("/") > MAX_DEPTH:
            self._collector.report(
                member.where, RefusedError(f"lies more than {MAX_DEPTH} folders deep and was not read")
            )
        else:
            unpack = partial(self._unpack, archive, member)
            self._collector.offer(member.where, Packed(unpack, _modified(member.info)))

    def _unpack(self, archive: zipfile.ZipFile, member: _Member, limit: int) -> bytes:
        info = member.info
        if info.flag_bits & _ENCRYPTED:
            raise UnreadableError("is locked with a password; zip your files without one")
        if info.compress_type not in METHODS:
            raise UnreadableError("is packed in an unusual way; zip your files with the ordinary method (deflate)")
        self._demand_ratio(member, info.file_size)
        parts: list[bytes] = []
        size = 0
        try:
            with archive.open(info) as stream:
                while size <= limit and (part := stream.read(min(1 << 16, limit + 1 - size))):
                    parts.append(part)
                    size += len(part)
                    look_at_clock()
                    self._demand_ratio(member, size)
        except _DAMAGE:
            raise UnreadableError("is damaged inside the zip; zip your files again") from None
        return b"".join(parts)

    def _demand_ratio(self, member: _Member, size: int) -> None:
        if size > _RATIO_COUNTS_FROM and size > MAX_RATIO * max(member.info.compress_size, 1):
            raise self._refusal(f"is a zip bomb ({printable(member.where)})")

    def _refusal(self, reason: str) -> SubmissionError:
        return SubmissionError(f"{self._collector.name} {reason}.")
