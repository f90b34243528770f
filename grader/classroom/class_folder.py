"""The class in a folder or a zip: who is in it, and what each handed in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from grader.course import Course
from grader.intake import Listing, SubmissionError, look_into, nothing_in

from . import download
from .download import read_download
from .lms_names import Platform
from .members import NO_ROWS, Members, Rows, members
from .roster import Enrolled, read_roster

UNPACKED = ".unpacked"
"""In OUT, a class zip's contents while the class is read."""


@contextmanager
def class_in(
    path: Path,
    out: Path,
    roster: Path | None,
    course: Course,
    platform: Platform | None,
    before: Rows = NO_ROWS,
) -> Iterator[Members]:
    """The class in a folder or a zip, for as long as it is read.

    before: the rows of an earlier run, which whoever hands in again keeps.

    Raises SubmissionError, RosterError and NamesError where it cannot be.
    """
    enrolled = read_roster(roster) if roster else None
    if path.suffix.lower() == ".zip" and path.is_file():
        with download.laid_out(path, out / UNPACKED) as contents:
            listing, folder = download.listing_of(contents, course)
            found = _members(listing, folder, {}, enrolled, platform, before)
            yield replace(found, remarks=(*contents.remarks, *found.remarks))
        return
    listing = look_into(path)
    known = {each.name: "It holds the results." for each in listing.submissions if _is_same(each, out)}
    if roster is not None:
        known |= {each.name: "It is the roster." for each in listing.others if _is_same(path / each.name, roster)}
    if not listing.submissions:
        raise SubmissionError(nothing_in(path, listing.others))
    yield _members(listing, path, known, enrolled, platform, before)


def _members(
    listing: Listing,
    folder: Path,
    known: Mapping[str, str],
    enrolled: Sequence[Enrolled] | None,
    platform: Platform | None,
    before: Rows,
) -> Members:
    download = read_download(listing, folder, known, platform)
    if not download.entries:
        raise SubmissionError(f"{folder} holds no submission but the results.")
    found = members(download.entries, enrolled, before)
    remarks, left_out = (*download.remarks, *found.remarks), (*download.left_out, *found.left_out)
    return replace(found, remarks=remarks, left_out=left_out, platform=download.platform)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # a link to nothing, say; reading it will tell
        return False
