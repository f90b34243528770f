"""What is in the folder of a class: submissions, read in one platform's way, and by name whatever is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.submission import LeftOut, Listing
from grader.submission.naming import printable

from .entries import Entry, entries
from .lms_names import TITLES, Platform, platform_of, read_names

USUAL = "It is hidden, or what tools, systems or the course leave behind."
_TYPED = "It is what the platform wrote or somebody typed in there; files of the same hand-in are graded."


@dataclass(frozen=True)
class Download:
    """The submissions in the folder of a class, and everything else in it."""

    platform: Platform
    entries: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]


def read_download(listing: Listing, folder: Path, known: Mapping[str, str], names: Platform | None = None) -> Download:
    """Sort what lies in a folder.

    known: why something of this name is no submission, such as the results.
    names: whose names they are; found out when it is not given. Raises NamesError when that cannot be told.
    """
    others = {each.name: each for each in listing.others if each.name not in known}
    paths = [path for path in listing.submissions if path.name not in known]
    everything = [path.name for path in paths] + [each.name for each in others.values() if not each.is_usual]
    platform = names or platform_of(everything)
    read = read_names(platform, everything)
    # a platform's file is its learner's whatever its kind is, so that the record tells of it
    paths = sorted([*paths, *(folder / name for name in others if name in read)])
    found = entries(paths, platform)
    taken = {path for entry in found for path in _files(entry)}
    left_out = [LeftOut(path.name, _TYPED, is_usual=True) for path in paths if path not in taken]
    left_out += [each for name, each in others.items() if name not in read]
    there = {path.name for path in listing.submissions} | {each.name for each in listing.others}
    left_out += [LeftOut(name, why, is_usual=True) for name, why in known.items() if name in there]
    left_out.sort(key=lambda each: each.name)
    return Download(platform, tuple(found), tuple(left_out), tuple(_remarks(platform, everything, read, left_out)))


def _files(entry: Entry) -> list[Path]:
    return [*entry.files, *(path for each in entry.earlier for path in _files(each))]


def _remarks(
    platform: Platform, everything: Sequence[str], read: Mapping[str, object], left_out: Sequence[LeftOut]
) -> list[str]:
    said = []
    if platform in TITLES:
        said.append(f"Read as a {TITLES[platform]} download; --names says otherwise.")
        if plain := [name for name in everything if name not in read]:
            said.append(f"Not named by {TITLES[platform]}, so taken as they are: {first_few(plain)}.")
    elif any(read_names(each, everything) for each in TITLES):
        like = [TITLES[each] for each in TITLES if read_names(each, everything)]
        said.append(f"Read as plain names, though some look like a download from {' or '.join(like)} (--names).")
    for reason in dict.fromkeys(each.reason for each in left_out if not each.is_usual):
        names = [each.name for each in left_out if each.reason == reason]
        said.append(f"Not graded: {first_few(names)}. {reason}")
    if usual := [each.name for each in left_out if each.is_usual]:
        said.append(f"Passed over: {first_few(usual)}.")
    return said


SPELT_OUT = 20


def first_few(names: Sequence[str]) -> str:
    """The names, or of many the first and how many more there are."""
    more = f" and {len(names) - SPELT_OUT} more" if len(names) > SPELT_OUT else ""
    return ", ".join(printable(name) for name in names[:SPELT_OUT]) + more
