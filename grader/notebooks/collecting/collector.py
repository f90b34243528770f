"""Tells nbgrader whose each extracted file is, which one counts, and that it is the unit's notebook.

A notebook counts as `<unit>.ipynb` whatever its name was. Of several downloads the one with a person's newest file
counts; in it the notebooks that bear the unit's name come before others, and then the newest. Python files are
collected where there is no notebook. What does not count is named, and stays where it is.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.plugins import FileNameCollectorPlugin
from traitlets import Bool, Unicode

from grader.course.moments import read_zone
from grader.submission.files import read_regular
from grader.submission.model import RefusedError, UnreadableError
from grader.submission.naming import printable

from .participants import HandedIn, Participant, handed_in, ids_of
from .worksheet import Listed, WorksheetError, learners_in, moment_of

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
        """What nbgrader has to know of a file that counts; None for one that does not."""
        return self._plan.get(Path(submitted_file))

    @cached_property
    def _plan(self) -> dict[Path, dict[str, str]]:
        """Of all files at once, as which one counts depends on the others."""
        folder = self._extracted
        found: dict[str, list[_File]] = {}
        worksheets: list[Path] = []
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
            handed = handed_in(path.relative_to(folder).as_posix())
            if handed is not None:
                found.setdefault(handed.participant.number, []).append(_File(path, handed))
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
            except (WorksheetError, UnreadableError, RefusedError) as error:
                self.parent.fail("%s: %s", path.name, error)
            if here is None:
                self.log.warning("%s is no grading worksheet of Moodle's and was not used.", path.name)
            else:
                listed.update(here)
        return listed

    def _note_emails(self, emails: Mapping[str, str]) -> None:
        """Give them to the gradebook where it has none, as Moodle knows its users by them."""
        coursedir = self.parent.coursedir
        with Gradebook(coursedir.db_url, coursedir.course_id) as book:
            for id, email in emails.items():
                if email and not book.update_or_create_student(id).email:
                    book.update_or_create_student(id, email=email)

    def _times(self, changed: Mapping[str, str]) -> dict[str, datetime]:
        """When each participant handed in, by number, as far as the worksheet says so."""
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

    def _counting(self, files: Sequence[_File], id: str) -> dict[Path, str]:
        """Those of one learner's files that count, with the names they get."""
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

    def _sources(self, files: Sequence[_File], name: str, id: str) -> dict[Path, str]:
        by_name: dict[str, list[_File]] = {}
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

    def _newest(self, files: Sequence[_File], name: str) -> _File:
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
class _File:
    path: Path
    handed: HandedIn

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
        """The file's name as the learner knows it, with the download it came with."""
        return printable("/".join(each for each in (self.handed.download, self.handed.name) if each))

    def same_as(self, other: _File) -> bool:
        """Whether nothing is lost by taking the other."""
        return self.path == other.path or self.path.read_bytes() == other.path.read_bytes()
