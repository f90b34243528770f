"""The submissions in a class's folder, before anybody knows whose they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.intake import LooseFile

from .class_contents import FolderEntry, Unmatched
from .platforms import TITLES, NameReading, Platform, PlatformName, last_attempt, read_names
from .submission_files import SubmissionFiles


@dataclass(frozen=True)
class FoundWork:
    """One submission: its files, and whom its name can mean. Of plain names the whole name is a reading's `name`."""

    files: SubmissionFiles
    readings: tuple[NameReading, ...]

    @property
    def is_clear(self) -> bool:
        """Whether its name can be read in one way only."""
        return len({reading.id for reading in self.readings}) <= 1

    def unmatched(self, why: str) -> Unmatched:
        """The row of a submission that counts for nobody; it bears the name of the first of its files."""
        more = len(self.files.parts) - 1
        return Unmatched(self.files.entry, f"{why} It has {more} more files." if more > 0 else why, is_submission=True)


def works_in(entries: Sequence[FolderEntry], platform: Platform) -> tuple[list[FoundWork], list[Unmatched]]:
    """The submissions in a class's folder, and what is none.

    Files that a platform has named for one submitter are one submission, whatever their kind.
    """
    read = read_names(platform, [each.name for each in entries])
    works: list[FoundWork] = []
    unmatched: list[Unmatched] = []
    of_one: dict[str, list[FolderEntry]] = defaultdict(list)
    for entry in entries:
        if said := read.get(entry.name):
            of_one[said.submitter].append(entry)
        elif entry.why_none:
            unmatched.append(Unmatched(entry.shown, entry.why_none))
        elif platform == "plain":
            works.append(FoundWork(SubmissionFiles(entry.shown, (), entry.path), (NameReading(name=entry.stem),)))
        else:
            why = f"It is not named as {TITLES[platform]} names what is handed in."
            unmatched.append(Unmatched(entry.shown, why, is_submission=True))
    for theirs in of_one.values():
        found, earlier = _of_one(theirs, read, platform)
        works += found
        unmatched += earlier
    return sorted(works, key=lambda work: work.files.entry), unmatched


def _of_one(
    entries: Sequence[FolderEntry], read: Mapping[str, PlatformName], platform: Platform
) -> tuple[list[FoundWork], list[Unmatched]]:
    """One submitter's last attempt, and the earlier ones. What was typed in counts only if there is no file."""
    last = last_attempt(platform, {read[each.name].attempt for each in entries})
    now = [each for each in entries if last is None or read[each.name].attempt == last]
    why = "It is an earlier attempt; the last is graded."
    earlier = [Unmatched(each.shown, why) for each in entries if each not in now]
    files = [each for each in now if not read[each.name].is_typed]
    why = "It was typed in there; the files are graded."
    typed = [Unmatched(each.shown, why) for each in now if files and each not in files]
    folders = [[each] for each in files or now if each.is_folder]
    loose = [each for each in files or now if not each.is_folder]
    return [_work(each, read) for each in [*folders, loose] if each], [*earlier, *typed]


def _work(entries: Sequence[FolderEntry], read: Mapping[str, PlatformName]) -> FoundWork:
    first, *_ = entries
    readings = tuple(dict.fromkeys(reading for each in entries for reading in read[each.name].readings))
    loose = [each for each in entries if not each.is_folder]
    parts = tuple(LooseFile(each.path, read[each.name].file or each.path.name) for each in loose)
    is_late = any(read[each.name].is_late for each in entries)
    return FoundWork(SubmissionFiles(first.shown, (), first.path, parts, is_late), readings)
