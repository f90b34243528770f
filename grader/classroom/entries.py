"""One learner's submission on disk, and the name that it goes by in the results."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .lms_names import read_name

if TYPE_CHECKING:  # a judge's process loads this before it starts its zygote, so it must load little
    from grader.submission import Part


@dataclass(frozen=True)
class Entry:
    """One learner's submission on disk and the name it goes by in the results.

    parts: its files, when a system has put them one by one among those of others; `path` is the first then.
    """

    name: str
    path: Path
    parts: tuple[Part, ...] = ()


def entries(paths: Sequence[Path], *, unwrapped: bool = True) -> list[Entry]:
    """Name the submissions: by the file's stem, or by the whole file name where two have the same stem.

    Files that a learning management system has named after one learner are one submission.

    unwrapped: whether a folder with a single zip in it is that zip.
    """
    alone, together = _grouped(paths)
    stems = Counter([*map(_stem, alone), *together])
    found = {
        path: Entry(_stem(path) if stems[_stem(path)] == 1 else path.name, _inner(path) if unwrapped else path)
        for path in alone
    }
    found |= {parts[0].path: Entry(name, parts[0].path, tuple(parts)) for name, parts in together.items()}
    in_order = [found[path] for path in paths if path in found]
    names = distinct([entry.name for entry in in_order])
    return [replace(entry, name=name) for name, entry in zip(names, in_order, strict=True)]


def distinct(names: Sequence[str]) -> list[str]:
    """The names as a file in UTF-8 can hold them; one that was there before gets a number."""
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


def _grouped(paths: Sequence[Path]) -> tuple[list[Path], dict[str, list[Part]]]:
    """Submissions that lie there as one thing each, and those that a system has taken apart, by name."""
    from grader.submission import Part
    from grader.submission.naming import kind_of_file

    alone: list[Path] = []
    together: dict[str, list[Part]] = {}
    for path in paths:
        said = read_name(path.name)
        if said is None or not said.file or kind_of_file(said.file) == "unknown" or path.is_dir():
            alone.append(path)
        else:
            together.setdefault(said.whose, []).append(Part(path, said.file))
    return alone, together


def _inner(path: Path) -> Path:
    """A folder with a single zip in it, as systems hand them out for each learner, is that zip."""
    from grader.submission.naming import is_passed_over, kind_of_file

    try:
        if not path.is_dir() or path.is_symlink():
            return path
        names = [name for name in os.listdir(path) if not is_passed_over(name)]
    except OSError:
        return path
    return path / names[0] if len(names) == 1 and kind_of_file(names[0]) == "zip" else path


def _stem(path: Path) -> str:
    return path.name if path.is_dir() else path.stem
