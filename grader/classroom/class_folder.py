"""What lies in the folder of a class: its entries, and which of them are submissions. Nothing is opened yet."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from grader.course import Course
from grader.errors import printable
from grader.files import read_regular, reason_of, text_field
from grader.intake import Submission, SubmissionError, read_files, read_submission
from grader.intake.names import is_passed_over, kind_of_file, own_name, stem_of
from grader.intake.walk import OutOfReach
from grader.record import Problem
from grader.render.wording import first_few

from .platforms import TITLES, Platform, PlatformName, read_name
from .unmatched import Unmatched


@dataclass(frozen=True)
class SubmissionFiles:
    """One submission of a class: of one learner, or of all members of a group.

    entry: its name in the class, of several files the first one's. name: what the platform says in that. learners: the
    ids of those for whom it counts. files: where they lie, by names, a folder's with a `/` at the end; or none is left.
    """

    entry: str
    name: PlatformName
    learners: tuple[str, ...] = ()
    files: tuple[tuple[str, Path], ...] = ()

    @property
    def known(self) -> str:
        """What stays when it is handed in again: the learner's number in the platform; without one the entry."""
        return self.name.number or self.entry

    def read(self, course: Course) -> Submission:
        """Read it. If its content is unreadable, this is an empty submission with the reason as its problem.

        Its name is the entry's. Raises OutOfReach when a file is missing or the system does not open it.
        """
        if not self.files:
            return Submission(self.entry, {}, ())
        (first, path), *_ = self.files
        loose = [(name, partial(read_regular, path)) for name, path in self.files]
        try:
            if first.endswith("/"):
                read = read_submission(path, course)
            else:
                read = read_files(stem_of(first), lambda: loose, course, is_loose=True)
        except OutOfReach:
            raise
        except SubmissionError as error:
            problem = Problem(file=printable(self.entry), kind="unreadable", message=str(error))
            return Submission(self.entry, {}, (problem,))
        return replace(read, name=self.entry)


def can_be_work(name: str) -> bool:
    """Whether this is a folder, or a file of a kind that is read or told apart."""
    return name.endswith("/") or kind_of_file(name) != "unknown"


def entry_of(name: str) -> str:
    """A name without the `/`, as text: so it is called in unmatched.csv, in the database and in sentences.

    A name that is no such text gets a digest, and so does one that looks as if it had one: no two entries are called
    the same.
    """
    name = name.removesuffix("/")
    text = text_field(name)
    if text == name and name[-10:-8] != " #":
        return name
    return f"{text} #{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def names_in(folder: Path, ignored: Collection[Path]) -> tuple[list[str], list[str]]:
    """The names of what lies in a class's folder, sorted, a `/` at the end of a folder's; and of what is passed over.

    Links, and packed files of other kinds, are among the submissions: reading them reports what is wrong.
    Raises SubmissionError: it is not a folder, or cannot be opened.
    """
    try:
        there = os.listdir(folder)
    except OSError as error:
        raise SubmissionError(f"{printable(own_name(folder))} {reason_of(error)}.") from None

    def is_ours(path: Path) -> bool:  # it may be a link to what cannot even be looked up
        return os.path.exists(path) and any(os.path.samefile(path, each) for each in ignored if each.exists())

    passed_over = sorted(name for name in there if is_passed_over(name) or is_ours(folder / name))
    names = sorted({*there}.difference(passed_over))
    return [f"{name}/" if os.path.isdir(folder / name) else name for name in names], passed_over


def works_in(folder: Path, names: Sequence[str], platform: Platform) -> tuple[list[SubmissionFiles], list[Unmatched]]:
    """The submissions among what lies in a class's folder, and the rows of what is none.

    Files that a platform has named for one submission are one, whatever their kind. What was typed in counts only if
    there is no file. Raises SubmissionError when there is no submission.
    """
    together: dict[Hashable, dict[str, PlatformName]] = defaultdict(dict)
    unmatched: list[Unmatched] = []
    for name in names:
        said = read_name(platform, name) if can_be_work(name) or platform != "plain" else None
        if said:
            together[said.submission][name] = said
        else:
            named = f"It is not named as {TITLES[platform]} names what is handed in."
            why = named if can_be_work(name) else "It is no folder, zip, notebook or .py file."
            unmatched.append(Unmatched(entry_of(name), why, is_submission=can_be_work(name)))
    works: list[SubmissionFiles] = []
    for theirs in together.values():
        given = {name: said for name, said in theirs.items() if not said.is_typed} or theirs
        why = "It was typed in beside files; the files are graded."
        unmatched += [Unmatched(entry_of(name), why) for name in theirs if name not in given]
        folders = [[name] for name in given if name.endswith("/")]
        loose = [name for name in given if not name.endswith("/")]
        for first, *others in [*folders, loose] if loose else folders:
            files = tuple((given[name].file or name, folder / name) for name in (first, *others))
            works.append(SubmissionFiles(entry_of(first), given[first], files=files))
    if not works:
        raise SubmissionError(_nothing_in(folder, names, platform))
    return sorted(works, key=lambda files: files.entry), unmatched


def _nothing_in(folder: Path, names: Sequence[str], platform: Platform) -> str:
    """A sentence about a class without submissions."""
    shown = printable(own_name(folder))
    wanted = f"no folder, .zip, .ipynb or .py file a learner, such as {shown}/ada/03_softmax.py"
    if any(map(can_be_work, names)):
        wanted = f"nothing is named as {TITLES[platform]} names it"
    there = f" What is there: {first_few([entry_of(each) for each in names], most=5)}." if names else ""
    return f"{shown} holds no submission: {wanted}.{there}"
