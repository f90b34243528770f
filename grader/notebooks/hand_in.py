"""Converts handed-in files to notebooks for nbgrader, with each answer as the learner's file to the byte.

The intake adds definitions from cells above to an answer in a notebook, and removes IPython's own lines. A file must
get neither, so each cell is marked as a whole file. What the intake refused cannot be found again in a notebook, so its
problems are stored in the metadata.

Only names that nbgrader can handle are accepted: in folders, in its commands' patterns, in formgrader's pages.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_markdown_cell

from grader.classroom import Entry
from grader.course import Course, Unit
from grader.errors import KataError
from grader.files import write_file
from grader.intake import FileProblem, Submission, SubmissionError, read_loose_files
from grader.intake.carried import PROBLEMS, whole_file
from grader.intake.collected_files import Collector
from grader.intake.names import ExerciseNames, printable
from grader.intake.submission import UnreadableError

from .cells import OURS, REFLECTION, exercises_of, grade_id_of, inert, is_answer
from .course_folder import CourseFolder, read_released
from .entrance import NBGRADERS_FORMAT, TIMESTAMP, last_changed
from .rebuild import read, rebuilt, texts_for_people

MAX_CHARACTERS = 128
"""Width of the gradebook's column."""
MAX_BYTES = 255
"""Limit of common file systems for a folder's name."""

_TROUBLE = {
    "/": "parts folders",
    "\\": "parts folders",
    "+": "parts the names in nbgrader's exchange",
    "*": "is a pattern to nbgrader",
    "?": "is a pattern to nbgrader",
    "[": "is a pattern to nbgrader",
    "]": "is a pattern to nbgrader",
    "#": "breaks formgrader's links",
    "%": "breaks formgrader's links",
    "<": "becomes HTML in formgrader's pages",
    ">": "becomes HTML in formgrader's pages",
    '"': "becomes a script in formgrader's pages",
}


def fault_in(name: str) -> str | None:
    """Why nbgrader cannot handle a learner of this name, to follow the name in a sentence; None when it can."""
    if not name.strip():
        return "is no name"
    if name != name.strip():
        return "begins or ends with a blank"
    if name.startswith((".", "-")):
        return f"begins with {name[0]!r}, so nbgrader would not find it"
    if not name.isprintable():
        return "holds a character that cannot be printed"
    if found := next((character for character in name if character in _TROUBLE), None):
        return f"holds {found!r}, which {_TROUBLE[found]}"
    if len(name) > MAX_CHARACTERS or len(name.encode("utf-8")) > MAX_BYTES:
        return f"is longer than {MAX_CHARACTERS} characters or {MAX_BYTES} bytes"
    return None


_CELL = ", cell "  # between a notebook's name and a cell's number, as the intake names an answer


@dataclass
class HandInReport:
    """The result for one learner's submission."""

    learner: str
    written: list[Path] = field(default_factory=list)
    replaced: list[Path] = field(default_factory=list)
    """Written files that replaced another one."""
    unchanged: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the intake did not take; shown to the learner too, unless it says otherwise."""
    refusals: list[str] = field(default_factory=list)
    """Why something was not handed in."""


@dataclass(frozen=True)
class Release:
    """A unit and its released notebook."""

    unit: Unit
    notebook: Any
    exercises: frozenset[str]


def releases_in(folder: CourseFolder, course: Course, units: Sequence[str] = ()) -> list[Release]:
    """The released units, or these of them. Raises KataError for a unit that is not released, or if none is."""
    known = {unit.folder: unit for unit in course.units}
    for name in units:
        if name not in known:
            raise KataError(f"There is no unit {name!r}; there are {', '.join(known)}.")
    chosen = [known[name] for name in known if name in units or not units]
    there = [unit for unit in chosen if folder.released(unit).is_file()]
    missing = [unit.folder for unit in chosen if unit not in there]
    if missing and (units or not there):
        command = f"nbgrader generate_assignment {missing[0]}"
        raise KataError(f"{folder.root} holds no release of {', '.join(missing)} yet; run `{command}` there first.")
    return [_release(unit, folder, course) for unit in there]


def _release(unit: Unit, folder: CourseFolder, course: Course) -> Release:
    notebook = read_released(folder.released(unit), course)
    return Release(unit, notebook, frozenset(each.id for each in exercises_of(notebook.cells, course)))


def hand_in(
    entries: Iterable[Entry],
    folder: CourseFolder,
    course: Course,
    releases: Sequence[Release],
    *,
    even_unrecognised: bool = False,
    overwrite: bool = False,
) -> Iterator[HandInReport]:
    """Write each submission as notebooks, one for each release that it belongs to.

    A submission that cannot be handed in is reported, and the others continue.
    even_unrecognised: also hand in a submission in which nothing is recognised, for every release, with the reason.
    overwrite: replace another notebook of the learner's.
    """
    seen: set[str] = set()
    for entry in entries:
        done = HandInReport(entry.name)
        if fault := fault_in(entry.name):
            done.refusals.append(f"{entry.name!r} can be no learner's name for nbgrader: it {fault}.")
        elif not os.path.lexists(entry.path):
            done.refusals.append(f"{printable(str(entry.path))} does not exist.")
        elif entry.name in seen:
            done.refusals.append(f"{entry.path} is another submission of {entry.name}; hand in one of them.")
        else:
            seen.add(entry.name)
            _hand_in(entry, folder, course, releases, done, even_unrecognised=even_unrecognised, overwrite=overwrite)
        yield done


def _hand_in(
    entry: Entry,
    folder: CourseFolder,
    course: Course,
    releases: Sequence[Release],
    done: HandInReport,
    *,
    even_unrecognised: bool,
    overwrite: bool,
) -> None:
    submission = _read(entry, course)
    done.notes += [problem.message for problem in submission.problems]
    about = submission.sources.keys() | {each.exercise for each in submission.problems if each.exercise}
    chosen = [release for release in releases if release.exercises & about or (even_unrecognised and not about)]
    if not chosen:
        answered = ", ".join(sorted(submission.sources))
        done.refusals.append(
            f"Nothing of it was handed in: it answers only {answered}, and none of these was asked for."
            if answered
            else "Nothing of it was handed in, as no exercise was recognised in it. With --unit it is handed in "
            "for that unit all the same, and the learner's feedback says why there are no answers."
        )
        return
    left = submission.sources.keys() - {id for release in chosen for id in release.exercises}
    if left:
        done.notes.append(f"Not handed in, as none of the notebooks asks for it: {', '.join(sorted(left))}.")
    texts = _texts_by_unit(entry, submission, course, done)
    for release in chosen:
        try:
            content = notebook_of(release, submission, texts.get(release.unit.folder, {}), course)
        except KataError as error:
            done.refusals.append(str(error))
            continue
        files = {_file_of(submission.sources[id].name) for id in release.exercises & submission.sources.keys()}
        files |= {_file_of(each.file) for each in submission.problems if each.exercise in release.exercises}
        moment = _last_changed(entry, files).strftime(NBGRADERS_FORMAT)
        _put_down(folder.submitted(entry.name, release.unit), content, moment, done, overwrite=overwrite)


def notebook_of(release: Release, submission: Submission, texts: dict[str, str], course: Course) -> bytes:
    """Encode a notebook from which the intake reads this release's exercises exactly as from the submission.

    Raises KataError when that is impossible.
    texts: text for a person to read, by the grade_id of its cell.
    """
    notebook = rebuilt(deepcopy(release.notebook), submission, texts, course)
    problems = notebook.metadata[OURS][PROBLEMS]
    notebook.metadata[OURS] = {PROBLEMS: problems}
    notebook.cells = [_as_file(cell, submission, problems) if is_answer(cell) else cell for cell in notebook.cells]
    content = f"{nbformat.writes(notebook, version=4)}\n".encode()
    _demand_the_same(content, release, submission, course, len(problems))
    return content


def _as_file(cell: Any, submission: Submission, problems: Sequence[Sequence[str | None]]) -> Any:
    """An answer cell with the file in it; without a file, a note instead, since the stub would count as an answer."""
    id = grade_id_of(cell)
    if source := submission.sources.get(id):
        cell.source = source.content.decode("utf-8")
        cell.metadata[OURS] = whole_file(id, source.name)
        return cell
    why = [message for _, _, message, exercise in problems if exercise == id and message]
    lines = [f"*No answer to `{id}` was taken from what was handed in.*", *map(inert, why)]
    return new_markdown_cell("\n\n".join(lines), id=cell.id)


def _demand_the_same(content: bytes, release: Release, submission: Submission, course: Course, problems: int) -> None:
    name = f"{release.unit.folder}.ipynb"
    collector = Collector(submission.name, ExerciseNames(course))
    try:
        collector.take_notebook(name, content)
    except UnreadableError as error:
        raise KataError(f"What it holds for {release.unit.folder} makes no notebook: {name} {error}.") from None
    again = collector.submission()
    asked = {id: each.content for id, each in submission.sources.items() if id in release.exercises}
    if {id: each.content for id, each in again.sources.items()} != asked or len(again.problems) != problems:
        raise KataError(
            f"What it holds for {release.unit.folder} would read otherwise in a notebook; use `kata grade`."
        )


def _read(entry: Entry, course: Course) -> Submission:
    """The learner's submission with all of its files; if unreadable, an empty one with the reason as its problem."""
    if not entry.parts:
        return replace(read(entry.path, course), name=entry.name)
    try:
        return replace(read_loose_files(entry.parts, course), name=entry.name)
    except SubmissionError as error:
        return Submission(entry.name, {}, (FileProblem(entry.path.name, "unreadable", str(error)),))


def _last_changed(entry: Entry, files: Collection[str]) -> datetime:
    if not entry.parts:
        return last_changed(entry.path, files)
    own = [part.path for part in entry.parts if part.called in files] or entry.files
    return max(last_changed(path, ()) for path in own)


def _notebook_at(entry: Entry, file: str) -> Path | None:
    """The path of the submission's notebook; None for one in a zip."""
    if entry.parts:
        return next((part.path for part in entry.parts if part.called == file), None)
    if entry.path.is_dir():
        return entry.path / file
    return entry.path if entry.path.name == file else None


def _texts_by_unit(
    entry: Entry, submission: Submission, course: Course, done: HandInReport
) -> dict[str, dict[str, str]]:
    """Texts in named cells of the submission's notebooks, by unit; only of notebooks that answer a single unit."""
    units: dict[str, set[str]] = {}
    for id, source in submission.sources.items():
        if _CELL in source.name:
            units.setdefault(_file_of(source.name), set()).add(course.exercise(id).unit)
    texts: dict[str, dict[str, str]] = {}
    for file, answered in units.items():
        notebook = _notebook_at(entry, file)
        if notebook is None:
            done.notes.append(f"Only the code of {file} was taken; for its reflection, hand in the notebook by itself.")
            continue
        found = texts_for_people(notebook)
        if len(answered) == 1:
            texts.setdefault(answered.pop(), {}).update(found)
        elif found.get(REFLECTION, "").strip():
            done.notes.append(f"The reflection in {file} was left out, as the notebook answers more than one unit.")
    return texts


def _file_of(name: str) -> str:
    """The file in the intake's name of an answer."""
    return name.rpartition(_CELL)[0] or name


def _put_down(path: Path, content: bytes, moment: str, done: HandInReport, *, overwrite: bool) -> None:
    if link := next((each for each in path.parents[:2] if each.is_symlink()), None):
        done.refusals.append(f"{link} is a link; put the learner's own folder in its place.")
        return
    there = _content_of(path)
    if there == content:
        done.unchanged.append(path)
        return
    if there is not None and not overwrite:
        done.refusals.append(f"Already there and different: {path}. With --force it is written anew.")
        return
    submitted = path.parents[2]
    write_file(path.with_name(TIMESTAMP), moment.encode("ascii"), below=submitted)
    write_file(path, content, below=submitted)
    done.written.append(path)
    if there is not None:
        done.replaced.append(path)


def _content_of(path: Path) -> bytes | None:
    """The file's content; b"", which no notebook equals, for a link or anything that is not a file."""
    if path.is_file() and not path.is_symlink():
        return path.read_bytes()
    return b"" if os.path.lexists(path) else None
