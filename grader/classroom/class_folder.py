"""Reads the class from a folder or a zip: its learners, and the submission of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course import Course
from grader.intake import SubmissionError

from . import download
from .class_listing import Listing, look_into, nothing_in
from .download import read_download
from .groups import in_groups
from .lms_names import Platform
from .members import Members, members
from .roster import Roster
from .rows import NO_ROWS, Rows

UNPACKED = ".unpacked"
"""In OUT: the contents of a class zip while it is read."""


@dataclass(frozen=True)
class ReadingOptions:
    """The settings that decide whose each submission is. Without any, only the names decide.

    platform: the platform that made the names; detected if None. before: the rows of an earlier run; a submitter keeps
    their row.
    """

    roster: Roster | None = None
    platform: Platform | None = None
    before: Rows = NO_ROWS


@contextmanager
def class_in(path: Path, out: Path, course: Course, how: ReadingOptions) -> Iterator[Members]:
    """Read the class in a folder or a zip; it can be used inside the context.

    Raises KataError.
    """
    if path.suffix.lower() == ".zip" and path.is_file():
        with download.laid_out(path, out / UNPACKED) as contents:
            listing, folder = download.listing_of(contents, course)
            found = _members(listing, folder, {}, how)
            yield in_groups(replace(found, remarks=(*contents.remarks, *found.remarks)))
        return
    listing = look_into(path)
    known = {each.name: "It holds the results." for each in listing.submissions if _is_same(each, out)}
    if how.roster:
        roster = how.roster.path
        known |= {each.name: "It is the roster." for each in listing.others if _is_same(path / each.name, roster)}
    if not listing.submissions:
        raise SubmissionError(nothing_in(path, listing.others))
    yield in_groups(_members(listing, path, known, how))


def _members(
    listing: Listing,
    folder: Path,
    known: Mapping[str, str],
    how: ReadingOptions,
) -> Members:
    download = read_download(listing, folder, known, how.platform)
    if not download.entries:
        raise SubmissionError(f"{folder} holds no submission but the results.")
    found = members(download.entries, how.roster.learners if how.roster else None, how.before)
    remarks, left_out = (*download.remarks, *found.remarks), (*download.left_out, *found.left_out)
    return replace(found, remarks=remarks, left_out=left_out, platform=download.platform)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # for example a broken link; reading it reports the error
        return False
