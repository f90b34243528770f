"""Removes one learner from everything that a graded class left in its folder OUT.

Lists (records, class, times, hints, pseudonyms) lose the learner's rows. Files made from them (pages, exports) are
deleted if they name the learner, and can be made again. The class list comes last, so that an interrupted run can be
repeated.
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
from typing import Any

from grader.classroom.attempts import ATTEMPTS
from grader.classroom.results_file import class_of
from grader.classroom.roster import Matcher
from grader.classroom.run_header import RUN
from grader.writing import write_file

from .claims import folded
from .class_folder import UNPACKED
from .handed_in import APPEALS
from .members import CLASS_LIST, LEAST_LETTERS, Learner, called, find_learner, matcher_of
from .page_names import page_name, page_stem, stem_of
from .pseudonyms import PSEUDONYMOUS, WHO_IS_WHO, pseudonym_in
from .regrading import MOVED
from .results_file import NOT_GRADED
from .run import LOCK

TABLES = (NOT_GRADED, WHO_IS_WHO, MOVED)
"""Tables of OUT that are lists: files not graded, pseudonyms, and moved points."""
MADE_AGAIN = "a page or an export that names them, to be made again without"
EXPORTS = ("class.html", "grades.csv", "grades-by-exercise.csv", "canvas.csv", "moodle.csv", "junit.xml",
           "feedback.zip", "moodle-worksheet.csv")  # fmt: skip
EXPORT_FOLDERS = ("gradescope", "github")
EACH_LEARNERS = "[0-9]*-*.json"
"""The names of the files that `kata export` writes into OUT, one for each learner."""
WHO = ("submission", "learner", "name")
"""The fields that name the learner of a list's entry; the first one present counts."""
MOST_SEARCHED = 64 * 1024 * 1024
"""The largest file, in bytes, that is searched for remaining names; larger ones are reported as not searched."""


class ForgettingError(Exception):
    """Nobody was removed; the message is one sentence for people."""


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
            write_file(self.path, self.content(), below=out, synced=True, mode=rights)
        elif self.path.is_dir() and not self.path.is_symlink():
            shutil.rmtree(self.path)
        else:
            self.path.unlink(missing_ok=True)


def learner_in(out: Path, called: str) -> Learner:
    """The learner in OUT with this id or name, with a record or without one.

    Raises ForgettingError where there is no class, LearnerError when it matches nobody or several, ResultsError for a
    damaged class list.
    """
    learners = class_of(out, dict.fromkeys(_names_in(out)))
    if not learners:
        raise ForgettingError(
            f"{out} holds no class: give the folder that `kata grade-class DIR --out OUT` made, "
            "such as: kata forget OUT LEARNER"
        )
    return find_learner(learners, called, out, f"kata forget {out}")


def _lists(out: Path) -> list[Path]:
    """The lists of OUT: those of attempts first, the class list last, because learners are found by it."""
    folders = [folder for folder in (out / ATTEMPTS, out) if folder.is_dir()]
    lists = [path for folder in folders for path in sorted(folder.glob("*.jsonl")) if path.is_file()]
    return sorted(lists, key=lambda path: (path.name == CLASS_LIST, path.parent == out))


def _names_in(out: Path) -> Iterator[str]:
    """Yield the learner's name of each line in the lists."""
    for path in _lists(out):
        with path.open("rb") as lines:
            for line in lines:
                if name := _whose(line, path, out):
                    yield name


def _whose(line: bytes, path: Path, out: Path) -> str | None:
    """The learner of a line, "" for nobody's, None for an incomplete line.

    In the folder of attempts names are LEARNER/ATTEMPT.
    """
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    name = _name_of(entry) if isinstance(entry, dict) else ""
    return name.rpartition("/")[0] if path.parent == out / ATTEMPTS else name


def _name_of(entry: dict[str, Any]) -> str:
    return next((each for key in WHO if isinstance(each := entry.get(key), str)), "")


class Forgetting:
    """Finds everything about one learner in OUT, and the steps to remove it."""

    def __init__(self, out: Path, learner: Learner) -> None:
        self.out, self.learner = out, learner
        self._learners = class_of(out, dict.fromkeys(_names_in(out)))

    @cached_property
    def names(self) -> frozenset[str]:
        """All names of the learner that nobody else in the class has."""
        others = {text for each in self._learners if each.name != self.learner.name for text in called(each)}
        return frozenset({*called(self.learner), self._pseudonym} - others - {""})

    @cached_property
    def _pseudonym(self) -> str:
        return pseudonym_in(self.out, self.learner.name)

    def steps(self) -> list[Step]:
        """The steps, in order; changes nothing. Raises OSError."""
        return [*self._made(), *self._tables(), *self._from_lists()]

    def left(self) -> list[str]:
        """Files of OUT that still contain one of the names, and files too large to search."""
        told = []
        telling = sorted(name for name in self.names if len(name) >= LEAST_LETTERS and not name.isdigit())
        sought = {form for name in telling for form in (*_spellings(name), html.escape(name))}
        for path in self._files():
            if path.stat().st_size > MOST_SEARCHED:
                told.append(f"{path} was not looked through: it is too large.")
            elif any(form.encode() in path.read_bytes() for form in sought):
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

    def _files(self) -> Iterator[Path]:
        found = (path for path in sorted(self.out.rglob("*")) if path.is_file() and not path.is_symlink())
        return (path for path in found if path.name != LOCK)

    # --- what is made from the lists -----------------------------------------------------------------------------

    def _made(self) -> Iterator[Step]:
        """Only files that this program makes, by their names: OUT may also contain submissions."""
        unpacked, appeal = self.out / UNPACKED, self.out / APPEALS / page_stem(self.learner.name)
        if unpacked.exists():
            yield Step(unpacked, "what a killed run had unpacked of the class's zip")
        if os.path.lexists(appeal):
            yield Step(appeal, "files of theirs that were laid out for an appeal")
        for folder in (self.out, self.out / PSEUDONYMOUS):
            yield from (Step(path, MADE_AGAIN) for path in self._made_in(folder) if self._is_theirs(path))

    def _made_in(self, folder: Path) -> Iterator[Path]:
        patterns = (*EXPORTS, "learner-*.html", *(f"{each}/{EACH_LEARNERS}" for each in EXPORT_FOLDERS))
        found = (path for pattern in patterns for path in sorted(folder.glob(pattern)))
        return (path for path in found if path.is_file() and not path.is_symlink())

    def _is_theirs(self, path: Path) -> bool:
        """Whether a generated file names the learner, as far as its kind can tell."""
        if path.name == page_name(self.learner.name) or path.stem == self._pseudonym:
            return True
        if path.parent.name in EXPORT_FOLDERS:  # for example 0001-ada.json
            others = {stem_of(each.name) for each in self._learners if each.name != self.learner.name}
            mine = {stem_of(self.learner.name), stem_of(self._pseudonym)} - others
            return path.stem.partition("-")[2] in mine
        return self._is_named_in(path)

    def _is_named_in(self, path: Path) -> bool:
        if path.suffix == ".zip":  # with the pages of all learners
            return True
        text = path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".csv":
            return any(cell.strip().lstrip("'") in self.names for row in _rows(text) for cell in row)
        if path.suffix == ".xml":
            return any(f'="{html.escape(name)}"' in text for name in self.names)
        if path.name == "class.html":
            return True
        title = html.unescape(text.partition("<h1>")[2].partition("</h1>")[0]).strip()
        return title in self.names

    # --- lists ---------------------------------------------------------------------------------------------------

    def _tables(self) -> Iterator[Step]:
        for folder in (self.out / ATTEMPTS, self.out):
            for path in (folder / name for name in TABLES):
                if path.is_file():
                    yield from self._without_rows(path)
            for path in sorted(folder.glob("*.json")):
                if path.is_file() and path.name != RUN:
                    yield from self._pruned(path)

    def _without_rows(self, path: Path) -> Iterator[Step]:
        text = path.read_text(encoding="utf-8")
        rows = list(csv.reader(io.StringIO(text, newline="")))
        told = slice(None) if path.name == WHO_IS_WHO else slice(1)  # else the first column names the learner
        others = [row for row in rows[1:] if not any(self._is_place(cell) for cell in row[told])]
        kept = [*rows[:1], *others]  # the first row has the titles
        if len(kept) < len(rows):
            written = io.StringIO(newline="")
            csv.writer(written, lineterminator="\r\n" if "\r\n" in text else "\n").writerows(kept)
            content = written.getvalue().encode()
            yield Step(path, f"{len(rows) - len(kept)} of {len(rows)} rows", lambda: [content])

    def _is_place(self, cell: str) -> bool:
        """Whether a cell is one of the names, or a file in a folder of that name."""
        plain = cell.strip().lstrip("'")
        return plain in self.names or plain.partition("/")[0] in self.names

    def _pruned(self, path: Path) -> Iterator[Step]:
        try:
            before = json.loads(path.read_bytes())
        except ValueError:  # `left` reports the file if it contains a name
            return
        after, gone = self._without(before, is_top=True)
        if gone:
            content = (json.dumps(after, indent=1, ensure_ascii=False) + "\n").encode()
            yield Step(path, "1 entry" if gone == 1 else f"{gone} entries", lambda: [content])

    def _without(self, value: Any, *, is_top: bool = False) -> tuple[Any, int]:
        """Remove the learner from a JSON value; returns the rest and the number of removed entries.

        is_top: its keys are the format's own and no learner's name. The same holds for the keys of an entry that names
        its learner.
        """
        if isinstance(value, dict):
            is_form = is_top or bool(_name_of(value))
            theirs = set() if is_form else {self.learner.name} & value.keys()
            parts = {key: self._without(each) for key, each in value.items() if key not in theirs}
            gone = sum(count for _, count in parts.values())
            return {key: each for key, (each, _) in parts.items()}, len(theirs) + gone
        if isinstance(value, list):
            pruned = [self._without(each) for each in value if not self._is_entry(each)]
            return [each for each, _ in pruned], len(value) - len(pruned) + sum(gone for _, gone in pruned)
        return value, 0

    def _is_entry(self, value: Any) -> bool:
        if isinstance(value, dict):
            return self._is_meant(_name_of(value))
        return isinstance(value, str) and value == self.learner.name

    def _is_meant(self, text: str) -> bool:
        """Whether a text names this learner of the class, as a table of hand-ins or hints may do."""
        if text == self.learner.name:
            return True
        found = self._by_text.learner(text)
        return found is not None and found.id == self.learner.name

    @cached_property
    def _by_text(self) -> Matcher:
        return matcher_of(self._learners)

    def _from_lists(self) -> Iterator[Step]:
        for path in _lists(self.out):
            with path.open("rb") as lines:
                theirs = [self._is_line(line, path) for line in lines]
            if any(theirs):
                yield Step(path, f"{sum(theirs)} of {len(theirs)} lines", partial(self._other_lines, path))

    def _other_lines(self, path: Path) -> Iterator[bytes]:
        with path.open("rb") as lines:
            yield from (line for line in lines if not self._is_line(line, path))

    def _is_line(self, line: bytes, path: Path) -> bool:
        name = _whose(line, path, self.out)
        if name is None:  # an incomplete line names nobody
            return any(f'"{form}'.encode() in line for form in _spellings(self.learner.name))
        return name == self.learner.name


def _spellings(name: str) -> tuple[str, str]:
    """The two ways to write a name in JSON."""
    return json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]


def _rows(text: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""))
    except csv.Error:  # no table: `left` searches it
        return
