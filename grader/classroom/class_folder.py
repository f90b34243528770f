"""Reads the class from a folder or a zip: its learners, and the submission of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course import Course
from grader.intake import SubmissionError

from . import download
from .class_listing import Listing, look_into, nothing_in
from .download import read_download
from .groups import in_groups, read_groups
from .lms_names import Platform
from .members import Members, members
from .roster import Enrolled, read_roster
from .rows import NO_ROWS, Rows

UNPACKED = ".unpacked"
"""In OUT: the contents of a class zip while it is read."""


@dataclass(frozen=True)
class ReadingOptions:
    """The settings that decide whose each submission is. Without any, only the names decide.

    platform: the platform that made the names; detected if None. groups: a table of groups that hand in together.
    before: the rows of an earlier run; a submitter keeps their row.
    """

    roster: Path | None = None
    platform: Platform | None = None
    groups: Path | None = None
    before: Rows = NO_ROWS


@contextmanager
def class_in(path: Path, out: Path, course: Course, how: ReadingOptions) -> Iterator[Members]:
    """Read the class in a folder or a zip; it can be used inside the context.

    Raises KataError.
    """
    enrolled = read_roster(how.roster) if how.roster else None
    groups = read_groups(how.groups) if how.groups else []
    if path.suffix.lower() == ".zip" and path.is_file():
        with download.laid_out(path, out / UNPACKED) as contents:
            listing, folder = download.listing_of(contents, course)
            found = _members(listing, folder, {}, enrolled, how)
            found = replace(found, remarks=(*contents.remarks, *found.remarks))
            yield in_groups(found, groups, has_roster=enrolled is not None) if groups else found
        return
    listing = look_into(path)
    known = {each.name: "It holds the results." for each in listing.submissions if _is_same(each, out)}
    for table, what in ((how.roster, "It is the roster."), (how.groups, "It is the table of groups.")):
        if table is not None:
            known |= {each.name: what for each in listing.others if _is_same(path / each.name, table)}
    if not listing.submissions:
        raise SubmissionError(nothing_in(path, listing.others))
    found = _members(listing, path, known, enrolled, how)
    yield in_groups(found, groups, has_roster=enrolled is not None) if groups else found


def _members(
    listing: Listing,
    folder: Path,
    known: Mapping[str, str],
    enrolled: Sequence[Enrolled] | None,
    how: ReadingOptions,
) -> Members:
    download = read_download(listing, folder, known, how.platform)
    if not download.entries:
        raise SubmissionError(f"{folder} holds no submission but the results.")
    found = members(download.entries, enrolled, how.before)
    remarks, left_out = (*download.remarks, *found.remarks), (*download.left_out, *found.left_out)
    return replace(found, remarks=remarks, left_out=left_out, platform=download.platform)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # for example a broken link; reading it reports the error
        return False
