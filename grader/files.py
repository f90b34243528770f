"""What we write: files whole and their names, zips of equal bytes, tables, the user's folders. Where processes begin.

A file is written beside its place first, then moved there. Below a folder that was named, links are refused, and so
they are where a file is read that somebody else may have made.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import math
import os
import re
import secrets
import stat
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Literal

from filelock import FileLock

import grader
from grader.errors import KataError

UNFINISHED = ".kata-unfinished-"  # begins the name of a file until it is whole
_IS_LINK = "this is a link, and nothing is written through links: take it away"


def write_file(path: Path, content: bytes | Iterable[bytes], *, below: Path | None = None, mode: int = 0o666) -> None:
    """Write a file whole or not at all. Missing folders are made, a link is replaced.

    below: the folder that the user named; links on the way from there are refused. By default the file's own folder.
    mode: the file's permissions, before the umask.
    Raises OSError with the path; then the old file is unchanged.
    """
    make_folder(path.parent, below=below)
    fresh = path.with_name(f"{UNFINISHED}{secrets.token_hex(6)}")
    try:
        with open(fresh, "xb", opener=partial(os.open, mode=mode)) as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException as error:
        with suppress(OSError):
            fresh.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(fresh)):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def write_output(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write the file that a user named, in a folder that exists; into a pipe or device too. Raises OSError."""
    refuse_link(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not path.exists() or path.is_file() or path.is_dir():
        write_file(path, content)
        return
    with open(path, "wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)


def move_file(source: Path, target: Path, *, below: Path | None = None) -> None:
    """Move a file; a link is moved itself. Raises OSError, also for a link on the way to either place."""
    make_folder(source.parent, below=below)
    make_folder(target.parent, below=below)
    os.replace(source, target)


def make_folder(path: Path, *, below: Path | None = None) -> None:
    """Make a folder and what is missing above it. Raises OSError, also for a link between `below` and it."""
    top = path if below is None else below
    top.mkdir(parents=True, exist_ok=True)
    for part in Path(os.path.abspath(path)).relative_to(os.path.abspath(top)).parts:
        top = top / part
        refuse_link(top)
        top.mkdir(exist_ok=True)


def lock_at(path: Path, *, below: Path | None = None, seconds: float = -1) -> FileLock:
    """A lock file at this path, not yet taken. seconds: how long to wait for it, forever by default. Raises OSError."""
    make_folder(path.parent, below=below)
    refuse_link(path)
    return FileLock(str(path), timeout=seconds)


def refuse_link(path: Path) -> None:
    """Raise OSError for a symbolic link, a Windows junction, or a file that has a second name."""
    with suppress(FileNotFoundError):
        found = os.lstat(path)
        junction = getattr(found, "st_reparse_tag", 0) == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
        if stat.S_ISLNK(found.st_mode) or junction or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
            raise OSError(errno.ELOOP, _IS_LINK, str(path))


# --- files that somebody else may have made ---------------------------------------------------------------------------

_LINK = "is a link; hand in the file itself"
# Not every system has every flag.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))


class UnreadableError(Exception):
    """A file or folder cannot be read, or must not be, as a link; the text goes on from its name in a sentence.

    is_systems: whether the operating system does not open it.
    """

    def __init__(
        self, reason: str, kind: Literal["unreadable", "refused"] = "unreadable", *, is_systems: bool = False
    ) -> None:
        super().__init__(reason)
        self.kind, self.is_systems = kind, is_systems

    def __call__(self, limit: int) -> bytes:
        """In place of a file that is read: raises itself."""
        raise self


def refused(mode: int, wanted: int = stat.S_IFREG) -> UnreadableError | None:
    """Why what has this mode is not opened; None for what is wanted, a file or a folder."""
    if stat.S_IFMT(mode) == wanted:
        return None
    other = "is not an ordinary file (a pipe, a socket or a device)"
    return UnreadableError(_LINK if stat.S_ISLNK(mode) else other, "refused")


def reason_of(error: OSError) -> UnreadableError:
    """An operating system's error in a learner's words."""
    if error.errno in (errno.ELOOP, errno.EMLINK):  # with O_NOFOLLOW, these mean a link
        return UnreadableError(_LINK, "refused")
    said = {PermissionError: "cannot be opened: permission denied", FileNotFoundError: "does not exist"}
    other = f"cannot be read: {error.strerror or 'unknown error'}"
    return UnreadableError(said.get(type(error), other), is_systems=True)


def open_listed(path: Path, listed: os.stat_result | None, wanted: int = stat.S_IFREG) -> int:
    """A descriptor of an ordinary file, or of a folder, of the one that was listed. Raises UnreadableError."""
    try:
        before = listed or os.lstat(path)
        if why := refused(before.st_mode, wanted):  # opening a device may already have an effect
            raise why
        descriptor = os.open(path, os.O_RDONLY | _FLAGS)
        now = os.fstat(descriptor)
    except OSError as error:
        raise reason_of(error) from None
    # a pipe in a file's place may have its number; Windows gives a file none in a listing
    is_same = os.path.samestat(now, before) and stat.S_IFMT(now.st_mode) == stat.S_IFMT(before.st_mode)
    if not is_same and os.name == "posix":
        os.close(descriptor)
        raise UnreadableError("was replaced while the submission was read; hand it in again", "refused")
    return descriptor


def open_regular(path: Path, listed: os.stat_result | None = None) -> IO[bytes]:
    """An ordinary file for reading, the one that was listed. Raises UnreadableError for all else, also for a link."""
    return open(open_listed(path, listed), "rb")


def read_regular(path: Path, limit: int, listed: os.stat_result | None = None) -> bytes:
    """An ordinary file's bytes, at most `limit` + 1, where the extra byte means more. Raises UnreadableError."""
    with open_regular(path, listed) as file:
        try:
            return file.read(limit + 1)
        except OSError as error:
            raise reason_of(error) from None


# --- zips -------------------------------------------------------------------------------------------------------------


def zip_of(files: Iterable[tuple[str, bytes]], programs: Collection[str] = ()) -> bytes:
    """A zip of these files, each with its path in the zip: equal files give equal bytes, at any time, on any system.

    programs: the paths of files that can be run.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name)  # of 1980
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3  # Unix, everywhere
            entry.external_attr = (stat.S_IFREG | (0o755 if name in programs else 0o644)) << 16
            archive.writestr(entry, content)
    return packed.getvalue()


# --- tables -----------------------------------------------------------------------------------------------------------
#
# A spreadsheet evaluates a field that starts with one of = + - @ (or a tab or carriage return) when the file is opened.
# OWASP ("CSV Injection") advises to put an apostrophe in front; after separators too, since a spreadsheet may split
# lines at other characters than we do. Numbers are written by `number_field` and stay numbers, negative ones too.

# In some languages the full-width forms are taken for the plain ones.
_BEFORE_FORMULA = re.compile(r"""(?<![\s";,|])([\s";,|]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])""")
"""A match starts at the first blank or separator of a run: starting at each of 100,000 line ends would take hours."""
_SEPARATORS = frozenset(";,|\t\r\n")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def text_field(text: str | None) -> str:
    """The text, with an apostrophe wherever a spreadsheet would evaluate it; "" for None.

    Characters that UTF-8 cannot encode, and those that control a terminal, become U+FFFD.
    """
    text = _CONTROL.sub("\ufffd", text or "").encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if text.startswith(("\t", "\r", "\n")):
        text = f"'{text}"
    return _BEFORE_FORMULA.sub(_marked, text)


def _marked(found: re.Match[str]) -> str:
    is_at_start = found.start() == 0 or not _SEPARATORS.isdisjoint(found[1])
    return f"{found[1]}'" if is_at_start else found[1]


def line_field(text: str | None) -> str:
    """As `text_field`, on one line: importers that read line by line fail on a newline in a name."""
    return text_field(" ".join((text or "").split()))


def number_field(value: float | None) -> str:
    """Points with at most four decimals, with a decimal point and no thousands separators; "" for None.

    Raises ValueError for infinity and NaN.
    """
    if value is None:
        return ""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number of points")
    digits = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def table(rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV (RFC 4180), from fields made by `text_field` and `number_field`."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


# --- names ------------------------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"(?=.{1,60}\Z)[a-z0-9]+(?:[._-][a-z0-9]+)*")
_DIGEST = 16  # hexadecimal digits: enough that nobody finds another text with the same digest
_SHOWN = 40  # characters


def safe_name(text: str) -> str:
    """A name for a file that is like a text, in characters that every file system accepts; no two texts have the same.

    Behind `--` a digest is added, unless the text is short and has only small letters and digits, with single signs
    between them. So two names differ also where ADA and ada are the same file.
    """
    if _PLAIN.fullmatch(text):
        return text
    plain = re.sub(r"[^a-z0-9]+", "-", text.casefold().encode("ascii", "ignore").decode()).strip("-")[:_SHOWN]
    return f"{plain}--{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:_DIGEST]}"


# --- folders of the user's own ----------------------------------------------------------------------------------------


def cache_folder(name: str) -> Path:
    """The folder for one kind of things that can be made again at any time, made if need be.

    In the user's cache folder, else in the temporary folder. Raises KataError where neither can be had.
    """
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    usual = Path(named if os.path.isabs(named) else os.path.expanduser("~/.cache"))
    user = os.geteuid() if hasattr(os, "geteuid") else "own"
    problems = []
    for folder in (usual / "attention-kata" / name, Path(tempfile.gettempdir()) / f"attention-kata-{user}-{name}"):
        try:
            if folder.is_absolute():
                return own_folder(folder)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
    raise KataError(
        f"No cache folder can be made ({'; '.join(problems)}). Name a folder of your own in XDG_CACHE_HOME."
    )


def own_folder(folder: Path) -> Path:
    """The folder, made with mode 0700 if it is missing. Raises OSError unless it is the user's alone, and no link."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        demand_own(folder)
        if not os.access(folder, os.W_OK):
            raise PermissionError(None, "it cannot be written to") from None
    return folder


def demand_own(folder: Path) -> None:
    """Raise OSError for anything but a folder of the user's that nobody else can open."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(None, "it is no folder")
    if os.name != "nt" and (found.st_uid != os.geteuid() or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)):
        raise PermissionError(None, "it is not yours alone: take it away, or chmod go-rwx it")


# --- the working folder -----------------------------------------------------------------------------------------------
#
# `multiprocessing` starts its processes by `python -c`, which imports from the working folder first. That may be a
# learner's folder, and what is imported from it would run in the judge.

HOME = Path(grader.__file__).resolve().parents[1]
"""The folder that this package was imported from."""


@contextmanager
def started_from_home() -> Iterator[None]:
    """Start processes from the package's own folder in this block; they stay there."""
    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        here = str(HOME)
    os.chdir(HOME)
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(here)
