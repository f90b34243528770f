"""Recognises almost exact file names of exercises: `Softmax.py`, `03_softmax (1).py`, `02_dot_scores_final.py`.

It ignores a browser's number, letter case, a copy's mark and a few words that people append. A name may decide which
exercise is meant, and never whose it is; one that could mean two exercises means none.
"""

from __future__ import annotations

import re
from collections.abc import Collection

ENDING = ".py"
_LONGEST = 200

_COPY = re.compile(r"(?:\s*\(\d{1,3}\)|\s*-\s*(?:copy|kopie|copie|copia|kopia))+$")
_COPY_OF = re.compile(r"^(?:copy of|kopie von|copie de|copia de)\s+")
_APART = re.compile(r"[\s\-.]+")
_NUMBER = re.compile(r"^\d{1,3}_+")
_SAID_BEHIND = re.compile(
    r"(?:_(?:final|finished|done|new|newest|latest|last|fixed|fix|corrected|updated|update|complete|completed|copy"
    r"|kopie|answer|solution|submission|submit|submitted|version|ver|mine|v?\d{1,3}))+$"
)


def exercise_meant(name: str, ids: Collection[str]) -> str | None:
    """The id of the exercise that a file of this name must mean; None where that is not clear."""
    lowered = name[: _LONGEST + 1].casefold()
    if len(lowered) > _LONGEST or not lowered.endswith(ENDING):
        return None
    if not (name.isascii() and name.isprintable()):  # look-alike characters do not count
        return None
    stem = _COPY.sub("", _COPY_OF.sub("", lowered[: -len(ENDING)].strip()))
    stem = _NUMBER.sub("", _APART.sub("_", stem)).strip("_")
    found = _called(stem, ids) or _called(_SAID_BEHIND.sub("", stem), ids)
    return next(iter(found)) if len(found) == 1 else None


def _called(stem: str, ids: Collection[str]) -> set[str]:
    """The ids spelt with the same letters, with or without separators between words."""
    return {id for id in ids if stem == id} or {id for id in ids if stem.replace("_", "") == id.replace("_", "")}
