"""File names of learners' pages: the id, in characters that every file system accepts.

A digest is added unless the id is short and has only small letters and digits, or if it looks like a name made here. So
no two learners share a name, also on systems where ADA and ada are the same file, and nobody can choose another's name.
"""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,58}[a-z0-9])?")
_DIGEST = 16  # hexadecimal digits: enough that nobody finds another name with the same digest
_MADE = re.compile(rf".*-[0-9a-f]{{{_DIGEST}}}")
_SHOWN = 40
_LONGEST = 40  # in characters, of up to four bytes each; file systems allow 255 bytes


def page_stem(name: str) -> str:
    """The name of a learner's files, without a suffix."""
    if _PLAIN.fullmatch(name) and not _MADE.fullmatch(name):
        return name
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold().encode("ascii", "ignore").decode()).strip("-")[:_SHOWN]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{plain or 'learner'}-{digest}"


def page_name(name: str) -> str:
    """The file name of a learner's page."""
    return f"learner-{page_stem(name)}.html"


def stem_of(name: str) -> str:
    """The part of a name that every file system accepts; callers add a number that makes it unique."""
    return re.sub(r"[^\w-]+", "_", name).strip("_")[:_LONGEST] or "learner"
