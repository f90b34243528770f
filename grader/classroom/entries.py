"""One learner's submission on disk, and its name in the results.

Faults of its content are the learner's, faults of the disk are not.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course import Course
from grader.intake import FileProblem, Submission, SubmissionError, read_loose_files, read_submission
from grader.intake.names import printable
from grader.intake.submission import SlowDiskError

from .claims import Claim
from .lms_names import Platform, Said, in_time_order, platform_of, read_names
from .submission_files import OutOfReach as OutOfReach

if TYPE_CHECKING:
    from grader.intake import LooseFile


@dataclass(frozen=True)
class Entry:
    """One learner's submission on disk, and its name in the results.

    parts: its files, when a platform has put them one by one among those of others; `path` is the first then. said: the
    learner that its name states; None for a plain name. earlier: the files of earlier attempts, which the platform
    exports too: only the last is graded.
    """

    name: str
    path: Path
    parts: tuple[LooseFile, ...] = ()
    said: Claim | None = None
    earlier: tuple[Path, ...] = ()

    @property
    def claim(self) -> Claim:
        """The learner that its name states."""
        return self.said or Claim("plain", self.name)

    @property
    def files(self) -> list[Path]:
        """Its paths in the class's folder."""
        return [part.path for part in self.parts] or [self.path]


def entries(paths: Sequence[Path], platform: Platform | None = None) -> list[Entry]:
    """Name the submissions: by the file's stem, or by the whole file name where two have the same stem.

    Files that a platform has named for one submitter are one submission; text typed into the platform counts only if
    the submitter has no file.

    platform: the platform that made the names; detected if None. Raises KataError when that is unclear.
    """
    names = [path.name for path in paths]
    whose = platform or platform_of(names)
    read = read_names(whose, names)
    stems = Counter(_stem(path) for path in paths if path.name not in read)
    of_platform = _by_submitter([path for path in paths if path.name in read], read, whose)
    found: list[Entry] = []
    for path in paths:
        if path.name not in read:
            stem = _stem(path)
            claim = Claim("plain", stem)
            found.append(Entry(stem if stems[stem] == 1 else path.name, path, said=claim))
        else:
            found += of_platform.pop(path, ())
    # doubtful entries are named last, so that they take nobody's name
    order = sorted(range(len(found)), key=lambda place: found[place].claim.is_doubtful)
    named = dict(zip(order, distinct([found[place].name for place in order]), strict=True))
    return [replace(each, name=named[place]) for place, each in enumerate(found)]


def distinct(names: Sequence[str]) -> list[str]:
    """Make the names valid UTF-8 and unique: a repeated one gets a number."""
    taken: set[str] = set()
    result = []
    for name in names:
        plain = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or "submission"
        free, number = plain, 1
        while free in taken:
            number += 1
            free = f"{plain} ({number})"
        taken.add(free)
        result.append(free)
    return result


def _by_submitter(paths: Sequence[Path], read: Mapping[str, Said], platform: Platform) -> dict[Path, list[Entry]]:
    """The submissions named by a platform, each under its submitter's first path.

    A Canvas name with two readings may be made up by a display name. So it is never joined with files whose name has
    one reading.
    """
    theirs: dict[tuple[str, bool], list[Path]] = {}
    for path in paths:
        said = read[path.name]
        theirs.setdefault((said.submitter, platform == "canvas" and len(said.ids) > 1), []).append(path)
    return {own[0]: _of_one(own, read, platform) for own in theirs.values()}


def _of_one(paths: Sequence[Path], read: Mapping[str, Said], platform: Platform) -> list[Entry]:
    """One submitter's last attempt; several submissions if the platform has several folders there."""
    last = in_time_order(platform, list({read[path.name].attempt for path in paths}))[-1]
    earlier = tuple(path for path in paths if read[path.name].attempt != last)
    first, *others = _together([path for path in paths if path not in earlier], read, platform)
    return [replace(first, earlier=earlier), *others]


def _together(paths: Sequence[Path], read: Mapping[str, Said], platform: Platform) -> list[Entry]:
    from grader.intake import LooseFile

    said = read[paths[0].name]
    # if one submitter's files have different readings, all of these count
    ids = tuple(dict.fromkeys(id for path in paths for id in read[path.name].ids))
    claim = Claim(platform, said.name or said.submitter, ids)
    # if the assignment's title may end at several places, the login is unclear
    name = said.ids[0] if platform == "blackboard" and len(said.ids) == 1 else said.submitter
    if platform == "brightspace":
        name = f"{said.name} ({said.submitter})"
    files = [path for path in paths if not read[path.name].is_typed] or list(paths)
    folders = [path for path in files if path.is_dir()]
    loose = [path for path in files if path not in folders]
    found = [Entry(name, folder, said=claim) for folder in folders]
    if loose:
        parts = tuple(LooseFile(path, read[path.name].file or path.name) for path in loose)
        found.append(Entry(name, loose[0], parts, claim))
    return found


def _stem(path: Path) -> str:
    from grader.intake.names import stem_of

    return path.name if path.is_dir() else stem_of(path.name)


def read_entry(entry: Entry, course: Course) -> Submission:
    """Read one submission. If its content is unreadable, returns an empty one with the reason as its problem.

    Raises OutOfReach when the file is missing or the system does not open it.
    """
    try:
        read = read_loose_files(entry.parts, course) if entry.parts else read_submission(entry.path, course)
    except SlowDiskError as error:
        raise OutOfReach(f"It could not be read: {error}") from None
    except SubmissionError as error:
        for path in [part.path for part in entry.parts] or [entry.path]:
            _demand_within_reach(path)
        return Submission(entry.name, {}, (FileProblem(printable(entry.path.name), "unreadable", str(error)),))
    return replace(read, name=entry.name)


def _demand_within_reach(path: os.PathLike[str]) -> None:
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
        elif stat.S_ISREG(mode):
            with open(path, "rb") as file:
                file.read(1)
    except OSError as error:
        raise OutOfReach(f"It could not be read: {error.strerror or 'unknown error'}.") from None
