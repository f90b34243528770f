"""Reads a tar, gzipped or not, member by member into memory; nothing is extracted, and no header is trusted.

It is read in two passes: first only the headers, each with a size limit, since the standard library keeps extended
headers in memory; a harmful archive is refused as a whole, like a zip.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

from .clock import look_at_clock
from .collector import Taker
from .folder import MAX_DEPTH, looked_at, open_regular
from .names import printable
from .submission import RefusedError, SubmissionError, UnreadableError
from .zip_file import MAX_DECLARED_MB, MAX_MEMBERS, MAX_RATIO, MAX_ZIP_MB, parts_of_name

MAX_HEADER_KB = 64
"""Limit for the extended header of one member, such as a long name."""
_RATIO_COUNTS_FROM = 1024 * 1024  # unpacked bytes; a tar of small files is mostly zeros
_IN_MEMORY = 32 * 1024 * 1024
_BLOCK = 512
_PIECE = 1 << 16
_GZIP = b"\x1f\x8b"
_BESIDE_A_MEMBER = (b"x", b"g", b"X", b"L", b"K", b"N")
_DAMAGE = (tarfile.TarError, zlib.error, EOFError, OSError, RuntimeError, ValueError, OverflowError)


def collect_tar(path: Path, collector: Taker) -> None:
    """Offer every member of the tar at `path` to the collector.

    Raises:
        SubmissionError: it cannot be opened, is damaged, or is harmful.
    """
    try:
        descriptor = open_regular(path)
    except (UnreadableError, RefusedError) as error:
        raise SubmissionError(f"{collector.name} {error}.") from None
    try:
        with open(descriptor, "rb") as file, tempfile.SpooledTemporaryFile(_IN_MEMORY) as unpacked:
            _unpack(file, unpacked)
            count = _members_by_headers(unpacked)
            unpacked.seek(0)
            with tarfile.open(fileobj=unpacked, mode="r:", errorlevel=2) as archive:
                _offer(archive, count, collector)
    except RefusedError as error:
        raise SubmissionError(f"{collector.name} {error}.") from None
    except _DAMAGE:
        raise SubmissionError(f"{collector.name} is damaged or not a tar; pack your files again.") from None


def _unpack(file: IO[bytes], to: IO[bytes]) -> None:
    """Write the unpacked tar to `to`. Raises RefusedError, zlib.error, EOFError."""
    if os.fstat(file.fileno()).st_size > MAX_ZIP_MB * 1024 * 1024:
        raise RefusedError(f"is larger than {MAX_ZIP_MB} MB; pack the exercise files alone")
    is_packed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    read = written = 0
    unpacker = zlib.decompressobj(wbits=31)
    while piece := file.read(_PIECE):
        look_at_clock()
        read += len(piece)
        while piece:
            if not is_packed:
                to.write(piece)
                break
            if unpacker.eof:  # gzip allows several members in one file
                unpacker = zlib.decompressobj(wbits=31)
            out = unpacker.decompress(piece, _PIECE)
            piece = unpacker.unconsumed_tail or unpacker.unused_data
            to.write(out)
            written += len(out)
            if written > MAX_DECLARED_MB * 1024 * 1024:
                raise RefusedError(f"unpacks to more than {MAX_DECLARED_MB} MB; pack the exercise files alone")
            if written > _RATIO_COUNTS_FROM and written > MAX_RATIO * read:
                raise RefusedError("is a bomb: it unpacks to far more than it is")
            if unpacker.eof and not piece.strip(b"\0"):
                piece = b""
    if is_packed and not unpacker.eof:
        raise EOFError


def _members_by_headers(file: IO[bytes]) -> int:
    """Check every header before the standard library reads it; return the number of members.

    Raises RefusedError, tarfile.TarError.
    """
    end, place, count, members = file.seek(0, os.SEEK_END), 0, 0, 0
    while place + _BLOCK <= end:
        file.seek(place)
        header = file.read(_BLOCK)
        if not header.strip(b"\0"):
            break
        count += 1
        look_at_clock()
        if count > 3 * MAX_MEMBERS:  # each member may have a long name and a long link in front of it
            raise RefusedError(f"holds more than {MAX_MEMBERS} files; pack the exercise files alone")
        size = tarfile.nti(header[124:136])  # type: ignore[attr-defined]
        if size < 0:
            raise tarfile.ReadError
        members += header[156:157] not in _BESIDE_A_MEMBER
        if header[156:157] in _BESIDE_A_MEMBER and size > MAX_HEADER_KB * 1024:
            raise RefusedError("says far too much beside a file's name; pack your files again with another tool")
        place += _BLOCK + -(-size // _BLOCK) * _BLOCK
    return members


def _offer(archive: tarfile.TarFile, count: int, collector: Taker) -> None:
    members = _safe_members(archive)
    if len(archive.getmembers()) != count:  # the standard library stops silently at a damaged header
        raise tarfile.ReadError
    for where in looked_at(members):
        member = members[where]
        if member.isdir():
            continue
        if where.count("/") > MAX_DEPTH:
            deep = RefusedError(f"lies more than {MAX_DEPTH} folders deep and was not read")
            collector.report(where, deep)
        else:
            collector.offer(where, partial(_read, archive, member))


def _safe_members(archive: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    """All members by path. Raises RefusedError for a harmful one, by the rules for a zip."""
    found: dict[str, tarfile.TarInfo] = {}
    for member in _bounded(archive):
        where = "/".join(_safe_path(member))
        if where in found and not (member.isdir() and found[where].isdir()):
            raise RefusedError(f"holds two files named {printable(where)}; pack your files again")
        found[where] = member
    return found


def _bounded(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    last = -1
    for count, member in enumerate(archive):
        look_at_clock()
        if count >= MAX_MEMBERS:
            raise RefusedError(f"holds more than {MAX_MEMBERS} files; pack the exercise files alone")
        if member.offset <= last or member.size < 0 or "size" in member.pax_headers:  # only files of 8 GB need that
            raise tarfile.ReadError
        last = member.offset
        yield member


def _safe_path(member: tarfile.TarInfo) -> list[str]:
    """The member's folders and name. Raises RefusedError, whose text continues the name of the tar."""
    parts = parts_of_name(member.name, "pack")
    if member.issym() or member.islnk():
        raise RefusedError(f"holds a link ({printable(member.name)}); pack the file itself")
    if not (member.isfile() or member.isdir()) or member.issparse():
        raise RefusedError(f"holds something that is not an ordinary file ({printable(member.name)})")
    return parts


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo, limit: int) -> bytes:
    try:
        stream = archive.extractfile(member)
        content = stream.read(min(limit + 1, member.size)) if stream else b""
    except _DAMAGE:
        raise UnreadableError("is damaged inside the tar; pack your files again") from None
    if len(content) < min(limit + 1, member.size):
        raise UnreadableError("is damaged inside the tar; pack your files again")
    return content
