"""Removes one learner from everything that a graded class left in its folder OUT.

Lists (records, class) lose the learner's rows. Pages and exports are deleted, as they can be made again. The
class list comes last, so that an interrupted run can be repeated.
"""

from __future__ import annotations

import csv
import html
import io
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from grader.errors import KataError
from grader.files import write_file

from .claims import folded
from .class_folder import UNPACKED
from .handed_in import APPEALS
from .members import CLASS_LIST, called, find_learner
from .members import ListedLearner as Learner
from .page_names import page_name, page_stem, stem_of
from .regrading import MOVED
from .results_file import NOT_GRADED, class_of
from .run import LOCK
from .summary import CLASS_PAGE

TABLES = (NOT_GRADED, MOVED)
"""Tables of OUT whose first column is a learner, or a file in a learner's folder."""
MADE_AGAIN = "a page or an export, to be made again without them"
EXPORTS = (CLASS_PAGE, "grades.csv", "grades-by-exercise.csv", "canvas.csv", "moodle.csv", "junit.xml",
           "pages.zip", "moodle-worksheet.csv")  # fmt: skip
EXPORT_FOLDERS = ("gradescope", "github")
"""Folders of exports with a file a learner, such as 0001-ada.json."""
WHO = ("submission", "learner", "name")
"""The fields that name the learner of a list's entry; the first one present counts."""
LEAST_LETTERS = 3
"""Shorter names are not searched in texts: they are part of too many words."""
MOST_SEARCHED = 64 * 1024 * 1024
"""The largest file, in bytes, that is searched for remaining names; larger ones are reported as not searched."""


@dataclass(frozen=True)
class Step:
    """One step: `content` makes the new content of a file; without it, the file is deleted."""

    path: Path
    told: str
    content: Callable[[], Iterable[bytes]] | None = None

    def take(self, out: Path) -> None:
        """Do it. Raises OSError."""
        if self.content is not None:
            rights = stat.S_IMODE(self.path.stat().st_mode)
            write_file(self.path, self.content(), below=out, mode=rights)
        elif self.path.is_dir() and not self.path.is_symlink():
            shutil.rmtree(self.path)
        else:
            self.path.unlink(missing_ok=True)


def learner_in(out: Path, called: str) -> Learner:
    """The learner in OUT with this id or name, with a record or without one.

    Raises KataError where there is no class, for a damaged class list, and when it matches nobody or several.
    """
    learners = class_of(out, dict.fromkeys(_names_in(out)))
    if not learners:
        raise KataError(
            f"{out} holds no class: give the folder that `kata grade-class DIR --out OUT` made, "
            "such as: kata forget OUT LEARNER"
        )
    return find_learner(learners, called, out, f"kata forget {out}")


def _lists(out: Path) -> list[Path]:
    """The lists of OUT, the class list last, because learners are found by it."""
    lists = (path for path in sorted(out.glob("*.jsonl")) if path.is_file())
    return sorted(lists, key=lambda path: path.name == CLASS_LIST)


def _names_in(out: Path) -> Iterator[str]:
    """Yield the learner's name of each line in the lists."""
    for path in _lists(out):
        with path.open("rb") as lines:
            yield from filter(None, map(_whose, lines))


def _whose(line: bytes) -> str | None:
    """The learner of a line, "" for nobody's, None for an incomplete line."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    named = (entry.get(key) for key in WHO) if isinstance(entry, dict) else ()
    return next((name for name in named if isinstance(name, str)), "")


class Forgetting:
    """Finds everything about one learner in OUT, and the steps to remove it."""

    def __init__(self, out: Path, learner: Learner) -> None:
        self.out, self.learner = out, learner
        self._learners = class_of(out, dict.fromkeys(_names_in(out)))

    @cached_property
    def names(self) -> frozenset[str]:
        """All names of the learner that nobody else in the class has."""
        others = {text for each in self._learners if each.name != self.learner.name for text in called(each)}
        return frozenset(called(self.learner) - others - {""})

    def steps(self) -> list[Step]:
        """The steps, in order; changes nothing. Raises OSError."""
        return [*self._made(), *self._tables(), *self._from_lists()]

    def left(self) -> list[str]:
        """Files of OUT that still contain one of the names, and files too large to search."""
        told = []
        telling = sorted(name for name in self.names if len(name) >= LEAST_LETTERS and not name.isdigit())
        sought = {form.encode() for name in telling for form in (*_spellings(name), html.escape(name))}
        for path in sorted(self.out.rglob("*")):
            if not path.is_file() or path.is_symlink() or path.name == LOCK:
                continue
            if path.stat().st_size > MOST_SEARCHED:
                told.append(f"{path} was not looked through: it is too large.")
            elif any(form in path.read_bytes() for form in sought):
                told.append(f"{path} still holds one of these names; it may be somebody else's: look into it.")
        return told

    def in_group(self) -> list[str]:
        """A sentence about the other members of the learner's group, whose records are for the same work."""
        group = self.learner.group
        theirs = [each.name for each in self._learners if group and folded(each.group) == folded(group)]
        others = [name for name in theirs if name != self.learner.name]
        if not others:
            return []
        return [
            f"Who handed in with them, as the group {group}, keeps a record of the same work, whose messages may quote "
            f"it: {', '.join(others)}."
        ]

    def _made(self) -> Iterator[Step]:
        """Only files that this program makes, by their names: OUT may also contain submissions."""
        name = self.learner.name
        if (unpacked := self.out / UNPACKED).exists():
            yield Step(unpacked, "what a killed run had unpacked of the class's zip")
        if os.path.lexists(appeal := self.out / APPEALS / page_stem(name)):
            yield Step(appeal, "files of theirs that were laid out for an appeal")
        exports = [self.out / export for export in (*EXPORTS, page_name(name))]
        exports += [path for each in EXPORT_FOLDERS for path in sorted((self.out / each).glob("*.json"))]
        for path in exports:
            is_theirs = path.parent == self.out or path.stem.partition("-")[2] == stem_of(name)
            if is_theirs and path.is_file() and not path.is_symlink():
                yield Step(path, MADE_AGAIN)

    def _tables(self) -> Iterator[Step]:
        for path in (self.out / name for name in TABLES):
            if not path.is_file():
                continue
            text = path.read_text(encoding="utf-8")
            titles, *rows = csv.reader(io.StringIO(text, newline=""))
            kept = [row for row in rows if not row or not self._is_place(row[0])]
            if len(kept) < len(rows):
                written = io.StringIO(newline="")
                csv.writer(written, lineterminator="\r\n" if "\r\n" in text else "\n").writerows([titles, *kept])
                content = [written.getvalue().encode()]
                yield Step(path, f"{len(rows) - len(kept)} of {len(rows)} rows", partial(iter, content))

    def _is_place(self, cell: str) -> bool:
        """Whether a cell is one of the names, or a file in a folder of that name."""
        plain = cell.strip().lstrip("'")
        return plain in self.names or plain.partition("/")[0] in self.names

    def _from_lists(self) -> Iterator[Step]:
        for path in _lists(self.out):
            with path.open("rb") as lines:
                theirs = [self._is_line(line) for line in lines]
            if any(theirs):
                yield Step(path, f"{sum(theirs)} of {len(theirs)} lines", partial(self._other_lines, path))

    def _other_lines(self, path: Path) -> Iterator[bytes]:
        with path.open("rb") as lines:
            yield from (line for line in lines if not self._is_line(line))

    def _is_line(self, line: bytes) -> bool:
        name = _whose(line)
        if name is None:  # an incomplete line names nobody
            return any(f'"{form}'.encode() in line for form in _spellings(self.learner.name))
        return name == self.learner.name


def _spellings(name: str) -> tuple[str, str]:
    """The two ways to write a name in JSON."""
    return json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]
