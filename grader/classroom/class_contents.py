"""What lies in a class: the entries of its folder, or of its zip, which is unpacked for as long as it is read.

Only a zip that is given as the class is unpacked. A learner's zip stays one, and is read like any other. What counts
for nobody stands in OUT/unmatched.csv: a person says in its column `learner` whose it is, and hands it back.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from grader.intake.walk import MAX_TOTAL_MB, MB, OF_A_CLASS, Content, UnreadableError, list_zip, reason_of

from .csv_file import lacking, read_table

_NO_PLACE = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)
_NAMED = 5  # entries that a sentence lists
MOST_FOLDERS = 100
"""Folders within folders in a class's zip; a learner's own may be less deep. Making and removing them recurses."""
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
class FolderEntry:
    """One entry of a class's folder. name: with a `/` at the end for a folder. why_none: why it is no submission."""

    path: Path
    name: str
    why_none: str = ""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and no link to one."""
        return self.name.endswith("/")

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
    def stem(self) -> str:
        """Its name without the ending of a file."""
        return self.name.removesuffix("/") if self.is_folder else stem_of(self.name)


@dataclass(frozen=True)
class ClassContents:
    """Everything in a class. passed_over: what systems, tools and the course leave behind, and what is ours.

    shown: what people call the folder or zip.
    """

    shown: str
    entries: tuple[FolderEntry, ...]
    passed_over: tuple[str, ...] = ()
    unread: tuple[Unmatched, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def only_submission(self) -> FolderEntry | None:
        """The entry that can be one, if there is one alone."""
        found = [each for each in self.entries if not each.why_none]
        return found[0] if len(found) == 1 else None


IsLearner = Callable[[str], bool]
"""Whether an entry's name is a learner's in the roster, or one that a platform made."""


@contextmanager
def class_contents(
    path: Path, room: Path, course: Course, is_learner: IsLearner, ignored: Collection[Path] = ()
) -> Iterator[ClassContents]:
    """What lies in the class at `path`, a folder or a zip; it can be read inside the context.

    room: a folder for what is unpacked, emptied before and removed at the end. ignored: paths that are no submissions.
    Raises SubmissionError when there is nothing to read, or the zip is damaged or harmful; OSError without room.
    """
    shutil.rmtree(room, ignore_errors=True)
    try:
        if path.suffix.lower() == ".zip" and path.is_file():
            yield _unwrapped(_unpacked(path, room), course, is_learner)
            return
        found = _in_folder(path, ignored)
        only = found.only_submission
        if only and kind_of_file(only.name) == "zip" and not is_learner(only.name):
            advice = f"{only.shown} is one learner's submission; if it is the class, give the zip itself."
            found = replace(found, remarks=(advice,))
        yield found
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _in_folder(folder: Path, ignored: Collection[Path] = ()) -> ClassContents:
    """The entries of a class's folder, sorted by name. Nothing is opened.

    Links and packed files that are not read are among the submissions: reading them reports what is wrong.
    Raises SubmissionError: it is not a folder, or cannot be opened.
    """
    shown = printable(own_name(folder))
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        reason = "does not exist" if isinstance(error, FileNotFoundError) else reason_of(error)
        raise SubmissionError(f"{shown} {reason}.") from None
    usual = [name for name in names if is_passed_over(name) or _is_one_of(folder / name, ignored)]
    return ClassContents(shown, tuple(_entry(folder / name) for name in names if name not in usual), tuple(usual))


def _entry(path: Path) -> FolderEntry:
    is_link, is_folder = path.is_symlink(), os.path.isdir(path)
    why_none = ""
    if kind_of_file(path.name) == "unknown" and not is_folder:
        why_none = "It is no folder, zip, notebook or .py file."
        if is_link:
            why_none = "It is a link and was not followed."
        elif not os.path.isfile(path):
            why_none = "It is not an ordinary file (a pipe, a socket or a device) and was not opened."
    return FolderEntry(path, path.name + "/" * (is_folder and not is_link), why_none)


def _is_one_of(path: Path, others: Collection[Path]) -> bool:
    return os.path.exists(path) and any(each.exists() and os.path.samefile(path, each) for each in others)


def nothing_in(contents: ClassContents, platform: str) -> str:
    """A sentence about a class without submissions. platform: whose names were looked for; empty for any."""
    names = [*(each.shown for each in contents.entries), *(each.entry for each in contents.unread)]
    there = f" What is there: {first_few(names, _NAMED)}." if names else ""
    shown = contents.shown
    if platform and any(not each.why_none for each in contents.entries):
        return (
            f"No name in {shown} is one of {platform}'s.{there} A class of another platform needs a folder of its own."
        )
    return (
        f"{shown} holds no submission: no folder, .zip, .ipynb or .py file.{there} "
        f"Expected is one of these a learner, such as {shown}/ada/03_softmax.py."
    )


# --- a zip ------------------------------------------------------------------------------------------------------------


def _unpacked(path: Path, room: Path) -> ClassContents:
    """Unpack a class's zip into `room`. What is odd or damaged in it does not affect the rest."""
    shown, unread, passed_over = printable(path.name), list[Unmatched](), list[str]()
    room.mkdir(parents=True)
    with path.open("rb") as file:
        for where, member in list_zip(file, shown, OF_A_CLASS).items():
            if not isinstance(member, UnreadableError) and any(map(is_passed_over, where.split("/"))):
                passed_over.append(where)
            elif why := _why_not_laid_out(member, room / where, where.count("/")):
                unread.append(Unmatched(where, why))
    found = _in_folder(room)
    return replace(found, shown=shown, passed_over=(*found.passed_over, *passed_over), unread=tuple(unread))


def _why_not_laid_out(member: Content, target: Path, depth: int) -> str:
    """Write one member, a folder if it is None; why that cannot be, "" if it can. Raises OSError without room."""
    try:
        if isinstance(member, UnreadableError):
            raise member
        if depth > MOST_FOLDERS:
            raise UnreadableError(f"lies more than {MOST_FOLDERS} folders deep and was not looked into")
        (target if member is None else target.parent).mkdir(parents=True, exist_ok=True)
        if member is not None:
            content = member(MAX_TOTAL_MB * MB)
            if len(content) > MAX_TOTAL_MB * MB:
                raise UnreadableError(f"is larger than {MAX_TOTAL_MB} MB")
            with target.open("xb") as file:
                file.write(content)
    except UnreadableError as error:
        return f"It {error}."
    except SubmissionError as error:  # a bomb
        return str(error)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in _NO_PLACE:
            raise
        return "It has a name that no file can have here."
    return ""


def _unwrapped(contents: ClassContents, course: Course, is_learner: IsLearner) -> ClassContents:
    """The contents of a zip, or those of the one folder in it that platforms and people put around everything."""
    only = contents.only_submission
    if only is None or not only.is_folder or is_learner(only.name):
        return contents
    inside = [each.name for each in only.path.iterdir() if not is_passed_over(each.name)]
    units = {unit.folder for unit in course.units}
    of_a_learner = {COURSE_WORK, *units, *(f"{unit}.ipynb" for unit in units)}
    exercises = ExerciseNames(course)
    if not inside or any(name in of_a_learner or exercises.by_file(name) for name in inside):
        return contents  # one learner's work, rather than a submission each
    found = _in_folder(only.path)
    beside = [Unmatched(each.shown, each.why_none) for each in contents.entries if each is not only]
    return replace(
        found,
        shown=contents.shown,  # people call it as the zip all the same
        passed_over=(*contents.passed_over, *found.passed_over),
        unread=(*contents.unread, *beside),
        remarks=(f"The folder {only.shown} in the zip is the class: it was opened.",),
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
