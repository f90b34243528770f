"""Tells nbgrader whose each extracted file is, and which one counts as the unit's notebook.

A notebook counts as `<unit>.ipynb` whatever its name was. If there are several downloads, the one with a learner's
newest file counts; in it, notebooks with the unit's name come before others, then the newest. Python files are
collected if there is no notebook. Files that do not count are named in the log, and stay where they are.

Moodle's grading worksheet, a CSV, maps participants' numbers to people. Its first column has "Participant 1234567" (in
the language of the person who downloads it), others the full name, further user fields of the site, mostly "Email
address" and "ID number", and the time of the submission's last change.

Moodle's "Download all submissions" names a learner's folder `Full Name_1234567_assignsubmission_file_`; without folders
that is the prefix of the file's name. Moodle turns underscores in the full name into spaces. The number is the
participant's for this one assignment: in the next assignment the same person has another one. So it distinguishes two
people of one name, but only the grading worksheet says who it is.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.plugins import FileNameCollectorPlugin
from traitlets import Bool, Unicode

from grader.classroom.csv_file import Table, table_in
from grader.classroom.dates import read_date
from grader.classroom.moodle_worksheet import EMAIL, ID_NUMBER, SUBMITTED
from grader.course.moments import placed, read_moment, read_zone
from grader.errors import KataError
from grader.intake.names import printable
from grader.intake.regular_file import read_regular
from grader.intake.submission import UnreadableError

USUAL_COLUMNS = ("username", ID_NUMBER, EMAIL)
"""Columns to search for ids, in this order; the first without empty cells counts."""

_NUMBER = re.compile(r"[^0-9]*[^\W0-9][^0-9]*([0-9]+)\s*")  # a word in any language, then the number


class WorksheetError(KataError):
    """The worksheet cannot be used; the text is one sentence."""


@dataclass(frozen=True)
class Listed:
    """The worksheet's entry for a participant; "" for missing values."""

    id: str
    email: str = ""
    changed: str = ""
    """When the submission was last changed, in Moodle's words."""


def learners_in(content: bytes, column: str = "") -> dict[str, Listed] | None:
    """The learners by participant number; None when this is not a grading worksheet.

    column: the header of the column with the ids, as it stands there; one of the usual ones if empty.
    Raises WorksheetError when there is no such column, or one of its cells is empty.
    """
    try:
        table = table_in(content, "the grading worksheet")
    except KataError:
        return None
    numbers = [found[1] if (found := _NUMBER.fullmatch(cells[0])) else "" for _, cells in table.rows]
    if not numbers or not all(numbers):
        return None
    if column and column not in table.titles:
        raise WorksheetError(f"The grading worksheet has no column {column!r}; it has {', '.join(table.titles)}.")
    usual = [place for name in USUAL_COLUMNS if (place := table.place(name)) is not None]
    candidates = [table.titles.index(column)] if column else usual
    for place in candidates:
        ids = _column(table, place)
        if all(ids):
            emails = (text if "@" in text else "" for text in _column(table, table.place(EMAIL)))
            changed = (text if text != "-" else "" for text in _column(table, table.place(SUBMITTED)))
            return dict(zip(numbers, map(Listed, ids, emails, changed), strict=True))
    if not candidates:
        raise WorksheetError(
            f"Which column of the grading worksheet holds the learners' ids? It has {', '.join(table.titles)}; "
            "name one with c.MoodleCollector.id_column."
        )
    names = " and ".join(table.titles[place] for place in candidates)
    raise WorksheetError(f"In the grading worksheet, {names} are not filled for everybody.")


def moment_of(text: str, zone: tzinfo | None = None) -> datetime | None:
    """Parse Moodle's times, such as "Sunday, 1 March 2026, 12:14 PM", to UTC; None for other text.

    zone: the time zone of the text; None for this computer's.
    """
    found = read_moment(text) or read_date(text)
    if found is None:
        return None
    return (placed(found, zone) or found).astimezone(timezone.utc)


def _column(table: Table, place: int | None) -> list[str]:
    """A column's text in each row; "" if there is no such column."""
    return ["" if place is None else cells[place].strip() for _, cells in table.rows]


# The first match counts: later parts are the name of a learner's file, which may contain anything.
_PARTICIPANT = re.compile(
    r"(?P<name>.+?)_(?P<number>[0-9]{1,12})_assignsubmission_(?P<kind>[a-z]+)_(?P<rest>.*)", re.DOTALL
)
_ALSO_IN_AN_ID = "._@-"
_MOST_OF_AN_ID = 60  # characters; even at four bytes each and with a number, they fit into a folder's name


@dataclass(frozen=True)
class Participant:
    """A person who handed in."""

    number: str
    """The number of this person in this assignment."""
    name: str


@dataclass(frozen=True)
class MoodleHandIn:
    """The parts of a downloaded file's path."""

    participant: Participant
    kind: str
    """The kind of submission: `file`, `onlinetext`, ..."""
    name: str
    """The file's path as the learner handed it in."""
    download: str
    """The path of the download that it came in; "" for a loose file."""


def handed_in(where: str) -> MoodleHandIn | None:
    """The parts of a path in a download; None when it is not named in Moodle's way."""
    parts = where.split("/")
    for count, part in enumerate(parts):
        if found := _PARTICIPANT.fullmatch(part):
            name = unicodedata.normalize("NFC", found["name"]).strip()
            rest = "/".join(each for each in (found["rest"], *parts[count + 1 :]) if each)
            return MoodleHandIn(Participant(found["number"], name), found["kind"], rest, "/".join(parts[:count]))
    return None


def safe_id(text: str) -> str:
    """Turn the text into an id that can be a folder's name: letters of any script, digits, and . _ - @"""
    kept = (char if _in_an_id(char) else " " for char in unicodedata.normalize("NFC", text))
    return "-".join("".join(kept).split()).strip("-.")[:_MOST_OF_AN_ID].rstrip("-.") or "learner"


def _in_an_id(char: str) -> bool:
    # many scripts write vowels as marks on a letter
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc") or char in _ALSO_IN_AN_ID


@dataclass(frozen=True)
class Ids:
    """nbgrader's id of each participant, by number, and warnings for the instructor."""

    of: Mapping[str, str]
    warnings: tuple[str, ...]


def ids_of(participants: Iterable[Participant], listed: Mapping[str, str], taken: Collection[str]) -> Ids:
    """Choose the ids: from the worksheet, else the name, with the number if several people have that name.

    listed: ids by participant number.
    taken: existing ids from other assignments.
    """
    by_number = {each.number: each for each in sorted(participants, key=lambda each: (each.number, each.name))}
    by_name = {number: safe_id(each.name) for number, each in by_number.items() if number not in listed}
    ids = {number: safe_id(listed[number]) for number in by_number if number in listed}
    warnings = []
    if listed and by_name:
        names = ", ".join(sorted(by_number[number].name for number in by_name))
        warnings.append(f"Not in the grading worksheet, so called by their names: {names}.")
    if len({id.casefold() for id in ids.values()}) < len(ids):
        warnings.append("The grading worksheet gives one id to several people; they are told apart by their numbers.")
    ids_listed, listed_ids = set(ids), Counter(id.casefold() for id in ids.values())
    used = Counter(id.casefold() for id in [*by_name.values(), *ids.values()])
    numbered = {id.rpartition("-")[0].casefold() for id in taken if id.rpartition("-")[2].isdigit()}
    for number, id in {**ids, **by_name}.items():
        rivals = listed_ids if number in ids_listed else used  # names never change another learner's listed id
        shared = rivals[id.casefold()] > 1 or (number in by_name and id.casefold() in numbered)
        ids[number] = f"{id}-{number}" if shared else id
        if shared and number in by_name:
            warnings.append(
                f"{by_number[number].name} is the name of several people; this one is {ids[number]} here. The number "
                "differs from assignment to assignment: put Moodle's grading worksheet (a CSV) beside the zip."
            )
    return Ids(ids, tuple(warnings))


_WORKSHEET_BYTES = 16 << 20


class MoodleCollector(FileNameCollectorPlugin):
    """Collects what Moodle's "Download all submissions" packed."""

    id_column = Unicode(
        "", help="The column of Moodle's grading worksheet with the learners' ids; else Username, ID number or Email."
    ).tag(config=True)
    time_zone = Unicode(
        "", help="Where the worksheet's times were written, such as Europe/Vienna; this computer's zone by default."
    ).tag(config=True)
    zip_times = Bool(
        False,
        help="Where the worksheet says no time, take that in the zip for the time of handing in, from which lateness "
        "is counted. Only where your Moodle keeps them: many write the time of the download.",
    ).tag(config=True)

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """What nbgrader has to know about a file that counts; None for any other."""
        return self._plan.get(Path(submitted_file))

    @cached_property
    def _plan(self) -> dict[Path, dict[str, str]]:
        """For all files at once, since which one counts depends on the others."""
        folder = self._extracted
        found: dict[str, list[_CollectedFile]] = {}
        worksheets: list[Path] = []
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
            handed = handed_in(path.relative_to(folder).as_posix())
            if handed is not None:
                found.setdefault(handed.participant.number, []).append(_CollectedFile(path, handed))
            elif path.suffix.lower() == ".csv":
                worksheets.append(path)
            else:
                self.log.warning("%s has no participant's name and number in it.", printable(path.name))
        listed = self._listed(worksheets)
        ids = self._ids([files[0].handed.participant for files in found.values()], listed)
        self._note_emails({ids[number]: listed[number].email for number in found if number in listed})
        times = self._times({number: listed[number].changed for number in found if number in listed})
        plan = {}
        for number, files in found.items():
            for path, name in self._counting(files, ids[number]).items():
                plan[path] = {"student_id": ids[number], "file_id": name}
                time = times.get(number)
                if time is None and self.zip_times:
                    time = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc)
                if time is not None:
                    plan[path]["timestamp"] = time.isoformat(" ", "seconds")
        return plan

    @property
    def _unit(self) -> str:
        return str(self.parent.coursedir.assignment_id)

    @property
    def _extracted(self) -> Path:
        app: Any = self.parent
        inside: str = app.collect_directory_structure.format(
            downloaded=app.downloaded_directory, assignment_id=self._unit, collect_step=app.extracted_directory
        )
        return Path(app.coursedir.root, inside)

    def _listed(self, worksheets: Sequence[Path]) -> dict[str, Listed]:
        listed: dict[str, Listed] = {}
        for path in worksheets:
            try:
                content = read_regular(path, _WORKSHEET_BYTES)
                here = learners_in(content, self.id_column)
            except (WorksheetError, UnreadableError) as error:
                self.parent.fail("%s: %s", path.name, error)
            if here is None:
                self.log.warning("%s is no grading worksheet of Moodle's and was not used.", path.name)
            else:
                listed.update(here)
        return listed

    def _note_emails(self, emails: Mapping[str, str]) -> None:
        """Add them to the gradebook where it has none, since Moodle identifies its users by them."""
        coursedir = self.parent.coursedir
        with Gradebook(coursedir.db_url, coursedir.course_id) as book:
            for id, email in emails.items():
                if email and not book.update_or_create_student(id).email:
                    book.update_or_create_student(id, email=email)

    def _times(self, changed: Mapping[str, str]) -> dict[str, datetime]:
        """When each participant handed in, by number, as far as the worksheet says."""
        zone = read_zone(self.time_zone) if self.time_zone else None
        if self.time_zone and zone is None:
            self.parent.fail("This machine knows no time zone %r (c.MoodleCollector.time_zone).", self.time_zone)
        times = {number: moment_of(text, zone) for number, text in changed.items()}
        if unread := sorted({changed[number] for number, time in times.items() if time is None and changed[number]}):
            self.log.warning(
                "The grading worksheet writes times in a way that is not read here, such as %r; these do not count. "
                "Download it with Moodle set to English.",
                printable(unread[0]),
            )
        return {number: time for number, time in times.items() if time is not None}

    def _ids(self, people: Sequence[Participant], listed: Mapping[str, Listed]) -> Mapping[str, str]:
        coursedir = self.parent.coursedir
        submitted = Path(coursedir.format_path(coursedir.submitted_directory, ".", "."))
        taken = {path.name for path in submitted.iterdir()} if submitted.is_dir() else set()
        ids = ids_of(people, {number: each.id for number, each in listed.items()}, taken)
        for warning in ids.warnings:
            self.log.warning(warning)
        return ids.of

    def _counting(self, files: Sequence[_CollectedFile], id: str) -> dict[Path, str]:
        """Those of one learner's files that count, with their new names."""
        name = printable(files[0].handed.participant.name)
        latest = self._newest(files, name).handed.download
        here = [file for file in files if file.handed.download == latest]
        notebooks = [file for file in here if file.suffix == ".ipynb"]
        if notebooks:
            named = [file for file in notebooks if self._unit.casefold() in file.own_name.casefold()]
            notebook = self._newest(named or notebooks, name)
            counting = {notebook.path: f"{self._unit}.ipynb"}
        else:
            counting = self._sources([file for file in here if file.suffix == ".py"], name, id)
        for file in files:
            if file.path not in counting:
                self.log.warning("%s: %s does not count.", name, file.shown)
        return counting

    def _sources(self, files: Sequence[_CollectedFile], name: str, id: str) -> dict[Path, str]:
        by_name: dict[str, list[_CollectedFile]] = {}
        for file in files:
            by_name.setdefault(file.own_name, []).append(file)
        coursedir = self.parent.coursedir
        place = coursedir.format_path(coursedir.submitted_directory, id, self._unit)
        self.log.warning(
            "%s handed in Python files and no notebook: %s. nbgrader passes them over. Make a notebook of them as "
            "below; its timestamp.txt will tell when it was collected, so correct that if lateness costs points.\n"
            "  kata hand-in %s --to %s --learner %s --unit %s",
            name,
            ", ".join(sorted(by_name)),
            *(shlex.quote(word) for word in (place, coursedir.root, id, self._unit)),
        )
        return {self._newest(same, name).path: own for own, same in by_name.items()}

    def _newest(self, files: Sequence[_CollectedFile], name: str) -> _CollectedFile:
        newest = max(files, key=lambda file: (file.time, file.path))
        for other in files:
            if other.time == newest.time and other.own_name == newest.own_name and not other.same_as(newest):
                self.log.warning(
                    "%s: nothing tells which of %s and %s is newer; %s is taken for it.",
                    name,
                    other.shown,
                    newest.shown,
                    newest.shown,
                )
        return newest


@dataclass(frozen=True)
class _CollectedFile:
    path: Path
    handed: MoodleHandIn

    @property
    def time(self) -> float:
        return self.path.stat().st_mtime

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower()

    @property
    def own_name(self) -> str:
        return PurePosixPath(self.handed.name).name

    @property
    def shown(self) -> str:
        """The file's name as the learner knows it, with the download it came in."""
        return printable("/".join(each for each in (self.handed.download, self.handed.name) if each))

    def same_as(self, other: _CollectedFile) -> bool:
        """Whether both files have the same content."""
        return self.path == other.path or self.path.read_bytes() == other.path.read_bytes()
