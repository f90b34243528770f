"""Under what name a learner's page or file lies: by the id, in characters that every file system takes.

An id of more than small letters and digits, a long one, or one that looks like what is made here gets a number that is
made of all of it. So no two learners share a name, on systems that do not tell ADA from ada either, and nobody can
choose another's.
"""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,58}[a-z0-9])?")
_DIGEST = 16  # so many hexadecimal digits: nobody finds another name of the same
_MADE = re.compile(rf".*-[0-9a-f]{{{_DIGEST}}}")
_SHOWN = 40
_LONGEST = 40  # characters, of up to four bytes each; file systems take 255 bytes


def page_stem(name: str) -> str:
    """The name of a learner's files, without an ending."""
    if _PLAIN.fullmatch(name) and not _MADE.fullmatch(name):
        return name
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold().encode("ascii", "ignore").decode()).strip("-")[:_SHOWN]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{plain or 'learner'}-{digest}"


def page_name(name: str) -> str:
    """The name of a learner's page."""
    return f"learner-{page_stem(name)}.html"


def stem_of(name: str) -> str:
    """What every file system takes of a name; the number before it tells equal ones apart."""
    return re.sub(r"[^\w-]+", "_", name).strip("_")[:_LONGEST] or "learner"
