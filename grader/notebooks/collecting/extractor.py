"""Extracts notebooks, Python files and grading worksheets from a learning platform's download, and nothing else.

nbgrader's own extractor unpacks every file of every zip, nested zips too, without a limit: a bomb fills the disk, one
name that leads outside or one damaged zip, even a learner's, ends the command, and links beside the zips are followed.
Here everything is read in memory by the reader that `kata grade` uses, each learner has a budget, and everything left
out is named. Nothing is removed from `archive/`, so nothing is lost.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from nbgrader.plugins import ExtractorPlugin

from grader.intake import SubmissionError
from grader.intake.collected_files import MAX_TOTAL_MB
from grader.intake.names import printable
from grader.intake.notebook import NOTEBOOK_MB
from grader.intake.submission import UnreadableError
from grader.intake.walk import Read, collect_folder
from grader.intake.zip_file import OF_A_CLASS, OF_A_LEARNER, ZipMember, collect_zip

from .moodle_collector import handed_in

MB = 1024 * 1024
SOURCE_MB = 1
WORKSHEET_MB = 16
MAX_FILES = 200  # of one learner
MAX_TOLD = 5  # problems reported for one learner; the rest are counted

_TAKEN = {".ipynb": NOTEBOOK_MB * MB, ".py": SOURCE_MB * MB}
_PACKED = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
_LONGEST_NAME = 200  # bytes; file systems allow 255

Log = Callable[..., None]


class SafeExtractor(ExtractorPlugin):
    """Takes the files that may count into `extracted/`, each under its participant's folder."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Extract what is in `archive_path`: zips of a class, learners' own zips, and loose files."""
        download = _Download(Path(archive_path), Path(extracted_path), self.log.warning)
        try:
            collect_folder(Path(archive_path), _Folder(download))
        except SubmissionError as error:
            self.log.error(str(error))
        for zip_error in download.unread:
            self.log.error("Nothing of this zip was collected: %s", zip_error)
        download.tell_the_rest()


@dataclass(frozen=True)
class _Place:
    """Where members come from: a prefix for their path, and a time to use instead of their own."""

    prefix: str = ""
    modified: datetime | None = None
    in_zip: bool = False


class _Download:
    """The download for one assignment, on its way to `extracted/`."""

    def __init__(self, archive: Path, extracted: Path, warn: Log) -> None:
        self.archive = archive
        self.unread: list[str] = []
        self._extracted = extracted
        self._warn = warn
        self._told: Counter[str] = Counter()
        self._files: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._people: dict[str, str] = {}
        self._with_files: set[str] = set()

    def tell(self, where: str, what: object) -> None:
        """Report something that was left out, and why."""
        self.say(where, f"{printable(where)} {what}.")

    def say(self, where: str, sentence: str) -> None:
        """Report a sentence about `where`."""
        owner = self._owner(where)
        self._told[owner] += 1
        if self._told[owner] <= MAX_TOLD:
            self._warn("%s", sentence)

    def tell_the_rest(self) -> None:
        """Report at the end how many files were not named, and who handed in nothing that can be collected."""
        for owner, told in sorted(self._told.items()):
            if told > MAX_TOLD:
                name = printable(self._people.get(owner, owner))
                self._warn("%s: %d more files were left out and are not named one by one.", name, told - MAX_TOLD)
        for owner in sorted(self._people.keys() - self._with_files):
            self._warn("%s handed in no notebook and no Python file.", printable(self._people[owner]))

    def take(self, where: str, read: Read, modified: datetime | None) -> None:
        """Take a file if it may count; `modified` is its time by the local clock."""
        owner = self._owner(where)
        suffix = os.path.splitext(where)[1].lower()
        limit = _TAKEN.get(suffix)
        if limit is None:
            if suffix in _PACKED:
                self.tell(where, "is packed in a way that is not read here; unpack it, and put its files into a zip")
            else:
                self.tell(where, "is neither a notebook nor a Python file and was left in the archive")
            return
        if (content := self.read(where, read, limit)) is None:
            return
        self._files[owner] += 1
        if self._files[owner] > MAX_FILES:
            self.tell(where, f"was left out: {MAX_FILES} files of one learner are enough")
        # nbgrader recognises lower-case suffixes only
        elif self._write(where[: -len(suffix)] + suffix, content, modified):
            self._with_files.add(owner)

    def take_worksheet(self, where: str, read: Read) -> None:
        """Take a CSV that the instructor put beside the zips."""
        if (content := self.read(where, read, WORKSHEET_MB * MB)) is not None:
            self._write(where, content, None)

    def read(self, where: str, read: Read, limit: int) -> bytes | None:
        """A file's content within its owner's budget; None, with a report, if that fails."""
        owner = self._owner(where)
        if self._files[owner] >= MAX_FILES:
            self.tell(where, f"was left out: {MAX_FILES} files of one learner are enough")
            return None
        try:
            content = read(limit)
        except UnreadableError as error:
            self.tell(where, error)
            return None
        except SubmissionError as error:  # a bomb: only its own file is refused
            self.say(where, f"{printable(where)} was left out: {error}")
            return None
        self._bytes[owner] += len(content)
        if len(content) > limit:
            self.tell(where, f"is larger than {limit // MB} MB and was left out")
        elif self._bytes[owner] > MAX_TOTAL_MB * MB:
            self.tell(where, f"was left out: {MAX_TOTAL_MB} MB of one learner are enough")
        else:
            return content
        return None

    def _owner(self, where: str) -> str:
        """Whose budget is charged: the participant's, else that of the first folder or file in its zip."""
        found = handed_in(where)
        if found is None:
            return "/".join(where.split("/")[:2])
        self._people.setdefault(found.participant.number, found.participant.name)
        return found.participant.number

    def _write(self, where: str, content: bytes, modified: datetime | None) -> bool:
        path = self._extracted.joinpath(*map(_good_name, where.split("/")))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as file:
                file.write(content)
            if modified is not None:
                os.utime(path, (modified.timestamp(), modified.timestamp()))
        except FileExistsError:
            self.tell(where, "was left out: another file has its name")
        except (OSError, OverflowError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its time is impossible"
            self.tell(where, f"cannot be written: {reason}")
        else:
            return True
        return False


class _Folder:
    """Takes the files in `archive/`."""

    def __init__(self, download: _Download) -> None:
        self.name = "archive"
        self._download = download

    def offer(self, where: str, read: Read) -> None:
        """Open a zip, and take any other file with its own time."""
        path = self._download.archive / where
        suffix = path.suffix.lower()
        if suffix == ".zip":
            self._open(path, where)
        elif suffix == ".csv" and handed_in(where) is None:
            self._download.take_worksheet(where, read)
        else:
            self._download.take(where, read, _time_of(path))

    def report(self, where: str, error: UnreadableError) -> None:
        """Report what is wrong with a file."""
        self._download.tell(where, error)

    def _open(self, path: Path, where: str) -> None:
        place = _Place(where[: -len(".zip")])
        of_a_learner = handed_in(where) is not None
        if of_a_learner:
            place = replace(place, modified=_time_of(path), in_zip=True)
        members = _Members(self._download, where, place)
        try:
            collect_zip(path, members, OF_A_LEARNER if of_a_learner else OF_A_CLASS)
        except SubmissionError as error:
            self._download.unread.append(str(error))


class _Members:
    """Takes the files in a zip."""

    def __init__(self, download: _Download, name: str, place: _Place) -> None:
        self.name = printable(name)
        self._download = download
        self._place = place

    def offer(self, where: str, read: Read) -> None:
        """Open a learner's own zip, and take any other file."""
        whole = f"{self._place.prefix}/{where}"
        modified = self._place.modified or (read.modified if isinstance(read, ZipMember) else None)
        if not where.lower().endswith(".zip"):
            self._download.take(whole, read, modified)
        elif self._place.in_zip:
            self._download.tell(whole, "is a zip inside of a learner's zip and was left out")
        else:
            self._open(whole, read, modified)

    def report(self, where: str, error: UnreadableError) -> None:
        """Report what is wrong with a member."""
        self._download.tell(where if where == self.name else f"{self._place.prefix}/{where}", error)

    def _open(self, where: str, read: Read, modified: datetime | None) -> None:
        content = self._download.read(where, read, OF_A_LEARNER.zip_mb * MB)
        if content is None:
            return
        # a learner controls the times in their own zip, so the outer zip's time counts
        place = _Place(where[: -len(".zip")], modified, in_zip=True)
        with tempfile.NamedTemporaryFile(suffix=".zip") as file:
            file.write(content)
            file.flush()
            try:
                collect_zip(Path(file.name), _Members(self._download, where, place), OF_A_LEARNER)
            except SubmissionError as error:
                self._download.say(where, f"Left out: {error}")


def _time_of(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.lstat().st_mtime)
    except (OSError, OverflowError, ValueError):
        return None


def _good_name(part: str) -> str:
    """A path component that file systems and terminals accept; a long one keeps its beginning and its suffix."""
    shown = printable(part, limit=len(part))
    if len(shown.encode("utf-8")) <= _LONGEST_NAME:
        return shown
    stem, suffix = os.path.splitext(shown)
    mark = sha256(part.encode("utf-8", "replace")).hexdigest()[:8]
    room = _LONGEST_NAME - len(mark) - len(suffix.encode("utf-8")[:20]) - 1
    return f"{stem.encode('utf-8')[:room].decode('utf-8', 'ignore')}~{mark}{suffix[:20]}"
