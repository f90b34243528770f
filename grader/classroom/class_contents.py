"""What lies in a class: the entries of its folder or of its zip. Nothing is unpacked: each is read where it lies.

What counts for nobody stands in OUT/unmatched.csv: a person says in its column `learner` whose it is, and gives it
back.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.files import table, text_field, write_file
from grader.intake import SubmissionError
from grader.intake.names import (
    COURSE_WORK,
    ExerciseNames,
    first_few,
    is_passed_over,
    kind_of_file,
    own_name,
    printable,
    stem_of,
)
from grader.intake.walk import (
    OF_A_CLASS,
    Content,
    Read,
    UnreadableError,
    list_folder,
    list_zip,
    read_regular,
    reason_of,
)

from .csv_file import lacking, read_table
from .platforms import LONGEST_NAME

_NAMED = 5  # entries that a sentence lists
UNMATCHED = "unmatched.csv"
UNMATCHED_TITLES = ("entry", "why", "learner")


@dataclass(frozen=True)
class Unmatched:
    """Something in a class that counts for nobody, and why. is_submission: a person has to say whose it is.

    learner: whose a person has said that it is. It counts then, and stands here so that this is not forgotten.
    """

    entry: str
    why: str
    is_submission: bool = False
    learner: str = ""


@dataclass(frozen=True)
class ClassEntry:
    """One entry of a class. name: with a `/` at the end for a folder. read: reads it, if it is a file.

    listed: gives what is in a folder, by the path below it.
    """

    name: str
    read: Read | None = None
    listed: Callable[[], Mapping[str, Content]] = dict

    @property
    def can_be_work(self) -> bool:
        """Whether it is a folder, or a file of a kind that is read or told apart."""
        return self.read is None or kind_of_file(self.name) != "unknown"

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

    @property
    def as_none(self) -> Unmatched:
        """Its row if it is no submission."""
        return Unmatched(self.shown, "It is no folder, zip, notebook or .py file.")


@dataclass(frozen=True)
class ClassContents:
    """Everything in a class. passed_over: what systems, tools and the course leave behind, and what is ours.

    unwrapped: the folder in the zip that was opened, if it is around everything.
    """

    entries: tuple[ClassEntry, ...]
    passed_over: tuple[str, ...] = ()
    unread: tuple[Unmatched, ...] = ()
    unwrapped: str = ""


@contextmanager
def class_contents(
    path: Path, course: Course, is_learner: Callable[[str], bool], ignored: Collection[Path] = ()
) -> Iterator[ClassContents]:
    """What lies in the class at `path`, a folder or a zip; it can be read inside the context.

    is_learner: whether an entry's name is a learner's in the roster, or one that a platform made. ignored: paths that
    are no submissions. Raises SubmissionError when there is nothing to read, or the zip is damaged or harmful; OSError.
    """
    if path.suffix.lower() == ".zip" and path.is_file():
        with path.open("rb") as file:
            yield _unwrapped(_in_zip(list_zip(file, printable(path.name), OF_A_CLASS)), course, is_learner)
    else:
        yield _in_folder(path, [each for each in ignored if each.exists()])


def _in_folder(folder: Path, ignored: Collection[Path]) -> ClassContents:
    """The entries of a class's folder, sorted by name. Nothing is opened.

    Links, and packed files of other kinds, are among the submissions: reading them reports what is wrong.
    Raises SubmissionError: it is not a folder, or cannot be opened.
    """
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise SubmissionError(f"{printable(own_name(folder))} {reason_of(error)}.") from None
    entries: list[ClassEntry] = []
    passed_over: list[str] = []
    for name in names:
        path = folder / name
        is_ours = os.path.exists(path) and any(os.path.samefile(path, each) for each in ignored)
        if is_passed_over(name) or is_ours:
            passed_over.append(name)
        elif os.path.isdir(path):
            entries.append(ClassEntry(f"{name}/", listed=partial(list_folder, path, printable(name))))
        else:
            entries.append(ClassEntry(name, partial(read_regular, path)))
    return ClassContents(tuple(entries), tuple(passed_over))


def nothing_in(path: Path, contents: ClassContents, platform: str) -> str:
    """A sentence about a class without submissions. platform: whose names were looked for; empty for any."""
    names = [*(each.shown for each in contents.entries), *(each.entry for each in contents.unread)]
    there = f" What is there: {first_few(names, _NAMED)}." if names else ""
    shown = printable(own_name(path))
    if platform and any(each.can_be_work for each in contents.entries):
        return f"No name in {shown} is one of {platform}'s.{there} A class of another platform needs another OUT."
    return (
        f"{shown} holds no submission: no folder, .zip, .ipynb or .py file.{there} "
        f"Expected is one of these a learner, such as {shown}/ada/03_softmax.py."
    )


# --- a zip ------------------------------------------------------------------------------------------------------------


def _in_zip(members: Mapping[str, Content]) -> ClassContents:
    """The entries of a class's zip. What is odd in it does not affect the rest."""
    files: dict[str, Read] = {}
    folders: defaultdict[str, dict[str, Content]] = defaultdict(dict)
    unread: list[Unmatched] = []
    passed_over: dict[str, None] = {}
    for where, member in sorted(members.items()):  # what lies below a file comes after it
        top, _, rest = where.partition("/")
        if isinstance(member, UnreadableError):
            unread.append(Unmatched(where, f"It {member}."))
        elif top in files or len(top) > LONGEST_NAME:
            unread.append(Unmatched(where, "It has a name that no file can have."))
        elif is_passed_over(top):
            passed_over[top] = None
        elif rest or member is None:
            folders[top][rest] = member
        else:
            files[top] = member
    folders.pop("", None)
    entries = [ClassEntry(name, read) for name, read in files.items()]
    entries += [ClassEntry(f"{name}/", listed=partial(dict, inside)) for name, inside in folders.items()]
    return ClassContents(tuple(sorted(entries, key=lambda each: each.name)), tuple(passed_over), tuple(unread))


def _unwrapped(contents: ClassContents, course: Course, is_learner: Callable[[str], bool]) -> ClassContents:
    """The contents of a zip, or those of the one folder in it that platforms and people put around everything."""
    works = [each for each in contents.entries if each.can_be_work]
    only = works[0] if len(works) == 1 else None
    if only is None or only.read or is_learner(only.name):
        return contents
    found, exercises = _in_zip(only.listed()), ExerciseNames(course)
    of_a_learner = {COURSE_WORK, *(unit.folder for unit in course.units)}
    if not found.entries or any(
        stem_of(each.name) in of_a_learner or exercises.by_file(each.name) for each in found.entries
    ):
        return contents  # one learner's work, rather than a submission each
    return ClassContents(
        found.entries,
        (*contents.passed_over, *found.passed_over),
        (*contents.unread, *found.unread, *(each.as_none for each in contents.entries if each is not only)),
        only.shown,
    )


# --- unmatched.csv ----------------------------------------------------------------------------------------------------


def write_unmatched(path: Path, rows: Iterable[Unmatched]) -> None:
    """Write the file anew. Raises OSError."""
    fields = [(text_field(each.entry), text_field(each.why), text_field(each.learner)) for each in rows]
    write_file(path, [table([UNMATCHED_TITLES, *fields]).encode("utf-8-sig")])


def read_matches(path: Path) -> Mapping[str, str]:
    """The learner of each entry of the file: an id, a login, an email, a full name or a group; "" for nobody.

    Raises KataError when it cannot be read, lacks a column, or gives an entry twice; each problem has a line.
    """
    sheet = read_table(path)
    entry, learner = sheet.place("entry"), sheet.place("learner")
    if entry is None or learner is None:
        raise KataError(lacking(sheet, "columns entry and learner", ",".join(UNMATCHED_TITLES), "ada.zip,,1815"))
    matches: dict[str, str] = {}
    twice: list[str] = []
    for line, cells in sheet.rows:
        twice += [f"{path}, line {line}: {cells[entry]} is there already."] if cells[entry] in matches else []
        matches[cells[entry]] = cells[learner].strip()
    if twice:
        raise KataError("\n".join(twice))
    return matches
