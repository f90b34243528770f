"""Where one submission of a class lies, and reading it: its content's faults are the learner's, the disk's are not.

The command reads what was handed in; judges get bytes, and no path.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from grader.course import Course
from grader.intake import FileProblem, LooseFile, Submission, SubmissionError, read_loose_files, read_submission
from grader.intake.names import printable
from grader.intake.submission import SlowDiskError, UnreadableError, look_at_clock, reading_clock
from grader.intake.walk import MB, OF_A_LEARNER, Read, entries_in, list_zip, read_regular
from grader.played import FILE_NAME, MOST_BYTES, Played, from_bytes

STATE = ".kata"
MOST_FOLDERS = 50
"""Folders of a submission that are looked into for a workspace."""
MOST_DEPTH = 3
"""The deepest path of the maps in a zip: attention/.kata/maps.json"""


class OutOfReach(Exception):
    """This machine cannot read a submission, which is not the learner's fault; the message is one sentence."""


@dataclass(frozen=True)
class SubmissionFiles:
    """One submission of a class: of one learner, or of several who are a group.

    entry: its name in the class's folder, of several files the first one's. learners: their ids. path: of the file or
    folder, of several files the first one's. parts: its files, where a platform put them among those of others.
    as_group: those of the learners for whom it only counts because they are of a group.
    """

    entry: str
    learners: tuple[str, ...]
    path: Path
    parts: tuple[LooseFile, ...] = ()
    is_late: bool = False
    as_group: tuple[str, ...] = ()

    def read(self, course: Course) -> Submission:
        """Read it. If its content is unreadable, this is an empty submission with the reason as its problem.

        Its name is the entry's. Raises OutOfReach when a file is missing or the system does not open it.
        """
        try:
            read = read_loose_files(self.parts, course) if self.parts else read_submission(self.path, course)
        except SlowDiskError as error:
            raise OutOfReach(f"It could not be read: {error}") from None
        except SubmissionError as error:
            for path in [part.path for part in self.parts] or [self.path]:
                _demand_within_reach(path)
            return Submission(self.entry, {}, (FileProblem(printable(self.entry), "unreadable", str(error)),))
        return replace(read, name=self.entry)


def _demand_within_reach(path: Path) -> None:
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
        elif stat.S_ISREG(mode):
            with open(path, "rb") as file:
                file.read(1)
    except OSError as error:
        raise OutOfReach(f"It could not be read: {error.strerror or 'unknown error'}.") from None


def digest_of(submission: Submission, exercise: str | None = None) -> str:
    """SHA-256 of the sources that count and of the problems in reading them; of one exercise, if it is given.

    The submission's name and those of its files do not matter.
    """
    parts: list[bytes] = []
    for id, source in sorted(submission.sources.items()):
        if exercise in (None, id):
            parts += [b"source", id.encode(), source.content]
    for each in submission.problems:
        if exercise in (None, each.exercise):
            said = ("problem", each.file, each.kind, each.message, each.exercise or "")
            parts += [part.encode("utf-8", "surrogatepass") for part in said]
    total = hashlib.sha256()
    for part in parts:
        total.update(f"{len(part)}:".encode())
        total.update(part)
    return total.hexdigest()


def played_in(files: SubmissionFiles) -> dict[str, Played]:
    """The maps of `kata play` that one learner handed in, by exercise: a claim, for pages alone. Nothing if none.

    They are read on the learner's own time, like all that is handed in, and a zip within the same limits.
    """
    path = files.path
    with suppress(SubmissionError, UnreadableError, OSError, ValueError), reading_clock(path.name):
        for read in _maps_at(path):
            look_at_clock()
            with suppress(UnreadableError):
                if found := from_bytes(read(MOST_BYTES)):
                    return found
    return {}


def _maps_at(path: Path) -> Iterator[Read]:
    """Where such files may lie: in a zip, a folder, and those right below it. What is opened is what was listed."""
    if path.suffix.lower() == ".zip" and not path.is_dir():
        members = list_zip(io.BytesIO(read_regular(path, OF_A_LEARNER.zip_mb * MB)), path.name)
        named = (where for where in sorted(members) if where.split("/")[-2:] == [STATE, FILE_NAME])
        for where in islice((where for where in named if where.count("/") < MOST_DEPTH), MOST_FOLDERS):
            if callable(read := members[where]):
                yield read
        return
    folders = [
        (path / name, each) for name, each in sorted(entries_in(path, None).items()) if stat.S_ISDIR(each.st_mode)
    ]
    for folder, listed in [(path, None), *folders[:MOST_FOLDERS]]:
        with suppress(UnreadableError, KeyError):
            state = entries_in(folder, listed)[STATE]
            found = entries_in(folder / STATE, state)[FILE_NAME]
            yield partial(read_regular, folder / STATE / FILE_NAME, listed=found)
