"""Lists what lies in the folder of a class: submissions, one a learner, and everything else with the reason."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.intake import SubmissionError
from grader.intake.names import first_few, is_passed_over, kind_of_file, own_name, printable
from grader.intake.regular_file import reason_of

_TOLD = 5  # names listed in a sentence


@dataclass(frozen=True)
class LeftOut:
    """An entry in the folder of a class that is not a submission; `reason` is a sentence about `name`.

    is_usual: whether systems and tools leave such entries behind.
    """

    name: str
    reason: str
    is_usual: bool = False


@dataclass(frozen=True)
class Listing:
    """All entries in the folder of a class."""

    submissions: tuple[Path, ...]
    others: tuple[LeftOut, ...]


def look_into(folder: Path) -> Listing:
    """List the folder of a class, sorted by name: submissions, one a learner, and everything else.

    Submissions are folders, zips, notebooks and `.py` files. Links and other packed files are included, so that
    reading them reports what is wrong. Nothing is opened.

    Raises:
        SubmissionError: it is not a folder, or cannot be opened.
    """
    shown = printable(own_name(folder))
    try:
        with os.scandir(folder) as entries:
            found = sorted((entry.name, _why_no_submission(entry)) for entry in entries)
    except FileNotFoundError:
        raise SubmissionError(f"{shown} does not exist.") from None
    except NotADirectoryError:
        raise SubmissionError(f"{shown} is not a folder; name the folder that holds the submissions.") from None
    except (OSError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "is not a usable path"
        raise SubmissionError(f"{shown} {reason}.") from None
    others = [LeftOut(name, why, is_passed_over(name)) for name, why in found if why]
    return Listing(tuple(folder / name for name, why in found if not why), tuple(others))


def nothing_in(folder: Path, others: Sequence[LeftOut]) -> str:
    """A sentence about a folder without submissions."""
    names = [each.name for each in others if not each.is_usual]
    there = f" What is there: {first_few(names, _TOLD)}." if names else ""
    shown = printable(own_name(folder))
    return (
        f"{shown} holds no submission: no folder, .zip, .ipynb or .py file.{there} "
        f"Expected is one of these a learner, such as {shown}/ada/03_softmax.py."
    )


def _why_no_submission(entry: os.DirEntry[str]) -> str:
    """Why an entry is skipped; "" for a submission."""
    if is_passed_over(entry.name):
        return "It is hidden, or what tools, systems or the course leave behind."
    if kind_of_file(entry.name) != "unknown" or _is_folder(entry):
        return ""
    if entry.is_symlink():
        return "It is a link and was not followed."
    if not entry.is_file(follow_symlinks=False):
        return "It is not an ordinary file (a pipe, a socket or a device) and was not opened."
    return "It is no folder, zip, notebook or .py file."


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, or an entry without permission
        return False
