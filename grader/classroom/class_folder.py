"""What lies in the folder of a class: its entries, and which of them are submissions. Nothing is opened yet."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from grader.course import Course
from grader.files import text_field
from grader.intake import Submission, SubmissionError, read_files, read_submission
from grader.intake.names import first_few, is_passed_over, kind_of_file, own_name, printable, stem_of
from grader.intake.walk import OutOfReach, read_regular, reason_of
from grader.record import Problem

from .platforms import TITLES, Platform, PlatformName, read_name
from .unmatched import Unmatched

_NAMED = 5  # entries that a sentence lists


@dataclass(frozen=True)
class SubmissionFiles:
    """One submission of a class: of one learner, or of all members of a group.

    entry: its name in the class, of several files the first one's. source: reads it where it lies. readings: whom its
    name can mean, as display names by the platform's numbers. learners: the ids of those for whom it counts.
    """

    entry: str
    source: Callable[[Course], Submission]
    readings: Mapping[str, str] = field(default_factory=dict)
    is_late: bool = False
    learners: tuple[str, ...] = ()

    def read(self, course: Course) -> Submission:
        """Read it. If its content is unreadable, this is an empty submission with the reason as its problem.

        Its name is the entry's. Raises OutOfReach when a file is missing or the system does not open it.
        """
        try:
            read = self.source(course)
        except OutOfReach:
            raise
        except SubmissionError as error:
            problem = Problem(file=printable(self.entry), kind="unreadable", message=str(error))
            return Submission(self.entry, {}, (problem,))
        return replace(read, name=self.entry)


@dataclass(frozen=True)
class Entry:
    """One entry of a class's folder. name: with a `/` at the end for a folder."""

    path: Path
    name: str

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")

    @property
    def can_be_work(self) -> bool:
        """Whether it is a folder, or a file of a kind that is read or told apart."""
        return self.is_folder or kind_of_file(self.name) != "unknown"

    @property
    def shown(self) -> str:
        """Its name without the `/`, as text: so it is called in unmatched.csv, in the database and in sentences.

        A name that is no such text gets a digest, and so does one that looks as if it had one: no two entries are
        called the same.
        """
        name = self.name.removesuffix("/")
        text = text_field(name)
        if text == name and name[-10:-8] != " #":
            return name
        return f"{text} #{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def entries_in(folder: Path, ignored: Collection[Path]) -> tuple[list[Entry], list[str]]:
    """The entries of a class's folder, sorted by name, and the names of those that are passed over.

    Links, and packed files of other kinds, are among the submissions: reading them reports what is wrong.
    Raises SubmissionError: it is not a folder, or cannot be opened.
    """
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise SubmissionError(f"{printable(own_name(folder))} {reason_of(error)}.") from None
    ours = [each for each in ignored if each.exists()]
    entries: list[Entry] = []
    passed_over: list[str] = []
    for name in names:
        path = folder / name  # perhaps a link to what cannot even be looked up
        if is_passed_over(name) or (os.path.exists(path) and any(os.path.samefile(path, each) for each in ours)):
            passed_over.append(name)
        else:
            entries.append(Entry(path, f"{name}/" if os.path.isdir(path) else name))
    return entries, passed_over


def works_in(entries: Sequence[Entry], platform: Platform) -> tuple[list[SubmissionFiles], list[Unmatched]]:
    """The submissions in a class, and the rows of what is none.

    Files that a platform has named for one submission are one, whatever their kind. What was typed in counts only if
    there is no file.
    """
    together: dict[object, list[tuple[Entry, PlatformName]]] = defaultdict(list)
    unmatched: list[Unmatched] = []
    for entry in entries:
        said = read_name(platform, entry.name) if entry.can_be_work or platform != "plain" else None
        if said:
            together[said.submission].append((entry, said))
        elif entry.can_be_work:
            why = f"It is not named as {TITLES[platform]} names what is handed in."
            unmatched.append(Unmatched(entry.shown, why, is_submission=True))
        else:
            unmatched.append(Unmatched(entry.shown, "It is no folder, zip, notebook or .py file."))
    works: list[SubmissionFiles] = []
    for theirs in together.values():
        files = [(entry, said) for entry, said in theirs if not said.is_typed] or theirs
        why = "It was typed in beside files; the files are graded."
        unmatched += [Unmatched(entry.shown, why) for entry, said in theirs if (entry, said) not in files]
        works += [_work([each]) for each in files if each[0].is_folder]
        if loose := [each for each in files if not each[0].is_folder]:
            works.append(_work(loose))
    return sorted(works, key=lambda files: files.entry), unmatched


def _work(named: Sequence[tuple[Entry, PlatformName]]) -> SubmissionFiles:
    """A folder, or loose files of one submission."""
    first = named[0][0]
    files = [(said.file or each.name, partial(read_regular, each.path)) for each, said in named]
    source: Callable[[Course], Submission] = partial(read_files, stem_of(files[0][0]), lambda: files, is_loose=True)
    if first.is_folder:
        source = partial(read_submission, first.path)
    readings = {id: name for _, said in named for id, name in said.readings.items()}
    return SubmissionFiles(first.shown, source, readings, is_late=any(said.is_late for _, said in named))


def nothing_in(folder: Path, entries: Sequence[Entry], platform: Platform) -> str:
    """A sentence about a class without submissions."""
    shown = printable(own_name(folder))
    wanted = f"no folder, .zip, .ipynb or .py file a learner, such as {shown}/ada/03_softmax.py"
    if any(each.can_be_work for each in entries):
        wanted = f"nothing is named as {TITLES[platform]} names it"
    there = f" What is there: {first_few([each.shown for each in entries], _NAMED)}." if entries else ""
    return f"{shown} holds no submission: {wanted}.{there}"
